"""Mesh bytes: the frame all kinds share, and the records of parameters, tiles and links.

Frame: magic ``OPNM``, u16 version (1), u16 kind (1 mesh, 2 full snapshot, 3 referenced snapshot); sections, each u32
id, u64 length and that many bytes, in order of id; and the FNV-1a-64 of all that precedes. All little-endian.

========  =====================================================================================================
section   content
========  =====================================================================================================
1         f64 origin x, f64 origin z, f64 tile size (+∞: one tile), f64 max climb
2         kind 1: u32 tiles; per tile, in order of slot, its geometry, then u8 area and u16 flags per polygon.
          kinds 2, 3: u32 slots; per slot u16 salt (0: never used), u8 present; if present the geometry (kind 2) or
          its u64 length and u64 FNV-1a-64 (kind 3), then u8 area and u16 flags per polygon (u32 count first).
3         i64 next link id, u32 links; per link, by id: i64 id, u8 enabled, u8 both ways, u8 area, u16 flags,
          i32 user id, f64 radius, 3 × f64 start, 3 × f64 end
4         kinds 2, 3: u64 edit count
geometry  i32 tx, i32 tz, i32 layer, u32 vertices, u32 polygons, u32 indices; 3 × f64 per vertex, u8 vertex count
          per polygon, i32 per index
========  =====================================================================================================
"""

import struct
import sys
from array import array
from math import isfinite

from onepath.errors import NavMeshFormatError, OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.tile_check import first_fault
from onepath.navmesh.tile_data import TileData
from onepath.packing import bytes_of, fnv1a_64

MAGIC = b"OPNM"
VERSION = 1
KIND_MESH, KIND_FULL, KIND_REFERENCED = 1, 2, 3
SECTION_PARAMETERS, SECTION_TILES, SECTION_LINKS, SECTION_EDITS = 1, 2, 3, 4

_HEADER = struct.Struct("<4sHH")
_SECTION = struct.Struct("<IQ")
_PARAMETERS = struct.Struct("<4d")
_GEOMETRY = struct.Struct("<3i3I")
_LINK = struct.Struct("<q3BHi7d")
_HASH = struct.Struct("<Q")
#: Far below what an id can be, so that ids can be counted up from it.
_MAX_LINK_ID = 1 << 62


class Reader:
    """Reads fields one after another; a field that does not fit is an error with its name and offset."""

    def __init__(self, data: bytes, offset: int, end: int) -> None:
        self.data = data
        self.offset = offset
        self.end = end

    def fail(self, field: str, message: str, offset: int | None = None) -> NavMeshFormatError:
        """Return the error for a field (at the current offset unless told)."""
        return NavMeshFormatError(field, self.offset if offset is None else offset, message)

    def unpack(self, field: str, layout: struct.Struct) -> tuple:
        """Read one record."""
        if self.end - self.offset < layout.size:
            raise self.fail(field, "the bytes end here")
        values = layout.unpack_from(self.data, self.offset)
        self.offset += layout.size
        return values

    def number(self, field: str, code: str):
        """Read one number by its struct code."""
        return self.unpack(field, struct.Struct("<" + code))[0]

    def column(self, field: str, typecode: str, count: int) -> array:
        """Read ``count`` numbers; the count is believed only as far as there are bytes."""
        column = array(typecode)
        size = count * column.itemsize
        if size > self.end - self.offset:
            raise self.fail(field, f"{count} entries are more than the bytes that are left")
        column.frombytes(self.data[self.offset:self.offset + size])
        self.offset += size
        return _swapped(column)

    def flag(self, field: str) -> bool:
        """Read a byte that is 0 or 1."""
        value = self.number(field, "B")
        if value > 1:
            raise self.fail(field, f"must be 0 or 1, not {value}", self.offset - 1)
        return value == 1

    def finish(self, field: str) -> None:
        """Make sure that nothing is left."""
        if self.offset != self.end:
            raise self.fail(field, f"{self.end - self.offset} bytes too many")


def _swapped(column: array) -> array:
    """Return a column in the other byte order where the machine is not little-endian."""
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column


def column_bytes(column: array) -> bytes:
    """Return a column's little-endian bytes."""
    return _swapped(column).tobytes()


def frame(kind: int, sections: list[tuple[int, bytes]]) -> bytes:
    """Return a whole file from its sections."""
    parts = [_HEADER.pack(MAGIC, VERSION, kind)]
    for number, content in sections:
        parts += [_SECTION.pack(number, len(content)), content]
    body = b"".join(parts)
    return body + _HASH.pack(fnv1a_64(body))


def open_frame(data, kinds: tuple[int, ...]) -> tuple[int, dict[int, Reader]]:
    """Check the frame of mesh bytes.

    Args:
        data: any buffer.
        kinds: the kinds that are welcome.

    Returns:
        (kind, section id → reader of its content).

    Raises:
        TypeError: ``data`` is not a buffer.
        NavMeshFormatError: the frame is damaged, foreign, of another version or kind.
    """
    data = bytes_of("data", data)
    reader = Reader(data, 0, len(data) - _HASH.size)
    magic, version, kind = reader.unpack("magic", _HEADER)
    if magic != MAGIC:
        raise reader.fail("magic", "these are not mesh bytes", 0)
    if version != VERSION:
        raise reader.fail("version", f"version {version} is not supported, only {VERSION}", 4)
    if kind not in kinds:
        raise reader.fail("kind", f"kind {kind} is not one of {kinds}", 6)
    (hash_read,) = _HASH.unpack_from(data, reader.end)
    if hash_read != fnv1a_64(data[:reader.end]):
        raise reader.fail("hash", "the bytes have been changed", reader.end)
    wanted = [SECTION_PARAMETERS, SECTION_TILES, SECTION_LINKS] + ([SECTION_EDITS] if kind != KIND_MESH else [])
    sections = {}
    for number in wanted:
        found, length = reader.unpack("section", _SECTION)
        if found != number:
            raise reader.fail("section", f"section {found} where {number} belongs", reader.offset - _SECTION.size)
        if length > reader.end - reader.offset:
            raise reader.fail("section length", "is more than the bytes that are left", reader.offset - 8)
        sections[number] = Reader(data, reader.offset, reader.offset + length)
        reader.offset += length
    reader.finish("section")
    return kind, sections


def parameter_bytes(origin_x: float, origin_z: float, tile_size: float, max_climb: float) -> bytes:
    """Return the parameter section."""
    return _PARAMETERS.pack(origin_x, origin_z, tile_size, max_climb)


def read_parameters(reader: Reader) -> tuple[tuple[float, float], float | None, float]:
    """Return (origin, tile size or ``None``, max climb) as the mesh's constructor takes them."""
    start = reader.offset
    x, z, size, climb = reader.unpack("parameters", _PARAMETERS)
    for number, value in enumerate((x, z)):
        if not -COORDINATE_LIMIT <= value <= COORDINATE_LIMIT:
            raise reader.fail("origin", f"out of range: {value!r}", start + 8 * number)
    if not (size == float("inf") or (isfinite(size) and 1e-3 <= size <= COORDINATE_LIMIT)):
        raise reader.fail("tile_size", f"out of range: {size!r}", start + 16)
    if not 0.0 <= climb <= COORDINATE_LIMIT:
        raise reader.fail("max_climb", f"out of range: {climb!r}", start + 24)
    reader.finish("parameters")
    return (x, z), (None if size == float("inf") else size), climb


def geometry_bytes(tile: TileData) -> bytes:
    """Return the part of a tile that edits of areas and flags leave as it is."""
    head = _GEOMETRY.pack(tile.tx, tile.tz, tile.layer, tile.vertex_count, tile.poly_count, len(tile.indices))
    return head + column_bytes(tile.vertices) + column_bytes(tile.sizes) + column_bytes(tile.indices)


def attribute_bytes(tile: TileData) -> bytes:
    """Return a tile's areas and flags."""
    return column_bytes(tile.areas) + column_bytes(tile.flags)


def read_tile(reader: Reader, attributes: bool = True) -> TileData:
    """Read a tile's geometry and, unless told not to, its areas and flags; the tile is valid by itself."""
    start = reader.offset
    tx, tz, layer, vertices, polys, indices = reader.unpack("tile", _GEOMETRY)
    if layer < 0 or layer >= 1 << 15 or max(abs(tx), abs(tz)) > 1 << 21:
        raise reader.fail("tile", "coordinates out of range", start)
    tile = TileData(tx, tz, layer)
    offsets = {}
    for name, code, count in (("vertices", "d", 3 * vertices), ("sizes", "B", polys), ("indices", "i", indices)):
        offsets[name] = (reader.offset, array(code).itemsize)
        setattr(tile, name, reader.column(name, code, count))
    if attributes:
        read_attributes(reader, tile)
    else:
        tile.areas, tile.flags = array("B", bytes(polys)), array("H", bytes(2 * polys))
    fault = first_fault(tile)
    if fault is not None:
        name, index, message = fault
        base, width = offsets.get(name, (start, 0))
        raise reader.fail(name, message, base + width * index)
    return tile


def read_attributes(reader: Reader, tile: TileData) -> None:
    """Read a tile's areas and flags into it."""
    start = reader.offset
    tile.areas = reader.column("areas", "B", tile.poly_count)
    tile.flags = reader.column("flags", "H", tile.poly_count)
    for index, area in enumerate(tile.areas):
        if area > 63:
            raise reader.fail("areas", f"an area id is below 64, not {area}", start + index)


def link_bytes(next_id: int, links: list[tuple[int, OffMeshLink, bool]]) -> bytes:
    """Return the link section from (id, link, enabled) in order of id."""
    parts = [struct.pack("<qI", next_id, len(links))]
    for link_id, link, enabled in links:
        parts.append(_LINK.pack(link_id, enabled, link.bidirectional, link.area, link.flags, link.user_id, link.radius,
                                *link.start, *link.end))
    return b"".join(parts)


def read_links(reader: Reader) -> tuple[int, list[tuple[int, OffMeshLink, bool]]]:
    """Return (next id, [(id, link, enabled)])."""
    next_id, count = reader.unpack("links", struct.Struct("<qI"))
    if not 0 <= next_id <= _MAX_LINK_ID:
        raise reader.fail("next link id", "out of range", reader.offset - 12)
    if count * _LINK.size != reader.end - reader.offset:
        raise reader.fail("links", "the count does not fit the bytes that are left", reader.offset - 4)
    links = []
    previous = -1
    for _number in range(count):
        start = reader.offset
        link_id, enabled, both, area, flags, user_id, radius, *ends = reader.unpack("link", _LINK)
        if not previous < link_id < next_id:
            raise reader.fail("link id", f"{link_id} is out of order", start)
        if enabled > 1 or both > 1:
            raise reader.fail("link flag", "must be 0 or 1", start + 8)
        try:
            link = OffMeshLink(ends[:3], ends[3:], radius=radius, bidirectional=both == 1, area=area, flags=flags,
                               user_id=user_id)
        except OutOfRangeError as error:
            raise reader.fail(f"link {error.field}", str(error), start) from None
        links.append((link_id, link, enabled == 1))
        previous = link_id
    return next_id, links
