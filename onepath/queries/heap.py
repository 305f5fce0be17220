"""The nodes of a path search and their open list: a heap of four branches in a :class:`QueryScratch`.

A node is five doubles, x, y, z, g and f, and four integers: key, polygon, parent node (−1: none) and place in the heap
(negative: closed). Order: least f, then larger g, then the node created first, so it is total and the heap's shape
decides nothing. Taking the top leaves a hole at the root. The next node opened goes there, which spares a search that
runs straight on the way from the last leaf to the root; otherwise the hole is filled from the end when the top is
asked for.
"""

import cython
from cython.cimports.libc.math import sqrt

from cython.cimports.onepath.queries.scratch import QueryScratch


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def distance(ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double, by: cython.double,
             bz: cython.double) -> cython.double:
    """Return the distance from a to b."""
    dx: cython.double = bx - ax
    dy: cython.double = by - ay
    dz: cython.double = bz - az
    return sqrt(dx * dx + dy * dy + dz * dz)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _goes_first(value: cython.p_double, node: cython.int, other: cython.int) -> cython.bint:
    """Tell whether ``node`` leaves the open list before ``other``, which has the same f."""
    g: cython.double = value[5 * node + 3]
    other_g: cython.double = value[5 * other + 3]
    if g != other_g:
        return g > other_g
    return node < other


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _rise(q: QueryScratch, place: cython.int, node: cython.int, f: cython.double) -> cython.void:
    """Put ``node`` at ``place`` or, where it belongs before them, at the place of one of the nodes above."""
    heap_f: cython.p_double = q.heap_f
    heap_node: cython.p_int = q.heap_node
    info: cython.p_int = q.node_info
    value: cython.p_double = q.node_value
    parent: cython.int
    other: cython.int
    other_f: cython.double
    # Below a hole at the root there is nothing to compare with.
    first: cython.int = 4 if q.heap_hole else 0
    while place > first:
        parent = (place - 1) >> 2
        other = heap_node[parent]
        other_f = heap_f[parent]
        if f > other_f or (f == other_f and not _goes_first(value, node, other)):
            break
        heap_f[place] = other_f
        heap_node[place] = other
        info[4 * other + 3] = place
        place = parent
    heap_f[place] = f
    heap_node[place] = node
    info[4 * node + 3] = place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sink(q: QueryScratch, node: cython.int, f: cython.double) -> cython.void:
    """Put ``node`` at the root or, where they belong before it, below the best of the branches."""
    heap_f: cython.p_double = q.heap_f
    heap_node: cython.p_int = q.heap_node
    info: cython.p_int = q.node_info
    value: cython.p_double = q.node_value
    count: cython.int = q.heap_count
    place: cython.int = 0
    child: cython.int = 1
    best: cython.int
    last: cython.int
    best_f: cython.double
    child_f: cython.double
    better: cython.bint
    while child < count:
        best = child
        best_f = heap_f[child]
        last = child + 4
        if last > count:
            last = count
        child += 1
        while child < last:
            child_f = heap_f[child]
            better = child_f < best_f
            if child_f == best_f:
                better = _goes_first(value, heap_node[child], heap_node[best])
            # Chosen without a branch: which of the four is best cannot be foreseen.
            best = child if better else best
            best_f = child_f if better else best_f
            child += 1
        if f < best_f or (f == best_f and _goes_first(value, node, heap_node[best])):
            break
        heap_f[place] = best_f
        heap_node[place] = heap_node[best]
        info[4 * heap_node[best] + 3] = place
        place = best
        child = 4 * place + 1
    heap_f[place] = f
    heap_node[place] = node
    info[4 * node + 3] = place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def heap_top(q: QueryScratch) -> cython.int:
    """Return the first node of the open list without taking it, or −1 if the list is empty."""
    last: cython.int
    if q.heap_hole:
        q.heap_hole = False
        q.heap_count -= 1
        last = q.heap_count
        if last > 0:
            _sink(q, q.heap_node[last], q.heap_f[last])
    if q.heap_count == 0:
        return -1
    return q.heap_node[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def heap_take(q: QueryScratch) -> cython.void:
    """Take the node that :func:`heap_top` returned off the open list."""
    q.node_info[4 * q.heap_node[0] + 3] = -1
    q.heap_hole = True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(q: QueryScratch, node: cython.int, f: cython.double) -> cython.void:
    """Put a node that is not on the open list on it."""
    if q.heap_hole:
        q.heap_hole = False
        _sink(q, node, f)
    else:
        q.heap_count += 1
        _rise(q, q.heap_count - 1, node, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_node(q: QueryScratch, key: cython.int, poly: cython.int, parent: cython.int, x: cython.double,
              y: cython.double, z: cython.double, g: cython.double, f: cython.double) -> cython.int:
    """Open a new node and return it; −1, and the search is out of nodes, if there is no room for it."""
    node: cython.int = q.node_count
    if node >= q.max_nodes:
        q.search_out_of_nodes = True
        return -1
    q.node_count = node + 1
    value: cython.p_double = q.node_value
    info: cython.p_int = q.node_info
    value[5 * node] = x
    value[5 * node + 1] = y
    value[5 * node + 2] = z
    value[5 * node + 3] = g
    value[5 * node + 4] = f
    info[4 * node] = key
    info[4 * node + 1] = poly
    info[4 * node + 2] = parent
    _add(q, node, f)
    return node


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def improve_node(q: QueryScratch, node: cython.int, parent: cython.int, x: cython.double, y: cython.double,
                 z: cython.double, g: cython.double, f: cython.double) -> cython.void:
    """Give a node a better parent; a closed one is opened again. Its f must not rise."""
    value: cython.p_double = q.node_value
    value[5 * node] = x
    value[5 * node + 1] = y
    value[5 * node + 2] = z
    value[5 * node + 3] = g
    value[5 * node + 4] = f
    q.node_info[4 * node + 2] = parent
    if q.node_info[4 * node + 3] < 0:
        _add(q, node, f)
    else:
        _rise(q, q.node_info[4 * node + 3], node, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_start(q: QueryScratch, poly: cython.int) -> cython.void:
    """Empty the open list and put the start on it as the first node, key −1."""
    q.node_count = 0
    q.heap_count = 0
    q.heap_hole = False
    h: cython.double = q.search_least_cost * distance(q.start_x, q.start_y, q.start_z, q.end_x, q.end_y, q.end_z)
    # Polygon nodes know the start polygon by this; no crossing has key −1.
    q.key_node[poly] = 0
    open_node(q, -1, poly, -1, q.start_x, q.start_y, q.start_z, 0.0, h)
