"""The arrays of Godot's navigation meshes, region by region, become one mesh."""

from array import array

import pytest
from build_checks import faults, islands, outlines, total_area

from onepath.errors import OutOfRangeError
from onepath.navmesh.build_regions import IDENTITY, MeshRegion, tiles_from_regions

# As Godot stores them: packed float32 triples, polygons clockwise seen from above.
QUAD = array("f", [0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0])
CLOCKWISE = [array("i", [0, 1, 2, 3])]


def moved(x, y, z):
    return (*IDENTITY[:9], x, y, z)


def test_a_region_becomes_a_tile():
    (tile,), report = tiles_from_regions(MeshRegion(QUAD, CLOCKWISE, area=3, flags=6))
    assert faults([tile]) == []
    assert total_area([tile]) == 1.0
    assert (list(tile.areas), list(tile.flags)) == ([3], [6])
    assert report.rewound == (0,)


def test_regions_side_by_side_are_welded_into_one_mesh():
    turned = (0, 0, 1, 0, 1, 0, -1, 0, 0, 1, 2, 1)  # a quarter turn about the y axis, then up beside the others
    regions = [MeshRegion(QUAD, CLOCKWISE, moved(0, 2, 0)), MeshRegion(QUAD, CLOCKWISE, turned, area=1),
               MeshRegion([(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0)], [[0, 1, 2], [0, 2, 3]], moved(2, 2, 0))]
    (tile,), report = tiles_from_regions(regions)
    assert outlines([tile])[1] == [(1, 2, 1), (1, 2, 0), (2, 2, 0), (2, 2, 1)]
    assert islands(tile) == 1
    assert list(tile.areas) == [0, 1, 0, 0]
    assert report.vertex_count == 12
    assert len(report.welded_vertices) == 4


def test_a_mirrored_region_runs_the_right_way_round():
    mirror = (-1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
    (tile,), report = tiles_from_regions(MeshRegion(QUAD, CLOCKWISE, mirror))
    assert faults([tile]) == []
    assert report.rewound == ()


def test_regions_are_cut_and_merged_like_polygons():
    row = [MeshRegion(QUAD, CLOCKWISE, moved(x, 0, 0)) for x in range(4)]
    tiles, _ = tiles_from_regions(row, tile_size=2.0, merge=True)
    assert [(tile.tx, tile.poly_count) for tile in tiles] == [(0, 1), (1, 1)]


def test_no_regions_and_empty_regions_give_no_tiles():
    assert tiles_from_regions([])[0] == []
    assert tiles_from_regions(MeshRegion([], []))[0] == []


@pytest.mark.parametrize("region", [
    None,
    5,
    [QUAD],
    MeshRegion(QUAD[:7], CLOCKWISE),
    MeshRegion(None, CLOCKWISE),
    MeshRegion([0, 0, float("nan")], []),
    MeshRegion(QUAD, [[0, 1, 4]]),
    MeshRegion(QUAD, [0]),
    MeshRegion(QUAD, CLOCKWISE, transform=(1, 2)),
    MeshRegion(QUAD, CLOCKWISE, transform=None),
    MeshRegion(QUAD, CLOCKWISE, transform=moved(0, 0, float("inf"))),
    MeshRegion(QUAD, CLOCKWISE, transform=moved(0, 0, 2.0**21)),
    MeshRegion(QUAD, CLOCKWISE, area=64),
    MeshRegion(QUAD, CLOCKWISE, flags=1 << 16),
])
def test_bad_regions_are_named(region):
    with pytest.raises(OutOfRangeError) as caught:
        tiles_from_regions(region)
    assert caught.value.field == "regions"
