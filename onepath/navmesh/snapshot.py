"""Saving and loading whole meshes: mesh bytes, and snapshots that bring a mesh back reference for reference.

The layout of the bytes is in :mod:`onepath.navmesh.bytes`.
"""

from collections.abc import Mapping
from math import inf

from onepath.errors import NavMeshFormatError
from onepath.navmesh.assembly import assemble, extract_tile, out_of_tile, repeated_vertex, slot_salts
from onepath.navmesh.bytes import (
    KIND_FULL, KIND_MESH, KIND_REFERENCED, SECTION_EDITS, SECTION_LINKS, SECTION_PARAMETERS, SECTION_TILES, Reader,
    attribute_bytes, frame, geometry_bytes, link_bytes, open_frame, parameter_bytes, read_attributes, read_links,
    read_parameters, read_tile,
)
from onepath.packing import bytes_of, fnv1a_64

_MAX_EDIT_COUNT = 1 << 62


def mesh_bytes(mesh) -> bytes:
    """Return a mesh as bytes of kind 1: tiles in order of slot, links, no salts and no edit count."""
    tiles = [extract_tile(mesh.store, slot) for slot in sorted(mesh.table.slots.values())]
    content = len(tiles).to_bytes(4, "little") + b"".join(geometry_bytes(tile) + attribute_bytes(tile)
                                                          for tile in tiles)
    return frame(KIND_MESH, [(SECTION_PARAMETERS, _parameters(mesh)), (SECTION_TILES, content),
                             (SECTION_LINKS, _links(mesh))])


def _parameters(mesh) -> bytes:
    size = inf if mesh.tile_size is None else mesh.tile_size
    origin_x, origin_z = mesh.origin
    return parameter_bytes(origin_x, origin_z, size, mesh.max_climb)


def _links(mesh) -> bytes:
    return link_bytes(mesh.link_table.next_id,
                      [(link_id, link, mesh.is_link_enabled(link_id)) for link_id, link in mesh.links()])


def read_mesh(cls, data):
    """Return a mesh of class ``cls`` from bytes of kind 1."""
    _kind, sections = open_frame(data, (KIND_MESH,))
    origin, size, climb = read_parameters(sections[SECTION_PARAMETERS])
    mesh = cls(origin, size, climb)
    reader = sections[SECTION_TILES]
    keys: set = set()
    tiles = [_placed(mesh, reader, keys) for _number in range(reader.number("tiles", "I"))]
    reader.finish("tiles")
    next_id, links = read_links(sections[SECTION_LINKS])
    _populate(mesh, tiles, [1] * len(tiles), next_id, links)
    return mesh


def _placed(mesh, reader: Reader, keys: set):
    """Read a tile that belongs where it says, and nowhere else."""
    start = reader.offset
    tile = read_tile(reader)
    _check_place(mesh, reader, tile, keys, start)
    return tile


def _check_place(mesh, reader: Reader, tile, keys: set, start: int) -> None:
    fault = repeated_vertex(tile) or out_of_tile(mesh.store, tile)
    if fault is not None:
        raise reader.fail(fault[0], fault[2], start)
    if tile.key in keys or (mesh.tile_size is None and (tile.tx, tile.tz) != (0, 0)):
        raise reader.fail("tile", f"a tile at {tile.key} does not fit in", start)
    keys.add(tile.key)


def _populate(mesh, tiles, salts, next_id, links) -> None:
    """Fill an empty mesh: ``tiles`` by slot (``None``: free slot), the slots' salts, and its links."""
    assemble(mesh.store, mesh.table, tiles, salts)
    for link_id, link, enabled in links:
        mesh.link_table.insert(link_id, link, enabled)
    mesh.link_table.next_id = next_id


def save_snapshot(mesh, referenced: bool) -> bytes:
    """Return everything that the next query can depend on, as bytes of kind 2 or (``referenced``) kind 3."""
    salts, occupied = slot_salts(mesh.store), set(mesh.table.slots.values())
    parts = [len(salts).to_bytes(4, "little")]
    for slot, salt in enumerate(salts):
        parts.append(salt.to_bytes(2, "little") + bytes([slot in occupied]))
        if slot not in occupied:
            continue
        tile = extract_tile(mesh.store, slot)
        geometry = geometry_bytes(tile)
        if referenced:
            parts.append(len(geometry).to_bytes(8, "little") + fnv1a_64(geometry).to_bytes(8, "little"))
        else:
            parts.append(geometry)
        parts.append(tile.poly_count.to_bytes(4, "little") + attribute_bytes(tile))
    return frame(KIND_REFERENCED if referenced else KIND_FULL, [
        (SECTION_PARAMETERS, _parameters(mesh)), (SECTION_TILES, b"".join(parts)), (SECTION_LINKS, _links(mesh)),
        (SECTION_EDITS, mesh.edit_count.to_bytes(8, "little"))])


def read_snapshot(mesh, data, host_tiles, make):
    """Return what ``make`` makes into the mesh in a snapshot; ``mesh`` lends its tiles to a referenced one."""
    if host_tiles is not None and not isinstance(host_tiles, Mapping):
        raise TypeError(f"tiles must be a dict or None, not {type(host_tiles).__name__}")
    kind, sections = open_frame(data, (KIND_FULL, KIND_REFERENCED))
    origin, size, climb = read_parameters(sections[SECTION_PARAMETERS])
    restored = make(origin, size, climb, mesh.report)
    reader = sections[SECTION_TILES]
    known = _known_tiles(mesh, host_tiles) if kind == KIND_REFERENCED else {}
    tiles, salts, keys = [], [], set()
    for _slot in range(reader.number("slots", "I")):
        start = reader.offset
        salts.append(reader.number("salt", "H"))
        present = reader.flag("present")
        if present and salts[-1] == 0:
            raise reader.fail("salt", "a tile's salt is not 0", start)
        tiles.append(_read_slot(restored, reader, kind, known, keys) if present else None)
    reader.finish("slots")
    next_id, links = read_links(sections[SECTION_LINKS])
    edits = sections[SECTION_EDITS]
    edit_count = edits.number("edit count", "Q")
    if edit_count > _MAX_EDIT_COUNT:
        raise edits.fail("edit count", "out of range", edits.offset - 8)
    edits.finish("edit count")
    _populate(restored, tiles, salts, next_id, links)
    return restored, edit_count


def _read_slot(restored, reader: Reader, kind: int, known, keys: set):
    start = reader.offset
    if kind == KIND_FULL:
        tile = read_tile(reader, attributes=False)
    else:
        length, digest = reader.number("geometry length", "Q"), reader.number("geometry hash", "Q")
        source = known.get((length, digest))
        if source is None:
            raise reader.fail("geometry hash", "no tile with this content is at hand", start)
        tile = source()
    count = reader.number("polygons", "I")
    if count != tile.poly_count:
        raise reader.fail("polygons", f"{count} attributes for {tile.poly_count} polygons", reader.offset - 4)
    read_attributes(reader, tile)
    _check_place(restored, reader, tile, keys, start)
    return tile


def _known_tiles(mesh, host_tiles):
    """Return (length, hash) → a function that gives a tile of that geometry, from the mesh and from the host's dict."""
    known: dict = {}
    for content in () if host_tiles is None else host_tiles.values():
        geometry = bytes_of("tiles", content)
        known[len(geometry), fnv1a_64(geometry)] = lambda geometry=geometry: _tile_of(geometry)
    for slot in mesh.table.slots.values():
        tile = extract_tile(mesh.store, slot)
        geometry = geometry_bytes(tile)
        known[len(geometry), fnv1a_64(geometry)] = tile.copy
    return known


def _tile_of(geometry: bytes):
    """Read a tile from geometry bytes that a host kept."""
    reader = Reader(geometry, 0, len(geometry))
    tile = read_tile(reader, attributes=False)
    if reader.offset != reader.end:
        raise NavMeshFormatError("tiles", reader.offset, "a host's tile has bytes too many")
    return tile
