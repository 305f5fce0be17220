"""From finished polygons to tiles: each polygon goes into the tile it lies in, with that tile's own vertex numbers."""

from array import array

import cython

from onepath.buffers import filled, zeros
from onepath.errors import OutOfRangeError
from onepath.navmesh.tile_data import MAX_TILE_POLYS, TileData
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup, highest, lowest


def emit_tiles(soup: PolygonSoup, areas, flags, origin, tile_size) -> list[TileData]:
    """Return the tiles of a finished soup, row by row, without the empty ones.

    Args:
        soup: convex polygons of at most 16 vertices, none across a tile border.
        areas, flags: a number per polygon of the input.
        origin: x and z of the outer corner of tile (0, 0).
        tile_size: side of a tile, or ``None`` for one tile with everything.
    """
    count: cython.int = soup.poly_count
    if count == 0:
        return []
    tile_column = tile_numbers(soup, origin, tile_size)
    members: dict[tuple[int, int], list[int]] = {}
    for poly in range(count):
        members.setdefault((tile_column[2 * poly + 1], tile_column[2 * poly]), []).append(poly)
    number_column = zeros("i", soup.vertex_count)
    stamp_column = filled("i", soup.vertex_count, -1)
    tiles = []
    for order, (tz, tx) in enumerate(sorted(members)):
        polys = members[tz, tx]
        if len(polys) > MAX_TILE_POLYS:
            raise OutOfRangeError("tile_size", f"tile ({tx}, {tz}) would have more than {MAX_TILE_POLYS} polygons")
        tiles.append(_tile(soup, tx, tz, order, polys, areas, flags, number_column, stamp_column))
    return tiles


def tile_numbers(soup: PolygonSoup, origin, tile_size):
    """Return an ``i`` column with tx, tz of the tile in which the middle of each polygon's bounds lies."""
    count: cython.int = soup.poly_count
    tile_column = zeros("i", 2 * count)
    if tile_size is None:
        return tile_column
    tile: cython.p_int = int_pointer(tile_column)
    origin_x: cython.double = origin[0]
    origin_z: cython.double = origin[1]
    side: cython.double = tile_size
    i: cython.int
    with cython.nogil:
        for i in range(count):
            tile[2 * i] = _middle_tile(soup, i, 0, origin_x, side)
            tile[2 * i + 1] = _middle_tile(soup, i, 2, origin_z, side)
    return tile_column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _middle_tile(soup: PolygonSoup, poly: cython.int, axis: cython.int, origin: cython.double,
                 side: cython.double) -> cython.int:
    """Return the tile coordinate of the middle of a polygon's range along an axis (0: x, 2: z)."""
    low: cython.double = lowest(soup, poly, axis)
    high: cython.double = highest(soup, poly, axis)
    offset: cython.double = (low + (high - low) * 0.5 - origin) / side
    number: cython.int = cython.cast(cython.int, offset)
    return number - 1 if offset < number else number


def _tile(soup: PolygonSoup, tx, tz, order: cython.int, polys, areas, flags, number_column, stamp_column) -> TileData:
    """Return one tile; its vertices are numbered in the order in which its polygons use them."""
    member_column = array("i", polys)
    count: cython.int = len(polys)
    index_count: cython.int = 0
    member: cython.p_int = int_pointer(member_column)
    i: cython.int
    for i in range(count):
        index_count += soup.first[member[i] + 1] - soup.first[member[i]]
    size_column = zeros("B", count)
    index_column = zeros("i", index_count)
    vertex_column = zeros("d", 3 * min(index_count, soup.vertex_count))
    sizes: cython.p_uchar = byte_pointer(size_column)
    indices: cython.p_int = int_pointer(index_column)
    vertices: cython.p_double = double_pointer(vertex_column)
    number: cython.p_int = int_pointer(number_column)
    stamp: cython.p_int = int_pointer(stamp_column)
    used: cython.int
    with cython.nogil:
        used = _fill(soup, order, member, count, number, stamp, sizes, indices, vertices)
    sources = [soup.source_column[poly] for poly in polys]
    return TileData(tx, tz, 0, vertex_column[:3 * used], size_column, index_column,
                    array("B", [areas[source] for source in sources]),
                    array("H", [flags[source] for source in sources]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(soup: PolygonSoup, order: cython.int, member: cython.p_int, count: cython.int, number: cython.p_int,
          stamp: cython.p_int, sizes: cython.p_uchar, indices: cython.p_int, vertices: cython.p_double) -> cython.int:
    """Write sizes, indices and vertices of a tile; return its vertex count."""
    used: cython.int = 0
    written: cython.int = 0
    i: cython.int
    k: cython.int
    for i in range(count):
        start: cython.int = soup.first[member[i]]
        size: cython.int = soup.first[member[i] + 1] - start
        sizes[i] = size
        for k in range(size):
            vertex: cython.int = soup.index[start + k]
            if stamp[vertex] != order:
                stamp[vertex] = order
                number[vertex] = used
                vertices[3 * used] = soup.xyz[3 * vertex]
                vertices[3 * used + 1] = soup.xyz[3 * vertex + 1]
                vertices[3 * used + 2] = soup.xyz[3 * vertex + 2]
                used += 1
            indices[written] = number[vertex]
            written += 1
    return used
