"""Walls around a place: find_walls and find_distance_to_wall; and the mesh as drawn."""

import random
from itertools import pairwise
from math import cos, hypot, inf, pi, sin

import pytest
from mode import scaled
from oracles_surface import Survey, between, ray_region, segment_distance, walls_around
from surface_worlds import SHIFTS, WORLDS, all_refs, place_in, rectangle, world_of
from test_locate import BAD_POSITIONS, BAD_REFS

from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery

RADII = (0.0, 0.7, 2.0, 5.0, 40.0)


def check_walls(make, shift, count, seed, refused_share=0.0):
    mesh = make(shift)
    rng = random.Random(seed)
    refs = all_refs(mesh)
    refused = [ref for ref in refs if rng.random() < refused_share]
    for ref in refused:
        mesh.set_poly_flags(ref, 2)
    survey = Survey(mesh, refs, refused)
    query = NavMeshQuery(mesh, 16)
    walkable = QueryFilter(exclude=2)
    for _ in range(count):
        ref = rng.choice(refs)
        centre = place_in(mesh, ref, rng)
        radius, most = rng.choice(RADII), rng.choice((1, 5, 48, 300))
        found = query.find_walls(ref, centre, radius, most, walkable)
        expected = walls_around(survey, ref, centre[0], centre[2], radius)
        assert len(found) == min(most, len(expected))
        distances = [segment_distance(wall.a, wall.b, centre[0], centre[2])[0] for wall in found]
        for _, distance, (wanted, *_) in zip(found, distances, expected):
            assert distance == pytest.approx(wanted, abs=1e-9)
        # The same pieces, but for those as far as the last one, of which the order of rounding may choose.
        last = distances[-1] - 1e-9 if distances else 0.0
        expected_pieces = {(ref, edge, *map(grid_key, (*a, *b))) for d, ref, edge, a, b in expected if d < last}
        found_pieces = {(wall.ref, wall.edge, *map(grid_key, (*wall.a, *wall.b))) for wall in found}
        assert expected_pieces <= found_pieces
        keys = [(d, w.ref, w.edge, w.a[0], w.a[2]) for d, w in zip(distances, found)]
        assert all(a < b or a[0] - b[0] < 1e-12 for a, b in pairwise(keys))
        nearest = query.find_distance_to_wall(ref, centre, radius, walkable)
        if not expected:
            assert nearest == (inf, None, None)
            continue
        distance, point, normal = nearest
        # The circle shrinks to each wall found, so on two floors a wall reached by going round a nearer one may count
        # or not; but never is a wall in sight passed over for one farther off.
        in_sight = next(d for d, owner, _, a, b in expected if can_see(survey, ref, centre, owner, a, b))
        assert expected[0][0] - 1e-9 <= distance <= in_sight + 1e-9
        assert hypot(point[0] - centre[0], point[2] - centre[2]) == pytest.approx(distance, abs=1e-9)
        assert hypot(*normal) == pytest.approx(1.0)


def can_see(survey, ref, centre, owner, a, b):
    """Whether the straight way over the surface leads from a place to the nearest point of a polygon's wall."""
    distance, t = segment_distance(a, b, centre[0], centre[2])
    if distance == 0.0:
        return ref == owner
    return ray_region(survey, ref, centre, between(a, b, t)).get(owner, 0.0) * distance > distance - 1e-6


def grid_key(value):
    return round(value * 1e6)


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_walls_are_those_of_brute_force(make, shift):
    check_walls(make, shift, scaled(60, 12), 5)


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_edges_to_refused_polygons_are_walls_too(make):
    check_walls(make, 0.0, scaled(60, 12), 6, refused_share=0.25)


@pytest.mark.full
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_walls_are_those_of_brute_force_at_full_size(make, shift):
    check_walls(make, shift, scaled(17000, 50), 105)


def test_the_walls_of_a_corridor_come_nearest_first_and_run_with_the_floor_on_their_positive_side():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2)])
    a, b = all_refs(mesh)
    walls = NavMeshQuery(mesh).find_walls(a, (1.5, 7.0, 0.5), 1.6)
    assert walls == [
        ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0), a, 0),
        ((2.0, 0.0, 0.0), (4.0, 0.0, 0.0), b, 0),
        ((2.0, 0.0, 2.0), (0.0, 0.0, 2.0), a, 2),
        ((0.0, 0.0, 2.0), (0.0, 0.0, 0.0), a, 3),
        ((4.0, 0.0, 2.0), (2.0, 0.0, 2.0), b, 2),
    ]
    assert [wall.ref for wall in NavMeshQuery(mesh).find_walls(a, (1.5, 7.0, 0.5), 1.6, 2)] == [a, b]
    assert NavMeshQuery(mesh).find_walls(a, (1.5, 7.0, 0.5), 0.4) == []


def test_equally_near_pieces_come_by_reference_then_edge():
    mesh = world_of([rectangle(0, 0, 2, 2), rectangle(2, 0, 4, 2)])
    a, b = all_refs(mesh)
    walls = NavMeshQuery(mesh).find_walls(b, (2.0, 0.0, 1.0), 1.0)
    assert [(wall.ref, wall.edge) for wall in walls] == [(a, 0), (a, 2), (b, 0), (b, 2)]


def test_a_border_edge_is_a_wall_on_its_uncovered_pieces():
    # The edge at x = 8 runs from z = 0 to 8; polygons behind it cover 1 to 3 and 5 to 8.
    mesh = world_of([rectangle(0, 0, 8, 8), rectangle(8, 1, 12, 3), rectangle(8, 5, 12, 8)], 0.0, 8.0)
    wide, low, high = all_refs(mesh)
    query = NavMeshQuery(mesh)
    pieces = [(wall.a, wall.b) for wall in query.find_walls(wide, (7.0, 0.0, 4.0), 3.5) if wall.ref == wide]
    assert pieces == [((8.0, 0.0, 3.0), (8.0, 0.0, 5.0)), ((8.0, 0.0, 0.0), (8.0, 0.0, 1.0))]
    # With the polygons behind refused the edge is a wall from end to end.
    for ref in (low, high):
        mesh.set_poly_flags(ref, 2)
    walls = query.find_walls(wide, (7.0, 0.0, 4.0), 3.5, filter=QueryFilter(exclude=2))
    assert walls == [((8.0, 0.0, 0.0), (8.0, 0.0, 8.0), wide, 1)]


def test_the_distance_to_a_wall_comes_with_its_point_and_the_way_from_it():
    mesh = world_of([[(0.0, 0.0, 0.0), (8.0, 4.0, 0.0), (8.0, 4.0, 6.0), (0.0, 0.0, 6.0)]])
    ref, = all_refs(mesh)
    query = NavMeshQuery(mesh)
    assert query.find_distance_to_wall(ref, (2.0, 9.0, 1.0), 50.0) == (1.0, (2.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert query.find_distance_to_wall(ref, (2.0, 9.0, 0.0), 50.0) == (0.0, (2.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert query.find_distance_to_wall(ref, (4.0, 9.0, 3.0), 2.5) == (inf, None, None)
    assert query.find_distance_to_wall(ref, (4.0, 9.0, 3.0), 3.0)[0] == 3.0


def test_a_floor_overhead_hides_its_walls_behind_one_that_is_nearer_than_the_way_there():
    # From the square's east side the ground leads round it, rising, and ends in a point over the square.
    square, east, corner = rectangle(-2, -2, 2, 2), rectangle(2, -2, 6, 2), rectangle(2, 2, 6, 6)
    rising = [(-2.0, 3.0, 2.0), (2.0, 0.0, 2.0), (2.0, 0.0, 6.0), (-2.0, 3.0, 6.0)]
    overhead = [(0.0, 2.0, 0.5), (2.0, 0.0, 2.0), (-2.0, 3.0, 2.0)]
    mesh = world_of([square, east, corner, rising, overhead])
    refs = all_refs(mesh)
    query = NavMeshQuery(mesh)
    # The point is 0.5 away in X/Z, the square's own walls are 2, and the way to the point leads over the corner at 2.8.
    assert query.find_walls(refs[0], (0.0, 0.0, 0.0), 8.0, 1)[0].ref == refs[4]
    assert query.find_distance_to_wall(refs[0], (0.0, 0.0, 0.0), 8.0)[0] == 2.0
    assert query.find_walls(refs[0], (0.0, 0.0, 0.0), 2.0, 1)[0].ref == refs[0]
    assert query.find_distance_to_wall(refs[4], (0.0, 2.0, 1.0), 8.0)[0] == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(3))
def test_a_winding_stair_of_any_width_hides_no_wall_in_sight(seed):
    """Three turns over one another, each step as wide as it likes, so that walls of other turns are often nearer."""
    rng = random.Random(seed)

    def place(step, radius):
        return (radius * cos(step * pi / 6), 0.5 * step, radius * sin(step * pi / 6))

    rims = [(place(step, rng.uniform(1.0, 4.0)), place(step, rng.uniform(5.0, 9.0))) for step in range(37)]
    stair = [[low_in, low_out, high_out, high_in] for (low_in, low_out), (high_in, high_out) in pairwise(rims)]
    check_walls(lambda shift: world_of(stair, shift), 0.0, scaled(60, 12), seed)


def test_a_search_of_any_radius_finds_every_wall_of_a_large_field():
    width = scaled(80, 40)
    mesh = world_of([rectangle(float(x), float(z), x + 1.0, z + 1.0) for x in range(width) for z in range(width)])
    walls = NavMeshQuery(mesh, 16).find_walls(all_refs(mesh)[0], (0.5, 0.0, 0.5), 1e6, 65536)
    assert len(walls) == 4 * width


def test_bad_arguments_of_wall_queries():
    mesh = world_of([rectangle(0, 0, 2, 2)])
    ref, = all_refs(mesh)
    query = NavMeshQuery(mesh)
    for bad in BAD_REFS:
        assert query.find_walls(bad, (1, 0, 1), 1.0) == []
        assert query.find_distance_to_wall(bad, (1, 0, 1), 1.0) is None
    for bad in BAD_POSITIONS:
        with pytest.raises(OutOfRangeError) as caught:
            query.find_walls(ref, bad, 1.0)
        assert caught.value.field == "centre"
        with pytest.raises(OutOfRangeError) as caught:
            query.find_distance_to_wall(ref, bad, 1.0)
        assert caught.value.field == "p"
    for bad in (-1.0, float("nan"), inf, None, "far", 1e9):
        with pytest.raises(OutOfRangeError) as caught:
            query.find_walls(ref, (1, 0, 1), bad)
        assert caught.value.field == "radius"
        with pytest.raises(OutOfRangeError) as caught:
            query.find_distance_to_wall(ref, (1, 0, 1), bad)
        assert caught.value.field == "max_radius"
    for bad in (0, -1, 2**31, 1.5, None):
        with pytest.raises(OutOfRangeError) as caught:
            query.find_walls(ref, (1, 0, 1), 1.0, bad)
        assert caught.value.field == "max_walls"
    with pytest.raises(TypeError):
        query.find_walls(ref, (1, 0, 1), 1.0, 1, 1)
