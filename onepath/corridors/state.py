"""The state bytes of corridors and followers: one writer, one checker and one loader, used by everything that saves.

All numbers are little-endian, doubles by their IEEE bit pattern, so equal states have equal bytes everywhere.

Corridor, 66 + 8 n bytes::

    u8  version (1)                 i32 capacity            3 f64 position       u64 polygon of the target
    u8  flags (CorridorFlag)        i32 count n             3 f64 target         n u64 polygons

Follower, 203 bytes and its corridor::

    u8  version (1)                 i32 replan rounds       3 f64 position       3 f64 link end
    u8  state (FollowerState)       i32 stuck recoveries    3 f64 velocity       f64   link time elapsed
    u8  reached (0 or 1)            f64 stuck clock         3 f64 destination    f64   link duration
    u64 step count                  3 f64 stuck anchor      3 f64 link start     u64   polygon behind the link
                                                                                 f64   remaining distance (≥ 0, +∞)

Not in the bytes: the options (so a corridor of another capacity is rejected), the corners (every step finds them again)
and a replan being done in slices (it is dropped).
"""

from math import inf

import cython

from onepath.errors import CrowdStateError
from onepath.geometry import COORDINATE_LIMIT
from cython.cimports.onepath.corridors.known import forget
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.corridors.states import FollowerState
from cython.cimports.onepath.packing import (
    get_double, get_int, get_reference, put_byte, put_double, put_int, put_reference,
)

#: Names of what a checker can reject; ``CorridorScratch.error_field`` is an index into this.
FIELDS = (
    "version", "flags", "capacity", "count", "corridor position", "target", "target polygon", "path", "state",
    "reached", "step count", "replan rounds", "stuck recoveries", "stuck clock", "stuck anchor", "position", "velocity",
    "destination", "off-mesh start", "off-mesh end", "off-mesh elapsed", "off-mesh duration", "off-mesh exit polygon",
    "remaining distance",
)  # fmt: skip
_VERSION_FIELD = cython.declare(cython.int, 0)
_FLAGS_FIELD = cython.declare(cython.int, 1)
_CAPACITY_FIELD = cython.declare(cython.int, 2)
_COUNT_FIELD = cython.declare(cython.int, 3)
_SURFACE_FIELD = cython.declare(cython.int, 4)
_TARGET_FIELD = cython.declare(cython.int, 5)
_TARGET_REF_FIELD = cython.declare(cython.int, 6)
_PATH_FIELD = cython.declare(cython.int, 7)
_STATE_FIELD = cython.declare(cython.int, 8)
_REACHED_FIELD = cython.declare(cython.int, 9)
_STEP_COUNT_FIELD = cython.declare(cython.int, 10)
_ROUNDS_FIELD = cython.declare(cython.int, 11)
_RECOVERIES_FIELD = cython.declare(cython.int, 12)
_CLOCK_FIELD = cython.declare(cython.int, 13)
_ANCHOR_FIELD = cython.declare(cython.int, 14)
_ELAPSED_FIELD = cython.declare(cython.int, 20)
_DURATION_FIELD = cython.declare(cython.int, 21)
_REMAINING_FIELD = cython.declare(cython.int, 23)

#: Bytes of a corridor without polygons, and of a follower without its corridor.
CORRIDOR_HEAD = 66
_CORRIDOR_HEAD = cython.declare(cython.longlong, CORRIDOR_HEAD)
_FOLLOWER_HEAD = cython.declare(cython.longlong, 203)

_VERSION = cython.declare(cython.int, 1)
_ALL_FLAGS = cython.declare(cython.int, 7)
#: Counters in saved states are at most this, far above what options allow, so that they can still be counted up.
_MOST_COUNTED = cython.declare(cython.int, 1 << 30)
_COORDINATE_LIMIT = cython.declare(cython.double, COORDINATE_LIMIT)
_INFINITY = cython.declare(cython.double, inf)


def raise_if_rejected(scratch, end: int, length: int) -> None:
    """Raise CrowdStateError if a checker of state bytes returned −1 or stopped before the last byte."""
    if end < 0:
        raise CrowdStateError(FIELDS[scratch.error_field], scratch.error_offset, "not a valid value, or cut short")
    if end < length:
        raise CrowdStateError("trailing bytes", end, f"{length - end} bytes too many")


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put_point(p: cython.p_uchar, at: cython.longlong, points: cython.p_double, slot: cython.int) -> cython.longlong:
    at = put_double(p, at, points[3 * slot])
    at = put_double(p, at, points[3 * slot + 1])
    return put_double(p, at, points[3 * slot + 2])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _get_point(p: cython.p_uchar, at: cython.longlong, points: cython.p_double, slot: cython.int) -> cython.longlong:
    points[3 * slot] = get_double(p, at)
    points[3 * slot + 1] = get_double(p, at + 8)
    points[3 * slot + 2] = get_double(p, at + 16)
    return at + 24


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def corridor_size(s: FollowerStore, slot: cython.int) -> cython.longlong:
    """Return the number of bytes :func:`write_corridor` writes."""
    return _CORRIDOR_HEAD + 8 * s.count[slot]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def follower_size(s: FollowerStore, slot: cython.int) -> cython.longlong:
    """Return the number of bytes :func:`write_follower` writes."""
    return _FOLLOWER_HEAD + corridor_size(s, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_corridor(s: FollowerStore, slot: cython.int, p: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Write a corridor at ``p[at]``; return the offset behind it."""
    at = put_byte(p, at, _VERSION)
    at = put_byte(p, at, s.flags[slot])
    at = put_int(p, at, s.capacity[slot])
    at = put_int(p, at, s.count[slot])
    at = _put_point(p, at, s.surface, slot)
    at = _put_point(p, at, s.target, slot)
    at = put_reference(p, at, s.target_ref[slot])
    i: cython.int
    for i in range(s.count[slot]):
        at = put_reference(p, at, s.refs[slot * s.stride + i])
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_follower(s: FollowerStore, slot: cython.int, p: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Write a follower at ``p[at]``; return the offset behind it."""
    at = put_byte(p, at, _VERSION)
    at = put_byte(p, at, s.state[slot])
    at = put_byte(p, at, s.reached[slot])
    at = put_reference(p, at, s.step_count[slot])
    at = put_int(p, at, s.rounds[slot])
    at = put_int(p, at, s.recoveries[slot])
    at = put_double(p, at, s.stuck_clock[slot])
    at = _put_point(p, at, s.anchor, slot)
    at = _put_point(p, at, s.position, slot)
    at = _put_point(p, at, s.velocity, slot)
    at = _put_point(p, at, s.destination, slot)
    at = _put_point(p, at, s.link_start, slot)
    at = _put_point(p, at, s.link_end, slot)
    at = put_double(p, at, s.link_elapsed[slot])
    at = put_double(p, at, s.link_duration[slot])
    at = put_reference(p, at, s.link_exit[slot])
    at = put_double(p, at, s.remaining[slot])
    return write_corridor(s, slot, p, at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reject(w: CorridorScratch, field: cython.int, at: cython.longlong) -> cython.longlong:
    w.error_field = field
    w.error_offset = at
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_coordinate(value: cython.double) -> cython.bint:
    return -_COORDINATE_LIMIT < value and value < _COORDINATE_LIMIT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _first_bad_coordinate(p: cython.p_uchar, at: cython.longlong, count: cython.int) -> cython.int:
    i: cython.int = 0
    while i < count and _is_coordinate(get_double(p, at + 8 * i)):
        i += 1
    return i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _field_that_ends_early(left: cython.longlong, follower: cython.bint) -> cython.int:
    """Return the field in which bytes end that hold only ``left`` bytes of a head."""
    if follower:
        if left < 3:
            return _VERSION_FIELD if left < 1 else (_STATE_FIELD if left < 2 else _REACHED_FIELD)
        if left < 27:
            return _STEP_COUNT_FIELD if left < 11 else (
                _ROUNDS_FIELD if left < 15 else (_RECOVERIES_FIELD if left < 19 else _CLOCK_FIELD))
        if left < 171:
            return _ANCHOR_FIELD + cython.cast(cython.int, (left - 27) // 24)
        return _ELAPSED_FIELD + cython.cast(cython.int, (left - 171) // 8)
    if left < 10:
        return _VERSION_FIELD if left < 1 else (
            _FLAGS_FIELD if left < 2 else (_CAPACITY_FIELD if left < 6 else _COUNT_FIELD))
    if left < 58:
        return _SURFACE_FIELD if left < 34 else _TARGET_FIELD
    return _TARGET_REF_FIELD


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def check_corridor(p: cython.p_uchar, at: cython.longlong, end: cython.longlong, capacity: cython.int,
                   w: CorridorScratch) -> cython.longlong:
    """Check the corridor in ``p[at .. end)``; return the offset behind it, or −1 with the rejected field in ``w``.

    Checked are length, version, flag bits, the capacity (it must be the given one), the count, and that coordinates
    are finite and below 2^21. References are not looked at: stale ones are repaired by the steps.
    """
    if end - at < _CORRIDOR_HEAD:
        return _reject(w, _field_that_ends_early(end - at, False), end)
    if p[at] != _VERSION:
        return _reject(w, _VERSION_FIELD, at)
    if p[at + 1] > _ALL_FLAGS:
        return _reject(w, _FLAGS_FIELD, at + 1)
    if get_int(p, at + 2) != capacity:
        return _reject(w, _CAPACITY_FIELD, at + 2)
    count: cython.int = get_int(p, at + 6)
    if count < 0 or count > capacity:
        return _reject(w, _COUNT_FIELD, at + 6)
    bad: cython.int = _first_bad_coordinate(p, at + 10, 6)
    if bad < 6:
        return _reject(w, _SURFACE_FIELD if bad < 3 else _TARGET_FIELD, at + 10 + 8 * bad)
    if end - at - _CORRIDOR_HEAD < 8 * count:
        return _reject(w, _PATH_FIELD, end)
    return at + _CORRIDOR_HEAD + 8 * count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def check_follower(p: cython.p_uchar, at: cython.longlong, end: cython.longlong, capacity: cython.int,
                   w: CorridorScratch) -> cython.longlong:
    """Check the follower in ``p[at .. end)``; return the offset behind it, or −1 with the rejected field in ``w``."""
    if end - at < _FOLLOWER_HEAD:
        return _reject(w, _field_that_ends_early(end - at, True), end)
    if p[at] != _VERSION:
        return _reject(w, _VERSION_FIELD, at)
    if p[at + 1] > FollowerState.STUCK:
        return _reject(w, _STATE_FIELD, at + 1)
    if p[at + 2] > 1:
        return _reject(w, _REACHED_FIELD, at + 2)
    value: cython.int = get_int(p, at + 11)
    if value < 0 or value > _MOST_COUNTED:
        return _reject(w, _ROUNDS_FIELD, at + 11)
    value = get_int(p, at + 15)
    if value < 0 or value > _MOST_COUNTED:
        return _reject(w, _RECOVERIES_FIELD, at + 15)
    if not _is_duration(get_double(p, at + 19)):
        return _reject(w, _CLOCK_FIELD, at + 19)
    bad: cython.int = _first_bad_coordinate(p, at + 27, 18)
    if bad < 18:
        return _reject(w, _ANCHOR_FIELD + bad // 3, at + 27 + 8 * bad)
    if not _is_duration(get_double(p, at + 171)):
        return _reject(w, _ELAPSED_FIELD, at + 171)
    if not _is_duration(get_double(p, at + 179)):
        return _reject(w, _DURATION_FIELD, at + 179)
    if not get_double(p, at + 195) >= 0.0:
        return _reject(w, _REMAINING_FIELD, at + 195)
    return check_corridor(p, at + _FOLLOWER_HEAD, end, capacity, w)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_duration(value: cython.double) -> cython.bint:
    return 0.0 <= value and value < _INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def load_corridor(s: FollowerStore, slot: cython.int, p: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Take a corridor over from bytes that were checked against the slot's capacity; return the offset behind it."""
    s.flags[slot] = p[at + 1]
    s.count[slot] = get_int(p, at + 6)
    at = _get_point(p, at + 10, s.surface, slot)
    at = _get_point(p, at, s.target, slot)
    s.target_ref[slot] = get_reference(p, at)
    at += 8
    i: cython.int
    forget(s, slot)
    for i in range(s.count[slot]):
        s.refs[slot * s.stride + i] = get_reference(p, at)
        at += 8
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def load_follower(s: FollowerStore, slot: cython.int, p: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Take a follower over from bytes that were checked against the slot's capacity; return the offset behind it."""
    s.state[slot] = p[at + 1]
    s.reached[slot] = p[at + 2]
    s.step_count[slot] = get_reference(p, at + 3)
    s.rounds[slot] = get_int(p, at + 11)
    s.recoveries[slot] = get_int(p, at + 15)
    s.stuck_clock[slot] = get_double(p, at + 19)
    at = _get_point(p, at + 27, s.anchor, slot)
    at = _get_point(p, at, s.position, slot)
    at = _get_point(p, at, s.velocity, slot)
    at = _get_point(p, at, s.destination, slot)
    at = _get_point(p, at, s.link_start, slot)
    at = _get_point(p, at, s.link_end, slot)
    s.link_elapsed[slot] = get_double(p, at)
    s.link_duration[slot] = get_double(p, at + 8)
    s.link_exit[slot] = get_reference(p, at + 16)
    s.remaining[slot] = get_double(p, at + 24)
    return load_corridor(s, slot, p, at + 32)
