"""T-junctions: where a polygon's long edge runs along several shorter ones, it gets their vertices.

Only edges without a partner are looked at, and only pairs of them that run against each other along a stretch whose
two ends then become common vertices. So a vertex that merely touches an edge (a platform's corner over the rim of the
floor below) bends nothing, and what is connected already stays as it is.
"""

from array import array

import cython

from onepath.buffers import filled, zeros
from onepath.navmesh.build_edges import EdgeTable as _EdgeTable
from onepath.navmesh.build_soup import MINIMUM_WIDTH
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import int_pointer
from cython.cimports.onepath.navmesh.build_edges import EdgeTable
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup


@cython.cclass
class _OpenEdges:
    """The edges without a partner, chained by their ends, and their vertices in a hashed grid."""

    edge_count: cython.int
    slots: cython.int
    cell: cython.double
    width: cython.double
    climb: cython.double
    edges: object
    columns: object
    edge: cython.p_int
    out_head: cython.p_int
    out_next: cython.p_int
    in_head: cython.p_int
    in_next: cython.p_int
    slot_head: cython.p_int
    slot_next: cython.p_int

    def __init__(self, soup: PolygonSoup, table: EdgeTable, width, climb):
        self.width = width
        self.climb = climb
        self.edges = array("i", [edge for edge in range(table.edge_count)
                                 if table.twin[edge] < 0 and table.crowded[edge] == 0])
        self.edge_count = len(self.edges)
        self.slots = 4 * self.edge_count + 1
        self.columns = [filled("i", soup.vertex_count, -1), filled("i", table.edge_count, -1),
                        filled("i", soup.vertex_count, -1), filled("i", table.edge_count, -1),
                        filled("i", self.slots, -1), filled("i", soup.vertex_count, -1)]
        self.edge = int_pointer(self.edges)
        self.out_head = int_pointer(self.columns[0])
        self.out_next = int_pointer(self.columns[1])
        self.in_head = int_pointer(self.columns[2])
        self.in_next = int_pointer(self.columns[3])
        self.slot_head = int_pointer(self.columns[4])
        self.slot_next = int_pointer(self.columns[5])
        with cython.nogil:
            _enter_edges(self, soup, table)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_edges(found: _OpenEdges, soup: PolygonSoup, table: EdgeTable) -> cython.void:
    xyz: cython.p_double = soup.xyz
    i: cython.int
    if found.edge_count == 0:
        return
    found.cell = _cell_size(found, soup, table)
    for i in range(found.edge_count):
        edge: cython.int = found.edge[i]
        start: cython.int = soup.index[edge]
        end: cython.int = table.end[edge]
        if found.out_head[start] < 0 and found.in_head[start] < 0:
            _enter_vertex(found, xyz, start)
        found.out_next[edge] = found.out_head[start]
        found.out_head[start] = edge
        if found.out_head[end] < 0 and found.in_head[end] < 0:
            _enter_vertex(found, xyz, end)
        found.in_next[edge] = found.in_head[end]
        found.in_head[end] = edge


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cell_size(found: _OpenEdges, soup: PolygonSoup, table: EdgeTable) -> cython.double:
    """Choose cells that hold about one vertex each, but are not so small that edges cross very many of them."""
    xyz: cython.p_double = soup.xyz
    low_x: cython.double = xyz[3 * soup.index[found.edge[0]]]
    low_z: cython.double = xyz[3 * soup.index[found.edge[0]] + 2]
    high_x: cython.double = low_x
    high_z: cython.double = low_z
    total: cython.double = 0.0
    i: cython.int
    for i in range(found.edge_count):
        a: cython.int = soup.index[found.edge[i]]
        total += sqrt(_length2(xyz, a, table.end[found.edge[i]]))
        low_x = min(low_x, xyz[3 * a])
        low_z = min(low_z, xyz[3 * a + 2])
        high_x = max(high_x, xyz[3 * a])
        high_z = max(high_z, xyz[3 * a + 2])
    mean: cython.double = total / found.edge_count
    spacing: cython.double = sqrt((high_x - low_x) * (high_z - low_z) / found.edge_count)
    edges: cython.double = found.edge_count
    return max(2.0 * found.width, mean / sqrt(edges), min(mean, spacing))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_vertex(found: _OpenEdges, xyz: cython.p_double, vertex: cython.int) -> cython.void:
    slot: cython.int = _slot(_cell_of(xyz[3 * vertex], found.cell), _cell_of(xyz[3 * vertex + 2], found.cell),
                             found.slots)
    found.slot_next[vertex] = found.slot_head[slot]
    found.slot_head[slot] = vertex


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cell_of(value: cython.double, cell: cython.double) -> cython.longlong:
    number: cython.longlong = cython.cast(cython.longlong, value / cell)
    return number - 1 if value < number * cell else number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(i: cython.longlong, k: cython.longlong, slots: cython.int) -> cython.int:
    # Folding negative cells onto positive ones keeps % away from negative numbers; neighbours stay apart.
    wide: cython.longlong = slots
    i = 2 * i if i >= 0 else -2 * i - 1
    k = 2 * k if k >= 0 else -2 * k - 1
    return cython.cast(cython.int, (i % wide + (k % wide) * 19349) % wide)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _length2(xyz: cython.p_double, a: cython.int, b: cython.int) -> cython.double:
    dx: cython.double = xyz[3 * b] - xyz[3 * a]
    dz: cython.double = xyz[3 * b + 2] - xyz[3 * a + 2]
    return dx * dx + dz * dz


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _along(xyz: cython.p_double, vertex: cython.int, a: cython.int, b: cython.int) -> cython.double:
    """Return where a vertex projects onto the line a→b: 0 at a, 1 at b."""
    dx: cython.double = xyz[3 * b] - xyz[3 * a]
    dz: cython.double = xyz[3 * b + 2] - xyz[3 * a + 2]
    return ((xyz[3 * vertex] - xyz[3 * a]) * dx + (xyz[3 * vertex + 2] - xyz[3 * a + 2]) * dz) / (dx * dx + dz * dz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _height_gap(xyz: cython.p_double, vertex: cython.int, a: cython.int, b: cython.int) -> cython.double:
    gap: cython.double = xyz[3 * vertex + 1] - (
        xyz[3 * a + 1] + _along(xyz, vertex, a, b) * (xyz[3 * b + 1] - xyz[3 * a + 1]))
    return -gap if gap < 0.0 else gap


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lies_on(xyz: cython.p_double, vertex: cython.int, a: cython.int, b: cython.int, width: cython.double,
             climb: cython.double) -> cython.bint:
    """Tell whether a vertex is on the inside of edge a→b: near it, away from its ends, at about its height."""
    if _length2(xyz, vertex, a) <= width * width or _length2(xyz, vertex, b) <= width * width:
        return False
    t: cython.double = _along(xyz, vertex, a, b)
    if t <= 0.0 or t >= 1.0:
        return False
    dx: cython.double = xyz[3 * a] + t * (xyz[3 * b] - xyz[3 * a]) - xyz[3 * vertex]
    dz: cython.double = xyz[3 * a + 2] + t * (xyz[3 * b + 2] - xyz[3 * a + 2]) - xyz[3 * vertex + 2]
    return dx * dx + dz * dz <= width * width and _height_gap(xyz, vertex, a, b) <= climb


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _end_meets(xyz: cython.p_double, far: cython.int, vertex: cython.int, near: cython.int, a: cython.int,
               b: cython.int, width: cython.double, climb: cython.double) -> cython.bint:
    """Tell whether the stretch that edge a→b has in common with the edge between ``vertex`` (on it) and ``far`` ends
    in a common vertex; ``near`` is the end of a→b on that side."""
    if far == near or _lies_on(xyz, far, a, b, width, climb):
        return True
    return _lies_on(xyz, near, vertex, far, width, climb)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_useful(found: _OpenEdges, soup: PolygonSoup, table: EdgeTable, edge: cython.int,
               vertex: cython.int) -> cython.bint:
    """Tell whether an open edge at ``vertex`` runs against ``edge`` along a stretch that both could share."""
    xyz: cython.p_double = soup.xyz
    a: cython.int = soup.index[edge]
    b: cython.int = table.end[edge]
    t: cython.double = _along(xyz, vertex, a, b)
    other: cython.int = found.out_head[vertex]
    while other >= 0:
        far: cython.int = table.end[other]
        if table.poly[other] != table.poly[edge] and _along(xyz, far, a, b) < t and _end_meets(
                xyz, far, vertex, a, a, b, found.width, found.climb):
            return True
        other = found.out_next[other]
    other = found.in_head[vertex]
    while other >= 0:
        far = soup.index[other]
        if table.poly[other] != table.poly[edge] and _along(xyz, far, a, b) > t and _end_meets(
                xyz, far, vertex, b, a, b, found.width, found.climb):
            return True
        other = found.in_next[other]
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_edge(found: _OpenEdges, soup: PolygonSoup, table: EdgeTable, edge: cython.int, count: cython.int,
                 capacity: cython.int, hits: cython.p_int) -> cython.int:
    """Write (edge, vertex) for every vertex that ``edge`` should get, from hit ``count`` on; return the new count.

    Hits beyond ``capacity`` are counted only.
    """
    xyz: cython.p_double = soup.xyz
    a: cython.int = soup.index[edge]
    b: cython.int = table.end[edge]
    ax: cython.double = xyz[3 * a]
    az: cython.double = xyz[3 * a + 2]
    dx: cython.double = xyz[3 * b] - ax
    dz: cython.double = xyz[3 * b + 2] - az
    low: cython.double = (ax if dx > 0.0 else ax + dx) - found.width
    high: cython.double = (ax if dx < 0.0 else ax + dx) + found.width
    i: cython.longlong
    k: cython.longlong
    for i in range(_cell_of(low, found.cell), _cell_of(high, found.cell) + 1):
        # The part of the edge over this column of cells.
        t0: cython.double = 0.0
        t1: cython.double = 1.0
        if dx > found.width or dx < -found.width:
            t0 = (i * found.cell - found.width - ax) / dx
            t1 = ((i + 1) * found.cell + found.width - ax) / dx
            if t0 > t1:
                t0, t1 = t1, t0
            t0 = 0.0 if t0 < 0.0 else t0
            t1 = 1.0 if t1 > 1.0 else t1
        z0: cython.double = az + (t0 if dz > 0.0 else t1) * dz - found.width
        z1: cython.double = az + (t1 if dz > 0.0 else t0) * dz + found.width
        for k in range(_cell_of(z0, found.cell), _cell_of(z1, found.cell) + 1):
            vertex: cython.int = found.slot_head[_slot(i, k, found.slots)]
            while vertex >= 0:
                if (vertex != a and vertex != b and _cell_of(xyz[3 * vertex], found.cell) == i
                        and _cell_of(xyz[3 * vertex + 2], found.cell) == k
                        and _lies_on(xyz, vertex, a, b, found.width, found.climb)
                        and _is_useful(found, soup, table, edge, vertex)):
                    if count < capacity:
                        hits[2 * count] = edge
                        hits[2 * count + 1] = vertex
                    count += 1
                vertex = found.slot_next[vertex]
    return count


def _find_junctions(soup: PolygonSoup, table: EdgeTable, width, climb) -> dict[int, list[tuple]]:
    """Return, per edge that should be split, its new vertices as (position along it, height gap, vertex), sorted."""
    found: _OpenEdges = _OpenEdges(soup, table, width, climb)
    capacity: cython.int = 0
    count: cython.int = 0
    i: cython.int
    hit_column = zeros("i", 0)
    while True:
        hits: cython.p_int = int_pointer(hit_column)
        count = 0
        with cython.nogil:
            for i in range(found.edge_count):
                count = _search_edge(found, soup, table, found.edge[i], count, capacity, hits)
        if count <= capacity:
            break
        capacity = count
        hit_column = zeros("i", 2 * capacity)
    wanted: dict[int, list[tuple]] = {}
    for i in range(count):
        edge: cython.int = hits[2 * i]
        vertex: cython.int = hits[2 * i + 1]
        a: cython.int = soup.index[edge]
        wanted.setdefault(edge, []).append((_along(soup.xyz, vertex, a, table.end[edge]),
                                            _height_gap(soup.xyz, vertex, a, table.end[edge]), vertex))
    for places in wanted.values():
        places.sort()
    return wanted


def _one_per_place(soup: PolygonSoup, places, width: cython.double) -> list[int]:
    """Of vertices above one another keep the one nearest to the edge's height."""
    chosen: list[tuple] = []
    for place in places:
        previous = chosen.pop() if chosen else None
        if previous is not None and _length2(soup.xyz, previous[2], place[2]) > width * width:
            chosen.append(previous)
            previous = None
        chosen.append(place if previous is None or place[1:] < previous[1:] else previous)
    return [vertex for _, _, vertex in chosen]


def repair_junctions(soup: PolygonSoup, distance: float, max_climb: float) -> tuple[int, ...]:
    """Split open edges at the vertices of open edges that run against them.

    Args:
        soup: cleaned polygons, concave ones too; an outline may come out slightly concave.
        distance: how far from an edge a vertex may lie.
        max_climb: how far above or below.

    Returns:
        Input polygons that got vertices.
    """
    table: EdgeTable = _EdgeTable(soup)
    width = max(distance, MINIMUM_WIDTH)
    wanted = _find_junctions(soup, table, width, max_climb)
    if not wanted:
        return ()
    first = array("i", [0])
    index = array("i")
    changed = zeros("B", soup.poly_count)
    poly: cython.int
    edge: cython.int
    for poly in range(soup.poly_count):
        outline = soup.index_column[soup.first[poly]:soup.first[poly + 1]]
        for edge in range(soup.first[poly], soup.first[poly + 1]):
            index.append(soup.index[edge])
            for vertex in _one_per_place(soup, wanted.get(edge, ()), width):
                if vertex not in outline:
                    index.append(vertex)
                    changed[poly] = 1
        first.append(len(index))
    touched = soup.sources(changed)
    soup.replace(first, index, soup.source_column)
    return touched
