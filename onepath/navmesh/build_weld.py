"""Welding: vertices that are nearly in one place become one vertex."""

from array import array

import cython

from onepath.buffers import filled, zeros
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup

#: The welding distance unless given: this share of the mesh's largest extent …
WELD_SHARE = 1e-4
#: … but at least this much.
WELD_LEAST = 1e-5


def extent_of(soup: PolygonSoup) -> tuple[list[float], float]:
    """Return the least x, y, z of the vertices that polygons use, and the mesh's largest extent along an axis."""
    bound_column = zeros("d", 6)
    bound: cython.p_double = double_pointer(bound_column)
    count: cython.int = len(soup.index_column)
    if count == 0:
        return [0.0, 0.0, 0.0], 0.0
    i: cython.int
    axis: cython.int
    with cython.nogil:
        for axis in range(3):
            bound[axis] = bound[3 + axis] = soup.xyz[3 * soup.index[0] + axis]
            for i in range(1, count):
                value: cython.double = soup.xyz[3 * soup.index[i] + axis]
                if value < bound[axis]:
                    bound[axis] = value
                if value > bound[3 + axis]:
                    bound[3 + axis] = value
    return list(bound_column[:3]), max(high - low for low, high in zip(bound_column[:3], bound_column[3:]))


def default_weld(extent: float) -> float:
    """Return the welding distance for a mesh of this extent."""
    return max(WELD_SHARE * extent, WELD_LEAST)


def weld(soup: PolygonSoup, distance: cython.double, low, extent: cython.double) -> tuple[int, ...]:
    """Make polygons use one vertex where several lie within ``distance`` of it (measured in 3D).

    In order of vertex number each vertex is replaced by the nearest earlier one that was kept, the lower number on a
    tie, or is kept itself. So kept vertices never move, and no two of them are within ``distance``.

    Returns:
        Numbers of the vertices replaced.
    """
    count: cython.int = soup.vertex_count
    size: cython.int = 2 * count + 1
    used_column = zeros("B", count)
    keeper_column = filled("i", count, -1)
    head_column = filled("i", size, -1)
    next_column = filled("i", count, -1)
    used: cython.p_uchar = byte_pointer(used_column)
    keeper: cython.p_int = int_pointer(keeper_column)
    head: cython.p_int = int_pointer(head_column)
    after: cython.p_int = int_pointer(next_column)
    low_column = array("d", low)
    corner: cython.p_double = double_pointer(low_column)
    # Cells well above the distance: most vertices then have to look into one cell only.
    cell: cython.double = max(8.0 * distance, extent / 16777216.0)
    if cell <= 0.0:
        cell = 1.0
    i: cython.int
    index_count: cython.int = len(soup.index_column)
    index: cython.p_int = soup.index
    with cython.nogil:
        for i in range(index_count):
            used[index[i]] = 1
        for i in range(count):
            if used[i] != 0:
                _enter(soup.xyz, i, distance, cell, corner, size, keeper, head, after)
        for i in range(index_count):
            index[i] = keeper[index[i]]
    return tuple(vertex for vertex, kept in enumerate(keeper_column) if kept >= 0 and kept != vertex)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter(xyz: cython.p_double, vertex: cython.int, distance: cython.double, cell: cython.double,
           corner: cython.p_double, size: cython.int, keeper: cython.p_int, head: cython.p_int,
           after: cython.p_int) -> cython.int:
    """Find the kept vertex that ``vertex`` is welded to, or keep it and put it into the table."""
    x: cython.double = xyz[3 * vertex]
    y: cython.double = xyz[3 * vertex + 1]
    z: cython.double = xyz[3 * vertex + 2]
    x0: cython.longlong = _cell_of(x - corner[0] - distance, cell)
    x1: cython.longlong = _cell_of(x - corner[0] + distance, cell)
    y0: cython.longlong = _cell_of(y - corner[1] - distance, cell)
    y1: cython.longlong = _cell_of(y - corner[1] + distance, cell)
    z0: cython.longlong = _cell_of(z - corner[2] - distance, cell)
    z1: cython.longlong = _cell_of(z - corner[2] + distance, cell)
    best: cython.int = -1
    best2: cython.double = distance * distance
    i: cython.longlong
    j: cython.longlong
    k: cython.longlong
    for i in range(x0, x1 + 1):
        for j in range(y0, y1 + 1):
            for k in range(z0, z1 + 1):
                other: cython.int = head[_slot(i, j, k, size)]
                while other >= 0:
                    dx: cython.double = xyz[3 * other] - x
                    dy: cython.double = xyz[3 * other + 1] - y
                    dz: cython.double = xyz[3 * other + 2] - z
                    far2: cython.double = dx * dx + dy * dy + dz * dz
                    if far2 < best2 or (far2 == best2 and (best < 0 or other < best)):
                        best = other
                        best2 = far2
                    other = after[other]
    if best >= 0:
        keeper[vertex] = best
        return best
    slot: cython.int = _slot(_cell_of(x - corner[0], cell), _cell_of(y - corner[1], cell),
                             _cell_of(z - corner[2], cell), size)
    keeper[vertex] = vertex
    after[vertex] = head[slot]
    head[slot] = vertex
    return vertex


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cell_of(offset: cython.double, cell: cython.double) -> cython.longlong:
    if offset <= 0.0:
        return 0
    return cython.cast(cython.longlong, offset / cell)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(i: cython.longlong, j: cython.longlong, k: cython.longlong, size: cython.int) -> cython.int:
    # Any multipliers give the same result; these spread neighbouring cells over the table.
    wide: cython.longlong = size
    return cython.cast(cython.int, (i % wide + (j % wide) * 74093 + (k % wide) * 19349) % wide)
