"""Merging gives fewer, larger polygons with the same ground under them."""

from random import Random

import pytest
from build_checks import delaunay_like, faults, flat, height_at, islands, outlines, total_area
from mode import scaled

from onepath.navmesh.build_grid import tiles_from_grid
from onepath.navmesh.build_polygons import tiles_from_polygons


def plane(rows, columns, height=lambda x, z: 0.0):
    """Return a grid of points and two triangles per cell."""
    points = [(float(x), height(x, z), float(z)) for z in range(rows + 1) for x in range(columns + 1)]
    polygons = []
    for z in range(rows):
        for x in range(columns):
            a = z * (columns + 1) + x
            polygons += [[a, a + 1, a + columns + 2], [a, a + columns + 2, a + columns + 1]]
    return points, polygons


def test_two_triangles_become_a_quad():
    (tile,), report = tiles_from_polygons(flat((0, 0), (1, 0), (1, 1), (0, 1)), [[0, 1, 2], [0, 2, 3]], merge=True)
    assert tile.polygons() == [[0, 1, 2, 3]]
    assert report.merged == (0, 1)


def test_without_merge_triangles_stay():
    (tile,), report = tiles_from_polygons(flat((0, 0), (1, 0), (1, 1), (0, 1)), [[0, 1, 2], [0, 2, 3]])
    assert tile.poly_count == 2
    assert report.merged == ()


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_a_tilted_plane_of_triangles_becomes_few_polygons(shift):
    points, polygons = plane(scaled(32, 12), scaled(32, 12), lambda x, z: 0.5 * x - 0.25 * z)
    points = [(x + shift, y, z + shift) for x, y, z in points]
    (tile,), _ = tiles_from_polygons(points, polygons, merge=True)
    assert faults([tile]) == []
    assert tile.poly_count <= 8
    assert total_area([tile]) == float(scaled(32, 12) ** 2)
    assert islands(tile) == 1


def test_other_areas_and_flags_are_not_merged():
    points, polygons = plane(1, 4)
    areas = [0, 0, 0, 0, 1, 1, 1, 1]
    flags = [1, 1, 2, 2, 1, 1, 1, 1]
    (tile,), _ = tiles_from_polygons(points, polygons, areas=areas, flags=flags, merge=True)
    assert list(zip(tile.areas, tile.flags)) == [(0, 1), (0, 2), (1, 1)]


def test_merging_stops_at_the_tile_border():
    points, polygons = plane(4, 8)
    tiles, _ = tiles_from_polygons(points, polygons, merge=True, tile_size=4.0)
    assert [(tile.tx, tile.tz) for tile in tiles] == [(0, 0), (1, 0)]
    assert [outline[0] for outline in outlines(tiles)]
    assert total_area(tiles) == 32.0
    assert sum(tile.poly_count for tile in tiles) == 2


@pytest.mark.parametrize("tolerance", [0.0, 0.02, 0.05, 0.3])
def test_the_merged_surface_stays_within_the_height_tolerance(tolerance):
    random = Random(8)
    side = scaled(16, 8)
    points, polygons = delaunay_like(random, side, side, 0.3)
    points = [(x, 0.1 * y + 0.002 * x * x, z) for x, y, z in points]
    original = [[points[vertex] for vertex in poly] for poly in polygons]
    (tile,), _ = tiles_from_polygons(points, polygons, merge=True, height_tolerance=tolerance)
    assert faults([tile]) == []
    merged = outlines([tile])
    assert islands(tile) == 1
    assert len(merged) <= len(original)
    for _ in range(scaled(600, 60)):
        x, z = random.uniform(0.5, side - 0.5), random.uniform(0.5, side - 0.5)
        before = next(y for y in (height_at(outline, x, z) for outline in original) if y is not None)
        after = next(y for y in (height_at(outline, x, z) for outline in merged) if y is not None)
        assert abs(after - before) <= tolerance + 2e-6


def test_a_looser_tolerance_merges_more():
    points, polygons = delaunay_like(Random(8), 8, 8, 0.3)
    counts = [tiles_from_polygons(points, polygons, merge=True, height_tolerance=tolerance)[1].poly_count
              for tolerance in (0.0, 0.1, 0.4, 2.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < len(polygons) / 3


def test_holes_stay_holes():
    random = Random(2)
    points, polygons = plane(12, 12)
    blocked = set(random.sample(range(144), 30))
    kept = [poly for number, poly in enumerate(polygons) if number // 2 not in blocked]
    (tile,), _ = tiles_from_polygons(points, kept, merge=True)
    assert faults([tile]) == []
    assert total_area([tile]) == 114.0
    for outline in outlines([tile]):
        for cell in blocked:
            assert height_at(outline, cell % 12 + 0.5, cell // 12 + 0.5) is None


def test_a_merged_grid_covers_the_free_cells_alone():
    random = Random(6)
    side = scaled(40, 12)
    walkable = [[random.random() > 0.12 for _ in range(side)] for _ in range(side)]
    plain, _, _ = tiles_from_grid(walkable, 0.5, (3.0, 1.0, -2.0), None, 16)
    tiles, report, _ = tiles_from_grid(walkable, 0.5, (3.0, 1.0, -2.0), None, 16, merge=True)
    assert faults(tiles) == []
    assert total_area(tiles) == total_area(plain) == sum(map(sum, walkable)) * 0.25
    assert report.poly_count < sum(tile.poly_count for tile in plain) / 2
    assert [tile.key for tile in tiles] == [tile.key for tile in plain]
    for tile, parts in zip(tiles, plain):
        assert islands(tile) == islands(parts)
