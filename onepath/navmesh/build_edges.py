"""Which edge of which polygon is the same as which edge of another."""

from array import array

import cython

from onepath.buffers import filled, zeros
from cython.cimports.onepath.buffers import byte_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup


@cython.cclass
class EdgeTable:
    """The edges of the polygons of a soup: edge ``e`` runs from vertex ``soup.index[e]`` to ``end[e]`` in ``poly[e]``.

    ``twin[e]`` is the edge that runs the other way between the same vertices, −1 if there is none. Where several
    polygons have the same edge the first of each direction are twins, and the rest are marked in ``crowded``, which
    has an entry per edge.
    """

    def __init__(self, soup: PolygonSoup):
        count: cython.int = len(soup.index_column)
        self.edge_count = count
        self.end_column = zeros("i", count)
        self.poly_column = zeros("i", count)
        self.twin_column = filled("i", count, -1)
        self.crowded_column = zeros("B", count)
        self.end = int_pointer(self.end_column)
        self.poly = int_pointer(self.poly_column)
        self.twin = int_pointer(self.twin_column)
        self.crowded = byte_pointer(self.crowded_column)
        bucket_column = zeros("i", soup.vertex_count + 2)
        order_column = zeros("i", count)
        other_column = array("i", range(count))
        bucket: cython.p_int = int_pointer(bucket_column)
        order: cython.p_int = int_pointer(order_column)
        other: cython.p_int = int_pointer(other_column)
        vertex_count: cython.int = soup.vertex_count
        with cython.nogil:
            _enter_edges(soup, self)
            # Sorting by the higher and then, stably, by the lower vertex brings equal edges together.
            _sort_by_vertex(soup.index, self.end, count, vertex_count, True, bucket, other, order)
            _sort_by_vertex(soup.index, self.end, count, vertex_count, False, bucket, order, other)
            _pair(soup.index, self, other)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_edges(soup: PolygonSoup, table: EdgeTable) -> cython.void:
    poly: cython.int
    for poly in range(soup.poly_count):
        first: cython.int = soup.first[poly]
        last: cython.int = soup.first[poly + 1] - 1
        edge: cython.int
        for edge in range(first, last + 1):
            table.poly[edge] = poly
            table.end[edge] = soup.index[edge + 1 if edge < last else first]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort_by_vertex(start: cython.p_int, end: cython.p_int, count: cython.int, vertex_count: cython.int,
                    higher: cython.bint, bucket: cython.p_int, before: cython.p_int,
                    after: cython.p_int) -> cython.void:
    """Counting sort of edges by their higher or lower vertex, stable in the order ``before``."""
    i: cython.int
    for i in range(vertex_count + 1):
        bucket[i] = 0
    for i in range(count):
        bucket[_key(start[i], end[i], higher) + 1] += 1
    for i in range(vertex_count):
        bucket[i + 1] += bucket[i]
    for i in range(count):
        edge: cython.int = before[i]
        key: cython.int = _key(start[edge], end[edge], higher)
        after[bucket[key]] = edge
        bucket[key] += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _key(a: cython.int, b: cython.int, higher: cython.bint) -> cython.int:
    if higher:
        return a if a > b else b
    return a if a < b else b


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(start: cython.p_int, table: EdgeTable, order: cython.p_int) -> cython.void:
    """Make twins within each run of equal edges."""
    end: cython.p_int = table.end
    at: cython.int = 0
    i: cython.int
    while at < table.edge_count:
        low: cython.int = _key(start[order[at]], end[order[at]], False)
        high: cython.int = _key(start[order[at]], end[order[at]], True)
        stop: cython.int = at
        forward: cython.int = -1
        backward: cython.int = -1
        while (stop < table.edge_count and _key(start[order[stop]], end[order[stop]], False) == low
               and _key(start[order[stop]], end[order[stop]], True) == high):
            if start[order[stop]] == low:
                if forward < 0:
                    forward = order[stop]
            elif backward < 0:
                backward = order[stop]
            stop += 1
        if forward >= 0 and backward >= 0:
            table.twin[forward] = backward
            table.twin[backward] = forward
        if stop - at > 2:
            for i in range(at, stop):
                if table.twin[order[i]] < 0:
                    table.crowded[order[i]] = 1
        at = stop
