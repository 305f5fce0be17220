"""Cutting along the tile grid leaves nothing out, and both sides of a border have the same vertices."""

from collections import Counter
from math import cos, pi, sin
from random import Random

import pytest
from build_checks import delaunay_like, faults, flat, outlines, total_area
from mode import scaled

from onepath.errors import OutOfRangeError
from onepath.navmesh import build_cut
from onepath.navmesh.build_polygons import tiles_from_polygons

SQUARE = flat((0, 0), (10, 0), (10, 10), (0, 10))


def border_vertices(tile, axis, line):
    """Return the vertices of a tile on a line across an axis (0: x, 2: z)."""
    return {vertex for outline in outlines([tile]) for vertex in outline if vertex[axis] == line}


def test_a_square_is_cut_into_its_tiles():
    tiles, report = tiles_from_polygons(SQUARE, [[0, 1, 2, 3]], tile_size=4.0, origin=(-1.0, 0.0))
    assert [(tile.tx, tile.tz) for tile in tiles] == [(tx, tz) for tz in range(3) for tx in range(3)]
    assert faults(tiles) == []
    assert [tile.poly_count for tile in tiles] == [1] * 9
    assert total_area(tiles) == 100.0
    assert report.cut_by_tiles == (0,)


def test_every_polygon_lies_in_its_tile():
    random = Random(3)
    points, polygons = delaunay_like(random, 12, 12, 0.3)
    size, origin = 2.3, (-0.7, 1.1)
    tiles, _ = tiles_from_polygons(points, polygons, tile_size=size, origin=origin)
    for tile in tiles:
        for outline in outlines([tile]):
            for x, _, z in outline:
                assert origin[0] + tile.tx * size <= x <= origin[0] + (tile.tx + 1) * size
                assert origin[1] + tile.tz * size <= z <= origin[1] + (tile.tz + 1) * size


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("merge", [False, True])
def test_both_sides_of_a_border_have_bit_equal_vertices(shift, merge):
    random = Random(9)
    side = scaled(24, 8)
    points, polygons = delaunay_like(random, side, side, 0.3)
    points = [(x + shift, y, z - shift) for x, y, z in points]
    size = 3.1
    whole, _ = tiles_from_polygons(points, polygons)
    tiles, _ = tiles_from_polygons(points, polygons, tile_size=size, merge=merge)
    assert faults(tiles) == []
    assert total_area(tiles) == pytest.approx(total_area(whole), rel=1e-5)  # vertices of the rim may be snapped
    by_place = {(tile.tx, tile.tz): tile for tile in tiles}
    compared = 0
    for (tx, tz), tile in by_place.items():
        for axis, place in ((0, (tx + 1, tz)), (2, (tx, tz + 1))):
            if place in by_place:
                line = place[axis // 2] * size
                mine, other = border_vertices(tile, axis, line), border_vertices(by_place[place], axis, line)
                # At the ends of the border a vertex may belong to one of the two only.
                inner = [vertex for vertex in mine ^ other if abs(vertex[2 - axis] / size % 1.0 - 0.5) < 0.499]
                assert inner == []
                compared += len(mine & other)
    assert compared > side


def test_cutting_makes_no_junctions():
    """Inside a tile every edge of a closed plane is shared by two polygons, or is on the rim or a border."""
    random = Random(4)
    points, polygons = delaunay_like(random, 10, 10, 0.0)
    size = 2.7
    tiles, _ = tiles_from_polygons(points, polygons, tile_size=size)
    for tile in tiles:
        edges = Counter((a, b) for poly in tile.polygons() for a, b in zip(poly, poly[1:] + poly[:1]))
        for a, b in edges:
            if (b, a) in edges:
                continue
            ends = [(tile.vertices[3 * vertex], tile.vertices[3 * vertex + 2]) for vertex in (a, b)]
            lines = [{0.0, 10.0, place * size, (place + 1) * size} for place in (tile.tx, tile.tz)]
            assert any(ends[0][axis] == ends[1][axis] and ends[0][axis] in lines[axis] for axis in (0, 1))


def test_a_vertex_a_hair_off_the_border_is_moved_onto_it():
    vertices = flat((0, 0), (4.0003, 0), (3.9997, 5), (0, 5), (9, 0), (9, 5))
    tiles, report = tiles_from_polygons(vertices, [[0, 1, 2, 3], [1, 4, 5, 2]], tile_size=4.0, weld=5e-4)
    assert report.snapped_vertices == (1, 2)
    assert [tile.poly_count for tile in tiles] == [1, 1, 1, 1, 1, 1]
    assert report.cut_by_tiles == (0, 1)


def test_a_cut_may_not_leave_more_than_sixteen_vertices():
    circle = [(10 * cos(2 * pi * k / 16), 0.0, 10 * sin(2 * pi * k / 16)) for k in range(16)]
    tiles, _ = tiles_from_polygons(circle, [list(range(16))], tile_size=9.7, origin=(-9.65, -9.65))
    assert faults(tiles) == []
    assert total_area(tiles) == pytest.approx(306.1467458920718)


def test_heights_are_cut_along_the_edges():
    ramp = [(0, 0, 0), (8, 4, 0), (8, 4, 1), (0, 0, 1)]
    tiles, _ = tiles_from_polygons(ramp, [[0, 1, 2, 3]], tile_size=2.0)
    for outline in outlines(tiles):
        assert all(y == x / 2 for x, y, _ in outline)


@pytest.mark.parametrize(("size", "vertices"), [
    (1e-3, SQUARE),
    (1e-9, SQUARE),
    (0.01, flat((0, 0), (100, 0), (100, 100), (0, 100))),
    (0.1, flat((1e6, 1e6), (1e6 + 1e3, 1e6), (1e6 + 1e3, 1e6 + 1e3))),
])
def test_a_tile_size_far_too_small_is_refused(size, vertices):
    with pytest.raises(OutOfRangeError) as caught:
        tiles_from_polygons(vertices, [list(range(len(vertices)))], tile_size=size, weld=1e-5)
    assert caught.value.field == "tile_size"


def test_there_are_at_most_so_many_pieces_and_some_for_each_polygon(monkeypatch):
    monkeypatch.setattr(build_cut, "FREE_PIECES", 100 - build_cut.PIECES_PER_POLYGON)
    tiles, _ = tiles_from_polygons(SQUARE, [[0, 1, 2, 3]], tile_size=1.0)
    assert len(tiles) == 100
    monkeypatch.setattr(build_cut, "FREE_PIECES", 99 - build_cut.PIECES_PER_POLYGON)
    with pytest.raises(OutOfRangeError, match="100 pieces, and at most 99 are made here: choose") as caught:
        tiles_from_polygons(SQUARE, [[0, 1, 2, 3]], tile_size=1.0)
    assert caught.value.field == "tile_size"


def test_a_level_in_tiles_of_a_centimetre_is_refused_at_once_and_one_of_four_kilometres_in_usual_ones_is_not():
    floor = flat((0, 0), (12, 0), (12, 12), (0, 12))
    with pytest.raises(OutOfRangeError, match="1440000 pieces"):
        tiles_from_polygons(floor, [[0, 1, 2, 3]], tile_size=0.01)
    assert (4096 / 16) ** 2 <= build_cut.FREE_PIECES


def test_a_vertex_that_no_polygon_uses_does_not_matter_however_far_it_is():
    vertices = [*SQUARE, (2e6, 0.0, -2e6)]
    tiles, report = tiles_from_polygons(vertices, [[0, 1, 2, 3]], tile_size=0.5)
    assert len(tiles) == 400
    assert report.snapped_vertices == ()
