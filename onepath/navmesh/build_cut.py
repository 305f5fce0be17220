"""Cutting along the tile grid.

Where an edge crosses a grid line is computed once, from its ends in order of number, and found again by the polygon on
the other side. So both sides have the same vertex, and it lies on the line to the last bit.
"""

from array import array

import cython

from onepath.buffers import zeros
from onepath.errors import OutOfRangeError
from cython.cimports.onepath.buffers import byte_pointer
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup, highest, lowest

#: Vertices nearer to a grid line than this (or than the welding distance, if that is less) are moved onto it.
SNAP_DISTANCE = 1e-3
#: Most pieces that one build may be cut into, counted by the tiles that each polygon's bounds touch: so many, and so
#: many more for each polygon. 2^16 take a few seconds.
FREE_PIECES = 1 << 16
PIECES_PER_POLYGON = 16
#: Tile coordinates stay below this in magnitude.
TILE_LIMIT = 1 << 21
#: A crossing this near to a corner of the tile grid is at that corner.
_CORNER = cython.declare(cython.double, 1e-7)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _line_before(value: cython.double, origin: cython.double, side: cython.double) -> cython.int:
    """Return the number of the last grid line at or before a coordinate."""
    offset: cython.double = (value - origin) / side
    number: cython.int = cython.cast(cython.int, offset)
    while origin + number * side > value:
        number -= 1
    while origin + (number + 1) * side <= value:
        number += 1
    return number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _snapped(value: cython.double, origin: cython.double, side: cython.double,
             distance: cython.double) -> cython.double:
    """Return the nearest grid line if it is within a distance, else the value."""
    number: cython.int = _line_before(value, origin, side)
    low: cython.double = origin + number * side
    high: cython.double = origin + (number + 1) * side
    if value - low <= distance:
        return low
    if high - value <= distance:
        return high
    return value


def check_grid(soup: PolygonSoup, origin, tile_size, distance) -> None:
    """Refuse a tile grid that is too fine for the mesh.

    Raises:
        OutOfRangeError: ``tile_size`` is below eight times the snapping distance, or tile coordinates reach 2^21.
    """
    if tile_size < 8.0 * distance:
        raise OutOfRangeError("tile_size", f"must be at least {8.0 * distance:g} here, not {tile_size:g}")
    for vertex in set(soup.index_column):
        for axis in (0, 2):
            if abs(soup.xyz_column[3 * vertex + axis] - origin[axis // 2]) >= tile_size * (TILE_LIMIT - 1):
                raise OutOfRangeError("tile_size", f"{tile_size:g} gives more than 2^21 tiles in a row")


def snap_vertices(soup: PolygonSoup, origin, tile_size, distance: cython.double) -> tuple[int, ...]:
    """Move vertices of polygons within ``distance`` of a grid line onto it, so that no thin strips are cut off.

    Returns:
        Numbers of the vertices moved.
    """
    origin_x: cython.double = origin[0]
    origin_z: cython.double = origin[1]
    side: cython.double = tile_size
    xyz: cython.p_double = soup.xyz
    count: cython.int = len(soup.index_column)
    moved_column = zeros("B", soup.vertex_count)
    moved: cython.p_uchar = byte_pointer(moved_column)
    i: cython.int
    with cython.nogil:
        for i in range(count):
            vertex: cython.int = soup.index[i]
            x: cython.double = _snapped(xyz[3 * vertex], origin_x, side, distance)
            z: cython.double = _snapped(xyz[3 * vertex + 2], origin_z, side, distance)
            if x != xyz[3 * vertex] or z != xyz[3 * vertex + 2]:
                moved[vertex] = 1
                xyz[3 * vertex] = x
                xyz[3 * vertex + 2] = z
    return tuple(vertex for vertex, mark in enumerate(moved_column) if mark)


class _Cutter:
    """The vertices, old and new, while polygons are cut."""

    def __init__(self, xyz, origin, side):
        self.xyz = xyz
        self.found: dict[tuple, int] = {}
        self.origin = origin
        self.side = side

    def lines(self, outline, axis):
        """Return the numbers of the grid lines across an axis (0: x, 2: z) that an outline lies on both sides of."""
        values = [self.xyz[3 * vertex + axis] for vertex in outline]
        start: cython.double = self.origin[axis // 2]
        first: cython.int = _line_before(min(values), start, self.side) + 1
        last: cython.int = _line_before(max(values), start, self.side)
        if start + last * self.side == max(values):
            last -= 1
        return range(first, last + 1)

    def crossing(self, a, b, axis, number):
        """Return the vertex at which the edge between two vertices crosses a grid line."""
        if a > b:
            a, b = b, a
        key = (a, b, axis, number)
        vertex = self.found.get(key)
        if vertex is None:
            vertex = self.found[key] = len(self.xyz) // 3
            self.xyz.extend(self._place(a, b, axis, number))
        return vertex

    def _place(self, a, b, axis, number):
        line: cython.double = self.origin[axis // 2] + number * self.side
        t: cython.double = (line - self.xyz[3 * a + axis]) / (self.xyz[3 * b + axis] - self.xyz[3 * a + axis])
        place = [self.xyz[3 * a + k] + t * (self.xyz[3 * b + k] - self.xyz[3 * a + k]) for k in range(3)]
        other = 2 - axis
        place[axis] = line
        place[other] = _snapped(place[other], self.origin[other // 2], self.side, _CORNER)
        return place

    def halves(self, outline, axis, number):
        """Cut an outline along a grid line; return the parts before and after it (empty if there is none)."""
        line: cython.double = self.origin[axis // 2] + number * self.side
        before = []
        after = []
        for place, a in enumerate(outline):
            b = outline[place + 1 if place + 1 < len(outline) else 0]
            at_a: cython.double = self.xyz[3 * a + axis]
            at_b: cython.double = self.xyz[3 * b + axis]
            if at_a <= line:
                before.append(a)
            if at_a >= line:
                after.append(a)
            if at_a < line < at_b or at_b < line < at_a:
                vertex = self.crossing(a, b, axis, number)
                before.append(vertex)
                after.append(vertex)
        return before if len(before) > 2 else [], after if len(after) > 2 else []

    def pieces(self, outline):
        """Cut an outline along every grid line that crosses it."""
        done = [outline]
        for axis in (0, 2):
            waiting = done
            done = []
            for rest in waiting:
                for number in self.lines(rest, axis):
                    piece, rest = self.halves(rest, axis, number)
                    if piece:
                        done.append(piece)
                if rest:
                    done.append(rest)
        return done


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tiles_touched(soup: PolygonSoup, poly: cython.int, axis: cython.int, origin: cython.double,
                   side: cython.double) -> cython.longlong:
    """Return over how many tiles a polygon reaches along an axis (0: x, 2: z)."""
    low: cython.double = lowest(soup, poly, axis)
    high: cython.double = highest(soup, poly, axis)
    first: cython.int = _line_before(low, origin, side)
    last: cython.int = _line_before(high, origin, side)
    if origin + last * side == high:
        last -= 1
    return last + 1 - first


def cut_polygons(soup: PolygonSoup, origin, tile_size) -> tuple[int, ...]:
    """Cut convex polygons along the tile grid.

    Args:
        soup: convex polygons, no vertex very near to a grid line without being on it.
        origin, tile_size: the tile grid.

    Returns:
        Input polygons that were cut.

    Raises:
        OutOfRangeError: ``tile_size`` is so small that there would be more than 2^16 pieces and 16 for each polygon.
    """
    count: cython.int = soup.poly_count
    origin_x: cython.double = origin[0]
    origin_z: cython.double = origin[1]
    side: cython.double = tile_size
    across_column = zeros("B", count)
    across: cython.p_uchar = byte_pointer(across_column)
    total: cython.longlong = 0
    i: cython.int
    with cython.nogil:
        for i in range(count):
            tiles: cython.longlong = (_tiles_touched(soup, i, 0, origin_x, side)
                                      * _tiles_touched(soup, i, 2, origin_z, side))
            across[i] = tiles > 1
            total += tiles
    most = FREE_PIECES + PIECES_PER_POLYGON * count
    if total > most:
        raise OutOfRangeError("tile_size", f"{tile_size:g} would cut the mesh into about {total} pieces, and at most "
                                           f"{most} are made here: choose larger tiles")
    touched = soup.sources(across_column)
    if touched:
        _cut(soup, _Cutter(soup.xyz_column[:], origin, tile_size), across_column)
    return touched


def _cut(soup: PolygonSoup, cutter, across) -> None:
    first = array("i", [0])
    index = array("i")
    source = array("i")
    poly: cython.int
    for poly in range(soup.poly_count):
        outline = soup.index_column[soup.first[poly]:soup.first[poly + 1]]
        for piece in cutter.pieces(list(outline)) if across[poly] else [outline]:
            index.extend(piece)
            first.append(len(index))
            source.append(soup.source[poly])
    soup.replace(first, index, source)
    soup.set_vertices(cutter.xyz)
