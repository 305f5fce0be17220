"""The phases of a crowd's step. A worker takes every so-manieth group of 32 slots; an agent writes its own slot only.

What a phase reads of other agents was written by an earlier phase (positions and velocities: by the snapshot), so the
result does not depend on how groups are dealt out or on which worker is late.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.follower import search_within, set_destination, wants_replan
from cython.cimports.onepath.corridors.steering import apply_crowd, nudge, plan_crowd
from cython.cimports.onepath.corridors.upkeep import arrive
from cython.cimports.onepath.crowds.avoid import avoid
from cython.cimports.onepath.crowds.neighbours import take_snapshot
from cython.cimports.onepath.crowds.settling import is_displaced, note_post, want_post
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.walls import refresh_walls
from cython.cimports.onepath.crowds.worker import CrowdWorker

_GROUP = cython.declare(cython.int, 32)
_NO_LIMIT = cython.declare(cython.longlong, 0x7FFFFFFF)

_MOVING = cython.declare(cython.int, 1)
_ARRIVED = cython.declare(cython.int, 3)

_WALKING_PLAN = cython.declare(cython.int, 1)
_CROSSING_PLAN = cython.declare(cython.int, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_step(store: CrowdStore, worker: CrowdWorker) -> cython.void:
    """Take the snapshot; with a budget for replans, make those that it pays for, in slot order, and hold the others."""
    slot: cython.int
    take_snapshot(store)
    if store.replan_budget == 0:
        return
    worker.scratch.searched = 0
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        store.followers.held[slot] = 1
        _send_back(store, worker, slot)
        if worker.scratch.searched < store.replan_budget and wants_replan(store.followers, slot, True):
            _serve(store, worker, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _serve(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Search for one agent within what is left of the budget.

    The first one served may use its own budget whole, so that a search larger than the crowd's budget ends some day. A
    search that is cut short by what others have used changes nothing and begins again as the first of the next step.
    """
    limit: cython.longlong = store.replan_budget - worker.scratch.searched
    if worker.scratch.searched == 0:
        limit = _NO_LIMIT
    search_within(store.followers, slot, worker.scratch, store.filter, cython.cast(cython.int, limit))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def plan_groups(
    store: CrowdStore, worker: CrowdWorker, index: cython.int, workers: cython.int, dt: cython.double
) -> cython.void:
    """Phase 1: corridors are kept up, wanted velocities found and walls looked up."""
    first: cython.int = index * _GROUP
    slot: cython.int
    while first < store.slot_count:
        for slot in range(first, min(first + _GROUP, store.slot_count)):
            if store.active[slot] == 0:
                continue
            if store.replan_budget == 0:
                _send_back(store, worker, slot)
            _plan(store, worker, slot, dt)
        first += workers * _GROUP


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _send_back(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Send an agent that has arrived and was pushed away back to its destination."""
    if store.followers.state[slot] != _ARRIVED or not is_displaced(store, slot):
        return
    set_destination(
        store.followers, slot, worker.scratch, store.filter, store.followers.destination[3 * slot],
        store.followers.destination[3 * slot + 1], store.followers.destination[3 * slot + 2], store.replan_budget > 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _plan(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    before: cython.int = store.followers.state[slot]
    plan: cython.int = plan_crowd(store.followers, slot, worker.scratch, store.filter, dt)
    if before == _MOVING and store.followers.state[slot] == _ARRIVED:
        note_post(store, slot)
    store.walking[slot] = 1 if plan == _WALKING_PLAN else 0
    store.crossing[slot] = 1 if plan == _CROSSING_PLAN else 0
    store.settles[slot] = 0
    if plan == _CROSSING_PLAN:
        return
    if store.yields[slot] != 0 and store.followers.state[slot] == _ARRIVED:
        want_post(store, slot, dt)
    if store.quality[slot] != 0:
        refresh_walls(store, worker, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def avoid_groups(
    store: CrowdStore, worker: CrowdWorker, index: cython.int, workers: cython.int, dt: cython.double
) -> cython.void:
    """Phase 2: every agent's velocity is solved for."""
    first: cython.int = index * _GROUP
    slot: cython.int
    while first < store.slot_count:
        for slot in range(first, min(first + _GROUP, store.slot_count)):
            if store.active[slot] == 0:
                continue
            if store.quality[slot] != 0 and store.crossing[slot] == 0:
                avoid(store, worker, slot, dt)
                continue
            store.solved[2 * slot] = store.followers.wanted[2 * slot]
            store.solved[2 * slot + 1] = store.followers.wanted[2 * slot + 1]
            store.line_count[slot] = 0
        first += workers * _GROUP


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_groups(
    store: CrowdStore, worker: CrowdWorker, index: cython.int, workers: cython.int, dt: cython.double
) -> cython.void:
    """Phase 3: every agent moves."""
    first: cython.int = index * _GROUP
    slot: cython.int
    while first < store.slot_count:
        for slot in range(first, min(first + _GROUP, store.slot_count)):
            if store.active[slot] != 0 and store.crossing[slot] == 0:
                _move(store, worker, slot, dt)
        first += workers * _GROUP


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    me: cython.int = store.rank[slot]
    vx: cython.double = store.sorted_vx[me]
    vz: cython.double = store.sorted_vz[me]
    dx: cython.double = store.solved[2 * slot] - vx
    dz: cython.double = store.solved[2 * slot + 1] - vz
    most: cython.double = store.followers.max_acceleration[slot] * dt
    change2: cython.double = dx * dx + dz * dz
    scale: cython.double = 1.0
    if change2 > most * most:
        scale = most / sqrt(change2)
    vx += scale * dx
    vz += scale * dz
    if store.walking[slot] == 0:
        nudge(store.followers, slot, worker.scratch, store.filter, vx, vz, dt)
        return
    apply_crowd(store.followers, slot, worker.scratch, store.filter, vx, vz, dt)
    if store.followers.state[slot] == _MOVING and store.settles[slot] != 0:
        arrive(store.followers, slot)
    if store.followers.state[slot] == _ARRIVED:
        note_post(store, slot)
