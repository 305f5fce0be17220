"""What a walking follower does before it moves: stages 1 to 6 of a step, shared by lone followers and crowds.

1 mesh check, 2 replan, 3 corners, 4 shortcuts, 5 link entry, 6 arrival. All distances here are horizontal.
"""

from math import inf

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import corners, validate, validate_rest
from cython.cimports.onepath.corridors.crossing import begin_crossing, find_entry
from cython.cimports.onepath.corridors.follower import begin_watch, recover, search, wants_replan
from cython.cimports.onepath.corridors.known import corners_again, recall
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.shortcuts import optimize_topology, optimize_visibility
from cython.cimports.onepath.corridors.states import CornerKind, CorridorFlag, FollowerState, ReplanStatus, Validity
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.queries.results import CornerFlag

#: A corner no farther than this (world units) is where the agent is already.
_AT_CORNER = cython.declare(cython.double, 1e-9)
#: Polygons ahead that a topology search covers.
_TOPOLOGY_WINDOW = cython.declare(cython.int, 64)
#: A corridor shorter than this can always be extended.
_SHORT_CORRIDOR = cython.declare(cython.int, 16)
#: The step count is kept below 2^63.
_STEP_COUNT_MASK = cython.declare(cython.ulonglong, 0x7FFFFFFFFFFFFFFF)

_INFINITY = cython.declare(cython.double, inf)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pending(s: FollowerStore, slot: cython.int) -> cython.bint:
    """Tell whether the corridor is incomplete and will be replanned: its end is not yet where the agent is going."""
    return (s.flags[slot] & (CorridorFlag.COMPLETE | CorridorFlag.NEEDS_REPLAN)) == CorridorFlag.NEEDS_REPLAN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def arrive(s: FollowerStore, slot: cython.int) -> cython.void:
    """The walk ends here: at the destination if the corridor leads there."""
    s.state[slot] = FollowerState.ARRIVED
    s.reached[slot] = 1 if (s.flags[slot] & CorridorFlag.COMPLETE) != 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def keep_ground(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.void:
    """Put a standing agent whose polygon has gone on the nearest one; without one near the state is NO_PATH."""
    if s.count[slot] > 0 and validate(s, slot, w, f, 1) == Validity.INVALID:
        recover(s, slot, w, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def upkeep(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, crowd: cython.bint) -> cython.bint:
    """Do stages 1 to 6 for a MOVING agent.

    Args:
        crowd: corridors cut to their capacity wait with their extension; mesh and filter are always the same.

    Returns:
        True to go on and walk to ``s.corner``; False if the step ends here with the agent standing (or crossing).
    """
    s.step_count[slot] = (s.step_count[slot] + 1) & _STEP_COUNT_MASK
    if _check(s, slot, w, f, crowd) == Validity.INVALID and not recover(s, slot, w, f):
        return False
    if not _replan_if_needed(s, slot, w, f, crowd) or not _pull_string(s, slot, w, f, crowd):
        return False
    if _take_shortcuts(s, slot, w, f) and not _pull_string(s, slot, w, f, crowd):
        return False
    if _enter_link(s, slot, w, f):
        return False
    aim(s, slot, w)
    return not _is_at_end(s, slot, w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _check(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, crowd: cython.bint) -> cython.int:
    """Stage 1: in a crowd only what earlier steps have not checked; returns a ``Validity``."""
    if not crowd:
        return validate(s, slot, w, f, s.validate_look_ahead[slot])
    recall(s, slot, w.query.mesh.revision)
    validity: cython.int = validate_rest(s, slot, w, f, s.validate_look_ahead[slot], s.sound[slot])
    if validity == Validity.VALID:
        s.sound[slot] = max(s.sound[slot], min(s.count[slot], s.validate_look_ahead[slot]))
    return validity


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _replan_if_needed(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                      crowd: cython.bint) -> cython.bint:
    """Stage 2; False: stand."""
    held: cython.bint = s.held[slot] != 0
    if wants_replan(s, slot, crowd) and not held:
        if search(s, slot, w, f) == ReplanStatus.INVALID_START:
            recover(s, slot, w, f)
            return False
        if s.state[slot] != FollowerState.MOVING:
            return False
    # While a search from the start is unfinished, the corridor may lead anywhere.
    open_search: cython.bint = (s.flags[slot] & CorridorFlag.FROM_START) != 0 and pending(s, slot)
    return not (open_search and (held or s.rounds[slot] > 0))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pull_string(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                 crowd: cython.bint) -> cython.bint:
    """Stage 3; a corridor that is broken beyond the look-ahead is repaired instead. False: stand."""
    if crowd:
        w.corner_count = corners_again(s, slot, w, f, s.max_corners[slot])
    else:
        w.corner_count = corners(s, slot, w, f, s.max_corners[slot])
    if w.corner_count > 0:
        return True
    validity: cython.int = validate(s, slot, w, f, s.count[slot])
    if validity == Validity.INVALID:
        recover(s, slot, w, f)
    elif validity == Validity.VALID:
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _corner_distance(s: FollowerStore, slot: cython.int, w: CorridorScratch, corner: cython.int) -> cython.double:
    dx: cython.double = w.query.corner_xyz[3 * corner] - s.surface[3 * slot]
    dz: cython.double = w.query.corner_xyz[3 * corner + 2] - s.surface[3 * slot + 2]
    return sqrt(dx * dx + dz * dz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _take_shortcuts(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Stage 4; True: the corners must be found again."""
    stale: cython.bint = False
    step: cython.ulonglong = s.step_count[slot]
    interval: cython.ulonglong = s.optimize_interval[slot]
    if interval > 0 and step % interval == 0:
        aim_at: cython.int = 0
        i: cython.int = 1
        while i < w.corner_count and (w.query.corner_flags[i] & CornerFlag.OFF_MESH) == 0:
            if _corner_distance(s, slot, w, i) <= s.optimize_range[slot]:
                aim_at = i
            i += 1
        if aim_at > 0:
            stale = optimize_visibility(s, slot, w, f, w.query.corner_xyz[3 * aim_at],
                                        w.query.corner_xyz[3 * aim_at + 2], s.optimize_range[slot],
                                        s.optimize_budget[slot])
    interval = s.topology_interval[slot]
    if interval > 0 and step % interval == 0 and s.count[slot] >= 3:
        # Comparing lengths uses the corner buffer, so that it is stale whether or not the corridor changed.
        optimize_topology(s, slot, w, f, s.topology_budget[slot], _TOPOLOGY_WINDOW)
        stale = True
    return stale


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter_link(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Stage 5; True: the step ends here, with the agent crossing or, where agents queue at links, waiting for that."""
    entry: cython.int = 0
    if (w.query.corner_flags[0] & CornerFlag.OFF_MESH) == 0:
        entry = 1
        if w.corner_count < 2 or (w.query.corner_flags[1] & CornerFlag.OFF_MESH) == 0:
            return False
    distance: cython.double = _corner_distance(s, slot, w, entry)
    if distance > s.off_mesh_trigger_radius[slot]:
        if distance <= s.off_mesh_trigger_radius[slot] + w.queue_reach:
            find_entry(s, slot, w, f, entry)
        return False
    if not find_entry(s, slot, w, f, entry):
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
    elif w.queue_reach == 0.0:
        begin_crossing(s, slot, w)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def aim(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.void:
    """Choose the corner to steer for: the first that is not where the agent is, or the last."""
    last: cython.int = w.corner_count - 1
    w.steer = min(1, last)
    while w.steer < last and _corner_distance(s, slot, w, w.steer) <= _AT_CORNER:
        w.steer += 1
    w.steer_distance = _corner_distance(s, slot, w, w.steer)
    flags: cython.int = w.query.corner_flags[w.steer]
    s.corner_kind[slot] = CornerKind.LINK if (flags & CornerFlag.OFF_MESH) != 0 else (
        CornerKind.END if (flags & CornerFlag.END) != 0 else CornerKind.BEND)
    s.corner_limit[slot] = w.query.corner_index[w.steer] + 1
    i: cython.int
    for i in range(3):
        s.corner[3 * slot + i] = w.query.corner_xyz[3 * w.steer + i]
    _measure(s, slot, w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _measure(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.void:
    """Find the path lengths to the end and to the first place not to be passed; infinite if not in sight."""
    corner: cython.p_double = w.query.corner_xyz
    length: cython.double = 0.0
    s.length[slot] = _INFINITY
    w.stop_length = _INFINITY
    i: cython.int
    for i in range(w.corner_count):
        if i > 0:
            dx: cython.double = corner[3 * i] - corner[3 * i - 3]
            dz: cython.double = corner[3 * i + 2] - corner[3 * i - 1]
            length += sqrt(dx * dx + dz * dz)
        flags: cython.int = w.query.corner_flags[i]
        if (flags & (CornerFlag.END | CornerFlag.OFF_MESH)) != 0 and w.stop_length == _INFINITY:
            w.stop_length = length
        if (flags & CornerFlag.END) != 0:
            s.length[slot] = length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_at_end(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.bint:
    """Stage 6; True: the agent has arrived, or waits at the end of a corridor that is to be extended."""
    if s.corner_kind[slot] != CornerKind.END or w.steer_distance > s.arrival_radius[slot]:
        return False
    if not pending(s, slot):
        arrive(s, slot)
        s.remaining[slot] = w.steer_distance
        return True
    # A full corridor can only be extended once it has been walked, however near its end is.
    full: cython.bint = (4 * s.count[slot] > 3 * s.capacity[slot]
                         and s.count[slot] >= min(_SHORT_CORRIDOR, s.capacity[slot]))
    if full and w.steer_distance > _AT_CORNER:
        return False
    begin_watch(s, slot)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def wanted_speed(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.double:
    """Return the speed wanted now: full, or less near the end or a link's entry; ``full_speed`` notes which."""
    speed: cython.double = s.max_speed[slot]
    s.full_speed[slot] = 1
    if s.slow_radius[slot] > 0.0 and w.stop_length < s.slow_radius[slot]:
        s.full_speed[slot] = 0
        slow: cython.double = speed * (w.stop_length / s.slow_radius[slot])
        speed = min(max(slow, s.arrival_min_speed[slot]), speed)
    return speed
