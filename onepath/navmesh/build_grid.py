"""Tiles from an occupancy grid: one quad per free cell."""

from itertools import pairwise
from math import isfinite

import cython

from onepath.buffers import filled, zeros
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT, checked_integer, checked_number, checked_position
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import MAX_TILE_POLYS, TileData
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer

#: Largest grid, in cells.
MAX_CELLS = 1 << 26
_MAX_TILE_CELLS = 1 << 20


def tiles_from_grid(walkable, cell, origin, heights, tile_cells):
    """Make a quad of every free cell of a grid.

    Cell (row, column) covers x from origin x + column · cell to one cell further, and z likewise by row. Cells of one
    tile share their corner vertices. Polygons of a tile are in row-major order, area 0, flags 1.

    Args:
        walkable: rows of truth values (0 and 1, ``bool``, a numpy array of shape (rows, columns)); no rows or no
            columns give no tile.
        cell: side of a cell, world units, above 0.
        origin: x, y, z of the outer corner of cell (0, 0).
        heights: what to add to the origin's y: ``None`` for nothing, or (rows + 1) × (columns + 1) numbers, one per
            corner.
        tile_cells: cells along the side of a tile, 1..2^20.

    Returns:
        (tiles, report, tile size): :class:`TileData` in row-major order without the empty ones; tile (0, 0) starts at
        the origin.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """
    rows, columns, cells = _read_cells(walkable)
    cell = checked_number("cell", cell, 0.0, COORDINATE_LIMIT, low_open=True)
    x, y, z = checked_position("origin", origin)
    tile_cells = checked_integer("tile_cells", tile_cells, 1, _MAX_TILE_CELLS)
    tile_size = cell * tile_cells
    xs = _lines("walkable", x, cell, tile_cells, columns)
    zs = _lines("walkable", z, cell, tile_cells, rows)
    ys = _read_heights(heights, y, rows, columns)
    tiles = []
    for tz in range(-(-rows // tile_cells)):
        for tx in range(-(-columns // tile_cells)):
            tile = _tile(cells, xs, ys, zs, rows, columns, tx, tz, tile_cells)
            if tile is not None:
                tiles.append(tile)
    report = BuildReport(vertex_count=sum(tile.vertex_count for tile in tiles),
                         poly_count=sum(tile.poly_count for tile in tiles), tile_count=len(tiles))
    return tiles, report, tile_size


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


def _read_heights(heights, base, rows, columns):
    """Return a ``d`` column of corner heights."""
    if heights is None:
        return filled("d", (rows + 1) * (columns + 1), base)
    if hasattr(heights, "tolist"):
        heights = heights.tolist()
    try:
        table = [[base + float(height) for height in row] for row in heights]
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError("heights", "must be rows of numbers") from None
    if len(table) != rows + 1 or any(len(row) != columns + 1 for row in table):
        raise OutOfRangeError("heights", f"must be {rows + 1} × {columns + 1} numbers, one per corner")
    column = zeros("d", 0)
    for row in table:
        column.extend(row)
    for height in column:
        if not (isfinite(height) and -COORDINATE_LIMIT < height < COORDINATE_LIMIT):
            raise OutOfRangeError("heights", f"must be finite and below 2^21 in magnitude, not {height!r}")
    return column


def _tile(cells, xs, ys, zs, rows: cython.int, columns: cython.int, tx: cython.int, tz: cython.int,
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
    corner_count: cython.int = (depth + 1) * (width + 1)
    vertex_column = zeros("d", 3 * corner_count)
    index_column = zeros("i", 4 * count)
    number_column = filled("i", corner_count, -1)
    vertices: cython.p_double = double_pointer(vertex_column)
    indices: cython.p_int = int_pointer(index_column)
    number: cython.p_int = int_pointer(number_column)
    x: cython.p_double = double_pointer(xs)
    y: cython.p_double = double_pointer(ys)
    z: cython.p_double = double_pointer(zs)
    used: cython.int
    with cython.nogil:
        used = _fill_quads(cell, columns, first_row, first_column, depth, width, x, y, z, number, vertices, indices)
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
                number: cython.p_int, vertices: cython.p_double, indices: cython.p_int) -> cython.int:
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
                corner: cython.int = row * (width + 1) + column
                if number[corner] < 0:
                    number[corner] = used
                    vertices[3 * used] = x[first_column + column]
                    vertices[3 * used + 1] = y[(first_row + row) * (columns + 1) + first_column + column]
                    vertices[3 * used + 2] = z[first_row + row]
                    used += 1
                indices[written] = number[corner]
                written += 1
    return used
