"""The phases of a crowd's step. A worker takes every so-manieth group of 32 slots; an agent writes its own slot only.

What a phase reads of other agents was written by an earlier phase (positions and velocities: by the snapshot), so the
result does not depend on how groups are dealt out or on which worker is late.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import move_position, validate
from cython.cimports.onepath.corridors.follower import (
    place_at_surface, recover, request_destination, search_within, set_destination, set_velocity, wants_replan,
)
from cython.cimports.onepath.corridors.states import CorridorFlag, FollowerState, PlanKind, Validity
from cython.cimports.onepath.corridors.steering import apply_crowd, nudge, plan_crowd
from cython.cimports.onepath.corridors.upkeep import arrive
from cython.cimports.onepath.crowds.avoid import avoid
from cython.cimports.onepath.crowds.grouping import watch_group
from cython.cimports.onepath.crowds.neighbours import take_snapshot
from cython.cimports.onepath.crowds.queueing import find_widest
from cython.cimports.onepath.crowds.settling import carry_post, is_displaced, note_post, want_post, wants_retry
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.walls import refresh_walls
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow

_GROUP = cython.declare(cython.int, 32)
#: A move this much longer than asked for is rounding (share, m); one longer than this many times is no slide.
_PACE_TOLERANCE = cython.declare(cython.double, 1.0 + 1e-12)
_PACE_ROUNDING = cython.declare(cython.double, 1e-9)
_LARGEST_SLIDE = cython.declare(cython.double, 2.0)
_MOST_TRIES = cython.declare(cython.int, 4)
_NO_LIMIT = cython.declare(cython.longlong, 0x7FFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_step(store: CrowdStore, worker: CrowdWorker) -> cython.void:
    """Take the snapshot; with a budget for replans, make those that it pays for, in slot order, and hold the others."""
    slot: cython.int
    take_snapshot(store)
    if store.queues_at_links:
        find_widest(store)
    if store.replan_budget == 0:
        return
    worker.scratch.searched = 0
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        narrow(store, worker, slot)
        store.followers.held[slot] = 1
        _check_way(store, worker, slot)
        _send_back(store, worker, slot)
        if worker.scratch.searched < store.replan_budget and wants_retry(store, slot):
            _retry(store, worker, slot)
        if worker.scratch.searched < store.replan_budget and wants_replan(store.followers, slot, True):
            _serve(store, worker, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _check_way(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """After an edit of the mesh find a walker's ground again, so that its replan can be made in this step already.

    Otherwise one whose ground is replaced in every step would stand: its replan would always come too late.
    """
    if store.followers.state[slot] != FollowerState.MOVING or store.wall_stamp[slot] == store.mesh.revision:
        return
    if validate(store.followers, slot, worker.scratch, worker.filter,
                store.followers.validate_look_ahead[slot]) == Validity.INVALID:
        recover(store.followers, slot, worker.scratch, worker.filter)


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
    search_within(store.followers, slot, worker.scratch, worker.filter, cython.cast(cython.int, limit))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def plan_groups(
    store: CrowdStore, worker: CrowdWorker, index: cython.int, workers: cython.int, dt: cython.double
) -> cython.void:
    """Phase 1: corridors are kept up, wanted velocities found and walls looked up."""
    first: cython.int = index * _GROUP
    slot: cython.int
    worker.waiting = 0
    worker.scratch.queue_reach = store.widest_radius
    while first < store.slot_count:
        for slot in range(first, min(first + _GROUP, store.slot_count)):
            if store.active[slot] == 0:
                continue
            narrow(store, worker, slot)
            if store.replan_budget == 0:
                _send_back(store, worker, slot)
                if wants_retry(store, slot):
                    _retry(store, worker, slot)
            _plan(store, worker, slot, dt)
        first += workers * _GROUP


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _send_back(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Send an agent that has arrived and was pushed away back to its destination."""
    if store.followers.state[slot] != FollowerState.ARRIVED or not is_displaced(store, slot):
        return
    set_destination(
        store.followers, slot, worker.scratch, worker.filter, store.followers.destination[3 * slot],
        store.followers.destination[3 * slot + 1], store.followers.destination[3 * slot + 2], store.replan_budget > 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _retry(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Send an agent that found no way, or only part of it, there again, as the mesh has changed since."""
    x: cython.double = store.followers.destination[3 * slot]
    y: cython.double = store.followers.destination[3 * slot + 1]
    z: cython.double = store.followers.destination[3 * slot + 2]
    if store.followers.state[slot] == FollowerState.MOVING:
        store.followers.flags[slot] = store.followers.flags[slot] | CorridorFlag.NEEDS_REPLAN
    elif store.followers.state[slot] == FollowerState.ARRIVED:
        request_destination(store.followers, slot, worker.scratch, worker.filter, x, y, z, False)
    else:
        set_destination(store.followers, slot, worker.scratch, worker.filter, x, y, z, store.replan_budget > 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _plan(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    before: cython.int = store.followers.state[slot]
    plan: cython.int = plan_crowd(store.followers, slot, worker.scratch, worker.filter, dt)
    if before == FollowerState.MOVING and store.followers.state[slot] == FollowerState.ARRIVED:
        note_post(store, slot)
    store.walking[slot] = 1 if plan == PlanKind.WALKING else 0
    store.crossing[slot] = 1 if plan == PlanKind.CROSSING else 0
    if plan == PlanKind.WAITING:
        worker.waiting += 1
    store.settles[slot] = 0
    if plan == PlanKind.CROSSING:
        return
    if store.yields[slot] != 0 and store.followers.state[slot] == FollowerState.ARRIVED:
        want_post(store, slot, dt)
    if store.replan_budget == 0 or not wants_retry(store, slot):
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
                narrow(store, worker, slot)
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
                narrow(store, worker, slot)
                _move(store, worker, slot, dt)
        first += workers * _GROUP


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    me: cython.int = store.rank[slot]
    vx: cython.double = store.sorted_vx[me]
    vz: cython.double = store.sorted_vz[me]
    before2: cython.double = vx * vx + vz * vz
    dx: cython.double = store.solved[2 * slot] - vx
    dz: cython.double = store.solved[2 * slot + 1] - vz
    most: cython.double = store.followers.max_acceleration[slot] * dt
    change2: cython.double = dx * dx + dz * dz
    scale: cython.double = 1.0
    if change2 > most * most:
        scale = most / sqrt(change2)
    vx += scale * dx
    vz += scale * dz
    x: cython.double = store.followers.position[3 * slot]
    y: cython.double = store.followers.position[3 * slot + 1]
    z: cython.double = store.followers.position[3 * slot + 2]
    if store.walking[slot] == 0:
        nudge(store.followers, slot, worker.scratch, worker.filter, vx, vz, dt)
        _keep_pace(store, worker, slot, x, y, z, sqrt(vx * vx + vz * vz) * dt, dt)
        if store.yields[slot] != 0 and store.followers.state[slot] == FollowerState.ARRIVED:
            carry_post(store, slot, before2, dt)
        return
    apply_crowd(store.followers, slot, worker.scratch, worker.filter, vx, vz, dt)
    _keep_pace(store, worker, slot, x, y, z, sqrt(vx * vx + vz * vz) * dt, dt)
    if store.followers.state[slot] == FollowerState.MOVING and store.group_arrival[slot] != 0:
        watch_group(store, slot, dt)
        if store.settles[slot] != 0:
            arrive(store.followers, slot)
    if store.followers.state[slot] == FollowerState.ARRIVED:
        note_post(store, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_pace(
    store: CrowdStore, worker: CrowdWorker, slot: cython.int, x: cython.double, y: cython.double, z: cython.double,
    way: cython.double, dt: cython.double,
) -> cython.void:
    """Take an agent back if sliding along walls brought it farther from (x, y, z) than it was to walk.

    The point of the mesh nearest to where a move leads can be farther from its start than the move is long. The way
    back, too, leads to the nearest point; so what is aimed at moves towards the start.
    """
    dx: cython.double = store.followers.position[3 * slot] - x
    dz: cython.double = store.followers.position[3 * slot + 2] - z
    length: cython.double = sqrt(dx * dx + dz * dz)
    back_x: cython.double = dx
    back_z: cython.double = dz
    share: cython.double
    if length > _LARGEST_SLIDE * way or length == 0.0:
        return
    share = way / length
    for _ in range(_MOST_TRIES):
        if length <= way * _PACE_TOLERANCE + _PACE_ROUNDING:
            return
        if not move_position(
                store.followers, slot, worker.scratch, worker.filter, x + share * back_x, z + share * back_z):
            return
        place_at_surface(store.followers, slot)
        set_velocity(store.followers, slot, x, y, z, dt)
        share *= 0.5
        dx = store.followers.position[3 * slot] - x
        dz = store.followers.position[3 * slot + 2] - z
        length = sqrt(dx * dx + dz * dz)
