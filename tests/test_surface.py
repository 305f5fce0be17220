"""Rays and moves over the surface: raycast and move_along_surface."""

import random
from itertools import pairwise
from math import cos, hypot, inf, isnan, pi, sin

import numpy as np
import pytest
from mode import scaled
from oracles_surface import Survey, move_shortfall, ray_reach
from surface_worlds import SHIFTS, WORLDS, all_refs, place_in, rectangle, with_corners_on_sides, world_of
from test_locate import BAD_POSITIONS, BAD_REFS

from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery


def random_lines(mesh, count, rng, lengths):
    """(ref, start, end) with the start in the polygon."""
    refs = all_refs(mesh)
    for _ in range(count):
        ref = rng.choice(refs)
        start = place_in(mesh, ref, rng)
        angle, length = rng.uniform(0.0, 2.0 * pi), rng.choice(lengths) * rng.random()
        yield ref, start, (start[0] + length * cos(angle), start[1], start[2] + length * sin(angle))


#: Directions along which lines on round coordinates meet many vertices.
ROUND_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1), (1, 2), (-2, 1), (3, -1))


def crossed_in_order(mesh, refs):
    return all((b, "edge") in mesh.neighbours(a) or (b, "portal") in mesh.neighbours(a) for a, b in pairwise(refs))


def check_rays(make, shift, count, seed):
    mesh = make(shift)
    survey = Survey(mesh, all_refs(mesh))
    query = NavMeshQuery(mesh, 16)
    for ref, start, end in random_lines(mesh, count, random.Random(seed), (0.1, 3.0, 30.0)):
        hit = query.raycast(ref, start, end)
        expected = ray_reach(survey, ref, start, end)
        assert (hit.t == inf) == (expected == inf)
        assert hit.refs[0] == ref
        assert crossed_in_order(mesh, hit.refs)
        assert len(set(hit.refs)) == len(hit.refs)
        if hit.t == inf:
            assert hit.normal == (0.0, 0.0, 0.0)
            continue
        length = hypot(end[0] - start[0], end[2] - start[2])
        assert abs(hit.t - expected) * length < 1e-6
        assert hypot(*hit.normal) == pytest.approx(1.0)
        assert hit.normal[0] * (end[0] - start[0]) + hit.normal[2] * (end[2] - start[2]) < 0.0


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_ray_gets_as_far_as_brute_force_says(make, shift):
    check_rays(make, shift, scaled(300, 40), 2)


@pytest.mark.full
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_ray_gets_as_far_as_brute_force_says_at_full_size(make, shift):
    check_rays(make, shift, scaled(17000, 100), 102)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("name", ["grid", "hills", "rectangles", "two_floors"])
def test_rays_along_walls_and_through_vertices_are_stopped_by_what_they_enter_only(name, shift):
    """Starts and ends on multiples of a unit, so that lines run along edges and through corners all the time."""
    mesh = WORLDS[name](shift)
    survey = Survey(mesh, all_refs(mesh))
    query = NavMeshQuery(mesh, 16)
    rng = random.Random(9)
    for _ in range(scaled(400, 40)):
        ref = rng.choice(all_refs(mesh))
        corners = mesh.poly_vertices(ref)
        start = rng.choice(corners)
        if rng.random() < 0.5:
            other = rng.choice(corners)
            start = tuple((a + b) / 2 for a, b in zip(start, other))
        step = rng.choice(ROUND_STEPS)
        length = rng.randrange(1, 9)
        end = (start[0] + length * step[0], 0.0, start[2] + length * step[1])
        hit = query.raycast(ref, start, end)
        expected = ray_reach(survey, ref, start, end)
        assert crossed_in_order(mesh, hit.refs)
        assert hit.t == pytest.approx(expected, abs=1e-8)


def test_a_ray_in_a_corridor_says_what_it_hit():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2), rectangle(4, 0, 6, 2)])
    a, b, c = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.raycast(a, (1, 0, 1), (5, 0, 1)) == (inf, (0.0, 0.0, 0.0), [a, b, c])
    assert query.raycast(a, (1, 0, 1), (11, 0, 1)) == (0.5, (-1.0, 0.0, 0.0), [a, b, c])
    assert query.raycast(b, (3, 0, 1), (3, 0, -3)) == (0.25, (0.0, 0.0, 1.0), [b])
    assert query.raycast(a, (1, 0, 1), (1, 7, 1)) == (inf, (0.0, 0.0, 0.0), [a])
    assert query.raycast(a, (1, 0, 1), (2, 0, 1)).t == inf
    # From outside: the line starts at the nearest point of the polygon.
    assert query.raycast(a, (-5, 0, 1), (4, 0, 1)) == (inf, (0.0, 0.0, 0.0), [a, b])
    assert query.raycast(a, (-5, 0, 1), (-5, 0, 1)) == (inf, (0.0, 0.0, 0.0), [a])
    assert query.raycast(a, (1, 0, -1), (1, 0, -2)).t == 0.0


def test_a_ray_passes_only_the_covered_piece_of_a_border():
    # Tiles of 4: the square behind the border covers z from 1 to 3 of the edge from 0 to 4.
    mesh = world_of([rectangle(0, 0, 4, 4), rectangle(4, 1, 8, 3)], 0.0, 4.0)
    near, far = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.raycast(near, (2, 0, 2), (6, 0, 2)).refs == [near, far]
    assert query.raycast(near, (2, 0, 0.5), (6, 0, 0.5)).t == 0.5
    assert query.raycast(near, (2, 0, 3.5), (6, 0, 3.5)).t == 0.5
    assert query.raycast(near, (2, 0, 3.0), (6, 0, 3.0)).t == inf
    assert query.raycast(far, (6, 0, 2), (2, 0, 2)).refs == [far, near]


def test_a_ray_does_not_cross_an_overhang_at_a_tile_seam():
    """Case 19: two units of height between the polygons on either side of a border are no connection."""
    for step, crossed in ((0.8, True), (2.0, False)):
        mesh = world_of([rectangle(0, 0, 4, 4), rectangle(4, 0, 8, 4, step)], 0.0, 4.0)
        near, far = all_refs(mesh)
        hit = NavMeshQuery(mesh).raycast(near, (2, 0, 2), (6, 0, 2))
        assert (hit.refs == [near, far]) is crossed
        assert hit.t == (inf if crossed else 0.5)
        point, refs = NavMeshQuery(mesh).move_along_surface(near, (2, 0, 2), (6, 0, 2))
        assert point == ((6.0, step, 2.0) if crossed else (4.0, 0.0, 2.0))
        assert len(refs) == 1 + crossed


def test_a_ray_is_stopped_by_polygons_that_the_filter_refuses():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2), rectangle(4, 0, 6, 2)])
    a, b, c = all_refs(mesh)
    mesh.set_poly_flags(b, 2)
    query = NavMeshQuery(mesh)
    walkable = QueryFilter(exclude=2)
    assert query.raycast(a, (1, 0, 1), (5, 0, 1), walkable) == (0.25, (-1.0, 0.0, 0.0), [a])
    # One that stands on refused ground may leave it.
    assert query.raycast(b, (3, 0, 1), (5, 0, 1), walkable) == (inf, (0.0, 0.0, 0.0), [b, c])
    assert query.move_along_surface(a, (1, 0, 1), (5, 0, 1.5), walkable) == ((2.0, 0.0, 1.5), [a])
    assert query.move_along_surface(b, (3, 0, 1), (5, 0, 1), walkable) == ((5.0, 0.0, 1.0), [b, c])


def test_a_ray_and_its_refs_may_be_longer_than_the_working_memory_was():
    mesh = world_of([rectangle(float(x), 0.0, x + 1.0, 1.0) for x in range(5000)])
    refs = all_refs(mesh)
    hit = NavMeshQuery(mesh, 16).raycast(refs[0], (0.5, 0.0, 0.5), (6000.5, 0.0, 0.5))
    assert hit.t == pytest.approx(4999.5 / 6000.0)
    assert hit.refs == refs


def check_moves(make, shift, count, seed):
    mesh = make(shift)
    survey = Survey(mesh, all_refs(mesh))
    query = NavMeshQuery(mesh, 16)
    for ref, start, end in random_lines(mesh, count, random.Random(seed), (1e-3, 0.1, 3.0, 12.0)):
        point, refs = query.move_along_surface(ref, start, end)
        check_move(mesh, query, ref, start, end, point, refs)
        expected = move_shortfall(survey, ref, start, end)
        assert hypot(point[0] - end[0], point[2] - end[2]) == pytest.approx(expected, abs=1e-9)


def check_move(mesh, query, ref, start, end, point, refs):
    """What holds for every move from a start in its polygon."""
    assert refs[0] == ref
    assert len(set(refs)) == len(refs) <= 65
    assert crossed_in_order(mesh, refs)
    assert hypot(point[0] - end[0], point[2] - end[2]) <= hypot(start[0] - end[0], start[2] - end[2])
    assert hypot(point[0] - start[0], point[2] - start[2]) <= hypot(start[0] - end[0], start[2] - end[2]) + 1e-9
    assert query.closest_point_on_poly(refs[-1], point)[0] == pytest.approx(point, abs=1e-9)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_move_comes_as_near_to_its_target_as_brute_force(make, shift):
    check_moves(make, shift, scaled(300, 40), 3)


@pytest.mark.full
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_move_comes_as_near_to_its_target_as_brute_force_at_full_size(make, shift):
    check_moves(make, shift, scaled(17000, 100), 103)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_ten_thousand_small_steps_never_leave_the_mesh(make, shift):
    """A walker that goes on from where each step ended, on edges and vertices for most of the time."""
    mesh = make(shift)
    query = NavMeshQuery(mesh, 16)
    rng = random.Random(4)
    ref = all_refs(mesh)[0]
    point = query.closest_point_on_poly(ref, place_in(mesh, ref, rng))[0]
    heading = 0.0
    for step in range(scaled(1500, 150)):
        if step % 20 == 0:
            heading = rng.uniform(0.0, 2.0 * pi)
        length = rng.choice((1e-9, 1e-4, 0.058, 0.5))
        end = (point[0] + length * cos(heading), 0.0, point[2] + length * sin(heading))
        start, first = point, ref
        point, refs = query.move_along_surface(first, start, end)
        check_move(mesh, query, first, start, end, point, refs)
        ref = refs[-1]


def test_a_move_slides_along_a_wall_and_round_an_obtuse_corner():
    # A corridor along x that bends by 45 degrees at x = 4.
    bend = [(4.0, 0.0, 0.0), (8.0, 0.0, 4.0), (6.0, 0.0, 6.0), (4.0, 0.0, 4.0)]
    mesh = world_of([rectangle(0, 0, 4, 4), bend])
    hall, slope = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.move_along_surface(hall, (1, 0, 1), (3, 0, -1)) == ((3.0, 0.0, 0.0), [hall])
    assert query.move_along_surface(hall, (1, 0, 0), (2, 0, -5)) == ((2.0, 0.0, 0.0), [hall])
    assert query.move_along_surface(hall, (3, 0, 1), (6, 0, 0)) == ((5.0, 0.0, 1.0), [hall, slope])
    # Straight against a wall nothing is left of the move.
    assert query.move_along_surface(hall, (1, 0, 0), (1, 0, -3)) == ((1.0, 0.0, 0.0), [hall])


def test_a_move_ends_no_farther_away_than_its_target_lies():
    # A wall 1 wide reaches from the front to z = 4; behind it the mesh goes on.
    mesh = world_of(with_corners_on_sides([rectangle(0, 0, 4, 8), rectangle(4, 4, 12, 8), rectangle(5, 0, 12, 4)]))
    hall, passage, behind = all_refs(mesh)
    query = NavMeshQuery(mesh)
    # The nearest point to the target, straight ahead of it on the passage's rim, would be farther than the target.
    point, refs = query.move_along_surface(hall, (2, 0, 3.625), (4.625, 0, 3.625))
    assert refs == [hall, passage]
    assert point == pytest.approx((2 + (2.625**2 - 0.375**2) ** 0.5, 0, 4), abs=1e-15)
    # One that lies on the mesh is reached round the wall.
    moved = query.move_along_surface(hall, (2, 0, 3.625), (5.5, 0, 3.625))
    assert moved == ((5.5, 0.0, 3.625), [hall, passage, behind])


def test_a_move_over_a_ramp_ends_at_the_height_of_the_surface():
    mesh = world_of([rectangle(0, 0, 2, 2), [(2.0, 0.0, 0.0), (6.0, 2.0, 0.0), (6.0, 2.0, 2.0), (2.0, 0.0, 2.0)]])
    floor, ramp = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.move_along_surface(floor, (1, 0, 1), (4, 0, 1)) == ((4.0, 1.0, 1.0), [floor, ramp])
    assert query.move_along_surface(floor, (1, 0, 1), (9, 0, 1)) == ((6.0, 2.0, 1.0), [floor, ramp])


def test_the_height_of_the_start_plays_no_part():
    mesh = WORLDS["hills"]()
    query = NavMeshQuery(mesh, 16)
    for ref, start, end in random_lines(mesh, scaled(300, 40), random.Random(11), (0.1, 3.0)):
        moved = query.move_along_surface(ref, start, end)
        assert query.move_along_surface(ref, (start[0], -5.0, start[2]), (end[0], 50.0, end[2])) == moved
    # Against a wall, where nothing is left of the move.
    level = world_of([rectangle(0, 0, 4, 4)])
    ref, = all_refs(level)
    assert NavMeshQuery(level).move_along_surface(ref, (1, 9, 0), (1, 9, -3)) == ((1.0, 0.0, 0.0), [ref])


def test_a_move_crosses_at_most_64_edges():
    mesh = world_of([rectangle(float(x), 0.0, x + 1.0, 1.0) for x in range(100)])
    refs = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.move_along_surface(refs[0], (0.5, 0, 0.5), (64.5, 0, 0.5)) == ((64.5, 0.0, 0.5), refs[:65])
    assert query.move_along_surface(refs[0], (0.5, 0, 0.5), (99.0, 0, 0.5)) == ((65.0, 0.0, 0.5), refs[:65])


def test_a_move_that_goes_nowhere_stays():
    query = NavMeshQuery(WORLDS["rectangles"]())
    rng = random.Random(6)
    for ref in all_refs(query.mesh):
        for point in (*query.mesh.poly_vertices(ref), place_in(query.mesh, ref, rng)):
            moved, refs = query.move_along_surface(ref, point, point)
            assert moved == pytest.approx(point, abs=1e-12)
            assert refs[0] == ref


def test_a_start_outside_its_polygon_is_brought_back_to_it():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2)])
    a, b = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.move_along_surface(a, (-3, 0, 1), (-4, 0, 1)) == ((0.0, 0.0, 1.0), [a])
    assert query.move_along_surface(a, (-3, 0, 1), (3, 0, 1)) == ((3.0, 0.0, 1.0), [a, b])


def test_bulk_calls_give_what_single_calls_give():
    mesh = WORLDS["rectangles"](1e3)
    query = NavMeshQuery(mesh, 16)
    lines = list(random_lines(mesh, scaled(300, 60), random.Random(5), (0.1, 3.0, 30.0)))
    refs = [ref for ref, _, _ in lines] + [0]
    starts = np.array([start for _, start, _ in lines] + [(1.0, 2.0, 3.0)])
    ends = np.array([end for _, _, end in lines] + [(1.0, 2.0, 3.0)])
    ts, normals, last = query.raycasts(refs, starts, ends)
    points, holders = query.move_along_surfaces(np.array(refs, dtype=np.uint64), starts, ends)
    for i, (ref, start, end) in enumerate(lines):
        hit = query.raycast(ref, start, end)
        assert (ts[i], tuple(normals[i]), last[i]) == (hit.t, hit.normal, hit.refs[-1])
        point, visited = query.move_along_surface(ref, start, end)
        assert (tuple(points[i]), holders[i]) == (point, visited[-1])
    assert isnan(ts[-1])
    assert tuple(normals[-1]) == (0.0, 0.0, 0.0)
    assert tuple(points[-1]) == (1.0, 2.0, 3.0)
    assert last[-1] == holders[-1] == 0
    found, nearest = query.find_nearest_polys(starts)
    for start, ref, point in zip(starts, found, nearest):
        assert query.find_nearest_poly(start) == ((ref, tuple(point)) if ref else (0, None))


def test_bulk_calls_take_lists_other_dtypes_and_nothing_at_all():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    ref, = all_refs(mesh)
    query = NavMeshQuery(mesh)
    for points in ([(1, 0, 1)], np.array([[1, 0, 1]], dtype=np.int32), np.array([[1, 0, 1]], dtype=np.float32),
                   np.array([[1, 9, 0], [0, 9, 0], [1, 9, 1]], dtype=float).T[:1], [np.array((1.0, 0.0, 1.0))]):
        assert query.find_nearest_polys(points)[0].tolist() in ([ref], [0])
    for empty in ([], np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int8)):
        refs, points = query.find_nearest_polys(empty)
        assert (refs.shape, points.shape) == ((0,), (0, 3))
        assert query.raycasts([], empty, empty)[1].shape == (0, 3)
        assert query.move_along_surfaces(np.zeros(0, np.uint64), empty, empty)[0].shape == (0, 3)


def test_bulk_results_are_arrays_of_their_own():
    query = NavMeshQuery(world_of([rectangle(0, 0, 2, 2)]))
    points = np.array([[1.0, 3.0, 1.0]])
    refs, nearest = query.find_nearest_polys(points)
    assert points.tolist() == [[1.0, 3.0, 1.0]]
    assert nearest.tolist() == [[1.0, 0.0, 1.0]]
    nearest[0, 0] = 7.0
    assert query.find_nearest_polys(points)[1].tolist() == [[1.0, 0.0, 1.0]]
    assert (refs.dtype, nearest.dtype) == (np.uint64, np.float64)


BAD_ARRAYS = [None, 3.0, "abc", [1, 2, 3], np.zeros((2, 2)), np.zeros((3, 2, 3)), np.full((1, 3), np.nan),
              np.full((1, 3), 2.0**21), np.zeros((1, 3), dtype=complex), [["a", "b", "c"]], [[1, 2, 3], [1, 2]],
              [[None] * 3], [[10**400, 0, 0]], np.zeros((0, 4)), {1: 2}]


def test_bad_arrays_are_named():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    ref, = all_refs(mesh)
    query = NavMeshQuery(mesh)
    good = [(1.0, 0.0, 1.0)]
    for bad in BAD_ARRAYS:
        for field, call in (("points", lambda b: query.find_nearest_polys(b)),
                            ("starts", lambda b: query.raycasts([ref], b, good)),
                            ("ends", lambda b: query.raycasts([ref], good, b)),
                            ("starts", lambda b: query.move_along_surfaces([ref], b, good)),
                            ("ends", lambda b: query.move_along_surfaces([ref], good, b))):
            with pytest.raises(OutOfRangeError) as caught:
                call(bad)
            assert caught.value.field == field
    for bad in (None, 5, np.zeros((1, 1), np.uint64), np.zeros((), np.uint64)):
        with pytest.raises(OutOfRangeError) as caught:
            query.raycasts(bad, good, good)
        assert caught.value.field == "refs"
    with pytest.raises(OutOfRangeError, match="starts"):
        query.raycasts([ref, ref], good, good)
    for refs in (BAD_REFS, np.array([-1, 0, 5]), np.array([0.5, np.nan])):
        assert np.isnan(query.raycasts(refs, good * len(refs), good * len(refs))[0]).all()


def test_bad_references_and_positions_of_rays_and_moves():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    ref, = all_refs(mesh)
    query = NavMeshQuery(mesh)
    for bad in BAD_REFS:
        assert query.raycast(bad, (1, 0, 1), (1, 0, 1)) is None
        assert query.move_along_surface(bad, (1, 0, 1), (1, 0, 1)) is None
    for call in (query.raycast, query.move_along_surface):
        for bad in BAD_POSITIONS:
            with pytest.raises(OutOfRangeError) as caught:
                call(ref, bad, (1, 0, 1))
            assert caught.value.field == "start"
            with pytest.raises(OutOfRangeError) as caught:
                call(ref, (1, 0, 1), bad)
            assert caught.value.field == "end"
        with pytest.raises(TypeError):
            call(ref, (1, 0, 1), (1, 0, 1), "everything")
