"""Meshes saved and loaded: equal bytes, equal references, and no damage that gets through."""

import random
import struct

import pytest
from meshes import cell_mesh
from mode import scaled

from onepath import NavMeshFormatError, OffMeshLink, TiledNavMesh
from onepath.navmesh.check import describe
from onepath.packing import fnv1a_64


def random_mesh(seed):
    rng = random.Random(seed)
    size = rng.randrange(1, 7)
    rows = [[rng.random() > 0.2 for _ in range(size)] for _ in range(size)]
    heights = [[rng.uniform(0, 0.5) for _ in range(size + 1)] for _ in range(size + 1)]
    links = [OffMeshLink((rng.uniform(0, size), 0, rng.uniform(0, size)), (rng.uniform(0, size), 0, rng.uniform(0, 9)),
                         radius=rng.uniform(0.1, 2), bidirectional=rng.random() < 0.5, area=rng.randrange(64),
                         flags=rng.randrange(65536), user_id=rng.randrange(-5, 5)) for _ in range(rng.randrange(4))]
    mesh = TiledNavMesh.from_grid(rows, 1.0, origin=(rng.uniform(-9, 9), 0, 0), heights=heights,
                                  tile_cells=rng.randrange(1, 5), links=links)
    for _ in range(rng.randrange(6)):
        edit(mesh, rng)
    return mesh


def edit(mesh, rng):
    tiles = mesh.tiles()
    choice = rng.randrange(5)
    if not tiles or choice == 0:
        if mesh.links():
            mesh.set_link_enabled(rng.choice(mesh.links())[0], rng.random() < 0.5)
    elif choice == 1:
        mesh.remove_tile(*rng.choice(tiles))
    elif choice == 2:
        mesh.replace_tile(mesh.tile_data(*rng.choice(tiles)))
    else:
        ref = rng.choice(mesh.tile_polygons(*rng.choice(tiles)))
        mesh.set_poly_area(ref, rng.randrange(64))
        mesh.set_poly_flags(ref, rng.randrange(65536))


def references(mesh):
    return {key: mesh.tile_polygons(*key) for key in mesh.tiles()}


@pytest.mark.parametrize("seed", range(scaled(200, 20)))
def test_a_mesh_saved_loaded_and_saved_again_gives_equal_bytes(seed):
    mesh = random_mesh(seed)
    data = mesh.to_bytes()
    loaded = TiledNavMesh.from_bytes(data)
    assert loaded.to_bytes() == data
    assert describe(loaded) == describe(mesh)


@pytest.mark.parametrize("referenced", [False, True])
@pytest.mark.parametrize("seed", range(scaled(60, 6)))
def test_a_restored_mesh_is_the_saved_one_reference_for_reference(seed, referenced):
    rng = random.Random(seed)
    mesh = random_mesh(seed)
    data = mesh.save_state(referenced)
    kept = {key: mesh.tile_bytes(*key) for key in mesh.tiles()}
    refs, edits, picture = references(mesh), mesh.edit_count, describe(mesh)
    for _ in range(8):
        edit(mesh, rng)
    mesh.restore_state(data, kept)
    assert (references(mesh), mesh.edit_count, describe(mesh)) == (refs, edits, picture)
    assert mesh.save_state(referenced) == data and mesh.check()
    other = TiledNavMesh()
    other.restore_state(data, kept)
    assert references(other) == refs and other.save_state(referenced) == data


def test_edits_after_a_restore_give_the_references_they_gave_before():
    mesh = random_mesh(5)
    key = mesh.tiles()[0]
    data = mesh.save_state()
    mesh.replace_tile(mesh.tile_data(*key))
    first = references(mesh)
    mesh.restore_state(data)
    mesh.replace_tile(mesh.tile_data(*key))
    assert references(mesh) == first


def test_a_referenced_snapshot_without_its_tiles_is_refused_and_nothing_changes():
    mesh = random_mesh(5)
    data = mesh.save_state(referenced=True)
    while mesh.tiles():
        mesh.remove_tile(*mesh.tiles()[0])
    before = mesh.save_state()
    with pytest.raises(NavMeshFormatError) as caught:
        mesh.restore_state(data)
    assert caught.value.field == "geometry hash" and mesh.save_state() == before


def rehashed(data):
    return data[:-8] + fnv1a_64(data[:-8]).to_bytes(8, "little")


def mutated(data, rng):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        choice = rng.randrange(5)
        at = rng.randrange(len(data)) if data else 0
        if choice == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif choice == 1:
            del data[at:]
        elif choice == 2 and len(data) >= at + 4:
            data[at:at + 4] = struct.pack("<I", rng.choice([0, 1, 2**31, 2**32 - 1, rng.randrange(2**32)]))
        elif choice == 3 and len(data) >= at + 8:
            data[at:at + 8] = struct.pack("<d", rng.choice([float("nan"), float("inf"), 1e300, -0.0, 2.0**21]))
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(9)))
    return rehashed(bytes(data)) if rng.random() < 0.8 and len(data) > 8 else bytes(data)


def run_mutations(seed, count):
    """Read damaged bytes; return how many were valid after all. A mesh into which they are restored starts intact."""
    rng = random.Random(seed)
    target = random_mesh(seed)
    sources = [target.to_bytes(), target.save_state(), target.save_state(True)]
    intact = sources[1]
    valid = 0
    for _ in range(count):
        kind = rng.randrange(3)
        data = mutated(sources[kind], rng)
        try:
            if kind == 0:
                mesh = TiledNavMesh.from_bytes(data)
            else:
                target.restore_state(data)
                mesh = target
            assert mesh.check()
            valid += 1
            target.restore_state(intact)
        except NavMeshFormatError as error:
            assert isinstance(error.field, str) and 0 <= error.offset <= len(data)
        assert target.save_state() == intact
    return valid


@pytest.mark.parametrize("seed", range(scaled(20, 2)))
def test_damaged_bytes_are_refused_with_field_and_offset_or_give_a_valid_mesh(seed):
    run_mutations(seed, scaled(100, 30))


@pytest.mark.full
def test_a_hundred_thousand_damaged_byte_strings():
    assert sum(run_mutations(seed, 500) for seed in range(200)) > 0


@pytest.mark.parametrize("next_id", [-1, 2**62 + 1, 2**63 - 1])
def test_ids_of_links_leave_room_for_more(next_id):
    mesh = cell_mesh([(x, 0) for x in range(4)], links=[OffMeshLink((1, 0, 1), (5, 0, 1))])
    before = mesh.save_state()
    at = before.index(struct.pack("<qI", 1, 1))
    data = rehashed(before[:at] + struct.pack("<q", next_id) + before[at + 8:-8] + bytes(8))
    with pytest.raises(NavMeshFormatError) as caught:
        mesh.restore_state(data)
    assert (caught.value.field, caught.value.offset) == ("next link id", at)
    assert mesh.save_state() == before


def test_a_mesh_of_a_class_of_ones_own_is_restored():
    class Level(TiledNavMesh):
        def __init__(self):
            super().__init__((0.0, 0.0), 8.0, 0.5)

    saved = cell_mesh([(x, 0) for x in range(4)]).save_state()
    level = Level()
    level.restore_state(saved)
    assert level.save_state() == saved


def test_a_claim_of_two_billion_polygons_in_ten_bytes_allocates_nothing_of_the_kind():
    import tracemalloc

    data = b"OPNM\x01\x00\x01\x00" + b"\xff\x7f"
    head = random_mesh(1).to_bytes()
    at = head.index(struct.pack("<IQ", 2, struct.unpack_from("<Q", head, 8 + 12 + 32 + 4)[0]))
    big = bytearray(head)
    big[at + 16 + 12 + 4:at + 16 + 12 + 8] = struct.pack("<I", 2**31)
    tracemalloc.start()
    for damaged in (data, rehashed(bytes(big))):
        with pytest.raises(NavMeshFormatError):
            TiledNavMesh.from_bytes(damaged)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("data", [b"", b"OPNM", b"x" * 100, bytearray(200), memoryview(b"OPNM" * 9)])
def test_bytes_of_something_else_are_refused(data):
    with pytest.raises(NavMeshFormatError):
        TiledNavMesh.from_bytes(data)


@pytest.mark.parametrize("data", ["text", 5, None, [1, 2], {}, object()])
def test_what_is_not_bytes_is_a_type_error_that_names_the_argument(data):
    mesh = TiledNavMesh.from_grid([[1]])
    before = mesh.save_state()
    with pytest.raises(TypeError, match=r"^data must be bytes-like"):
        TiledNavMesh.from_bytes(data)
    with pytest.raises(TypeError, match=r"^data must be bytes-like"):
        mesh.restore_state(data)
    with pytest.raises(TypeError, match=r"^buffer must be bytes-like"):
        fnv1a_64(data)
    with pytest.raises(TypeError, match=r"^tiles must be"):
        mesh.restore_state(mesh.save_state(referenced=True), {"a tile": data})
    assert mesh.save_state() == before


@pytest.mark.parametrize("tiles", ["text", b"bytes", 5, [b"tile"], {b"tile"}])
def test_tiles_for_a_snapshot_come_in_a_dict(tiles):
    mesh = TiledNavMesh.from_grid([[1]])
    for referenced in (False, True):
        with pytest.raises(TypeError, match=r"^tiles must be a dict or None"):
            mesh.restore_state(mesh.save_state(referenced), tiles)
