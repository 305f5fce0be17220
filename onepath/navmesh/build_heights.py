"""The ground under a grid: heights per corner, or per cell."""

from math import isfinite

import cython

from onepath.buffers import filled, zeros
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT
from cython.cimports.onepath.buffers import byte_pointer, double_pointer


class Ground:
    """Heights of the corners of a grid's cells.

    With ``pitch`` 1, ``heights`` has one number per corner, row by row. With ``pitch`` 4 a corner can have up to four
    heights: of the cells around it (0: before in row and column, 1: before in row, 2: before in column, 3: at the
    corner's own row and column) cell ``c`` has the height ``heights[4 · corner + groups[4 · corner + c]]``.
    """

    def __init__(self, heights, groups, pitch):
        self.heights = heights
        self.groups = groups
        self.pitch = pitch


def read_heights(heights, base: float, rows: int, columns: int, cells, max_climb: float) -> Ground:
    """Check heights and return the ground.

    Args:
        heights: ``None``, (rows + 1) × (columns + 1) or rows × columns numbers.
        base: what to add to each.
        cells: ``B`` column, 1 for each free cell.
        max_climb: heights of cells side by side that differ by more do not meet.

    Raises:
        OutOfRangeError: ``heights`` has another shape, or numbers that are not finite and below 2^21 in magnitude.
    """
    if heights is None:
        return Ground(filled("d", (rows + 1) * (columns + 1), base), zeros("B", 1), 1)
    if hasattr(heights, "tolist"):
        heights = heights.tolist()
    try:
        table = [[base + float(height) for height in row] for row in heights]
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError("heights", "must be rows of numbers") from None
    widths = {len(row) for row in table}
    per_cell = len(table) == rows and widths <= {columns}
    if not per_cell and not (len(table) == rows + 1 and widths == {columns + 1}):
        raise OutOfRangeError("heights", f"must be {rows + 1} × {columns + 1} numbers, one per corner, or "
                                         f"{rows} × {columns}, one per cell")
    column = zeros("d", 0)
    for row in table:
        column.extend(row)
    for height in column:
        if not (isfinite(height) and -COORDINATE_LIMIT < height < COORDINATE_LIMIT):
            raise OutOfRangeError("heights", f"must be finite and below 2^21 in magnitude, not {height!r}")
    return _meet(column, rows, columns, cells, max_climb) if per_cell else Ground(column, zeros("B", 1), 1)


def _meet(heights, rows: cython.int, columns: cython.int, cells, max_climb: cython.double) -> Ground:
    """Let the cells around each corner meet."""
    corners: cython.int = (rows + 1) * (columns + 1)
    corner_column = zeros("d", 4 * corners)
    group_column = zeros("B", 4 * corners)
    height: cython.p_double = double_pointer(heights)
    free: cython.p_uchar = byte_pointer(cells)
    corner: cython.p_double = double_pointer(corner_column)
    group: cython.p_uchar = byte_pointer(group_column)
    row: cython.int
    column: cython.int
    with cython.nogil:
        for row in range(rows + 1):
            for column in range(columns + 1):
                _meet_at(row, column, rows, columns, height, free, max_climb, corner, group)
    return Ground(corner_column, group_column, 4)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cell_at(row: cython.int, column: cython.int, rows: cython.int, columns: cython.int,
             free: cython.p_uchar) -> cython.int:
    """Return the number of a free cell, −1 if it is blocked or outside."""
    if row < 0 or column < 0 or row >= rows or column >= columns or free[row * columns + column] == 0:
        return -1
    return row * columns + column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _meet_at(row: cython.int, column: cython.int, rows: cython.int, columns: cython.int, height: cython.p_double,
             free: cython.p_uchar, climb: cython.double, corner: cython.p_double,
             group: cython.p_uchar) -> cython.void:
    """Group the free cells around a corner by steps of at most ``climb``; give each group its mean height."""
    at: cython.int = 4 * (row * (columns + 1) + column)
    i: cython.int
    k: cython.int
    for i in range(4):
        group[at + i] = i
    # Cells side by side: 0 and 1, 0 and 2, 1 and 3, 2 and 3. Twice, so that a group reaches all its members.
    for k in range(8):
        first: cython.int = 0 if k & 3 < 2 else (k & 3) - 1
        second: cython.int = 1 if k & 3 == 0 else (2 if k & 3 == 1 else 3)
        a: cython.int = _cell_at(row - 1 + (first >> 1), column - 1 + (first & 1), rows, columns, free)
        b: cython.int = _cell_at(row - 1 + (second >> 1), column - 1 + (second & 1), rows, columns, free)
        if a < 0 or b < 0 or height[a] - height[b] > climb or height[b] - height[a] > climb:
            continue
        least: cython.int = min(group[at + first], group[at + second])
        group[at + first] = least
        group[at + second] = least
    for i in range(4):
        total: cython.double = 0.0
        count: cython.int = 0
        for k in range(4):
            cell: cython.int = _cell_at(row - 1 + (k >> 1), column - 1 + (k & 1), rows, columns, free)
            if cell >= 0 and group[at + k] == i:
                total += height[cell]
                count += 1
        if count > 0:
            corner[at + i] = total / count
