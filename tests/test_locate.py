"""Where a place is on the mesh: find_nearest_poly, closest_point_on_poly, poly_height, find_random_point."""

import random

import numpy as np
import pytest
from mode import scaled
from oracles_surface import Survey, closest_points, nearest_polys
from surface_worlds import SHIFTS, WORLDS, all_refs, place_in, rectangle, two_floors, world_of

from onepath.errors import OnePathError, OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery


def scattered_points(shift, count, seed):
    """Places on, above, below and beside worlds of about 20 × 20 units; a third on round coordinates."""
    rng = np.random.default_rng(seed)
    points = rng.uniform((-4.0, -3.0, -4.0), (26.0, 6.0, 26.0), (count, 3))
    points[::3] = np.round(points[::3])
    return points + np.array((shift, 0.0, shift))


def check_nearest(make, shift, count, seed):
    mesh = make(shift)
    survey = Survey(mesh, all_refs(mesh))
    query = NavMeshQuery(mesh, 16)
    rng = random.Random(seed)
    for extents in ((1.0, 1.0, 1.0), (2.0, 4.0, 2.0), (10.0, 3.0, 30.0), (1000.0, 1000.0, 1000.0)):
        points = scattered_points(shift, count // 4, rng.randrange(1 << 30))
        refs, nearest = query.find_nearest_polys(points, extents)
        expected, distances = nearest_polys(list(survey.outlines.values()), points, extents)
        assert (refs == expected).all()
        found = refs != 0
        assert np.allclose(np.linalg.norm(nearest - points, axis=1)[found], distances[found], rtol=0, atol=1e-9)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_the_nearest_polygon_is_that_of_brute_force(make, shift):
    check_nearest(make, shift, scaled(4000, 120), 1)


@pytest.mark.full
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_the_nearest_polygon_is_that_of_brute_force_at_full_size(make, shift):
    check_nearest(make, shift, scaled(17000, 400), 101)


def test_extents_from_one_to_a_thousand_agree_with_brute_force():
    mesh = WORLDS["rectangles"]()
    query = NavMeshQuery(mesh, 16)
    outlines = list(Survey(mesh, all_refs(mesh)).outlines.values())
    rng = np.random.default_rng(34)
    for extent in (1, 2, 5, 10, 30, 100, 300, 1000):
        points = rng.uniform(-extent, 24 + extent, (scaled(300, 30), 3))
        refs, _ = query.find_nearest_polys(points, (extent, extent, extent))
        assert (refs == nearest_polys(outlines, points, (extent,) * 3)[0]).all()


def test_a_target_on_the_lower_floor_is_found_there_however_high_the_pivot():
    query = NavMeshQuery(two_floors())
    for height in (0.0, 0.1, 0.9, 1.4):
        _, point = query.find_nearest_poly((2.0, height, 2.0))
        assert point == (2.0, 0.0, 2.0)
    # Above the middle between the floors at 0 and 3 the upper one is nearer; a low box looks at the lower one alone.
    assert query.find_nearest_poly((2.0, 1.6, 2.0))[1] == (2.0, 3.0, 2.0)
    assert query.find_nearest_poly((2.0, 1.3, 2.0), (2.0, 1.35, 2.0))[1] == (2.0, 0.0, 2.0)


def test_a_platform_half_a_unit_above_the_floor_is_found_at_its_height():
    floor = [rectangle(2.0 * x, 2.0 * z, 2.0 * x + 2, 2.0 * z + 2) for x in range(8) for z in range(8)]
    mesh = world_of([*floor, rectangle(4.0, 4.0, 10.0, 8.0, 0.5)], 0.0, 16.0)
    platform = all_refs(mesh)[-1]
    query = NavMeshQuery(mesh)
    rng = np.random.default_rng(18)
    points = rng.uniform((4.0, 0.5, 4.0), (10.0, 0.5, 8.0), (1000, 3))
    refs, nearest = query.find_nearest_polys(points)
    assert set(refs.tolist()) == {platform}
    assert (nearest == points).all()


def test_of_equally_near_polygons_the_one_at_the_same_height_wins_then_the_lower_reference():
    # Two squares with an edge in common, and one whose rim is level with the asked height, all 1 away from p.
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2), rectangle(0, 5, 4, 6, 1.0)])
    first, _, level = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.find_nearest_poly((2.0, 1.0, 1.0)) == (first, (2.0, 0.0, 1.0))
    assert query.find_nearest_poly((2.0, 1.0, 4.0), (9.0, 9.0, 9.0)) == (level, (2.0, 1.0, 5.0))
    # At z = 1 both the floor below and, sideways, a wall of the same height are exactly 1 away.
    other = world_of([rectangle(0, 0, 4, 2), rectangle(0, 2, 4, 4, 1.0)])
    assert NavMeshQuery(other).find_nearest_poly((1.0, 1.0, 1.0))[1] == (1.0, 1.0, 2.0)


def test_the_closest_point_must_lie_in_the_box():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    query = NavMeshQuery(mesh)
    assert query.find_nearest_poly((4.0, 0.0, 1.0), (2.0, 1.0, 1.0))[1] == (2.0, 0.0, 1.0)
    assert query.find_nearest_poly((4.0, 0.0, 1.0), (1.99, 1.0, 1.0)) == (0, None)
    assert query.find_nearest_poly((1.0, 3.0, 1.0), (5.0, 2.5, 5.0)) == (0, None)
    assert query.find_nearest_poly((1.0, 0.0, 1.0), (0.0, 0.0, 0.0))[1] == (1.0, 0.0, 1.0)


def test_polygons_that_the_filter_refuses_are_not_found():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2)])
    near, far = all_refs(mesh)
    mesh.set_poly_flags(near, 2)
    query = NavMeshQuery(mesh)
    assert query.find_nearest_poly((1.0, 0.0, 1.0), filter=QueryFilter(exclude=2)) == (far, (2.0, 0.0, 1.0))
    mesh.set_poly_area(far, 5)
    assert query.find_nearest_poly((1.0, 0.0, 1.0), filter=QueryFilter(exclude=2, forbidden_areas=[5])) == (0, None)


def test_a_removed_tile_is_not_found_and_a_mesh_without_tiles_has_nothing_near():
    mesh = WORLDS["grid"]()
    query = NavMeshQuery(mesh)
    ref, _ = query.find_nearest_poly((1.0, 0.0, 1.0), (20.0, 20.0, 20.0))
    for tile in mesh.tiles():
        mesh.remove_tile(*tile)
    assert query.find_nearest_poly((1.0, 0.0, 1.0), (1e3, 1e3, 1e3)) == (0, None)
    assert query.closest_point_on_poly(ref, (1.0, 0.0, 1.0)) is None


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_closest_points_and_heights_are_those_of_brute_force(make):
    mesh = make()
    query = NavMeshQuery(mesh, 16)
    points = scattered_points(0.0, scaled(60, 10), 7)
    for outline in Survey(mesh, all_refs(mesh)).outlines.values():
        expected, insides = closest_points(outline.corners, points)
        for point, wanted, inside in zip(points, expected, insides):
            found, found_inside = query.closest_point_on_poly(outline.ref, point)
            assert found == pytest.approx(tuple(wanted), abs=1e-9)
            assert found_inside == inside
            height = query.poly_height(outline.ref, point)
            assert height == pytest.approx(wanted[1], abs=1e-9) if inside else height is None


def test_the_height_asked_with_never_moves_the_closest_point_sideways():
    query = NavMeshQuery(WORLDS["hills"](), 16)
    rng = random.Random(8)
    for ref in all_refs(query.mesh)[:20]:
        x, _, z = place_in(query.mesh, ref, rng)
        points = {query.closest_point_on_poly(ref, (x, y, z)) for y in (0.0, 0.9, 2.5, -7.0)}
        assert len(points) == 1


def test_height_comes_from_the_fan_at_vertex_0_also_where_it_has_flat_triangles():
    # A square with a corner in the middle of its first side: the fan at vertex 0 has a triangle without area.
    corners = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 2.0, 0.0), (2.0, 2.0, 2.0), (0.0, 0.0, 2.0)]
    query = NavMeshQuery(world_of([corners]))
    ref, = all_refs(query.mesh)
    assert query.poly_height(ref, (1.5, 9.0, 1.0)) == pytest.approx(1.5)
    assert query.poly_height(ref, (1.0, 9.0, 0.0)) == pytest.approx(1.0)
    assert query.poly_height(ref, (2.0 + 1e-8, 9.0, 1.0)) == pytest.approx(2.0)
    assert query.poly_height(ref, (2.0 + 1e-6, 9.0, 1.0)) is None


def test_height_is_steady_along_sides_with_corners_in_one_line_within_rounding():
    # A plane rising by 1 in 20 along x, cut from the same side again and again: corners on sides are off by an ulp.
    query = NavMeshQuery(WORLDS["shards"](), 16)
    rng = random.Random(21)
    for ref in all_refs(query.mesh):
        corners = query.mesh.poly_vertices(ref)
        for _ in range(scaled(300, 20)):
            k, t = rng.randrange(len(corners)), rng.random()
            a, b = corners[k - 1], corners[k]
            place = (a[0] + t * (b[0] - a[0]), 7.0, a[2] + t * (b[2] - a[2]))
            assert query.poly_height(ref, place) == pytest.approx(0.05 * place[0], abs=1e-9)


def test_random_points_are_spread_by_area_and_repeat_with_their_seed():
    # One square of 1, one of 9, one of 30 refused: a tenth and nine tenths of the points.
    mesh = world_of([rectangle(0, 0, 1, 1), rectangle(2, 0, 5, 3), rectangle(0, 5, 6, 10)])
    small, large, refused = all_refs(mesh)
    mesh.set_poly_flags(refused, 4)
    query = NavMeshQuery(mesh)
    chosen = QueryFilter(exclude=4)
    found = [query.find_random_point(seed, chosen) for seed in range(4000)]
    assert found == [query.find_random_point(seed, chosen) for seed in range(4000)]
    assert {ref for ref, _ in found} == {small, large}
    assert abs(sum(ref == small for ref, _ in found) - 400) < 80
    xs = [x for ref, (x, _, _) in found if ref == large]
    zs = [z for ref, (_, _, z) in found if ref == large]
    for values, low in ((xs, 2.0), (zs, 0.0)):
        assert [sum(low + k <= v < low + k + 1 for v in values) / len(values) for k in range(3)] == pytest.approx(
            [1 / 3] * 3, abs=0.04)
    assert query.find_random_point(2**70 - 1, chosen) == query.find_random_point(2**64 - 1, chosen)
    assert query.find_random_point(0, QueryFilter(include=8)) == (0, None)
    for ref, point in found[:50]:
        assert query.closest_point_on_poly(ref, point)[0] == pytest.approx(point, abs=1e-12)


BAD_REFS = [0, -1, 2**64 - 1, 2**64, 2**80, 1, 1 << 48 | 5, None, "ref", 1.5, [], object()]


def test_a_reference_that_is_none_is_a_result_and_never_an_exception():
    query = NavMeshQuery(world_of([rectangle(0, 0, 2, 2)]))
    for ref in BAD_REFS:
        assert query.closest_point_on_poly(ref, (1, 0, 1)) is None
        assert query.poly_height(ref, (1, 0, 1)) is None
        assert query.is_valid_ref(ref) is False


BAD_POSITIONS = [None, 1.0, "abc", (1, 2), (1, 2, 3, 4), (1, "2", None), (float("nan"), 0, 0), (0, float("inf"), 0),
                 (0, 0, 2.0**21), (0, -(2.0**21), 0), ({}, [], ()), (10**400, 0, 0)]


def test_bad_positions_and_extents_are_named():
    query = NavMeshQuery(world_of([rectangle(0, 0, 2, 2)]))
    ref, = all_refs(query.mesh)
    for bad in BAD_POSITIONS:
        for call in (lambda p: query.find_nearest_poly(p), lambda p: query.closest_point_on_poly(ref, p),
                     lambda p: query.poly_height(ref, p)):
            with pytest.raises(OutOfRangeError) as caught:
                call(bad)
            assert caught.value.field == "p"
    for bad in (None, 1, (1, 2), (1, 2, -1), (float("nan"), 1, 1), (float("inf"),) * 3, (1, "a", 2)):
        with pytest.raises(OutOfRangeError) as caught:
            query.find_nearest_poly((0, 0, 0), bad)
        assert caught.value.field == "extents"
    for bad in (None, 1.5, "1"):
        with pytest.raises(OutOfRangeError) as caught:
            query.find_random_point(bad)
        assert caught.value.field == "seed"


def test_bad_constructor_arguments_are_named():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    for field, arguments in (("mesh", (None,)), ("mesh", (3,)), ("max_nodes", (mesh, 0)), ("max_nodes", (mesh, 2**25)),
                             ("max_nodes", (mesh, "9")), ("model", (mesh, 9, 7)), ("model", (mesh, 9, None))):
        with pytest.raises(OutOfRangeError) as caught:
            NavMeshQuery(*arguments)
        assert caught.value.field == field
    with pytest.raises(TypeError):
        NavMeshQuery(mesh).find_nearest_poly((0, 0, 0), filter=5)


def test_a_query_that_was_never_initialised_says_so_instead_of_crashing():
    class Forgetful(NavMeshQuery):
        def __init__(self):
            pass

    for call in (lambda q: q.find_nearest_poly((0, 0, 0)), lambda q: q.raycast(1, (0, 0, 0), (1, 0, 1)),
                 lambda q: q.find_nearest_polys([(0, 0, 0)]), lambda q: q.find_random_point(1),
                 lambda q: q.find_path(1, 1, (0, 0, 0), (1, 0, 1)), lambda q: q.update_path(1), lambda q: q.model):
        with pytest.raises((OnePathError, AttributeError, TypeError)):
            call(Forgetful())
