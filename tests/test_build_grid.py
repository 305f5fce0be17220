"""A grid becomes one quad per free cell, in row-major order within each tile."""

import pytest

from onepath.errors import OutOfRangeError
from onepath.navmesh.build_grid import tiles_from_grid

ORIGIN = (0.0, 0.0, 0.0)


def corners(tile, poly):
    return [tuple(tile.vertices[3 * vertex:3 * vertex + 3]) for vertex in tile.polygons()[poly]]


def test_each_free_cell_is_a_quad_with_shared_corners():
    (tile,), report, tile_size = tiles_from_grid([[1, 1], [0, 1]], 2.0, ORIGIN, None, 32)
    assert tile_size == 64.0
    assert [corners(tile, poly) for poly in range(3)] == [
        [(0, 0, 0), (2, 0, 0), (2, 0, 2), (0, 0, 2)],
        [(2, 0, 0), (4, 0, 0), (4, 0, 2), (2, 0, 2)],
        [(2, 0, 2), (4, 0, 2), (4, 0, 4), (2, 0, 4)],
    ]
    assert tile.vertex_count == 8
    assert list(tile.areas) == [0, 0, 0]
    assert list(tile.flags) == [1, 1, 1]
    assert (report.poly_count, report.tile_count) == (3, 1)


def test_tiles_come_row_by_row_and_empty_ones_are_left_out():
    walkable = [[True] * 5, [True] * 5, [False, False, True, True, True]]
    tiles, _, tile_size = tiles_from_grid(walkable, 0.5, (1.0, 0.0, -3.0), None, 2)
    assert tile_size == 1.0
    assert [(tile.tx, tile.tz, tile.poly_count) for tile in tiles] == [
        (0, 0, 4), (1, 0, 4), (2, 0, 2), (1, 1, 2), (2, 1, 1)]


def test_border_vertices_lie_exactly_on_the_tile_border():
    cell, tile_cells, origin = 0.1, 3, (0.7, 0.0, -0.3)
    tiles, _, tile_size = tiles_from_grid([[1] * 10 for _ in range(10)], cell, origin, None, tile_cells)
    for tile in tiles:
        xs, zs = tile.vertices[0::3], tile.vertices[2::3]
        assert min(xs) == origin[0] + tile.tx * tile_size
        assert min(zs) == origin[2] + tile.tz * tile_size
        if tile.tx < 3:
            assert max(xs) == origin[0] + (tile.tx + 1) * tile_size


def test_heights_are_given_per_corner_and_added_to_the_origin():
    (tile,), _, _ = tiles_from_grid([[1, 1]], 1.0, (0.0, 10.0, 0.0), [[0, 1, 2], [3, 4, 5]], 32)
    assert corners(tile, 1) == [(1, 11, 0), (2, 12, 0), (2, 15, 1), (1, 14, 1)]


def test_a_numpy_grid_gives_the_same_tiles_as_lists():
    import numpy
    rows = [[(row * 7 + column * 3) % 5 > 0 for column in range(9)] for row in range(6)]
    assert tiles_from_grid(numpy.array(rows), 1.0, ORIGIN, None, 4) == tiles_from_grid(rows, 1.0, ORIGIN, None, 4)
    assert tiles_from_grid(numpy.array(rows, "uint8"), 1.0, ORIGIN, numpy.zeros((7, 10)), 4)[0] == tiles_from_grid(
        rows, 1.0, ORIGIN, None, 4)[0]


@pytest.mark.parametrize("walkable", [[], [[]], [[], []], [[0, 0]]])
def test_a_grid_without_free_cells_gives_no_tiles(walkable):
    tiles, report, _ = tiles_from_grid(walkable, 1.0, ORIGIN, None, 32)
    assert tiles == []
    assert report.poly_count == 0


@pytest.mark.parametrize(("change", "field"), [
    ({"walkable": [[1, 1], [1]]}, "walkable"),
    ({"walkable": 5}, "walkable"),
    ({"walkable": None}, "walkable"),
    ({"walkable": [1, 2]}, "walkable"),
    ({"walkable": ["##"]}, "walkable"),
    ({"walkable": [[0.5, 1]]}, "walkable"),
    ({"walkable": [[None, 1]]}, "walkable"),
    ({"walkable": [[[1], 1]]}, "walkable"),
    ({"walkable": range(1 << 40)}, "walkable"),
    ({"cell": 0}, "cell"),
    ({"cell": float("nan")}, "cell"),
    ({"cell": -1}, "cell"),
    ({"cell": 1e-12, "origin": (1e5, 0, 0)}, "cell"),
    ({"cell": 1.5e6}, "walkable"),
    ({"origin": (0, 0)}, "origin"),
    ({"origin": (2.0**21, 0, 0)}, "origin"),
    ({"tile_cells": 0}, "tile_cells"),
    ({"tile_cells": 2.0}, "tile_cells"),
    ({"height_tolerance": -1}, "height_tolerance"),
    ({"max_climb": float("nan")}, "max_climb"),
    ({"heights": [[0, 0], [0, 0]]}, "heights"),
    ({"heights": [[0, 0, 0], [0, 0, float("inf")]]}, "heights"),
    ({"heights": 3}, "heights"),
    ({"heights": [[0, 0, "x"], [0, 0, 0]]}, "heights"),
])
def test_bad_arguments_are_named(change, field):
    arguments = {"walkable": [[1, 1]], "cell": 1.0, "origin": ORIGIN, "heights": None, "tile_cells": 32} | change
    with pytest.raises(OutOfRangeError) as caught:
        tiles_from_grid(**arguments)
    assert caught.value.field == field


def test_cells_with_heights_of_their_own_meet_halfway_and_cliffs_stay_walls():
    (tile,), _, _ = tiles_from_grid([[1, 1, 1]], 1.0, ORIGIN, [[0.0, 0.5, 4.0]], 32)
    assert [[y for _, y, _ in corners(tile, poly)] for poly in range(3)] == [
        [0.0, 0.25, 0.25, 0.0], [0.25, 0.5, 0.5, 0.25], [4.0, 4.0, 4.0, 4.0]]
    assert tile.vertex_count == 10


def test_a_ramp_round_a_corner_joins_cells_that_would_be_too_far_apart_directly():
    heights = [[0.0, 0.8], [2.4, 1.6]]
    (tile,), _, _ = tiles_from_grid([[1, 1], [1, 1]], 1.0, ORIGIN, heights, 32)
    middle = [corners(tile, poly)[place] for poly, place in ((0, 2), (1, 3), (2, 1), (3, 0))]
    assert len(set(middle)) == 1
    assert middle[0] == pytest.approx((1.0, 1.2, 1.0))
    assert corners(tile, 0)[3] != corners(tile, 2)[0]


def test_huge_cells_make_smaller_tiles_instead_of_an_error():
    tiles, _, tile_size = tiles_from_grid([[1, 1]], 5e5, ORIGIN, None, 32)
    assert [tile.poly_count for tile in tiles] == [2]
    assert tile_size == 4 * 5e5
