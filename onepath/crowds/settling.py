"""Agents that have arrived: where they stand, and when they go back there.

The spot where an agent came to rest on arrival, its post, is kept in the follower's progress anchor, which only walking
agents use otherwise, so that it is part of the saved state.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.follower import begin_watch
from cython.cimports.onepath.corridors.states import CorridorFlag, FollowerState
from cython.cimports.onepath.crowds.store import CrowdStore

#: Beyond twice the arrival radius and this, an agent that arrived was pushed away.
_PUSH_MARGIN = cython.declare(cython.double, 0.01)
#: An agent this near to its post stands on it.
_ON_POST = cython.declare(cython.double, 0.02)
#: Share of the way to its post that an agent covers in a second.
_RETURN_RATE = cython.declare(cython.double, 4.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _distance2(a: cython.p_double, b: cython.p_double, i: cython.int, j: cython.int) -> cython.double:
    dx: cython.double = a[3 * i] - b[3 * j]
    dz: cython.double = a[3 * i + 2] - b[3 * j + 2]
    return dx * dx + dz * dz


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def note_post(store: CrowdStore, slot: cython.int) -> cython.void:
    """Remember where an agent that has just arrived stands."""
    begin_watch(store.followers, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def carry_post(store: CrowdStore, slot: cython.int, before2: cython.double, dt: cython.double) -> cython.void:
    """Move the post along with an agent that still brakes from its walk: it is where the agent first comes to rest.

    Beyond the distance from its destination at which it is sent back the post stays behind. The follower's stuck
    clock, which nobody who stands uses otherwise, runs once the agent has come to rest.

    Args:
        before2: square of the speed it had before this step.
        dt: duration of the step.
    """
    vx: cython.double = store.followers.velocity[3 * slot]
    vz: cython.double = store.followers.velocity[3 * slot + 2]
    speed2: cython.double = vx * vx + vz * vz
    limit: cython.double = 2.0 * store.followers.arrival_radius[slot] + _PUSH_MARGIN
    if store.followers.stuck_clock[slot] > 0.0:
        return
    if (0.0 < speed2 and speed2 < before2
            and _distance2(store.followers.position, store.followers.destination, slot, slot) <= limit * limit):
        begin_watch(store.followers, slot)
    else:
        store.followers.stuck_clock[slot] = dt


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_displaced(store: CrowdStore, slot: cython.int) -> cython.bint:
    """Tell whether an arrived agent was pushed too far from its destination.

    An agent that could not get that near (the destination is off the mesh or out of reach) is measured from its
    post. One that arrives with its group stays where the group pushes it.
    """
    if store.group_arrival[slot] != 0:
        return False
    arrival: cython.double = store.followers.arrival_radius[slot]
    limit: cython.double = 2.0 * arrival + _PUSH_MARGIN
    if _distance2(store.followers.anchor, store.followers.destination, slot, slot) <= limit * limit:
        return _distance2(store.followers.position, store.followers.destination, slot, slot) > limit * limit
    return _distance2(store.followers.position, store.followers.anchor, slot, slot) > limit * limit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def wants_retry(store: CrowdStore, slot: cython.int) -> cython.bint:
    """Tell whether an agent knows no whole way to its destination and the mesh was edited since it looked around."""
    state: cython.int = store.followers.state[slot]
    if store.wall_stamp[slot] == store.mesh.revision:
        return False
    if state == FollowerState.MOVING:
        return (store.followers.flags[slot] & (CorridorFlag.COMPLETE | CorridorFlag.NEEDS_REPLAN)) == 0
    return state == FollowerState.NO_PATH or (state == FollowerState.ARRIVED and store.followers.reached[slot] == 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def want_post(store: CrowdStore, slot: cython.int, dt: cython.double) -> cython.void:
    """Let an arrived agent want to walk straight back to its post."""
    distance2: cython.double = _distance2(store.followers.position, store.followers.anchor, slot, slot)
    if distance2 <= _ON_POST * _ON_POST:
        return
    distance: cython.double = sqrt(distance2)
    speed: cython.double = min(min(_RETURN_RATE * distance, distance / dt), store.followers.max_speed[slot])
    scale: cython.double = speed / distance
    dx: cython.double = store.followers.anchor[3 * slot] - store.followers.position[3 * slot]
    dz: cython.double = store.followers.anchor[3 * slot + 2] - store.followers.position[3 * slot + 2]
    store.followers.wanted[2 * slot] = scale * dx
    store.followers.wanted[2 * slot + 1] = scale * dz
