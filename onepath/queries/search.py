"""Path search over the polygons of a mesh: A* in two node models, in one go or in slices.

A search is begun, updated with budgets of expansions until it has ended, and read out. All of its state lies in the
:class:`QueryScratch`, so how the budgets are dealt out changes nothing. f = g + h, with h the straight distance to
the end times the least area cost of the filter; see :mod:`onepath.queries.heap` for the order and
:mod:`~onepath.queries.crossing_nodes` and :mod:`~onepath.queries.polygon_nodes` for g.

A way that does not reach the end stops in the polygon whose closest point is nearest to it, not where the nearest
node stands: a node says where a polygon is entered, and what matters there is how near one can get inside.

The search keeps its start and end as references. If the mesh is edited while it is under way, the next update starts
it over on the mesh as it is then (or ends it as invalid, if the start or the end has gone).

Source: Hart, Nilsson and Raphael 1968; the two node models are decided by the library's specification.
"""

import cython
from cython.cimports.libc.math import sqrt

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, lies_beyond
from cython.cimports.onepath.navmesh.store import passes, poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.crossing_nodes import expand_crossings
from cython.cimports.onepath.queries.heap import heap_take, heap_top, open_start
from cython.cimports.onepath.queries.polygon_nodes import expand_polygons
from cython.cimports.onepath.queries.results import PathStatus
from cython.cimports.onepath.queries.scratch import QueryScratch


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_search(q: QueryScratch, f: QueryFilter, start_poly: cython.int, end_poly: cython.int, sx: cython.double,
                 sy: cython.double, sz: cython.double, ex: cython.double, ey: cython.double,
                 ez: cython.double) -> cython.int:
    """Set up a search from a point of one polygon to a point of another; it replaces the one under way.

    Args:
        f: the filter; later updates must be given the same.
        start_poly: polygon of the start, −1 if there is none.
        end_poly: polygon of the end, −1 if there is none.

    Returns:
        IN_PROGRESS; SUCCESS at once within one polygon; INVALID_START or INVALID_END.
    """
    q.search_start_ref = ref_of_poly(q.mesh, start_poly)
    q.search_end_ref = ref_of_poly(q.mesh, end_poly)
    q.start_x = sx
    q.start_y = sy
    q.start_z = sz
    q.end_x = ex
    q.end_y = ey
    q.end_z = ez
    q.search_iterations = 0
    return _start(q, f, start_poly, end_poly)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _start(q: QueryScratch, f: QueryFilter, start_poly: cython.int, end_poly: cython.int) -> cython.int:
    q.search_edit = q.mesh.revision
    q.search_out_of_nodes = False
    q.search_goal = -1
    q.search_end = end_poly
    q.search_least_cost = f.minimum_cost
    q.through = False
    q.node_count = 0
    if start_poly < 0 or not passes(q.mesh, f, start_poly):
        q.search_status = PathStatus.INVALID_START
    elif end_poly < 0 or not passes(q.mesh, f, end_poly):
        q.search_status = PathStatus.INVALID_END
    else:
        q.search_status = PathStatus.IN_PROGRESS
        q.search_end_cost = f.cost[q.mesh.poly_area[end_poly]]
        open_start(q, start_poly)
        if start_poly == end_poly:
            q.search_status = PathStatus.SUCCESS
            q.search_goal = 0
            dx: cython.double = q.end_x - q.start_x
            dy: cython.double = q.end_y - q.start_y
            dz: cython.double = q.end_z - q.start_z
            q.node_value[3] = f.cost[q.mesh.poly_area[start_poly]] * sqrt(dx * dx + dy * dy + dz * dz)
    return q.search_status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def update_search(q: QueryScratch, f: QueryFilter, budget: cython.int) -> cython.int:
    """Go on with the search for at most ``budget`` expansions.

    Returns:
        The status: IN_PROGRESS when the budget is spent and the next node is not the end. ``q.search_iterations``
        counts all expansions since the search was begun.
    """
    if q.search_status != PathStatus.IN_PROGRESS:
        return q.search_status
    if q.search_edit != q.mesh.revision:
        _start(q, f, poly_of_ref(q.mesh, q.search_start_ref), poly_of_ref(q.mesh, q.search_end_ref))
        if q.search_status != PathStatus.IN_PROGRESS:
            return q.search_status
    node: cython.int
    while True:
        node = heap_top(q)
        if node < 0:
            q.search_status = PathStatus.PARTIAL
            break
        if node == q.search_goal:
            q.search_status = PathStatus.SUCCESS
            break
        if budget <= 0:
            break
        heap_take(q)
        if q.polygon_nodes:
            expand_polygons(q, f, node)
        else:
            expand_crossings(q, f, node)
        q.search_iterations += 1
        budget -= 1
        if q.search_out_of_nodes:
            q.search_status = PathStatus.PARTIAL
            break
    return q.search_status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _closest_node(q: QueryScratch) -> cython.int:
    """Return the node whose polygon comes nearest to the end, the one created first on a tie."""
    info: cython.p_int = q.node_info
    best: cython.int = 0
    best_distance2: cython.double = 0.0
    node: cython.int
    for node in range(q.node_count):
        if node > 0 and lies_beyond(q.mesh, info[4 * node + 1], q.end_x, q.end_z, best_distance2):
            continue
        closest_point(q.mesh, q, info[4 * node + 1], q.end_x, q.end_z)
        dx: cython.double = q.end_x - q.out_x
        dy: cython.double = q.end_y - q.out_y
        dz: cython.double = q.end_z - q.out_z
        distance2: cython.double = dx * dx + dy * dy + dz * dz
        if node == 0 or distance2 < best_distance2:
            best = node
            best_distance2 = distance2
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def finish_search(q: QueryScratch, max_path: cython.int) -> cython.int:
    """Read the route out: to the end after SUCCESS, else to the polygon seen so far that comes nearest to the end.

    Args:
        max_path: most polygons to read; a longer route loses its far end.

    Returns:
        The status. ``q.route[0 .. q.route_count)`` holds the polygons and ``q.route_cost`` the cost of the whole
        route. If the search was invalid there are none; nor if the mesh was edited since the last update, which makes
        a search that had ended one IN_PROGRESS again, to be started over.
    """
    q.route_count = 0
    q.route_cost = 0.0
    if q.search_status == PathStatus.INVALID_START or q.search_status == PathStatus.INVALID_END:
        return q.search_status
    if q.search_edit != q.mesh.revision:
        q.search_status = PathStatus.IN_PROGRESS
        return PathStatus.IN_PROGRESS
    info: cython.p_int = q.node_info
    last: cython.int = q.search_goal
    if q.search_status != PathStatus.SUCCESS:
        last = _closest_node(q)
    q.route_cost = q.node_value[5 * last + 3]
    length: cython.int = 0
    node: cython.int = last
    while node >= 0:
        length += 1
        node = info[4 * node + 2]
    node = last
    place: cython.int = length
    while node >= 0:
        place -= 1
        if place < max_path:
            q.route[place] = info[4 * node + 1]
        node = info[4 * node + 2]
    q.route_count = length if length < max_path else max_path
    return q.search_status
