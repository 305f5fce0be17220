"""Many path searches or straight paths in one call: arrays in, arrays out, one loop without the interpreter lock."""

from array import array

import cython

from onepath.buffers import grown, zeros
from onepath.errors import OutOfRangeError
from onepath.geometry import checked_integer
from onepath.navmesh.filter import resolved_filter
from onepath.queries.bulk import array_of, position_column, reference_column
from onepath.queries.paths import MOST_CORNERS, MOST_STEPS
from cython.cimports.onepath.buffers import double_pointer, int_pointer, long_pointer, reference_pointer
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.funnel import find_corners_filtered
from cython.cimports.onepath.queries.scratch import QueryScratch
from cython.cimports.onepath.queries.search import begin_search, finish_search, update_search

_NO_BUDGET = cython.declare(cython.int, 2147483647)
#: Most references or corners that one call returns.
_MOST_RESULTS = (1 << 31) - 1
#: Room for the results of so many paths is made before the first is known.
_FIRST_PATHS = 16384


def _int_array(column):
    import numpy

    return numpy.frombuffer(column, dtype=numpy.int32 if column.typecode == "i" else numpy.int64)


def _same_rows(count: int, **columns) -> None:
    for name, column in columns.items():
        rows = len(column) // 3 if column.typecode == "d" else len(column)
        if rows != count:
            raise OutOfRangeError(name, f"must have as many rows as start_refs, {count}, not {rows}")


def find_paths(q: QueryScratch, start_refs, end_refs, starts, ends, filter, max_path):
    """See :meth:`onepath.queries.query.NavMeshQuery.find_paths`."""
    chosen: QueryFilter = resolved_filter(filter)
    most: cython.int = checked_integer("max_path", max_path, 1, MOST_STEPS)
    first_refs = reference_column("start_refs", start_refs)
    last_refs = reference_column("end_refs", end_refs)
    start_values = position_column("starts", starts)
    end_values = position_column("ends", ends)
    count: cython.int = len(first_refs)
    _same_rows(count, end_refs=last_refs, starts=start_values, ends=end_values)
    statuses = zeros("i", count)
    costs = zeros("d", count)
    offsets = zeros("q", count + 1)
    found = zeros("Q", 64 * min(count, _FIRST_PATHS))
    first: cython.p_ulonglong = reference_pointer(first_refs)
    last: cython.p_ulonglong = reference_pointer(last_refs)
    start: cython.p_double = double_pointer(start_values)
    end: cython.p_double = double_pointer(end_values)
    status: cython.p_int = int_pointer(statuses)
    cost: cython.p_double = double_pointer(costs)
    offset: cython.p_longlong = long_pointer(offsets)
    done: cython.int = 0
    q.begin_work()
    try:
        q.fit()
        while True:
            refs: cython.p_ulonglong = reference_pointer(found)
            room: cython.longlong = len(found)
            with cython.nogil:
                done = _path_loop(q, chosen, first, last, start, end, done, count, most, status, cost, offset, refs,
                                  room)
            if done == count:
                break
            # The route that did not fit is searched for again once there is room for it.
            found = _more_room(found, offset[done] + q.route_count)
    finally:
        q.end_work()
    return _int_array(statuses), array_of(costs), _int_array(offsets), array_of(found[:offset[count]])


def _more_room(column, needed):
    if needed > _MOST_RESULTS:
        raise OutOfRangeError("start_refs", "too many results for one call")
    return grown(column, needed)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _path_loop(q: QueryScratch, filter: QueryFilter, first: cython.p_ulonglong, last: cython.p_ulonglong,
               start: cython.p_double, end: cython.p_double, done: cython.int, count: cython.int, most: cython.int,
               status: cython.p_int, cost: cython.p_double, offset: cython.p_longlong, refs: cython.p_ulonglong,
               room: cython.longlong) -> cython.int:
    """Search for pairs ``done`` to ``count``; return the pair whose route does not fit into ``refs``, or ``count``."""
    i: cython.int = done
    j: cython.int
    while i < count:
        k: cython.Py_ssize_t = i
        k = 3 * k
        begin_search(q, filter, poly_of_ref(q.mesh, first[i]), poly_of_ref(q.mesh, last[i]), start[k], start[k + 1],
                     start[k + 2], end[k], end[k + 1], end[k + 2])
        update_search(q, filter, _NO_BUDGET)
        status[i] = finish_search(q, most)
        cost[i] = q.route_cost
        place: cython.longlong = offset[i]
        if place + q.route_count > room:
            return i
        for j in range(q.route_count):
            refs[place + j] = ref_of_poly(q.mesh, q.route[j])
        offset[i + 1] = place + q.route_count
        i += 1
    return count


def find_straight_paths(q: QueryScratch, positions, targets, offsets, refs, max_corners, filter):
    """See :meth:`onepath.queries.query.NavMeshQuery.find_straight_paths`."""
    chosen: QueryFilter = resolved_filter(filter)
    most: cython.int = checked_integer("max_corners", max_corners, 1, MOST_CORNERS)
    position_values = position_column("positions", positions)
    target_values = position_column("targets", targets)
    corridor = reference_column("refs", refs)
    count: cython.int = len(position_values) // 3
    if len(target_values) != 3 * count:
        raise OutOfRangeError("targets", f"must have as many rows as positions, {count}")
    bounds = _checked_offsets(offsets, count, len(corridor))
    corner_offsets = zeros("q", count + 1)
    guess = 8 * min(count, _FIRST_PATHS)
    points = zeros("d", 3 * guess)
    flags = zeros("i", guess)
    entered = zeros("Q", guess)
    position: cython.p_double = double_pointer(position_values)
    target: cython.p_double = double_pointer(target_values)
    polys: cython.p_ulonglong = reference_pointer(corridor)
    bound: cython.p_longlong = long_pointer(bounds)
    offset: cython.p_longlong = long_pointer(corner_offsets)
    done: cython.int = 0
    q.begin_work()
    try:
        if most > q.corner_capacity:
            q.reserve_corners(most)
        while True:
            point: cython.p_double = double_pointer(points)
            flag: cython.p_int = int_pointer(flags)
            ref: cython.p_ulonglong = reference_pointer(entered)
            room: cython.longlong = min(len(points) // 3, len(flags), len(entered))
            with cython.nogil:
                done = _corner_loop(q, chosen, position, target, bound, polys, done, count, most, offset, point, flag,
                                    ref, room)
            if done == count:
                break
            needed = offset[done] + q.corner_count
            flags = _more_room(flags, needed)
            entered = _more_room(entered, needed)
            points = grown(points, 3 * needed)
    finally:
        q.end_work()
    total = offset[count]
    return (_int_array(corner_offsets), array_of(points[:3 * total]).reshape(total, 3), _int_array(flags[:total]),
            array_of(entered[:total]))


def _checked_offsets(offsets, count, total):
    try:
        bounds = array("q", offsets)
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError("offsets", "must be a sequence of integers") from None
    rising = len(bounds) == count + 1 and all(bounds[i] <= bounds[i + 1] for i in range(count))
    if not rising or bounds[0] < 0 or bounds[count] > total:
        raise OutOfRangeError("offsets", f"must be {count + 1} rising numbers in [0, {total}]")
    return bounds


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _corner_loop(q: QueryScratch, filter: QueryFilter, position: cython.p_double, target: cython.p_double,
                 bound: cython.p_longlong, polys: cython.p_ulonglong, done: cython.int, count: cython.int,
                 most: cython.int, offset: cython.p_longlong, point: cython.p_double, flag: cython.p_int,
                 ref: cython.p_ulonglong, room: cython.longlong) -> cython.int:
    """Pull strings ``done`` to ``count``; return the one whose corners do not fit, or ``count``."""
    i: cython.int = done
    j: cython.int
    while i < count:
        k: cython.Py_ssize_t = i
        k = 3 * k
        first: cython.int = cython.cast(cython.int, bound[i])
        length: cython.int = cython.cast(cython.int, bound[i + 1] - bound[i])
        corners: cython.int = 0
        if length > 0:
            corners = find_corners_filtered(q, filter, position[k], position[k + 1], position[k + 2], target[k],
                                            target[k + 1], target[k + 2], polys, first, length, most)
        if corners < 0:
            corners = 0
        place: cython.longlong = offset[i]
        if place + corners > room:
            return i
        for j in range(corners):
            point[3 * (place + j)] = q.corner_xyz[3 * j]
            point[3 * (place + j) + 1] = q.corner_xyz[3 * j + 1]
            point[3 * (place + j) + 2] = q.corner_xyz[3 * j + 2]
            flag[place + j] = q.corner_flags[j]
            ref[place + j] = polys[first + q.corner_index[j]]
        offset[i + 1] = place + corners
        i += 1
    return count
