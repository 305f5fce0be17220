"""Merging: neighbouring polygons become larger convex ones (after Hertel and Mehlhorn 1983).

Polygons are rings of half-edges. Shared edges are tried from the longest to the shortest; the union is kept if it is
convex, has at most 16 vertices and, where that is asked for, a surface near the original one. Vertices that lie within
a straight edge of every polygon that uses them are taken out afterwards, and merging goes on until nothing changes.
"""

from array import array

import cython

from onepath.buffers import filled, zeros
from onepath.navmesh.build_edges import EdgeTable as _EdgeTable
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_edges import EdgeTable
from cython.cimports.onepath.navmesh.build_planes import fit_plane, greatest_gap, plane_height
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup, is_convex_xz
from onepath.navmesh.build_soup import CONVEX_TOLERANCE
from onepath.navmesh.tile_data import MAX_POLY_VERTICES

# A vertex is within a straight edge if it is this near to it (X/Z; height), world units.
_STRAIGHT = cython.declare(cython.double, 1e-9)
_LEVEL = cython.declare(cython.double, 1e-6)


@cython.cclass
class _Merger:
    """Half-edges and, per polygon (at the root of its union), size, a plane and how far the surface is from it.

    ``plane[6p..]``: x, y, z of a point, slope along x, slope along z, and the greatest vertical distance between the
    plane and the original surface over the polygon.
    """

    tolerance: cython.double
    columns: object
    vertex: cython.p_int
    next: cython.p_int
    prev: cython.p_int
    twin: cython.p_int
    poly: cython.p_int
    live: cython.p_uchar
    parent: cython.p_int
    size: cython.p_int
    key: cython.p_int
    degree: cython.p_int
    plane: cython.p_double
    trial: cython.p_double
    ring: cython.p_int

    def __init__(self, soup: PolygonSoup, table: EdgeTable, keys, tolerance):
        edges: cython.int = table.edge_count
        polys: cython.int = soup.poly_count
        self.tolerance = tolerance
        self.columns = [soup.index_column[:], zeros("i", edges), zeros("i", edges), table.twin_column[:],
                        table.poly_column, filled("B", edges, 1), array("i", range(polys)), zeros("i", polys), keys,
                        zeros("i", soup.vertex_count), zeros("d", 6 * polys), zeros("d", 6),
                        zeros("i", 2 * MAX_POLY_VERTICES)]
        self.vertex = int_pointer(self.columns[0])
        self.next = int_pointer(self.columns[1])
        self.prev = int_pointer(self.columns[2])
        self.twin = int_pointer(self.columns[3])
        self.poly = int_pointer(self.columns[4])
        self.live = byte_pointer(self.columns[5])
        self.parent = int_pointer(self.columns[6])
        self.size = int_pointer(self.columns[7])
        self.key = int_pointer(self.columns[8])
        self.degree = int_pointer(self.columns[9])
        self.plane = double_pointer(self.columns[10])
        self.trial = double_pointer(self.columns[11])
        self.ring = int_pointer(self.columns[12])
        with cython.nogil:
            _enter_rings(self, soup)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_rings(work: _Merger, soup: PolygonSoup) -> cython.void:
    poly: cython.int
    edge: cython.int
    for poly in range(soup.poly_count):
        first: cython.int = soup.first[poly]
        last: cython.int = soup.first[poly + 1] - 1
        work.size[poly] = last + 1 - first
        for edge in range(first, last + 1):
            work.next[edge] = edge + 1 if edge < last else first
            work.prev[edge] = edge - 1 if edge > first else last
            work.degree[work.vertex[edge]] += 1
        fit_plane(soup.xyz, soup.index, first, work.size[poly], work.plane, 6 * poly)
        work.plane[6 * poly + 5] = greatest_gap(soup.xyz, soup.index, first, work.size[poly], work.plane, 6 * poly)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slack(work: _Merger, xyz: cython.p_double, poly: cython.int, edge: cython.int) -> cython.double:
    """Bound the distance between the trial plane and the original surface over a polygon.

    Two planes are farthest apart over a convex outline at one of its vertices.
    """
    greatest: cython.double = 0.0
    _i: cython.int
    for _i in range(work.size[poly]):
        x: cython.double = xyz[3 * work.vertex[edge]]
        z: cython.double = xyz[3 * work.vertex[edge] + 2]
        gap: cython.double = plane_height(work.trial, 0, x, z) - plane_height(work.plane, 6 * poly, x, z)
        if gap < 0.0:
            gap = -gap
        if gap > greatest:
            greatest = gap
        edge = work.next[edge]
    return greatest + work.plane[6 * poly + 5]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _root(work: _Merger, poly: cython.int) -> cython.int:
    while work.parent[poly] != poly:
        work.parent[poly] = work.parent[work.parent[poly]]
        poly = work.parent[poly]
    return poly


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _try_merge(work: _Merger, xyz: cython.p_double, edge: cython.int, tolerance: cython.double,
               most: cython.int) -> cython.bint:
    """Merge the two polygons along an edge if the union qualifies."""
    twin: cython.p_int = work.twin
    next: cython.p_int = work.next
    prev: cython.p_int = work.prev
    a: cython.int = _root(work, work.poly[edge])
    b: cython.int = _root(work, work.poly[twin[edge]])
    if a == b or work.key[a] != work.key[b] or work.key[a] < 0:
        return False
    # The whole run of edges that the two share: from edge ``low`` to edge ``high`` of a.
    low: cython.int = edge
    high: cython.int = edge
    shared: cython.int = 1
    while shared < work.size[a] and twin[prev[low]] >= 0 and twin[prev[low]] == next[twin[low]]:
        low = prev[low]
        shared += 1
    while shared < work.size[a] and twin[next[high]] >= 0 and twin[next[high]] == prev[twin[high]]:
        high = next[high]
        shared += 1
    count: cython.int = work.size[a] + work.size[b] - 2 * shared
    if count < 3 or count > most:
        return False
    _write_union(work, low, high)
    if not _is_fit(work, xyz, count, a, b, edge, tolerance):
        return False
    _join(work, a, b, low, high, count)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_union(work: _Merger, low: cython.int, high: cython.int) -> cython.void:
    """Write the outline of two polygons without the edges ``low``..``high`` that they share into the ring."""
    count: cython.int = 0
    edge: cython.int = work.next[high]
    while edge != low:
        work.ring[count] = work.vertex[edge]
        count += 1
        edge = work.next[edge]
    edge = work.next[work.twin[low]]
    while edge != work.twin[high]:
        work.ring[count] = work.vertex[edge]
        count += 1
        edge = work.next[edge]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_fit(work: _Merger, xyz: cython.p_double, count: cython.int, a: cython.int, b: cython.int,
            edge: cython.int, tolerance: cython.double) -> cython.bint:
    """Tell whether the union in the ring is convex, repeats no vertex, and is near enough to the original surface."""
    ring: cython.p_int = work.ring
    if not is_convex_xz(xyz, ring, 0, count, tolerance):
        return False
    i: cython.int
    j: cython.int
    for i in range(count):
        for j in range(i):
            if ring[i] == ring[j]:
                return False
    if work.tolerance < 0.0:
        return True
    fit_plane(xyz, ring, 0, count, work.trial, 0)
    slack: cython.double = max(_slack(work, xyz, a, edge), _slack(work, xyz, b, work.twin[edge]))
    work.trial[5] = slack
    return slack + greatest_gap(xyz, ring, 0, count, work.trial, 0) <= work.tolerance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join(work: _Merger, a: cython.int, b: cython.int, low: cython.int, high: cython.int,
          count: cython.int) -> cython.void:
    """Take the edges ``low``..``high`` out of both rings and make one ring of them."""
    twin: cython.p_int = work.twin
    next: cython.p_int = work.next
    prev: cython.p_int = work.prev
    edge: cython.int = low
    while True:
        work.live[edge] = 0
        work.live[twin[edge]] = 0
        work.degree[work.vertex[edge]] -= 1
        work.degree[work.vertex[twin[edge]]] -= 1
        if edge == high:
            break
        edge = next[edge]
    before: cython.int = prev[low]
    after: cython.int = next[high]
    other_before: cython.int = prev[twin[high]]
    other_after: cython.int = next[twin[low]]
    next[before] = other_after
    prev[other_after] = before
    next[other_before] = after
    prev[after] = other_before
    root: cython.int = a if a < b else b
    work.parent[a] = root
    work.parent[b] = root
    work.size[root] = count
    i: cython.int
    for i in range(6):
        work.plane[6 * root + i] = work.trial[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_straight(work: _Merger, xyz: cython.p_double, before: cython.int, edge: cython.int) -> cython.bint:
    """Tell whether the start of ``edge`` lies on the line from the start of ``before`` to the end of ``edge``."""
    a: cython.int = 3 * work.vertex[before]
    v: cython.int = 3 * work.vertex[edge]
    b: cython.int = 3 * work.vertex[work.next[edge]]
    dx: cython.double = xyz[b] - xyz[a]
    dz: cython.double = xyz[b + 2] - xyz[a + 2]
    length2: cython.double = dx * dx + dz * dz
    if length2 <= 0.0:
        return False
    ux: cython.double = xyz[v] - xyz[a]
    uz: cython.double = xyz[v + 2] - xyz[a + 2]
    off: cython.double = (dx * uz - dz * ux) / sqrt(length2)
    rise: cython.double = xyz[a + 1] + (dx * ux + dz * uz) / length2 * (xyz[b + 1] - xyz[a + 1]) - xyz[v + 1]
    return -_STRAIGHT <= off <= _STRAIGHT and -_LEVEL <= rise <= _LEVEL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _straighten(work: _Merger, xyz: cython.p_double, edge: cython.int) -> cython.bint:
    """Take the start vertex of ``edge`` out of its polygons if it is within a straight edge of each of them."""
    twin: cython.p_int = work.twin
    before: cython.int = work.prev[edge]
    poly: cython.int = _root(work, work.poly[edge])
    if work.size[poly] <= 3 or work.key[poly] < 0 or not _is_straight(work, xyz, before, edge):
        return False
    if twin[edge] < 0 and twin[before] < 0 and work.degree[work.vertex[edge]] == 1:
        _bridge(work, before, edge, poly)
        return True
    if twin[edge] < 0 or twin[before] < 0 or work.degree[work.vertex[edge]] != 2:
        return False
    # Behind the two edges must be one polygon: there twin[edge] leads to the vertex and twin[before] away from it.
    other: cython.int = _root(work, work.poly[twin[edge]])
    if work.next[twin[edge]] != twin[before] or work.size[other] <= 3 or work.key[other] < 0:
        return False
    _bridge(work, twin[edge], twin[before], other)
    _bridge(work, before, edge, poly)
    twin[before] = twin[edge]
    twin[twin[edge]] = before
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bridge(work: _Merger, before: cython.int, edge: cython.int, poly: cython.int) -> cython.void:
    """Let edge ``before`` run on to the end of ``edge``, which is taken out."""
    work.next[before] = work.next[edge]
    work.prev[work.next[edge]] = before
    work.live[edge] = 0
    work.degree[work.vertex[edge]] -= 1
    work.size[poly] -= 1


def merge_polygons(soup: PolygonSoup, keys: array, height_tolerance: float | None, straighten: bool):
    """Merge polygons of the same key.

    Args:
        soup: convex polygons of at most 16 vertices.
        keys: ``i`` column, a number per polygon; a negative one keeps the polygon as it is.
        height_tolerance: how far the new surface may be from the old one; ``None``: heights do not matter.
        straighten: also take out vertices within straight edges.

    Returns:
        A ``B`` column: 1 for each polygon, numbered as before, that was merged with another.
    """
    work: _Merger = _Merger(soup, _EdgeTable(soup), keys, -1.0 if height_tolerance is None else height_tolerance)
    tolerance: cython.double = CONVEX_TOLERANCE
    most: cython.int = MAX_POLY_VERTICES
    edges: cython.int = len(soup.index_column)
    xyz: cython.p_double = soup.xyz
    i: cython.int
    changed: cython.bint = True
    while changed:
        changed = False
        order_column = _by_length(work, xyz, edges)
        order: cython.p_int = int_pointer(order_column)
        count: cython.int = len(order_column)
        with cython.nogil:
            for i in range(count):
                if work.live[order[i]] != 0 and _try_merge(work, xyz, order[i], tolerance, most):
                    changed = True
        if straighten and changed:
            with cython.nogil:
                for i in range(edges):
                    if work.live[i] != 0:
                        _straighten(work, xyz, i)
    return _collect(soup, work)


@cython.cfunc
def _by_length(work: _Merger, xyz: cython.p_double, edges: cython.int):
    """Return the edges along which polygons may be merged, longest first, in order of number on a tie."""
    candidates = []
    lengths = []
    edge: cython.int
    for edge in range(edges):
        if work.live[edge] != 0 and edge < work.twin[edge]:
            a: cython.int = 3 * work.vertex[edge]
            b: cython.int = 3 * work.vertex[work.next[edge]]
            if work.key[_root(work, work.poly[edge])] == work.key[_root(work, work.poly[work.twin[edge]])] >= 0:
                candidates.append(edge)
                lengths.append((xyz[a] - xyz[b]) * (xyz[a] - xyz[b])
                               + (xyz[a + 2] - xyz[b + 2]) * (xyz[a + 2] - xyz[b + 2]))
    order = sorted(range(len(candidates)), key=lengths.__getitem__, reverse=True)
    return array("i", [candidates[place] for place in order])


def _collect(soup: PolygonSoup, work: _Merger):
    """Put the rings into the soup; return which polygons were merged."""
    count: cython.int = soup.poly_count
    merged = zeros("B", count)
    first = array("i", [0])
    index = array("i")
    source = array("i")
    poly: cython.int
    for poly in range(count):
        root: cython.int = _root(work, poly)
        if root != poly:
            merged[poly] = merged[root] = 1
    done = zeros("B", count)
    edge: cython.int
    for poly in range(count):
        for edge in range(soup.first[poly], soup.first[poly + 1]):
            if work.live[edge] == 0 or done[_root(work, poly)]:
                continue
            done[_root(work, poly)] = 1
            at: cython.int = edge
            while True:
                index.append(work.vertex[at])
                at = work.next[at]
                if at == edge:
                    break
            first.append(len(index))
            source.append(soup.source[_root(work, poly)])
    soup.replace(first, index, source)
    return merged
