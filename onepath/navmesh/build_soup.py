"""Polygons under construction: flat columns that the building steps hand on to each other.

Vertex ``v`` is at ``xyz[3v..3v+2]``; polygon ``p`` has the vertices ``index[first[p]..first[p+1])`` and comes from
polygon ``source[p]`` of the input. Vertices are only ever added, so a vertex number means the same in every step.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import double_pointer, int_pointer
from cython.cimports.onepath.geometry import cross_xz

#: Edges shorter and polygons thinner than this, in world units, count as degenerate.
MINIMUM_WIDTH = 1e-6
#: How far a vertex of a convex outline may lie on the wrong side of another edge (rounding, never a visible dent).
CONVEX_TOLERANCE = 1e-6


@cython.cclass
class PolygonSoup:
    """A set of polygons over shared vertices.

    Args:
        xyz: ``d`` column of vertices.
        first: ``i`` column, where each polygon's indices start, and one end.
        index: ``i`` column of vertex numbers.
        source: ``i`` column, the input polygon of each polygon.
    """

    def __init__(self, xyz, first, index, source):
        self.xyz_column = xyz
        self.vertex_count = len(xyz) // 3
        self.replace(first, index, source)

    def replace(self, first, index, source):
        """Put other polygons in the place of all."""
        self.first_column = first
        self.index_column = index
        self.source_column = source
        self.poly_count = len(first) - 1
        self.bind()

    def set_vertices(self, xyz):
        """Put another vertex column (that starts with the same vertices) in place."""
        self.xyz_column = xyz
        self.vertex_count = len(xyz) // 3
        self.bind()

    @cython.ccall
    def bind(self):
        """Take the pointers again after a column was replaced."""
        self.xyz = double_pointer(self.xyz_column)
        self.first = int_pointer(self.first_column)
        self.index = int_pointer(self.index_column)
        self.source = int_pointer(self.source_column)

    def polygon(self, poly: int) -> list[int]:
        """Return the vertex numbers of a polygon."""
        return list(self.index_column[self.first_column[poly]:self.first_column[poly + 1]])

    def sources(self, marks) -> tuple[int, ...]:
        """Return the input polygons of the polygons whose entry in ``marks`` is not 0, ascending, each once."""
        return tuple(sorted({source for source, mark in zip(self.source_column, marks) if mark}))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def area_xz(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int) -> cython.double:
    """Return twice the signed area of an outline, measured from its first vertex (so it holds far from the origin)."""
    area: cython.double = 0.0
    a: cython.int = 3 * index[start]
    i: cython.int
    for i in range(1, count - 1):
        b: cython.int = 3 * index[start + i]
        c: cython.int = 3 * index[start + i + 1]
        area += cross_xz(xyz[a], xyz[a + 2], xyz[b], xyz[b + 2], xyz[c], xyz[c + 2])
    return area


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_convex_xz(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int,
                 tolerance: cython.double) -> cython.bint:
    """Tell whether no vertex lies farther than ``tolerance`` on the wrong side of any edge.

    An outline that turns more than once fails too, since some vertex is then outside some edge.
    """
    i: cython.int
    j: cython.int
    for i in range(count):
        a: cython.int = 3 * index[start + i]
        b: cython.int = 3 * index[start + (i + 1 if i + 1 < count else 0)]
        ax: cython.double = xyz[a]
        az: cython.double = xyz[a + 2]
        dx: cython.double = xyz[b] - ax
        dz: cython.double = xyz[b + 2] - az
        limit: cython.double = -tolerance * sqrt(dx * dx + dz * dz)
        for j in range(count):
            p: cython.int = 3 * index[start + j]
            if dx * (xyz[p + 2] - az) - dz * (xyz[p] - ax) < limit:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lowest(soup: PolygonSoup, poly: cython.int, axis: cython.int) -> cython.double:
    """Return the least coordinate of a polygon's vertices along an axis (0: x, 2: z)."""
    k: cython.int = soup.first[poly]
    least: cython.double = soup.xyz[3 * soup.index[k] + axis]
    while k < soup.first[poly + 1]:
        least = min(least, soup.xyz[3 * soup.index[k] + axis])
        k += 1
    return least


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def highest(soup: PolygonSoup, poly: cython.int, axis: cython.int) -> cython.double:
    """Return the largest coordinate of a polygon's vertices along an axis (0: x, 2: z)."""
    k: cython.int = soup.first[poly]
    most: cython.double = soup.xyz[3 * soup.index[k] + axis]
    while k < soup.first[poly + 1]:
        most = max(most, soup.xyz[3 * soup.index[k] + axis])
        k += 1
    return most
