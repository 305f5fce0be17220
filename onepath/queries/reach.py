"""The set of polygons that a search around a place has reached, in the order it reached them.

A small open-addressing table, marked by search number so that beginning anew clears nothing. It is as large as the
working memory allows, not as the mesh; a polygon that no longer fits is left out and ``reach_full`` says so.
"""

import cython

from cython.cimports.onepath.queries.scratch import QueryScratch

_LAST_STAMP = cython.declare(cython.int, 2000000000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_reach(q: QueryScratch) -> cython.void:
    """Empty the set."""
    i: cython.int
    q.reach_count = 0
    q.reach_full = False
    if q.reach_stamp >= _LAST_STAMP:
        for i in range(2 * q.reach_capacity):
            q.reach_mark[i] = 0
        q.reach_stamp = 0
    q.reach_stamp += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_reached(q: QueryScratch, poly: cython.int) -> cython.bint:
    """Tell whether the set holds a polygon."""
    mask: cython.int = 2 * q.reach_capacity - 1
    place: cython.int = poly & mask
    while q.reach_mark[place] == q.reach_stamp:
        if q.reach_key[place] == poly:
            return True
        place = (place + 1) & mask
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def reach(q: QueryScratch, poly: cython.int, parent: cython.int, depth: cython.int) -> cython.bint:
    """Add a polygon that the set does not hold yet; tell whether it is new and there was room.

    Args:
        q: the working memory.
        poly: the polygon.
        parent: place in the set of the polygon it was reached from, −1 for none.
        depth: crossings from the first polygon.
    """
    mask: cython.int = 2 * q.reach_capacity - 1
    place: cython.int = poly & mask
    while q.reach_mark[place] == q.reach_stamp:
        if q.reach_key[place] == poly:
            return False
        place = (place + 1) & mask
    if q.reach_count >= q.reach_capacity:
        q.reach_full = True
        return False
    q.reach_mark[place] = q.reach_stamp
    q.reach_key[place] = poly
    q.reach_poly[q.reach_count] = poly
    q.reach_parent[q.reach_count] = parent
    q.reach_depth[q.reach_count] = depth
    q.reach_count += 1
    return True
