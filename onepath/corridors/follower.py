"""A follower's life outside of steps: placing it, giving it destinations, the searches those need.

Source: the library's specification.
"""

from math import inf

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import corners, move_target, relocate, set_single
from cython.cimports.onepath.corridors.known import forget
from cython.cimports.onepath.corridors.replan import apply_replan, begin_replan, set_target, update_replan
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.shortcuts import optimize_topology
from cython.cimports.onepath.corridors.states import CorridorFlag, FollowerState, ReplanStatus
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import find_nearest
from cython.cimports.onepath.navmesh.store import ref_of_poly
from cython.cimports.onepath.queries.results import CornerFlag

#: Polygons ahead that the search after a polygon-node replan tries to improve.
_REFINE_WINDOW = cython.declare(cython.int, 64)
#: Largest budget of one replan, and the number of doublings after which any budget has reached it.
_LARGEST_BUDGET = cython.declare(cython.longlong, 1 << 20)
_MOST_DOUBLINGS = cython.declare(cython.int, 20)
#: Shorter corridors are extended at once when they were cut to capacity.
_SHORT_CORRIDOR = cython.declare(cython.int, 16)
#: A target moved along the surface may end up this far (X/Z) from where it was sent.
_SAME_PLACE = cython.declare(cython.double, 1e-6)

#: A reported velocity is cut to this (m/s), so that any dt leaves a state that can be saved and read again.
_FASTEST = cython.declare(cython.double, 1e6)

_INFINITY = cython.declare(cython.double, inf)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy3(to: cython.p_double, source: cython.p_double, slot: cython.int) -> cython.void:
    to[3 * slot] = source[3 * slot]
    to[3 * slot + 1] = source[3 * slot + 1]
    to[3 * slot + 2] = source[3 * slot + 2]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _set3(to: cython.p_double, slot: cython.int, x: cython.double, y: cython.double, z: cython.double) -> cython.void:
    to[3 * slot] = x
    to[3 * slot + 1] = y
    to[3 * slot + 2] = z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place_at_surface(s: FollowerStore, slot: cython.int) -> cython.void:
    """Put the agent where its corridor's position is."""
    _copy3(s.position, s.surface, slot)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _limited(speed: cython.double) -> cython.double:
    return min(max(speed, -_FASTEST), _FASTEST)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_velocity(s: FollowerStore, slot: cython.int, x: cython.double, y: cython.double, z: cython.double,
                 dt: cython.double) -> cython.void:
    """Report the velocity that brought the agent here from (x, y, z) within ``dt`` seconds."""
    _set3(s.velocity, slot, _limited((s.position[3 * slot] - x) / dt), _limited((s.position[3 * slot + 1] - y) / dt),
          _limited((s.position[3 * slot + 2] - z) / dt))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_watch(s: FollowerStore, slot: cython.int) -> cython.void:
    """Measure progress anew from here."""
    s.stuck_clock[slot] = 0.0
    _copy3(s.anchor, s.position, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def place(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double, y: cython.double,
          z: cython.double) -> cython.bint:
    """Put the agent on the accepted polygon nearest to a point: IDLE, all counters at 0. Tells whether one is near."""
    poly: cython.int = find_nearest(w.query.mesh, f, w.query, x, y, z, s.search_extents[3 * slot],
                                    s.search_extents[3 * slot + 1], s.search_extents[3 * slot + 2])
    if poly < 0:
        return False
    ref: cython.ulonglong = ref_of_poly(w.query.mesh, poly)
    set_single(s, slot, ref, w.query.out_x, w.query.out_y, w.query.out_z)
    place_at_surface(s, slot)
    _set3(s.velocity, slot, 0.0, 0.0, 0.0)
    _set3(s.link_start, slot, 0.0, 0.0, 0.0)
    _set3(s.link_end, slot, 0.0, 0.0, 0.0)
    s.link_elapsed[slot] = 0.0
    s.link_duration[slot] = 0.0
    s.link_exit[slot] = 0
    s.step_count[slot] = 0
    s.state[slot] = FollowerState.IDLE
    stop(s, slot)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stop(s: FollowerStore, slot: cython.int) -> cython.void:
    """Forget the destination: IDLE where the agent is. An agent on a link goes to the link's end instead."""
    s.reached[slot] = 0
    s.rounds[slot] = 0
    s.recoveries[slot] = 0
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        _copy3(s.destination, s.link_end, slot)
        set_target(s, slot, s.link_end[3 * slot], s.link_end[3 * slot + 1], s.link_end[3 * slot + 2])
        return
    begin_watch(s, slot)
    _copy3(s.destination, s.position, slot)
    _copy3(s.target, s.surface, slot)
    s.count[slot] = min(s.count[slot], 1)
    forget(s, slot)
    s.target_ref[slot] = s.refs[slot * s.stride] if s.count[slot] > 0 else 0
    s.flags[slot] = CorridorFlag.COMPLETE if s.count[slot] > 0 else 0
    s.state[slot] = FollowerState.IDLE
    s.remaining[slot] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.int:
    """Replan with the budget that this destination has come to; see :func:`search_within`."""
    return search_within(s, slot, w, f, cython.cast(cython.int, _LARGEST_BUDGET))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search_within(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                  limit: cython.int) -> cython.int:
    """Replan with the budget that this destination has come to, or with ``limit`` expansions if that is less.

    A replan that its own budget leaves unfinished counts as a round; one that only ``limit`` does leaves everything as
    it was. A route found with polygon nodes is improved at once by a crossing-node search around the agent.

    Returns:
        The outcome of the replan. The state becomes NO_PATH if no polygon is near the target or rounds are used up.
    """
    wide: cython.longlong = s.replan_budget[slot]
    wide = min(wide << min(s.rounds[slot], _MOST_DOUBLINGS), _LARGEST_BUDGET)
    budget: cython.int = cython.cast(cython.int, wide)
    begin_replan(s, slot, w, f, s.search_extents[3 * slot], s.search_extents[3 * slot + 1],
                 s.search_extents[3 * slot + 2])
    if update_replan(s, slot, w, f, min(limit, budget)) == ReplanStatus.IN_PROGRESS and limit < budget:
        return ReplanStatus.IN_PROGRESS
    status: cython.int = apply_replan(s, slot, w)
    unfinished: cython.bint = status == ReplanStatus.PARTIAL and w.query.search_out_of_nodes and not w.replan_cut
    if status == ReplanStatus.IN_PROGRESS or unfinished:
        s.rounds[slot] += 1
        if s.rounds[slot] >= s.max_replan_rounds[slot]:
            s.state[slot] = FollowerState.NO_PATH
    elif status == ReplanStatus.NO_END_NEARBY:
        s.state[slot] = FollowerState.NO_PATH
    elif status == ReplanStatus.SUCCESS and w.query.polygon_nodes and s.refine_budget[slot] > 0:
        optimize_topology(s, slot, w, f, s.refine_budget[slot], _REFINE_WINDOW)
    return status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_destination(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                    y: cython.double, z: cython.double, deferred: cython.bint) -> cython.bint:
    """Send the agent to a point: a replan from start, then MOVING.

    Args:
        deferred: leave the search to the next step.

    Returns:
        False if the state is NO_PATH: no polygon near the point (found out later if deferred), or never placed. While
        crossing a link the target is recorded and the replan follows the crossing.
    """
    _set3(s.destination, slot, x, y, z)
    s.reached[slot] = 0
    s.rounds[slot] = 0
    s.recoveries[slot] = 0
    s.remaining[slot] = _INFINITY
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        set_target(s, slot, x, y, z)
        return True
    if s.count[slot] == 0:
        s.state[slot] = FollowerState.NO_PATH
        return False
    begin_watch(s, slot)
    set_target(s, slot, x, y, z)
    s.state[slot] = FollowerState.MOVING
    if not deferred:
        search(s, slot, w, f)
    return s.state[slot] == FollowerState.MOVING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_destination(s: FollowerStore, slot: cython.int, x: cython.double, y: cython.double,
                    z: cython.double) -> cython.bint:
    return s.destination[3 * slot] == x and s.destination[3 * slot + 1] == y and s.destination[3 * slot + 2] == z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def request_destination(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                        y: cython.double, z: cython.double, deferred: cython.bint) -> cython.bint:
    """Send the agent to a point, unless it is already on its way there or has reached it: then nothing changes.

    An agent that arrived short of the same point searches again and stays as it is if that leads no further.
    """
    state: cython.int = s.state[slot]
    known: cython.bint = (state == FollowerState.MOVING or state == FollowerState.OFF_MESH_LINK
                          or state == FollowerState.ARRIVED)
    if not known or not _is_destination(s, slot, x, y, z):
        return set_destination(s, slot, w, f, x, y, z, deferred)
    if state != FollowerState.ARRIVED or s.reached[slot] != 0:
        return True
    recoveries: cython.int = s.recoveries[slot]
    clock: cython.double = s.stuck_clock[slot]
    remaining: cython.double = s.remaining[slot]
    anchor_x: cython.double = s.anchor[3 * slot]
    anchor_y: cython.double = s.anchor[3 * slot + 1]
    anchor_z: cython.double = s.anchor[3 * slot + 2]
    rounds: cython.int = s.rounds[slot]
    going: cython.bint = set_destination(s, slot, w, f, x, y, z, False)
    if not going or not _leads_no_further(s, slot, w, f):
        return going
    s.state[slot] = FollowerState.ARRIVED
    s.rounds[slot] = rounds
    s.recoveries[slot] = recoveries
    s.stuck_clock[slot] = clock
    s.remaining[slot] = remaining
    _set3(s.anchor, slot, anchor_x, anchor_y, anchor_z)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leads_no_further(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Tell whether the corridor as replanned ends, for good and short of the target, where the agent stands."""
    if s.flags[slot] != 0 or corners(s, slot, w, f, 3) < 0:
        return False
    last: cython.int = w.query.corner_count - 1
    if last > 1 or (w.query.corner_flags[last] & CornerFlag.END) == 0:
        return False
    dx: cython.double = w.query.corner_xyz[3 * last] - s.surface[3 * slot]
    dz: cython.double = w.query.corner_xyz[3 * last + 2] - s.surface[3 * slot + 2]
    return sqrt(dx * dx + dz * dz) <= s.arrival_radius[slot]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def follow_destination(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                       y: cython.double, z: cython.double, deferred: cython.bint) -> cython.bint:
    """Send the agent after a target that moves.

    Where the target can be walked along the surface from where it was, the end of a complete corridor is walked along
    with it and no search is needed; otherwise this is :func:`request_destination`.
    """
    state: cython.int = s.state[slot]
    complete: cython.bint = (s.flags[slot] & CorridorFlag.COMPLETE) != 0
    walks: cython.bint = state == FollowerState.MOVING or state == FollowerState.ARRIVED
    if not walks or not complete or _is_destination(s, slot, x, y, z):
        return request_destination(s, slot, w, f, x, y, z, deferred)
    if not move_target(s, slot, w, f, x, y, z):
        return set_destination(s, slot, w, f, x, y, z, deferred)
    dx: cython.double = s.target[3 * slot] - x
    dy: cython.double = s.target[3 * slot + 1] - y
    dz: cython.double = s.target[3 * slot + 2] - z
    rise: cython.double = dy if dy >= 0.0 else -dy
    if sqrt(dx * dx + dz * dz) > _SAME_PLACE or rise > s.search_extents[3 * slot + 1]:
        return set_destination(s, slot, w, f, x, y, z, deferred)
    _set3(s.destination, slot, x, y, z)
    s.reached[slot] = 0
    if state == FollowerState.ARRIVED:
        s.state[slot] = FollowerState.MOVING
        begin_watch(s, slot)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def recover(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Put an agent that has lost its polygon on the nearest one; without one near the state is NO_PATH."""
    if not relocate(s, slot, w, f, s.search_extents[3 * slot], s.search_extents[3 * slot + 1],
                    s.search_extents[3 * slot + 2]):
        s.state[slot] = FollowerState.NO_PATH
        return False
    place_at_surface(s, slot)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def wants_replan(s: FollowerStore, slot: cython.int, crowd: cython.bint) -> cython.bint:
    """Tell whether the next step of a walking agent begins with a search.

    In a crowd a corridor that was merely cut to its capacity is extended when a quarter of it has been walked; a
    short one at once.
    """
    if s.state[slot] != FollowerState.MOVING or (s.flags[slot] & CorridorFlag.NEEDS_REPLAN) == 0:
        return False
    if not crowd or (s.flags[slot] & CorridorFlag.FROM_START) != 0 or s.count[slot] < _SHORT_CORRIDOR:
        return True
    return 4 * s.count[slot] <= 3 * s.capacity[slot]
