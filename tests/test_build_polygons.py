"""Polygons of any quality become valid tiles, and the report says what was done to them."""

import pytest

from onepath.errors import OutOfRangeError
from onepath.navmesh.build_polygons import tiles_from_polygons

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]


def test_a_quad_keeps_its_vertices_area_and_flags():
    (tile,), report = tiles_from_polygons(SQUARE, [[0, 1, 2, 3]], areas=[7], flags=[0x8001])
    assert tile.polygons() == [[0, 1, 2, 3]]
    assert list(tile.vertices) == [coordinate for vertex in SQUARE for coordinate in vertex]
    assert (list(tile.areas), list(tile.flags)) == ([7], [0x8001])
    assert (report.vertex_count, report.poly_count, report.tile_count, report.dropped) == (4, 1, 1, ())


def test_either_winding_gives_the_same_polygon():
    (tile,), report = tiles_from_polygons(SQUARE, [[0, 3, 2, 1]])
    assert tile.vertices[3:6].tolist() == [1, 0, 0]
    assert report.rewound == (0,)


def test_vertices_within_the_weld_distance_become_one():
    vertices = [*SQUARE, (1.00005, 0, 0), (2, 0, 0), (2, 0, 1), (1, 0.00005, 1)]
    (tile,), report = tiles_from_polygons(vertices, [[0, 1, 2, 3], [4, 5, 6, 7]], weld=1e-4)
    assert report.welded_vertices == (4, 7)
    assert tile.polygons() == [[0, 1, 2, 3], [1, 4, 5, 2]]


def test_the_default_weld_distance_follows_the_extent_of_the_polygons():
    quads = [(0, 0, 0), (10, 0, 0), (10, 0, 1), (0, 0, 1), (10.0009, 0, 0), (20, 0, 0), (20, 0, 1), (10.0021, 0, 1)]
    _, report = tiles_from_polygons([*quads, (1e6, 0, 0)], [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert report.welded_vertices == (4,)


def test_repeated_vertices_leave_the_outline():
    (tile,), report = tiles_from_polygons(SQUARE, [[0, 1, 1, 2, 3, 0]])
    assert tile.polygons() == [[0, 1, 2, 3]]
    assert report.duplicate_vertices == (0,)


@pytest.mark.parametrize("outline", [[], [0], [0, 1], [0, 1, 1], [0, 1, 0, 1], [0, 1, 4], [0, 5, 1]])
def test_outlines_without_area_are_dropped(outline):
    vertices = [*SQUARE, (3, 0, 0), (0, 1, 0)]
    tiles, report = tiles_from_polygons(vertices, [[0, 1, 2, 3], outline])
    assert tiles[0].poly_count == 1
    assert report.dropped_degenerate == (1,)


@pytest.mark.parametrize("outline", [[0, 2, 1, 3], [0, 2, 4, 1, 3], [0, 1, 2, 3, 1, 4]])
def test_outlines_that_cross_or_touch_themselves_are_dropped(outline):
    tiles, report = tiles_from_polygons([*SQUARE, (4, 0, 0.5)], [outline])
    assert tiles == []
    assert report.dropped_crossing == (0,)


def test_a_pentagram_is_self_crossing_although_it_turns_one_way():
    star = [(0, 0, 1), (0.59, 0, -0.81), (-0.95, 0, 0.31), (0.95, 0, 0.31), (-0.59, 0, -0.81)]
    assert tiles_from_polygons(star, [[0, 1, 2, 3, 4]])[1].dropped_crossing == (0,)


def test_the_same_outline_given_twice_is_kept_once():
    tiles, report = tiles_from_polygons(SQUARE, [[0, 1, 2, 3], [3, 2, 1, 0], [2, 3, 0, 1]])
    assert tiles[0].poly_count == 1
    assert report.dropped_duplicate == (1, 2)


def test_a_mesh_far_from_the_origin_is_cleaned_alike():
    far = [(x + 1e5, y, z - 1e5) for x, y, z in SQUARE]
    (tile,), report = tiles_from_polygons(far, [[0, 3, 2, 1], [0, 1, 1]])
    assert tile.poly_count == 1
    assert report.dropped_degenerate == (1,)


def test_numpy_arrays_give_the_same_tiles_as_lists():
    import numpy
    lists = tiles_from_polygons(SQUARE, [[0, 1, 2], [0, 2, 3]], areas=[1, 2], flags=[3, 4])
    arrays = tiles_from_polygons(numpy.array(SQUARE, "float32"), numpy.array([[0, 1, 2], [0, 2, 3]]),
                                 areas=numpy.array([1, 2], "uint8"), flags=numpy.array([3, 4]))
    assert arrays == lists


@pytest.mark.parametrize(("vertices", "polygons"), [([], []), (SQUARE, []), ([], [[]])])
def test_nothing_in_gives_no_tiles(vertices, polygons):
    assert tiles_from_polygons(vertices, polygons)[0] == []


@pytest.mark.parametrize(("change", "field"), [
    ({"vertices": [(0, 0)]}, "vertices"),
    ({"vertices": 7}, "vertices"),
    ({"vertices": None}, "vertices"),
    ({"vertices": [(0, 0, "x")]}, "vertices"),
    ({"vertices": [(0, 0, float("nan"))]}, "vertices"),
    ({"vertices": [(0, 2.0**21, 0)]}, "vertices"),
    ({"vertices": [(0, 10**400, 0)]}, "vertices"),
    ({"polygons": [[0, 1, 4]]}, "polygons"),
    ({"polygons": [[0, 1, -1]]}, "polygons"),
    ({"polygons": [[0, 1, 2.0]]}, "polygons"),
    ({"polygons": [[0, 1, 10**12]]}, "polygons"),
    ({"polygons": [0, 1, 2]}, "polygons"),
    ({"polygons": None}, "polygons"),
    ({"polygons": ["012"]}, "polygons"),
    ({"areas": [64]}, "areas"),
    ({"areas": [-1]}, "areas"),
    ({"areas": [0, 0]}, "areas"),
    ({"areas": 3}, "areas"),
    ({"areas": ["x"]}, "areas"),
    ({"flags": [65536]}, "flags"),
    ({"flags": [1.5]}, "flags"),
    ({"tile_size": 0}, "tile_size"),
    ({"tile_size": float("inf")}, "tile_size"),
    ({"origin": (0, 0, 0)}, "origin"),
    ({"origin": (0, float("nan"))}, "origin"),
    ({"max_climb": -1}, "max_climb"),
    ({"weld": -1e-9}, "weld"),
    ({"weld": "x"}, "weld"),
    ({"height_tolerance": float("nan")}, "height_tolerance"),
])
def test_bad_arguments_are_named(change, field):
    arguments = {"vertices": SQUARE, "polygons": [[0, 1, 2, 3]]} | change
    with pytest.raises(OutOfRangeError) as caught:
        tiles_from_polygons(**arguments)
    assert caught.value.field == field
