"""Editing a tiled mesh leaves the same mesh that building it afresh would."""

import random

import pytest
from mode import scaled

from onepath import OffMeshLink, OutOfRangeError, TileData, TiledNavMesh


def grid(seed, size=12, cells=4, links=()):
    rng = random.Random(seed)
    rows = [[rng.random() > 0.12 for _ in range(size)] for _ in range(size)]
    return TiledNavMesh.from_grid(rows, 1.0, tile_cells=cells, links=links)


def random_link(rng, size=12):
    def point():
        return (rng.uniform(0, size), rng.uniform(-0.5, 0.5), rng.uniform(0, size))
    return OffMeshLink(point(), point(), radius=0.8, bidirectional=rng.random() < 0.5)


def test_a_polygon_in_the_middle_of_a_grid_has_four_neighbours_over_edges_and_portals():
    mesh = TiledNavMesh.from_grid([[1] * 4] * 4, 1.0, tile_cells=2)
    first_tile = mesh.tile_polygons(0, 0)
    kinds = sorted(kind for _ref, kind in mesh.neighbours(first_tile[3]))
    assert kinds == ["edge", "edge", "portal", "portal"]
    assert {ref for ref, kind in mesh.neighbours(first_tile[3]) if kind == "portal"} == {
        mesh.tile_polygons(1, 0)[2], mesh.tile_polygons(0, 1)[1]}


def test_removing_a_tile_makes_its_references_stale_and_its_neighbours_borders_walls():
    mesh = TiledNavMesh.from_grid([[1] * 4] * 4, 1.0, tile_cells=2)
    gone = mesh.tile_polygons(1, 0)
    beside = mesh.tile_polygons(0, 0)[1]
    data = mesh.remove_tile(1, 0)
    assert data.poly_count == 4 and mesh.edit_count == 1
    assert not any(mesh.is_valid_ref(ref) for ref in gone)
    assert [kind for _ref, kind in mesh.neighbours(beside)].count("portal") == 0
    mesh.add_tile(data)
    again = mesh.tile_polygons(1, 0)
    assert not set(again) & set(gone) and mesh.edit_count == 2
    assert again[0] in [ref for ref, _kind in mesh.neighbours(beside)]


def test_a_removed_tile_comes_back_equal():
    mesh = grid(5)
    before = mesh.tile_data(1, 1)
    assert mesh.remove_tile(1, 1) == before
    mesh.add_tile(before)
    assert mesh.tile_data(1, 1) == before


def run_edits(seed, steps):
    rng = random.Random(seed)
    mesh = grid(seed, links=[random_link(rng) for _ in range(6)])
    spare = [grid(seed + 1000 + i) for i in range(2)]
    ids = [link_id for link_id, _link in mesh.links()]
    for _step in range(steps):
        key = (rng.randrange(3), rng.randrange(3), 0)
        choice = rng.randrange(7)
        edits = mesh.edit_count
        if choice == 0:
            done = mesh.remove_tile(*key) is not None
        elif choice == 1 and key in mesh.tiles():
            done = mesh.replace_tile(rng.choice(spare).tile_data(*key)) is None
        elif choice == 2 and key not in mesh.tiles():
            done = mesh.add_tile(rng.choice(spare).tile_data(*key)) is None
        elif choice == 3:
            ids.append(mesh.add_link(random_link(rng)))
            done = True
        elif choice == 4:
            done = mesh.remove_link(rng.choice(ids))
        elif choice == 5:
            done = mesh.set_link_enabled(rng.choice(ids), rng.random() < 0.5)
        else:
            refs = mesh.tile_polygons(*key)
            done = bool(refs) and mesh.set_poly_area(rng.choice(refs), rng.randrange(64))
        assert mesh.edit_count == edits + (1 if done else 0)
        assert mesh.check()


@pytest.mark.parametrize("seed", range(scaled(40, 3)))
def test_any_sequence_of_edits_equals_a_fresh_build(seed):
    run_edits(seed, scaled(50, 15))


@pytest.mark.full
def test_two_thousand_sequences_of_edits_equal_fresh_builds():
    for seed in range(2000):
        run_edits(seed, 12)


def test_a_link_end_without_ground_sleeps_until_a_tile_comes():
    rows = [[1] * 4] * 2
    mesh = TiledNavMesh.from_grid(rows, 1.0, tile_cells=2, links=[OffMeshLink((0.5, 0, 0.5), (3.5, 0, 1.5))])
    start, end = mesh.link_refs(0)
    assert start == mesh.tile_polygons(0, 0)[0] and end == mesh.tile_polygons(1, 0)[3]
    data = mesh.remove_tile(1, 0)
    assert mesh.link_refs(0) == (start, 0) and (start, "link") not in mesh.neighbours(start)
    mesh.add_tile(data)
    assert mesh.link_refs(0) == (start, mesh.tile_polygons(1, 0)[3])
    assert (mesh.tile_polygons(1, 0)[3], "link") in mesh.neighbours(start)


@pytest.mark.parametrize("ref", [0, 1, 2**64 - 1, 2**64, -1, 2**200, "x", None, 1.5, (1 << 48) | 99])
def test_a_reference_never_raises_whatever_it_is(ref):
    mesh = TiledNavMesh.from_grid([[1] * 2] * 2, 1.0)
    assert not mesh.is_valid_ref(ref) and mesh.neighbours(ref) == []
    assert mesh.poly_vertices(ref) is None and mesh.poly_area(ref) is None and mesh.poly_flags(ref) is None
    assert mesh.set_poly_area(ref, 3) is False and mesh.set_poly_flags(ref, 3) is False
    assert mesh.edit_count == 0


@pytest.mark.parametrize("spoil, field", [
    (lambda tile: setattr(tile, "tx", 9999999), "data.tx"),
    (lambda tile: tile.areas.__setitem__(0, 64), "data.areas"),
    (lambda tile: tile.areas.pop(), "data.areas"),
    (lambda tile: tile.sizes.__setitem__(0, 2), "data.sizes"),
    (lambda tile: tile.indices.__setitem__(0, 99), "data.indices"),
    (lambda tile: tile.indices.__setitem__(0, -1), "data.indices"),
    (lambda tile: tile.indices.reverse(), "data.indices"),
    (lambda tile: tile.vertices.__setitem__(0, float("nan")), "data.vertices"),
    (lambda tile: tile.vertices.__setitem__(0, -5.0), "data.vertices"),
    (lambda tile: tile.vertices.pop(), "data.vertices"),
])
def test_a_bad_tile_is_refused_by_name_and_nothing_changes(spoil, field):
    mesh = TiledNavMesh.from_grid([[1] * 4] * 2, 1.0, tile_cells=2)
    tile = mesh.remove_tile(1, 0)
    spoil(tile)
    with pytest.raises(OutOfRangeError) as caught:
        mesh.add_tile(tile)
    assert caught.value.field == field
    assert mesh.edit_count == 1 and mesh.tiles() == [(0, 0, 0)] and mesh.check()


def test_a_tile_cannot_be_added_twice_nor_replaced_where_there_is_none():
    mesh = TiledNavMesh.from_grid([[1] * 4] * 2, 1.0, tile_cells=2)
    with pytest.raises(OutOfRangeError, match="replace_tile"):
        mesh.add_tile(mesh.tile_data(0, 0))
    with pytest.raises(OutOfRangeError, match="add_tile"):
        mesh.replace_tile(TileData(5, 5))
    assert mesh.edit_count == 0


def test_floors_of_a_tile_border_two_metres_apart_are_not_joined():
    low = TiledNavMesh.from_grid([[1, 1]], 1.0, tile_cells=1)
    high = TiledNavMesh.from_grid([[1, 1]], 1.0, tile_cells=1, origin=(0, 2, 0))
    tile = high.tile_data(1, 0)
    low.replace_tile(tile)
    assert low.neighbours(low.tile_polygons(0, 0)[0]) == []
    near = TiledNavMesh.from_grid([[1, 1]], 1.0, tile_cells=1, origin=(0, 0.9, 0)).tile_data(1, 0)
    low.replace_tile(near)
    assert low.neighbours(low.tile_polygons(0, 0)[0]) == [(low.tile_polygons(1, 0)[0], "portal")]


@pytest.mark.parametrize("key", [[0], {}, {0}, None, "0", 0.5, float("nan"), 1 << 80])
def test_what_names_no_tile_and_no_link_is_answered_and_changes_nothing(key):
    mesh = TiledNavMesh.from_grid([[1]], links=[OffMeshLink((0.5, 0, 0.5), (1.5, 0, 1.5))])
    before = mesh.save_state()
    for place in ((key, 0, 0), (0, key, 0), (0, 0, key)):
        assert mesh.tile_polygons(*place) == []
        assert mesh.tile_data(*place) is None
        assert mesh.tile_bytes(*place) is None
        assert mesh.remove_tile(*place) is None
    assert mesh.link_refs(key) is None
    assert not mesh.is_link_enabled(key)
    assert not mesh.set_link_enabled(key, False)
    assert not mesh.remove_link(key)
    assert mesh.save_state() == before


@pytest.mark.parametrize("links", [None, 5, 0.5, object(), "link", [1], [None]])
def test_links_of_a_mesh_are_links(links):
    with pytest.raises(OutOfRangeError, match=r"^links:"):
        TiledNavMesh.from_grid([[1]], links=links)
    with pytest.raises(OutOfRangeError, match=r"^links:"):
        TiledNavMesh.from_polygons([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [[0, 1, 2]], links=links)
    with pytest.raises(OutOfRangeError, match=r"^links:"):
        TiledNavMesh.from_godot([], links=links)
