"""A polygon's surface, the fan of triangles at its first vertex, has the heights of all its edges."""

from itertools import pairwise
from math import cos, pi, sin
from random import Random

import pytest
from build_checks import area_of, faults, height_at, islands, outlines, total_area
from hypothesis import given, settings, strategies
from meshes import all_refs, polygon_mesh
from mode import scaled
from surface_worlds import world_of

from onepath import NavMeshFormatError, NavMeshQuery, OnePathError, OutOfRangeError, TiledNavMesh
from onepath.navmesh.build_grid import tiles_from_grid
from onepath.navmesh.build_polygons import tiles_from_polygons
from onepath.navmesh.tile_check import first_fault

#: The second vertex is in line with the first and the third in X/Z, but 1.33 below that line.
BENT = [(4.0, 2.0, 4.0), (3.0, 0.0, 3.0), (1.0, 0.0, 1.0), (2.0, 2.0, 0.0)]


def between(a, b, t):
    return tuple(p + t * (q - p) for p, q in zip(a, b))


def rim_gap(mesh, random, places=3):
    """Return by how much heights differ along any edge: of the edge, of the polygons at it and of closest points."""
    query = NavMeshQuery(mesh)
    behind = {}
    for ref in all_refs(mesh):
        corners = mesh.poly_vertices(ref)
        for a, b in zip(corners, corners[1:] + corners[:1]):
            behind[a, b] = ref
    worst = 0.0
    for (a, b), ref in behind.items():
        for t in [0.0, 1.0, *(random.random() for _ in range(places))]:
            x, y, z = between(a, b, t)
            found = [query.closest_point_on_poly(ref, (x, y, z))[0][1], query.poly_height(ref, (x, y, z))]
            if (b, a) in behind:
                found.append(query.poly_height(behind[b, a], (x, y, z)))
            worst = max(worst, *(abs(height - y) for height in found))
    return worst


def turned_to(outline, first):
    return outline[first:] + outline[:first]


def same_ring(a, b):
    return any(turned_to(a, first) == b for first in range(len(a)))


def test_an_outline_with_a_low_vertex_within_a_straight_edge_begins_there():
    mesh = TiledNavMesh.from_polygons(BENT, [[0, 1, 2, 3]])
    assert mesh.report.turned == (0,)
    ref, = all_refs(mesh)
    assert mesh.poly_vertices(ref) == turned_to(BENT, 1)
    query = NavMeshQuery(mesh)
    assert query.poly_height(ref, (2.0, 0.0, 2.0)) == 0.0
    point, last = query.move_along_surface(ref, (2.5, 1.0, 1.5), (1.0, 0.0, 3.0))[:2]
    assert last == [ref] and point[1] == pytest.approx(query.poly_height(ref, point), abs=1e-6)
    assert rim_gap(mesh, Random(1)) < 1e-6 and mesh.check()


@pytest.mark.parametrize("first", range(4))
def test_an_outline_begins_at_the_next_vertex_that_will_do(first):
    (tile,), report = tiles_from_polygons(turned_to(BENT, first), [[0, 1, 2, 3]])
    # Vertices 1 and 3 will do; from 0 and 2 the line of the first three is seen from its ends.
    assert outlines([tile]) == [turned_to(BENT, {0: 1, 1: 1, 2: 3, 3: 3}[first])]
    assert report.turned == (() if first in (1, 3) else (0,))


@pytest.mark.parametrize("first", range(9))
def test_a_triangle_with_two_raised_vertices_within_every_side_is_cut(first):
    corners = [(0.0, 0.0, 0.0), (6.0, 0.0, 0.0), (0.0, 0.0, 6.0)]
    outline = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        outline += [a, *((x, 0.5, z) for x, _, z in (between(a, b, 1 / 3), between(a, b, 2 / 3)))]
    mesh = TiledNavMesh.from_polygons(turned_to(outline, first), [list(range(9))])
    report = mesh.report
    assert report.split_large == (0,) and report.turned == report.incomplete == report.dropped == ()
    tiles = [mesh.tile_data(0, 0)]
    assert faults(tiles) == [] and report.poly_count == 2 and islands(tiles[0]) == 1
    assert total_area(tiles) == pytest.approx(18.0)
    assert rim_gap(mesh, Random(2)) < 1e-6 and mesh.check()


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e5])
def test_outlines_with_heights_in_line_to_rounding_stay_as_they_are(shift):
    random = Random(3)
    for _ in range(scaled(300, 40)):
        angles = sorted(random.uniform(0.0, 2.0 * pi) for _ in range(5))
        corners = [(5.0 * cos(angle) + shift, 5.0 * sin(angle) + shift) for angle in angles]
        if min(high - low for low, high in pairwise([*angles, angles[0] + 2.0 * pi])) < 0.1:
            continue
        slope_x, slope_z = random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)
        places = []
        for a, b in zip(corners, corners[1:] + corners[:1]):
            places += [a, *(between(a, b, t) for t in sorted(random.uniform(0.1, 0.9) for _ in range(2)))]
        turn = random.randrange(15)
        outline = [(x, slope_x * (x - shift) + slope_z * (z - shift), z) for x, z in turned_to(places, turn)]
        tiles, report = tiles_from_polygons(outline, [list(range(15))], weld=0.0)
        assert report.turned == report.split_large == ()
        assert outlines(tiles) == [outline]
        assert world_of([outline]).check()


@pytest.mark.parametrize("tolerance", [0.01, 0.05])
def test_merged_polygons_of_a_rough_grid_meet_their_rims_within_the_height_tolerance(tolerance):
    random = Random(4)
    side = scaled(24, 8)
    free = [[random.random() > 0.1 for _ in range(side)] for _ in range(side)]
    heights = [[random.uniform(-0.01, 0.01) for _ in range(side + 1)] for _ in range(side + 1)]
    plain, _, _ = tiles_from_grid(free, 1.0, heights=heights)
    mesh = TiledNavMesh.from_grid(free, 1.0, heights=heights, merge=True, height_tolerance=tolerance)
    assert mesh.report.turned and mesh.report.poly_count < sum(map(sum, free))
    assert rim_gap(mesh, random) < 1e-6 and mesh.check()
    tiles = [mesh.tile_data(*key) for key in mesh.tiles()]
    assert faults(tiles) == [] and total_area(tiles) == sum(map(sum, free))
    before, after = outlines(plain), outlines(tiles)
    for _ in range(scaled(400, 60)):
        x, z = random.uniform(0.0, side), random.uniform(0.0, side)
        old = next((y for y in (height_at(outline, x, z) for outline in before) if y is not None), None)
        if old is not None:
            new = next(y for y in (height_at(outline, x, z) for outline in after) if y is not None)
            assert abs(new - old) <= tolerance + 2e-6


def bricks(random, slope):
    """Return rows of bricks whose joints do not meet and whose corners have heights of their own, on slanted rows."""
    vertices, polygons = [], []
    for row in range(scaled(8, 4)):
        ends = [0.0, *sorted(random.uniform(0.0, 12.0) for _ in range(8)), 12.0]
        for low, high in pairwise(ends):
            if high - low < 1e-2:
                continue
            start = len(vertices)
            vertices += [(x, random.uniform(0.0, 0.8), z + slope * x)
                         for x, z in ((low, row), (high, row), (high, row + 1), (low, row + 1))]
            order = [start, start + 1, start + 2, start + 3]
            polygons.append(turned_to(order, random.randrange(4)))
    return vertices, polygons


@pytest.mark.parametrize("tile_size", [None, 5.0])
@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(scaled(12, 3)))
def test_soups_full_of_t_junctions_have_one_height_at_every_edge(seed, slope, tile_size):
    random = Random(seed)
    vertices, polygons = bricks(random, slope)
    mesh = TiledNavMesh.from_polygons(vertices, polygons, weld=1e-6, tile_size=tile_size)
    assert mesh.report.split_edges and mesh.report.turned and mesh.report.incomplete == ()
    assert faults([mesh.tile_data(*key) for key in mesh.tiles()]) == []
    assert rim_gap(mesh, random) < 1e-6 and mesh.check()
    assert TiledNavMesh.from_bytes(mesh.to_bytes()).to_bytes() == mesh.to_bytes()


@strategies.composite
def raised_outlines(draw):
    """Draw a convex outline: corners on a circle, and between them vertices within the sides, at any heights."""
    height = strategies.sampled_from([0.0, 0.25, 0.5, 1.0])
    gaps = draw(strategies.lists(strategies.integers(1, 8), min_size=3, max_size=5))
    angles = [2.0 * pi * sum(gaps[:k]) / sum(gaps) for k in range(len(gaps))]
    corners = [(4.0 * cos(angle), draw(height), 4.0 * sin(angle)) for angle in angles]
    outline = []
    for a, b in zip(corners, corners[1:] + corners[:1]):
        outline.append(a)
        for place in sorted(draw(strategies.sets(strategies.integers(1, 9), max_size=16 // len(corners) - 1))):
            x, _, z = between(a, b, place / 10)
            outline.append((x, draw(height), z))
    return turned_to(outline, draw(strategies.integers(0, len(outline) - 1)))


@settings(max_examples=scaled(400, 40))
@given(raised_outlines())
def test_any_outline_is_turned_or_cut_into_parts_that_meet_their_rims(outline):
    mesh = TiledNavMesh.from_polygons(outline, [list(range(len(outline)))], weld=0.0)
    report = mesh.report
    tiles = [mesh.tile_data(0, 0)]
    assert report.incomplete == report.dropped == () and faults(tiles) == []
    assert total_area(tiles) == pytest.approx(area_of(outline)) and islands(tiles[0]) == 1
    assert rim_gap(mesh, Random(5), 2) < 1e-6 and mesh.check()
    valid = first_fault(world_of([outline]).tile_data(0, 0)) is None
    if valid:
        assert outlines(tiles) == [outline] and report.turned == report.split_large == ()
    elif report.poly_count == 1:
        assert same_ring(outlines(tiles)[0], outline) and report.turned == (0,)
    else:
        assert report.split_large == (0,)


def test_a_tile_whose_surface_misses_its_rim_is_refused_by_every_edit():
    mesh = TiledNavMesh.from_polygons(BENT, [[0, 1, 2, 3]])
    bad = polygon_mesh(BENT, [[0, 1, 2, 3]])
    tile = bad.tile_data(0, 0)
    before = mesh.save_state()
    for edit in (mesh.replace_tile, TiledNavMesh().add_tile):
        with pytest.raises(OutOfRangeError, match="misses the height") as caught:
            edit(tile)
        assert caught.value.field == "data.indices"
    assert mesh.save_state() == before
    with pytest.raises(OnePathError, match=r"indices of tile \(0, 0, 0\).*misses the height"):
        bad.check()


def test_bytes_of_a_surface_that_misses_its_rim_are_refused_at_its_outline():
    flat = [(9.0, 0.0, 9.0), (10.0, 0.0, 9.0), (9.0, 0.0, 10.0)]
    good = polygon_mesh(flat + turned_to(BENT, 1), [[0, 1, 2], [3, 4, 5, 6]])
    bad = polygon_mesh(flat + BENT, [[0, 1, 2], [3, 4, 5, 6]])
    assert TiledNavMesh.from_bytes(good.to_bytes()).check()
    before = good.save_state()
    for read, data in ((TiledNavMesh.from_bytes, bad.to_bytes()), (good.restore_state, bad.save_state())):
        with pytest.raises(NavMeshFormatError, match=r"polygon 1.*misses the height") as caught:
            read(data)
        assert caught.value.field == "indices"
        # Three numbers of the first polygon come before; the outline's own numbers are found at the offset.
        offset = caught.value.offset
        assert data[offset - 12:offset + 16] == b"".join(number.to_bytes(4, "little") for number in range(7))
    assert good.save_state() == before
