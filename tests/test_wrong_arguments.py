"""What is not what a call asks for is refused by name, and an object that never began refuses to work."""

import copy

import numpy as np
import pytest

from onepath import (
    AgentOptions,
    Crowd,
    CrowdDebug,
    CrowdOptions,
    FollowerDebug,
    FollowerOptions,
    MeshDebug,
    NavMeshQuery,
    OffMeshLink,
    OnePathError,
    OrcaLinearProgram,
    OutOfRangeError,
    PathCorridor,
    PathFollower,
    QueryFilter,
    TiledNavMesh,
)

PLACE = (1.0, 0.0, 1.0)
SQUARE = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]
#: Compiled classes know that they were not begun; interpreted ones lack the attribute.
NOT_BEGUN = (OnePathError, AttributeError)


def quad():
    return TiledNavMesh.from_grid([[1]])


@pytest.mark.parametrize("call", [
    lambda mesh: mesh.poly_vertices(1 << 48), lambda mesh: mesh.is_valid_ref(1 << 48),
    lambda mesh: mesh.neighbours(1 << 48), lambda mesh: mesh.poly_area(1 << 48), lambda mesh: mesh.poly_flags(1 << 48),
    lambda mesh: mesh.set_poly_area(1 << 48, 1), lambda mesh: mesh.set_poly_flags(1 << 48, 1),
    lambda mesh: mesh.edit_count, lambda mesh: mesh.poly_count, lambda mesh: mesh.origin, lambda mesh: mesh.tile_size,
    lambda mesh: mesh.max_climb, lambda mesh: mesh.memory_bytes, lambda mesh: mesh.tile_polygons(0, 0),
    lambda mesh: mesh.remove_tile(0, 0), lambda mesh: mesh.add_tile(quad().tile_data(0, 0)),
    lambda mesh: mesh.replace_tile(quad().tile_data(0, 0)), lambda mesh: mesh.add_link(OffMeshLink(PLACE, PLACE)),
    lambda mesh: mesh.remove_link(0), lambda mesh: mesh.set_link_enabled(0, True), lambda mesh: mesh.to_bytes(),
    lambda mesh: mesh.save_state(), lambda mesh: mesh.restore_state(quad().save_state()),
    lambda mesh: mesh.tiles(), lambda mesh: mesh.tile_data(0, 0), lambda mesh: mesh.links(),
    lambda mesh: mesh.is_link_enabled(0), lambda mesh: mesh.link_refs(0), lambda mesh: mesh.check(),
    lambda mesh: NavMeshQuery(mesh), lambda mesh: Crowd(mesh),
])
def test_a_mesh_that_was_never_begun_does_nothing(call):
    with pytest.raises(NOT_BEGUN):
        call(TiledNavMesh.__new__(TiledNavMesh))


def test_a_query_that_was_never_begun_answers_no_bulk_question_and_serves_no_follower():
    query = NavMeshQuery.__new__(NavMeshQuery)
    with pytest.raises(NOT_BEGUN):
        query.find_nearest_polys([PLACE])
    with pytest.raises(NOT_BEGUN):
        PathFollower().place(query, PLACE)


class Forgetful(QueryFilter):
    """Does not call what it extends."""

    def __init__(self):
        pass


@pytest.mark.parametrize("make", [Forgetful, lambda: QueryFilter.__new__(QueryFilter)])
@pytest.mark.parametrize("use", [
    lambda chosen: chosen.costs, lambda chosen: chosen.forbidden_areas, hash, repr, lambda chosen: chosen == chosen,
    lambda chosen: QueryFilter() == chosen, lambda chosen: copy.copy(chosen),
    lambda chosen: NavMeshQuery(quad()).find_nearest_poly(PLACE, filter=chosen),
    lambda chosen: NavMeshQuery(quad()).find_path(1 << 48, 1 << 48, PLACE, PLACE, chosen),
    lambda chosen: NavMeshQuery(quad()).raycasts([1 << 48], [PLACE], [PLACE], chosen),
    lambda chosen: NavMeshQuery(quad()).find_random_point(1, chosen),
    lambda chosen: CrowdOptions(filter=chosen), lambda chosen: MeshDebug.collect(quad(), chosen),
    lambda chosen: PathCorridor().replan(NavMeshQuery(quad()), chosen),
])
def test_a_filter_that_was_never_begun_chooses_nothing(make, use):
    with pytest.raises(NOT_BEGUN):
        use(make())


def test_a_filter_whose_arguments_were_refused_stays_as_it_was():
    known = QueryFilter(costs={1: 2.0})
    with pytest.raises(OutOfRangeError, match="costs"):
        known.__init__(include=2, costs={1: 0.0})
    assert known == QueryFilter(costs={1: 2.0})
    fresh = QueryFilter.__new__(QueryFilter)
    with pytest.raises(OutOfRangeError, match="costs"):
        fresh.__init__(costs={1: 0.0})


@pytest.mark.parametrize("name, value", [
    ("include", 1.5), ("include", float("nan")), ("include", None), ("include", "1"), ("exclude", float("inf")),
    ("costs", 5), ("costs", [1, 2]), ("costs", "ab"), ("costs", np.zeros(3)), ("forbidden_areas", 5),
    ("forbidden_areas", [0.5]),
])
def test_a_filter_names_the_argument_that_it_refuses(name, value):
    with pytest.raises(OutOfRangeError, match=f"^{name}:"):
        QueryFilter(**{name: value})


@pytest.mark.parametrize(("name", "call"), [
    ("p", lambda: NavMeshQuery(quad()).find_nearest_poly("123")),
    ("p", lambda: NavMeshQuery(quad()).find_nearest_poly(["1", "2", "3"])),
    ("extents", lambda: NavMeshQuery(quad()).find_nearest_poly(PLACE, "111")),
    ("start", lambda: OffMeshLink(b"123".decode(), PLACE)),
    ("radius", lambda: OffMeshLink(PLACE, PLACE, radius="0.5")),
    ("radius", lambda: AgentOptions(radius=b"1")),
    ("max_speed", lambda: FollowerOptions(max_speed="3")),
    ("costs", lambda: QueryFilter(costs={1: "2"})),
    ("dt", lambda: Crowd(quad()).step("1")),
])
def test_text_is_no_number(name, call):
    with pytest.raises(OutOfRangeError, match=name):
        call()


@pytest.mark.parametrize("mesh", [None, 5, "mesh", NavMeshQuery(quad())])
def test_a_crowd_walks_on_a_mesh_only(mesh):
    with pytest.raises(TypeError, match="mesh must be a TiledNavMesh"):
        Crowd(mesh)


@pytest.mark.parametrize("id", [float("nan"), float("inf"), 1.5, -1, 1 << 80, "0", None, [], {}])
def test_no_agent_has_an_id_that_was_never_given(id):
    crowd = Crowd(quad())
    crowd.add(PLACE)
    assert crowd.get_agent(id) is None


def test_debug_geometry_is_of_followers_and_crowds_only():
    query = NavMeshQuery(quad())
    for arguments in ((None, PathFollower()), (query, None)):
        with pytest.raises(TypeError, match="must be a"):
            FollowerDebug.collect(*arguments)
    with pytest.raises(TypeError, match="crowd must be a Crowd"):
        CrowdDebug.collect(query)


@pytest.mark.parametrize("constraints", [5, "ab", [1], [((0, 0), (1, 0), 3)], [[1, 2, 3]]])
def test_half_planes_are_pairs(constraints):
    with pytest.raises(OutOfRangeError, match="constraints"):
        OrcaLinearProgram.solve(constraints, 0, 1.0, (0.0, 0.0))


@pytest.mark.parametrize("name, call", [
    ("merge", lambda many: TiledNavMesh.from_grid([[1]], merge=many)),
    ("merge", lambda many: TiledNavMesh.from_polygons(SQUARE, [[0, 1, 2, 3]], merge=many)),
    ("bidirectional", lambda many: OffMeshLink(PLACE, PLACE, bidirectional=many)),
    ("on", lambda many: quad().set_link_enabled(0, many)),
    ("referenced", lambda many: quad().save_state(many)),
    ("record_constraints", lambda many: CrowdOptions(record_constraints=many)),
])
def test_an_array_is_neither_true_nor_false(name, call):
    with pytest.raises(OutOfRangeError, match=f"^{name}:"):
        call(np.zeros(3))


@pytest.mark.parametrize("origin", [{1: 2, 2: 3, 3: 4}, (value for value in (1, 2, 3)), {1, 2, 3}])
def test_the_origin_of_a_grid_is_read_once(origin):
    mesh = TiledNavMesh.from_grid([[1]], origin=origin)
    assert mesh.origin == (1.0, 3.0)
    assert mesh.poly_vertices(mesh.tile_polygons(0, 0)[0])[0] == (1.0, 2.0, 3.0)


class Odd:
    """Says it is an integer, and is none."""

    def __index__(self):
        return "7"


@pytest.mark.parametrize("name, call", [
    ("capacity", lambda odd: PathCorridor(odd)), ("max_threads", lambda odd: CrowdOptions(max_threads=odd)),
    ("max_nodes", lambda odd: NavMeshQuery(quad(), odd)), ("include", lambda odd: QueryFilter(include=odd)),
    ("budget", lambda odd: PathCorridor().replan(NavMeshQuery(quad()), None, odd)),
])
def test_what_is_no_integer_after_all_is_refused_by_name(name, call):
    with pytest.raises(OutOfRangeError, match=f"^{name}: must be an integer"):
        call(Odd())


def test_what_is_no_integer_after_all_is_no_reference():
    mesh = quad()
    assert not mesh.is_valid_ref(Odd())
    assert not PathCorridor().reset(Odd(), PLACE)
    assert NavMeshQuery(mesh).poly_height(Odd(), PLACE) is None


def test_an_array_says_neither_whether_tiles_are_referenced():
    with pytest.raises(OutOfRangeError, match=r"^referenced:"):
        Crowd(quad()).save_state_with_mesh(np.zeros(3))
