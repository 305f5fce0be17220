"""Tiles from an occupancy grid: one quad per free cell, or merged ones."""

from array import array
from itertools import pairwise

import cython

from onepath.buffers import filled, zeros
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT, checked_flag, checked_integer, checked_number, checked_position
from onepath.navmesh.build_cut import TILE_LIMIT
from onepath.navmesh.build_emit import emit_tiles
from onepath.navmesh.build_fans import mend_fans
from onepath.navmesh.build_heights import read_heights
from onepath.navmesh.build_polygons import merge_alike
from onepath.navmesh.build_soup import PolygonSoup
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import MAX_TILE_POLYS, TileData
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer

#: Largest grid, in cells.
MAX_CELLS = 1 << 26
_MAX_TILE_CELLS = 1 << 20


def tiles_from_grid(walkable, cell, origin=(0.0, 0.0, 0.0), heights=None, tile_cells=32, merge=False,
                    height_tolerance=0.05, max_climb=0.9):
    """Make a quad of every free cell of a grid.

    Cell (row, column) covers x from origin x + column · cell to one cell further, and z likewise by row. Cells of one
    tile share their corner vertices. Polygons of a tile are in row-major order, area 0, flags 1.

    Args:
        walkable: rows of truth values (0 and 1, ``bool``, a numpy array of shape (rows, columns)); no rows or no
            columns give no tile.
        cell: side of a cell, world units, above 0.
        origin: x, y, z of the outer corner of cell (0, 0).
        heights: what to add to the origin's y: ``None`` for nothing; (rows + 1) × (columns + 1) numbers, one per
            corner; or rows × columns numbers, one per cell: then free cells that differ by at most ``max_climb`` from
            one beside them meet at the mean of their heights, and where they differ by more there is a wall.
        tile_cells: cells along the side of a tile, 1..2^20; fewer are used if a tile would be larger than 2^21.
        merge: merge the quads of each tile into larger convex polygons of up to 16 vertices.
        height_tolerance: how far the surface of merged polygons may be from that of the quads.
        max_climb: see ``heights``.

    Returns:
        (tiles, report, tile size): :class:`TileData` in row-major order without the empty ones; tile (0, 0) starts at
        the origin. The report's indices count the free cells in row-major order.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """
    rows, columns, cells = _read_cells(walkable)
    cell = checked_number("cell", cell, 0.0, COORDINATE_LIMIT, low_open=True)
    x, y, z = checked_position("origin", origin)
    tile_cells = checked_integer("tile_cells", tile_cells, 1, _MAX_TILE_CELLS)
    height_tolerance = checked_number("height_tolerance", height_tolerance, 0.0, COORDINATE_LIMIT)
    max_climb = checked_number("max_climb", max_climb, 0.0, COORDINATE_LIMIT)
    if max(rows, columns) // tile_cells >= TILE_LIMIT:
        raise OutOfRangeError("tile_cells", f"{tile_cells} gives more than 2^21 tiles in a row")
    if cell * tile_cells > COORDINATE_LIMIT:
        tile_cells = max(1, int(COORDINATE_LIMIT / cell))
    tile_size = cell * tile_cells
    xs = _lines("walkable", x, cell, tile_cells, columns)
    zs = _lines("walkable", z, cell, tile_cells, rows)
    ground = read_heights(heights, y, rows, columns, cells, max_climb)
    if checked_flag("merge", merge):
        return *_merged(_tile(cells, xs, ground, zs, rows, columns, 0, 0, max(rows, columns, 1)), (x, z), tile_size,
                        height_tolerance), tile_size
    tiles = []
    for tz in range(-(-rows // tile_cells)):
        for tx in range(-(-columns // tile_cells)):
            tile = _tile(cells, xs, ground, zs, rows, columns, tx, tz, tile_cells)
            if tile is not None:
                tiles.append(tile)
    return tiles, _report(tiles), tile_size


def _report(tiles, **fields):
    return BuildReport(vertex_count=sum(tile.vertex_count for tile in tiles),
                       poly_count=sum(tile.poly_count for tile in tiles), tile_count=len(tiles),
                       **{name: tuple(sorted(numbers)) for name, numbers in fields.items()})


def _merged(whole, origin, tile_size, height_tolerance):
    """Merge the quads of ``whole``, the grid as one tile, within each tile; return (tiles, report)."""
    if whole is None:
        return [], BuildReport()
    count = whole.poly_count
    soup = PolygonSoup(whole.vertices, array("i", range(0, 4 * count + 1, 4)), whole.indices, array("i", range(count)))
    merged = merge_alike(soup, whole.areas, whole.flags, origin, tile_size, height_tolerance)
    mended = mend_fans(soup)
    tiles = emit_tiles(soup, whole.areas, whole.flags, origin, tile_size)
    return tiles, _report(tiles, merged=merged, **mended)


def _read_cells(walkable):
    """Return (rows, columns, ``B`` column of the cells)."""
    shape = getattr(walkable, "shape", None)
    if shape is not None:
        if len(shape) != 2:
            raise OutOfRangeError("walkable", f"must have two dimensions, not {len(shape)}")
        if shape[0] * shape[1] > MAX_CELLS:
            raise OutOfRangeError("walkable", f"must have at most {MAX_CELLS} cells")
        walkable = walkable.astype(bool).tolist()
    try:
        rows = len(walkable)
        columns = len(walkable[0]) if rows else 0
        if rows * columns > MAX_CELLS:
            raise OutOfRangeError("walkable", f"must have at most {MAX_CELLS} cells")
        cells = zeros("B", 0)
        for number, row in enumerate(walkable):
            if len(row) != columns:
                raise OutOfRangeError("walkable", f"row {number} has {len(row)} cells, row 0 has {columns}")
            cells.frombytes(_row_bytes(row))
    except (TypeError, ValueError, KeyError) as error:
        if isinstance(error, OutOfRangeError):
            raise
        raise OutOfRangeError("walkable", "must be rows of truth values, all of one length") from None
    return rows, columns, cells


def _row_bytes(row) -> bytes:
    """Return a row as bytes of 0 and 1."""
    if hasattr(row, "tolist"):
        row = row.tolist()
    if not isinstance(row, str) and set(row) <= {False, True}:
        return bytes(map(bool, row))
    raise OutOfRangeError("walkable", "cells must be True or False (or 1 or 0)")


def _lines(name, start, cell, tile_cells, count):
    """Return the coordinates of the grid lines; those on a tile's border are computed as the mesh computes them."""
    tile_size = cell * tile_cells
    lines = zeros("d", count + 1)
    for index in range(count + 1):
        if index % tile_cells == 0:
            lines[index] = start + (index // tile_cells) * tile_size
        else:
            lines[index] = start + index * cell
    if not all(low < high for low, high in pairwise(lines)):
        raise OutOfRangeError("cell", "is too small to tell grid lines so far from zero apart")
    if not (-COORDINATE_LIMIT < lines[0] and lines[count] < COORDINATE_LIMIT):
        raise OutOfRangeError(name, "the grid reaches beyond 2^21")
    return lines


def _tile(cells, xs, ground, zs, rows: cython.int, columns: cython.int, tx: cython.int, tz: cython.int,
          tile_cells: cython.int):
    """Return one tile, or ``None`` if all its cells are blocked."""
    first_row: cython.int = tz * tile_cells
    first_column: cython.int = tx * tile_cells
    depth: cython.int = min(tile_cells, rows - first_row)
    width: cython.int = min(tile_cells, columns - first_column)
    cell: cython.p_uchar = byte_pointer(cells)
    count: cython.int
    with cython.nogil:
        count = _count_free(cell, columns, first_row, first_column, depth, width)
    if count == 0:
        return None
    if count > MAX_TILE_POLYS:
        raise OutOfRangeError("tile_cells", f"tile ({tx}, {tz}) would have more than {MAX_TILE_POLYS} polygons")
    pitch: cython.int = ground.pitch
    corner_count: cython.int = (depth + 1) * (width + 1)
    vertex_column = zeros("d", 3 * min(pitch * corner_count, 4 * count))
    index_column = zeros("i", 4 * count)
    number_column = filled("i", pitch * corner_count, -1)
    vertices: cython.p_double = double_pointer(vertex_column)
    indices: cython.p_int = int_pointer(index_column)
    number: cython.p_int = int_pointer(number_column)
    x: cython.p_double = double_pointer(xs)
    y: cython.p_double = double_pointer(ground.heights)
    group: cython.p_uchar = byte_pointer(ground.groups)
    z: cython.p_double = double_pointer(zs)
    used: cython.int
    with cython.nogil:
        used = _fill_quads(cell, columns, first_row, first_column, depth, width, x, y, z, group, pitch, number,
                           vertices, indices)
    return TileData(tx, tz, 0, vertex_column[:3 * used], filled("B", count, 4), index_column, zeros("B", count),
                    filled("H", count, 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_free(cell: cython.p_uchar, columns: cython.int, first_row: cython.int, first_column: cython.int,
                depth: cython.int, width: cython.int) -> cython.int:
    count: cython.int = 0
    i: cython.int
    j: cython.int
    for i in range(depth):
        at: cython.int = (first_row + i) * columns + first_column
        for j in range(width):
            count += cell[at + j]
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_quads(cell: cython.p_uchar, columns: cython.int, first_row: cython.int, first_column: cython.int,
                depth: cython.int, width: cython.int, x: cython.p_double, y: cython.p_double, z: cython.p_double,
                group: cython.p_uchar, pitch: cython.int, number: cython.p_int, vertices: cython.p_double,
                indices: cython.p_int) -> cython.int:
    """Write the quads of a tile, corners numbered as they are met; return how many corners there are."""
    used: cython.int = 0
    written: cython.int = 0
    i: cython.int
    j: cython.int
    k: cython.int
    for i in range(depth):
        for j in range(width):
            if cell[(first_row + i) * columns + first_column + j] == 0:
                continue
            for k in range(4):
                row: cython.int = i + (k >> 1)
                column: cython.int = j + (1 if k == 1 or k == 2 else 0)
                corner: cython.int = pitch * (row * (width + 1) + column)
                height: cython.int = pitch * ((first_row + row) * (columns + 1) + first_column + column)
                if pitch == 4:
                    # Seen from its corners 0, 1, 2, 3 the cell is number 3, 2, 0, 1 of the four around.
                    side: cython.int = 3 - k if k < 2 else k - 2
                    corner += group[height + side]
                    height += group[height + side]
                if number[corner] < 0:
                    number[corner] = used
                    vertices[3 * used] = x[first_column + column]
                    vertices[3 * used + 1] = y[height]
                    vertices[3 * used + 2] = z[first_row + row]
                    used += 1
                indices[written] = number[corner]
                written += 1
    return used
