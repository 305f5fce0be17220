"""What builders make is a sound mesh, joined where the ground is, however it is cut and merged."""

from random import Random

import pytest
from build_checks import delaunay_like, faults, flat
from mode import scaled

from onepath.navmesh.build_polygons import tiles_from_polygons
from onepath.navmesh.build_regions import MeshRegion
from onepath.navmesh.mesh import TiledNavMesh


def all_refs(mesh):
    return [ref for tx, tz, layer in mesh.tiles() for ref in mesh.tile_polygons(tx, tz, layer)]


def island_count(mesh):
    """Return how many groups of polygons there are that one can walk between."""
    waiting = set(all_refs(mesh))
    count = 0
    while waiting:
        count += 1
        stack = [waiting.pop()]
        while stack:
            for ref, _kind in mesh.neighbours(stack.pop()):
                if ref in waiting:
                    waiting.discard(ref)
                    stack.append(ref)
    return count


@pytest.mark.parametrize("seed", range(4))
def test_cutting_and_merging_change_nothing_about_what_is_connected(seed):
    random = Random(seed)
    side = scaled(20, 7)
    points, polygons = delaunay_like(random, side, side, 0.25)
    kept = [poly for poly in polygons if random.random() > 0.45]
    whole = TiledNavMesh.from_polygons(points, kept)
    assert island_count(whole) > 3
    for options in ({"tile_size": 3.7}, {"merge": True}, {"tile_size": 3.7, "merge": True, "height_tolerance": 0.5}):
        mesh = TiledNavMesh.from_polygons(points, kept, origin=(-0.3, 0.2), **options)
        assert mesh.check()
        assert island_count(mesh) == island_count(whole)


@pytest.mark.parametrize("seed", range(scaled(60, 10)))
def test_rectangles_thrown_anywhere_make_a_sound_mesh(seed):
    """Overlaps, equal edges, edges with three polygons, corners on tile borders: all of it on a coarse lattice."""
    random = Random(seed)
    vertices, polygons = [], []
    for _ in range(random.randrange(1, 25)):
        x, z, width, depth = (random.randrange(1, 9) for _ in range(4))
        start = len(vertices)
        vertices += [(px, 3.0 * (seed % 3), pz) for px, _, pz in flat(
            (x, z), (x + width, z), (x + width, z + depth), (x, z + depth))]
        polygons.append([start, start + 1, start + 2, start + 3])
    options = {"tile_size": random.choice([None, 1.0, 3.3]), "merge": random.random() < 0.5,
               "weld": random.choice([None, 0.0])}
    tiles, report = tiles_from_polygons(vertices, polygons, **options)
    assert faults(tiles) == []
    assert report.incomplete == ()
    assert TiledNavMesh.from_polygons(vertices, polygons, **options).check()


def test_an_overhang_at_a_tile_seam_two_metres_up_is_no_portal():
    for height, joined in ((0.0, 1), (0.8, 1), (2.0, 2)):
        vertices = [*flat((0, 0), (4, 0), (4, 4), (0, 4)), (4, height, 0), (8, height, 0), (8, height, 4),
                    (4, height, 4)]
        mesh = TiledNavMesh.from_polygons(vertices, [[0, 1, 2, 3], [4, 5, 6, 7]], tile_size=4.0)
        assert len(mesh.tiles()) == 2
        assert island_count(mesh) == joined


def test_a_merged_grid_is_connected_like_a_plain_one():
    random = Random(1)
    side = scaled(48, 16)
    walkable = [[random.random() > 0.4 for _ in range(side)] for _ in range(side)]
    plain = TiledNavMesh.from_grid(walkable, 1.0, tile_cells=8)
    merged = TiledNavMesh.from_grid(walkable, 1.0, tile_cells=8, merge=True)
    assert merged.check()
    assert merged.poly_count < plain.poly_count
    assert island_count(merged) == island_count(plain) > 1


def test_regions_of_a_level_become_one_mesh():
    quad, around = [0, 0, 0, 0, 0, 4, 4, 0, 4, 4, 0, 0], [[0, 1, 2, 3]]
    regions = [MeshRegion(quad, around, (1, 0, 0, 0, 1, 0, 0, 0, 1, 4 * place, 0, 0)) for place in range(3)]
    assert island_count(TiledNavMesh.from_godot(regions)) == 1
    assert island_count(TiledNavMesh.from_godot(regions, tile_size=3.0, merge=True)) == 1
