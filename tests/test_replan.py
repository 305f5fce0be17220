"""Replanning: which search runs from where, every outcome, and that slicing changes nothing."""

import random

import pytest
from corridor_tools import connected, corridor_to, grid, polygon_query, random_point, ref_at, strip_query
from meshes import cell_mesh, two_floors
from mode import scaled

from onepath.corridors.corridor_replan import CorridorReplan
from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.states import ReplanStatus, Validity
from onepath.errors import OnePathError, OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.link_data import OffMeshLink
from onepath.queries.query import NavMeshQuery

COMPLETE, NEEDS_REPLAN, FROM_START = 1, 2, 4


def flags(corridor):
    return corridor.to_bytes()[1]


def on_first(query, capacity=256, at=(1.0, 0.0, 1.0)):
    corridor = PathCorridor(capacity)
    corridor.reset(ref_at(query, at[0], at[2], at[1]), at)
    return corridor


def test_a_new_target_makes_the_corridor_incomplete_and_asks_for_a_replan_from_start():
    query = strip_query(6)
    corridor = on_first(query)
    assert flags(corridor) == COMPLETE
    assert corridor.set_target(query, (11, 0.5, 1))
    assert (corridor.target, corridor.target_ref) == ((11.0, 0.5, 1.0), ref_at(query, 11, 1))
    assert flags(corridor) == NEEDS_REPLAN | FROM_START
    assert not corridor.set_target(query, (50, 0, 1))
    assert (corridor.target, corridor.target_ref) == ((50.0, 0.0, 1.0), 0)


def test_success_completes_the_corridor():
    query = strip_query(6)
    corridor = on_first(query)
    corridor.set_target(query, (11, 0, 1))
    assert corridor.replan(query, None, 100) == ReplanStatus.SUCCESS
    assert corridor.path == [ref_at(query, 2 * x + 1, 1) for x in range(6)]
    assert flags(corridor) == COMPLETE
    assert corridor.target_ref == corridor.path[-1]


def test_the_target_is_not_moved_onto_its_polygon():
    query = strip_query(6)
    corridor = on_first(query)
    corridor.set_target(query, (11, 1.5, 3.5))
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.target == (11.0, 1.5, 3.5)
    assert corridor.is_complete


def test_the_target_polygon_is_found_afresh_by_each_replan():
    query = grid(6, 2, tile_cells=2)
    corridor = corridor_to(query, (1, 0, 1), (11, 0, 1.5))
    query.mesh.set_poly_flags(ref_at(query, 11, 1), 0)
    corridor.request_replan()
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.target_ref == ref_at(query, 11, 3)


def test_a_success_longer_than_the_capacity_is_cut_and_wants_more():
    query = strip_query(10)
    corridor = on_first(query, capacity=4)
    corridor.set_target(query, (19, 0, 1))
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.path == [ref_at(query, 2 * x + 1, 1) for x in range(4)]
    assert flags(corridor) == NEEDS_REPLAN


def test_a_cut_corridor_is_extended_at_its_end_as_it_is_walked():
    query = strip_query(10)
    corridor = on_first(query, capacity=4)
    corridor.set_target(query, (19, 0, 1))
    corridor.replan(query)
    corridor.move_position(query, (5, 0, 1))
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.path == [ref_at(query, x, 1) for x in (5, 7, 9, 11)]
    corridor.move_position(query, (11, 0, 1))
    corridor.replan(query)
    corridor.move_position(query, (17, 0, 1))
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.is_complete


def test_without_a_route_the_corridor_leads_to_the_nearest_polygon_and_is_left_alone():
    query = NavMeshQuery(cell_mesh([(0, 0), (1, 0), (2, 0), (5, 0)]))
    corridor = on_first(query)
    corridor.set_target(query, (11, 0, 1))
    assert corridor.replan(query) == ReplanStatus.PARTIAL
    assert corridor.path == [ref_at(query, x, 1) for x in (1, 3, 5)]
    assert flags(corridor) == 0


def test_a_partial_route_longer_than_the_capacity_wants_more():
    query = NavMeshQuery(cell_mesh([*((x, 0) for x in range(8)), (12, 0)]))
    corridor = on_first(query, capacity=4)
    corridor.set_target(query, (25, 0, 1))
    assert corridor.replan(query) == ReplanStatus.PARTIAL
    assert len(corridor.path) == 4
    assert flags(corridor) == NEEDS_REPLAN


@pytest.mark.parametrize("make", [lambda mesh: NavMeshQuery(mesh, 8), lambda mesh: polygon_query(mesh, 8)])
def test_out_of_nodes_the_corridor_leads_as_near_as_was_found_and_wants_more(make):
    query = make(strip_query(30).mesh)
    corridor = on_first(query)
    corridor.set_target(query, (59, 0, 1))
    assert corridor.replan(query) == ReplanStatus.PARTIAL
    assert 3 < len(corridor.path) < 10
    assert flags(corridor) == NEEDS_REPLAN
    first = list(corridor.path)
    assert corridor.replan(query) == ReplanStatus.PARTIAL
    assert corridor.path[:len(first)] == first
    assert len(corridor.path) > len(first)


def test_a_spent_budget_leaves_the_corridor_and_asks_to_search_from_start():
    query = strip_query(30)
    corridor = corridor_to(query, (1, 0, 1), (9, 0, 1))
    path = corridor.path
    corridor.set_target(query, (59, 0, 1))
    assert corridor.replan(query, None, 5) == ReplanStatus.IN_PROGRESS
    assert corridor.path == path
    assert flags(corridor) == NEEDS_REPLAN | FROM_START
    assert corridor.replan(query, None, 50) == ReplanStatus.SUCCESS
    assert len(corridor.path) == 30


def test_a_stale_or_refused_start_is_reported_and_the_corridor_left():
    query = strip_query(8, tile_cells=2)
    corridor = corridor_to(query, (1, 0, 1), (15, 0, 1))
    path = corridor.path
    query.mesh.remove_tile(0, 0)
    corridor.request_replan()
    assert corridor.replan(query) == ReplanStatus.INVALID_START
    assert corridor.path == path
    assert flags(corridor) & (COMPLETE | NEEDS_REPLAN) == NEEDS_REPLAN
    other = corridor_to(query, (5, 0, 1), (15, 0, 1))
    query.mesh.set_poly_area(other.path[0], 3)
    other.request_replan()
    assert other.replan(query, QueryFilter(forbidden_areas=[3])) == ReplanStatus.INVALID_START


def test_an_empty_corridor_has_no_start():
    query = strip_query(3)
    corridor = PathCorridor()
    corridor.set_target(query, (5, 0, 1))
    assert corridor.replan(query) == ReplanStatus.INVALID_START


def test_no_polygon_near_the_target_ends_the_wish_to_replan():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    path = corridor.path
    corridor.set_target(query, (20, 0, 1))
    assert corridor.replan(query) == ReplanStatus.NO_END_NEARBY
    assert (corridor.path, corridor.target_ref, flags(corridor)) == (path, 0, 0)


def test_the_extents_say_how_near_the_target_a_polygon_must_be():
    query = strip_query(4)
    corridor = on_first(query)
    corridor.set_target(query, (12, 0, 1))
    assert corridor.replan(query, None, 100, (3, 1, 1)) == ReplanStatus.NO_END_NEARBY
    corridor.set_target(query, (12, 0, 1))
    assert corridor.replan(query, None, 100, (5, 1, 1)) == ReplanStatus.SUCCESS


def island_world():
    """A row with two gaps bridged by links, the first one-way, and a long way round that needs neither."""
    cells = [(x, 0) for x in (0, 1, 2, 3, 6, 7, 10, 11)]
    cells += [(0, 1), (11, 1), *((x, 2) for x in range(12))]
    links = [OffMeshLink((7, 0, 1), (13, 0, 1), bidirectional=False), OffMeshLink((15, 0, 1), (21, 0, 1))]
    return NavMeshQuery(cell_mesh(cells, links=links))


def test_search_starts_again_from_the_agent_when_the_end_of_the_corridor_is_a_trap():
    query = island_world()
    corridor = corridor_to(query, (1, 0, 1), (21, 0, 1))
    assert len(corridor.path) == 7
    _first, (second, _link) = query.mesh.links()
    query.mesh.set_link_enabled(second, False)
    assert corridor.validate(query, None, 64) == Validity.TRIMMED
    assert len(corridor.path) == 6
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.is_complete
    assert ref_at(query, 1, 3) in corridor.path
    assert ref_at(query, 13, 1) not in corridor.path


def test_search_goes_on_from_the_end_of_the_corridor_where_it_can():
    query = grid(10, 1, tile_cells=2)
    corridor = corridor_to(query, (1, 0, 1), (9, 0, 1))
    corridor.move_target(query, (9, 0, 1))
    content = bytearray(corridor.to_bytes())
    content[1] = NEEDS_REPLAN
    corridor.read(bytes(content))
    replan = CorridorReplan()
    replan.begin(corridor, query)
    while replan.update(1) == ReplanStatus.IN_PROGRESS:
        pass
    assert replan.iterations <= 1
    assert replan.apply() == ReplanStatus.SUCCESS
    corridor.request_replan()
    replan.begin(corridor, query)
    while replan.update(1) == ReplanStatus.IN_PROGRESS:
        pass
    assert replan.iterations >= 4


def test_loops_between_corridor_and_route_are_cut():
    # The corridor's end has become a dead branch: the way from it leads back over polygons the corridor has already.
    query = grid(5, 3)
    corridor = corridor_to(query, (1, 0, 1), (9, 0, 1))
    for x, z in ((7, 1), (9, 1), (5, 3)):
        query.mesh.set_poly_flags(ref_at(query, x, z), 0)
    corridor.validate(query, None, 16)
    assert corridor.path == [ref_at(query, x, 1) for x in (1, 3, 5)]
    corridor.move_target(query, (9, 0, 3))
    assert corridor.replan(query) == ReplanStatus.SUCCESS
    assert corridor.path[:3] == [ref_at(query, 1, 1), ref_at(query, 3, 1), ref_at(query, 3, 3)]
    assert connected(query, corridor)
    assert corridor.path[-1] == ref_at(query, 9, 3)


def test_a_replan_not_begun_cannot_go_on_and_a_bad_budget_is_named():
    replan = CorridorReplan()
    with pytest.raises(OnePathError):
        replan.update(1)
    with pytest.raises(OnePathError):
        replan.apply()
    query = strip_query(3)
    replan.begin(corridor_to(query, (1, 0, 1), (5, 0, 1)), query)
    for budget in (0, -1, 1.5, 1 << 31):
        with pytest.raises(OutOfRangeError) as caught:
            replan.update(budget)
        assert caught.value.field == "budget"
    with pytest.raises(TypeError):
        replan.begin("corridor", query)


def test_applied_before_it_is_done_a_replan_counts_as_unfinished():
    query = strip_query(30)
    corridor = on_first(query)
    corridor.set_target(query, (59, 0, 1))
    replan = CorridorReplan()
    assert replan.begin(corridor, query) == ReplanStatus.IN_PROGRESS
    assert replan.apply() == ReplanStatus.IN_PROGRESS
    assert flags(corridor) == NEEDS_REPLAN | FROM_START


def test_an_agent_may_walk_on_while_its_replan_is_under_way():
    query = grid(8, 3)
    for move in ((5.0, 0.0, 1.0), (1.0, 0.0, 3.0)):
        corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
        corridor.set_target(query, (15, 0, 1))
        replan = CorridorReplan()
        replan.begin(corridor, query)
        while replan.update(3) == ReplanStatus.IN_PROGRESS:
            pass
        corridor.move_position(query, move)
        assert replan.apply() == ReplanStatus.SUCCESS
        assert connected(query, corridor)
        assert corridor.path[0] == ref_at(query, move[0], move[2])
        assert corridor.path[-1] == ref_at(query, 15, 1)
        assert corridor.is_complete


def test_a_route_that_the_agent_has_left_or_that_leads_to_an_old_target_is_not_taken():
    query = grid(8, 3)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    corridor.set_target(query, (15, 0, 1))
    replan = CorridorReplan()
    replan.begin(corridor, query)
    replan.update(1000)
    corridor.reset(ref_at(query, 5, 5), (5, 0, 5))
    corridor.set_target(query, (15, 0, 1))
    assert replan.apply() == ReplanStatus.IN_PROGRESS
    assert corridor.path == [ref_at(query, 5, 5)]
    assert flags(corridor) == NEEDS_REPLAN | FROM_START
    replan.begin(corridor, query)
    replan.update(1000)
    corridor.set_target(query, (15, 0, 5))
    assert replan.apply() == ReplanStatus.IN_PROGRESS
    assert flags(corridor) == NEEDS_REPLAN | FROM_START


def test_an_edit_during_a_replan_starts_it_over():
    query = grid(8, 2, tile_cells=2)
    corridor = on_first(query)
    corridor.set_target(query, (15, 0, 1))
    replan = CorridorReplan()
    replan.begin(corridor, query)
    replan.update(4)
    query.mesh.set_poly_flags(ref_at(query, 7, 1), 0)
    while replan.update(2) == ReplanStatus.IN_PROGRESS:
        pass
    assert replan.apply() == ReplanStatus.SUCCESS
    assert connected(query, corridor)
    assert corridor.validate(query, None, 64) == Validity.VALID
    replan.begin(corridor, query)
    replan.update(1000)
    query.mesh.set_poly_flags(ref_at(query, 9, 1), 0)
    assert replan.apply() == ReplanStatus.IN_PROGRESS


def sliced(corridor, query, budget):
    replan = CorridorReplan()
    replan.begin(corridor, query)
    while replan.update(budget) == ReplanStatus.IN_PROGRESS:
        pass
    return replan.iterations, replan.apply()


@pytest.mark.parametrize("model", ["crossing", "polygon"])
def test_any_split_of_the_work_gives_the_same_bytes(model):
    rng = random.Random(17)
    budgets = (1, 2, 3, 5, 17, 100)
    both_searches = 0
    for round_number in range(scaled(30, 3)):
        field = two_floors(14, seed=round_number, link_count=6)
        query = NavMeshQuery(field.mesh) if model == "crossing" else polygon_query(field.mesh)
        links = field.mesh.links()
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        whole = corridor_to(query, start, end, capacity=rng.choice([6, 24, 256]))
        for _ in range(6):
            edit = rng.random()
            if edit < 0.4:
                field.mesh.set_link_enabled(rng.choice(links)[0], rng.random() < 0.5)
            elif edit < 0.8:
                field.mesh.set_poly_flags(rng.choice(field.refs), rng.choice([0, 1]))
            if whole.validate(query, None, rng.choice([2, 8, 64])) == Validity.INVALID:
                whole.relocate(query)
            if rng.random() < 0.3:
                whole.request_replan()
            before = whole.to_bytes()
            expected = sliced(whole, query, (1 << 31) - 1)
            for budget in budgets:
                part = PathCorridor(whole.capacity)
                part.read(before)
                assert sliced(part, query, budget) == expected
                assert part.to_bytes() == whole.to_bytes()
            both_searches += expected[1] == ReplanStatus.SUCCESS and before[1] & FROM_START == 0
            corners = whole.find_corners(query, 4)
            if corners:
                whole.move_position(query, corners[min(1, len(corners) - 1)].point)
    assert both_searches > 0
