"""Agents that have arrived: where they stand, when they go back there, and when a group counts as arrived.

The spot where an agent arrived, its post, is kept in the follower's progress anchor, which only walking agents use
otherwise, so that it is part of the saved state.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.follower import begin_watch
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker

#: Beyond twice the arrival radius and this, an agent that arrived was pushed away.
_PUSH_MARGIN = cython.declare(cython.double, 0.01)
#: Arrived agents at most this share of their combined radius away, surface to surface, are in contact.
_CONTACT_SHARE = cython.declare(cython.double, 0.1)
#: Discs of arrived agents that cover this share of a disc leave no room in it; none for a slow agent; and little.
_FILLED_SHARE = cython.declare(cython.double, 0.5)
_NEARLY_FILLED_SHARE = cython.declare(cython.double, 0.45)
_MOSTLY_FILLED_SHARE = cython.declare(cython.double, 0.3)
#: An agent this near to its post stands on it.
_ON_POST = cython.declare(cython.double, 0.02)
#: Share of the way to its post that an agent covers in a second.
_RETURN_RATE = cython.declare(cython.double, 4.0)

_MOVING = cython.declare(cython.int, 1)
_ARRIVED = cython.declare(cython.int, 3)
_NO_PATH = cython.declare(cython.int, 4)

# bits of the corridor's flags
_COMPLETE = cython.declare(cython.int, 1)
_NEEDS_REPLAN = cython.declare(cython.int, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def note_post(store: CrowdStore, slot: cython.int) -> cython.void:
    """Remember where an agent that has just arrived stands."""
    begin_watch(store.followers, slot)


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
def is_displaced(store: CrowdStore, slot: cython.int) -> cython.bint:
    """Tell whether an arrived agent was pushed too far from its destination.

    An agent that could not get that near (the destination is off the mesh or out of reach) is measured from its
    post. One that arrives with its group stays where the group pushes it.
    """
    if store.group_arrival[slot] != 0:
        return False
    arrival: cython.double = store.followers.arrival_radius[slot]
    limit: cython.double = 2.0 * arrival + _PUSH_MARGIN
    if _distance2(store.followers.anchor, store.followers.destination, slot, slot) <= arrival * arrival:
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
    if state == _MOVING:
        return (store.followers.flags[slot] & (_COMPLETE | _NEEDS_REPLAN)) == 0
    return state == _NO_PATH or (state == _ARRIVED and store.followers.reached[slot] == 0)


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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def same_place(store: CrowdStore, a: cython.int, b: cython.int) -> cython.bint:
    """Tell whether two agents' targets are no farther apart than their two radii."""
    combined: cython.double = store.radius[a] + store.radius[b]
    return _distance2(store.followers.target, store.followers.target, a, b) <= combined * combined


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_settled(store: CrowdStore, slot: cython.int) -> cython.bint:
    """Tell whether an agent that arrives with its group has arrived."""
    return store.group_arrival[slot] != 0 and store.followers.state[slot] == _ARRIVED


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def group_verdict(store: CrowdStore, worker: CrowdWorker, slot: cython.int, slow: cython.bint) -> cython.int:
    """Judge a walker that arrives with its group.

    Returns:
        0: it is on its way. Otherwise it is in contact with an agent that arrived at the same place and stands nearer
        to it. 1: those who stand nearer fill the ground there: it counts as arrived. 2: they fill most of it: it
        counts as arrived if it is slow and cannot go around them. 3: it goes around them if it is slow.
    """
    to_go2: cython.double = _distance2(store.followers.position, store.followers.target, slot, slot)
    contact: cython.double
    k: cython.int
    other: cython.int
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        contact = (store.radius[slot] + store.radius[other]) * (1.0 + _CONTACT_SHARE)
        if (store.followers.state[other] == _ARRIVED and worker.near_distance2[k] <= contact * contact
                and same_place(store, slot, other)
                and _distance2(store.followers.position, store.followers.target, other, slot) < to_go2):
            return _room_left(store, slot, to_go2, slow)
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _room_left(store: CrowdStore, slot: cython.int, to_go2: cython.double, slow: cython.bint) -> cython.int:
    """Judge by how much agents that arrived at the same place fill of the disc around it that reaches up to the agent.
    """
    to_go: cython.double = sqrt(to_go2)
    room: cython.double = to_go - store.radius[slot]
    x: cython.double = store.followers.target[3 * slot] - store.grid_x
    z: cython.double = store.followers.target[3 * slot + 2] - store.grid_z
    left: cython.int = _cell(x - to_go, store.grid_cell, store.grid_columns)
    right: cython.int = _cell(x + to_go, store.grid_cell, store.grid_columns)
    row: cython.int
    i: cython.int
    other: cython.int
    found: cython.double = 0.0
    if room <= 0.0:
        return 1
    for row in range(_cell(z - to_go, store.grid_cell, store.grid_rows),
                     _cell(z + to_go, store.grid_cell, store.grid_rows) + 1):
        for i in range(store.cell_start[row * store.grid_columns + left],
                       store.cell_start[row * store.grid_columns + right + 1]):
            other = store.sorted_slot[i]
            if (store.followers.state[other] == _ARRIVED and same_place(store, slot, other)
                    and _distance2(store.followers.position, store.followers.target, other, slot) < to_go2):
                found += store.radius[other] * store.radius[other]
    share: cython.double = found / (room * room)
    if share >= _FILLED_SHARE or (slow and share >= _NEARLY_FILLED_SHARE):
        return 1
    return 2 if share >= _MOSTLY_FILLED_SHARE else 3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cell(offset: cython.double, cell: cython.double, count: cython.int) -> cython.int:
    """Return the grid column (or row) at an offset from the grid's corner, the outermost for what lies outside."""
    if offset <= 0.0:
        return 0
    if offset >= cell * count:
        return count - 1
    return min(cython.cast(cython.int, offset / cell), count - 1)
