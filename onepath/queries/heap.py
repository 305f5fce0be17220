"""The open list of a path search: a heap of four branches over the search nodes of a :class:`QueryScratch`.

Order: least f, then larger g, then the node created first, so it is total and the heap's shape decides nothing.
Taking the top leaves a hole at the root. The next node added goes there, which spares a search that runs straight
on the way from the last leaf to the root; otherwise the hole is filled from the end when the top is asked for.
"""

import cython

from cython.cimports.onepath.queries.scratch import QueryScratch


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _before(value: cython.p_double, f: cython.double, node: cython.int, other_f: cython.double,
            other: cython.int) -> cython.bint:
    """Tell whether ``node`` leaves the open list before ``other``."""
    if f != other_f:
        return f < other_f
    g: cython.double = value[5 * node + 3]
    other_g: cython.double = value[5 * other + 3]
    if g != other_g:
        return g > other_g
    return node < other


@cython.cfunc
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
    # Below a hole at the root there is nothing to compare with.
    first: cython.int = 4 if q.heap_hole else 0
    while place > first:
        parent = (place - 1) >> 2
        other = heap_node[parent]
        if not _before(value, f, node, heap_f[parent], other):
            break
        heap_f[place] = heap_f[parent]
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
    while child < count:
        best = child
        best_f = heap_f[child]
        last = child + 4
        if last > count:
            last = count
        child += 1
        while child < last:
            if _before(value, heap_f[child], heap_node[child], best_f, heap_node[best]):
                best = child
                best_f = heap_f[child]
            child += 1
        if _before(value, f, node, best_f, heap_node[best]):
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
@cython.nogil
@cython.exceptval(check=False)
def heap_add(q: QueryScratch, node: cython.int, f: cython.double) -> cython.void:
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
def heap_lower(q: QueryScratch, node: cython.int, f: cython.double) -> cython.void:
    """Move a node of the open list whose f has become smaller."""
    _rise(q, q.node_info[4 * node + 3], node, f)
