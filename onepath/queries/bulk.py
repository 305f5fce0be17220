"""Many point queries in one call: arrays in, arrays out, one loop without the interpreter lock."""

from array import array
from math import nan

import cython

from onepath.buffers import zeros
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT
from onepath.navmesh.filter import resolved_filter
from onepath.navmesh.contents import reference
from onepath.queries.points import checked_extents
from cython.cimports.onepath.buffers import double_pointer, reference_pointer
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import find_nearest
from cython.cimports.onepath.navmesh.store import poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.raycast import raycast
from cython.cimports.onepath.queries.scratch import QueryScratch
from cython.cimports.onepath.queries.surface import move_along_surface

_LIMIT = cython.declare(cython.double, COORDINATE_LIMIT)
_NAN = cython.declare(cython.double, nan)
#: Most items of one call.
MOST_ITEMS = 1 << 28


def position_column(name: str, values) -> array:
    """Return an array-like of shape (n, 3) as a flat column of doubles (a copy).

    Raises:
        OutOfRangeError: another shape, no numbers, or one that is not finite and below 2^21; the message names it.
    """
    import numpy

    try:
        given = numpy.asarray(values)
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError(name, "must be an array of shape (n, 3)") from None
    if given.size == 0 and given.shape in ((0,), (0, 3)):
        return zeros("d", 0)
    if given.ndim != 2 or given.shape[1] != 3 or given.shape[0] > MOST_ITEMS:
        raise OutOfRangeError(name, f"must be an array of shape (n, 3), not {given.shape}")
    if given.dtype.kind not in "fiub":
        raise OutOfRangeError(name, f"must hold real numbers, not {given.dtype}")
    column = array("d")
    column.frombytes(numpy.ascontiguousarray(given, dtype=numpy.float64).view(numpy.uint8))
    if not _all_in_range(double_pointer(column), len(column)):
        raise OutOfRangeError(name, "coordinates must be finite and below 2^21 in magnitude")
    return column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _all_in_range(values: cython.p_double, count: cython.Py_ssize_t) -> cython.bint:
    i: cython.Py_ssize_t
    for i in range(count):
        if not (-_LIMIT < values[i] < _LIMIT):
            return False
    return True


def reference_column(name: str, values) -> array:
    """Return a sequence or one-dimensional array of references as a column; what cannot be one becomes 0.

    Raises:
        OutOfRangeError: not a sequence; the message names it.
    """
    import numpy

    if isinstance(values, numpy.ndarray) and values.ndim != 1:
        raise OutOfRangeError(name, f"must be one-dimensional, not of shape {values.shape}")
    column = array("Q")
    if isinstance(values, numpy.ndarray) and values.dtype.kind == "u" and len(values) > 0:
        column.frombytes(numpy.ascontiguousarray(values, dtype=numpy.uint64).view(numpy.uint8))
        return column
    try:
        column.extend([reference(value) for value in values])
    except TypeError:
        raise OutOfRangeError(name, "must be a sequence of references") from None
    return column


def _same_count(refs, starts, ends) -> int:
    for name, column in (("starts", starts), ("ends", ends)):
        if len(column) != 3 * len(refs):
            raise OutOfRangeError(name, f"must have as many rows as refs, {len(refs)}, not {len(column) // 3}")
    return len(refs)


def array_of(column):
    """Return a column of doubles or references as a numpy array over the same memory."""
    import numpy

    kind = numpy.uint64 if column.typecode == "Q" else numpy.float64
    return numpy.frombuffer(column, dtype=kind) if len(column) > 0 else numpy.zeros(0, dtype=kind)


def find_nearest_polys(q: QueryScratch, points, extents, filter):
    """See :meth:`onepath.queries.query.NavMeshQuery.find_nearest_polys`."""
    column = position_column("points", points)
    ex, ey, ez = checked_extents(extents)
    chosen: QueryFilter = resolved_filter(filter)
    count: cython.int = len(column) // 3
    refs = zeros("Q", count)
    found: cython.p_ulonglong = reference_pointer(refs)
    xyz: cython.p_double = double_pointer(column)
    x: cython.double = ex
    y: cython.double = ey
    z: cython.double = ez
    q.begin_work()
    try:
        with cython.nogil:
            _nearest_loop(q, chosen, xyz, count, x, y, z, found)
    finally:
        q.end_work()
    return array_of(refs), array_of(column).reshape(count, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nearest_loop(q: QueryScratch, filter: QueryFilter, xyz: cython.p_double, count: cython.int, ex: cython.double,
                  ey: cython.double, ez: cython.double, refs: cython.p_ulonglong) -> cython.void:
    """Replace each position by the nearest point and leave its polygon in ``refs``."""
    i: cython.int
    for i in range(count):
        k: cython.Py_ssize_t = i
        k = 3 * k
        poly: cython.int = find_nearest(q.mesh, filter, q, xyz[k], xyz[k + 1], xyz[k + 2], ex, ey, ez)
        refs[i] = ref_of_poly(q.mesh, poly)
        if poly >= 0:
            xyz[k] = q.out_x
            xyz[k + 1] = q.out_y
            xyz[k + 2] = q.out_z


def raycasts(q: QueryScratch, refs, starts, ends, filter):
    """See :meth:`onepath.queries.query.NavMeshQuery.raycasts`."""
    chosen: QueryFilter = resolved_filter(filter)
    ref_values = reference_column("refs", refs)
    start_values = position_column("starts", starts)
    end_values = position_column("ends", ends)
    count: cython.int = _same_count(ref_values, start_values, end_values)
    hits = zeros("d", count)
    polys: cython.p_ulonglong = reference_pointer(ref_values)
    start: cython.p_double = double_pointer(start_values)
    end: cython.p_double = double_pointer(end_values)
    hit: cython.p_double = double_pointer(hits)
    q.begin_work()
    try:
        with cython.nogil:
            _ray_loop(q, chosen, polys, start, end, count, hit)
    finally:
        q.end_work()
    return array_of(hits), array_of(end_values).reshape(count, 3), array_of(ref_values)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _ray_loop(q: QueryScratch, filter: QueryFilter, refs: cython.p_ulonglong, start: cython.p_double,
              end: cython.p_double, count: cython.int, hits: cython.p_double) -> cython.void:
    """Replace each reference by the last polygon and each end by the normal."""
    most: cython.int = q.mesh.poly_capacity + 1
    i: cython.int
    for i in range(count):
        k: cython.Py_ssize_t = i
        k = 3 * k
        poly: cython.int = poly_of_ref(q.mesh, refs[i])
        if poly < 0:
            refs[i] = 0
            hits[i] = _NAN
            end[k] = end[k + 1] = end[k + 2] = 0.0
            continue
        raycast(q, filter, poly, start[k], start[k + 2], end[k], end[k + 2], most)
        refs[i] = ref_of_poly(q.mesh, q.ray_last)
        hits[i] = q.hit_t
        end[k] = q.normal_x
        end[k + 1] = 0.0
        end[k + 2] = q.normal_z


def move_along_surfaces(q: QueryScratch, refs, starts, ends, filter):
    """See :meth:`onepath.queries.query.NavMeshQuery.move_along_surfaces`."""
    chosen: QueryFilter = resolved_filter(filter)
    ref_values = reference_column("refs", refs)
    start_values = position_column("starts", starts)
    end_values = position_column("ends", ends)
    count: cython.int = _same_count(ref_values, start_values, end_values)
    polys: cython.p_ulonglong = reference_pointer(ref_values)
    start: cython.p_double = double_pointer(start_values)
    end: cython.p_double = double_pointer(end_values)
    q.begin_work()
    try:
        with cython.nogil:
            _move_loop(q, chosen, polys, start, end, count)
    finally:
        q.end_work()
    return array_of(start_values).reshape(count, 3), array_of(ref_values)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_loop(q: QueryScratch, filter: QueryFilter, refs: cython.p_ulonglong, start: cython.p_double,
               end: cython.p_double, count: cython.int) -> cython.void:
    """Replace each reference by the last polygon and each start by the place reached."""
    i: cython.int
    for i in range(count):
        k: cython.Py_ssize_t = i
        k = 3 * k
        poly: cython.int = poly_of_ref(q.mesh, refs[i])
        if poly < 0:
            refs[i] = 0
            continue
        visited: cython.int = move_along_surface(q, filter, poly, start[k], start[k + 2], end[k], end[k + 2])
        refs[i] = ref_of_poly(q.mesh, q.visited[visited - 1])
        start[k] = q.out_x
        start[k + 1] = q.out_y
        start[k + 2] = q.out_z
