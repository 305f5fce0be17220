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
_CONTACT_SHARE = cython.declare(cython.double, 0.15)
#: A walker below this share of its full speed is held up.
_HELD_UP_SHARE = cython.declare(cython.double, 0.3)
#: An agent this near to its post stands on it.
_ON_POST = cython.declare(cython.double, 0.02)
#: Share of the way to its post that an agent covers in a second.
_RETURN_RATE = cython.declare(cython.double, 4.0)

_ARRIVED = cython.declare(cython.int, 3)


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

    An agent that could not get that near (the destination is off the mesh, out of reach or taken by its group) is
    measured from its post.
    """
    arrival: cython.double = store.followers.arrival_radius[slot]
    limit: cython.double = 2.0 * arrival + _PUSH_MARGIN
    if _distance2(store.followers.anchor, store.followers.destination, slot, slot) <= arrival * arrival:
        return _distance2(store.followers.position, store.followers.destination, slot, slot) > limit * limit
    return _distance2(store.followers.position, store.followers.anchor, slot, slot) > limit * limit


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
def is_settled_by(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.bint:
    """Tell whether a walker is held up, in contact with an agent that arrived at the same place and is nearer to it."""
    target: cython.p_double = store.followers.target
    me: cython.int = store.rank[slot]
    slow: cython.double = _HELD_UP_SHARE * store.followers.max_speed[slot]
    vx: cython.double = store.sorted_vx[me]
    vz: cython.double = store.sorted_vz[me]
    if vx * vx + vz * vz > slow * slow:
        return False
    to_go2: cython.double = _distance2(store.followers.position, target, slot, slot)
    contact: cython.double
    combined: cython.double
    k: cython.int
    other: cython.int
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        if store.followers.state[other] != _ARRIVED:
            continue
        combined = store.radius[slot] + store.radius[other]
        contact = combined * (1.0 + _CONTACT_SHARE)
        if (worker.near_distance2[k] <= contact * contact
                and _distance2(target, target, slot, other) <= combined * combined
                and _distance2(store.followers.position, target, other, slot) < to_go2):
            return True
    return False
