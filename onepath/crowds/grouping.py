"""Agents that arrive as a group: who belongs together, how they close in on their place, and when they have arrived.

All of this needs ``AgentOptions.group_arrival``. An agent's group are the agents sent to the same place.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.follower import begin_watch
from cython.cimports.onepath.corridors.states import CornerKind, FollowerState
from cython.cimports.onepath.crowds.neighbours import cell_at
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker
from cython.cimports.onepath.orca.lines import OrcaLines

#: Arrived agents at most this share of their combined radius away, surface to surface, are in contact.
_CONTACT_SHARE = cython.declare(cython.double, 0.1)
#: Discs of arrived agents that cover this share of a disc leave no room in it; none for a slow agent; and little.
_FILLED_SHARE = cython.declare(cython.double, 0.5)
_NEARLY_FILLED_SHARE = cython.declare(cython.double, 0.45)
_MOSTLY_FILLED_SHARE = cython.declare(cython.double, 0.3)
#: A wall within this many radii is near.
_WALL_RADII = cython.declare(cython.double, 4.0)
#: Share of an agent's acceleration that it counts on for braking; the rest is for what its neighbours do meanwhile.
_BRAKING_SHARE = cython.declare(cython.double, 0.35)
#: Seconds over which progress is measured, and the share of full speed towards the target that is progress.
_WATCH = cython.declare(cython.double, 1.0)
_PROGRESS_SHARE = cython.declare(cython.double, 0.1)
_MOST_COUNTED = cython.declare(cython.int, 1 << 30)
#: Having made no progress for so many watches in contact with its group an agent has arrived.
_PATIENCE = cython.declare(cython.int, 3)


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
def same_place(store: CrowdStore, a: cython.int, b: cython.int) -> cython.bint:
    """Tell whether two agents' targets are no farther apart than their two radii."""
    combined: cython.double = store.radius[a] + store.radius[b]
    return _distance2(store.followers.target, store.followers.target, a, b) <= combined * combined


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_settled(store: CrowdStore, slot: cython.int) -> cython.bint:
    """Tell whether an agent that arrives with its group has arrived."""
    return store.group_arrival[slot] != 0 and store.followers.state[slot] == FollowerState.ARRIVED


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def watch_group(store: CrowdStore, slot: cython.int, dt: cython.double) -> cython.void:
    """Count, in the follower's recoveries, the seconds in a row in which a walker has come no nearer to its target.

    A follower that looks for being stuck itself counts there already.
    """
    clock: cython.double = store.followers.stuck_clock[slot] + dt
    nearer: cython.double
    if store.followers.stuck_window[slot] > 0.0:
        return
    store.followers.stuck_clock[slot] = clock
    if clock < _WATCH:
        return
    nearer = (sqrt(_distance2(store.followers.anchor, store.followers.target, slot, slot))
              - sqrt(_distance2(store.followers.position, store.followers.target, slot, slot)))
    begin_watch(store.followers, slot)
    if nearer >= _PROGRESS_SHARE * store.followers.max_speed[slot] * clock:
        store.followers.recoveries[slot] = 0
    elif store.followers.recoveries[slot] < _MOST_COUNTED:
        store.followers.recoveries[slot] = store.followers.recoveries[slot] + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_braking_lines(store: CrowdStore, worker: CrowdWorker, lines: OrcaLines, slot: cython.int) -> cython.void:
    """Append a half-plane against each neighbour of the group: from its velocities the agent can stop short of it.

    Avoidance takes it that any velocity can be taken up at once. Where many agents close in on one place its
    half-planes cannot all be kept, and what they ask for instead is beyond the agents' acceleration: they would run
    into one another. Standing still keeps all of these. Each of two agents may use half of the gap between them, and
    as much more as the other, braking, will still move away.

    Next to walls, and where it makes no progress, an agent does without: agents that never give way get stuck there.
    """
    me: cython.int = store.rank[slot]
    near: cython.double = _WALL_RADII * store.radius[slot]
    k: cython.int
    j: cython.int
    other: cython.int
    count: cython.int
    rx: cython.double
    rz: cython.double
    distance: cython.double
    gap: cython.double
    ahead: cython.double
    speed: cython.double
    if worker.wall_count > 0 and worker.wall_distance2[0] <= near * near:
        return
    if store.walking[slot] != 0 and (
            store.followers.recoveries[slot] > 0 or store.followers.corner_kind[slot] != CornerKind.END):
        return
    for k in range(worker.near_count):
        j = worker.near[k]
        other = store.sorted_slot[j]
        distance = sqrt(worker.near_distance2[k])
        if distance == 0.0 or not same_place(store, slot, other):
            continue
        rx = (store.sorted_x[j] - store.sorted_x[me]) / distance
        rz = (store.sorted_z[j] - store.sorted_z[me]) / distance
        gap = max(distance - store.radius[slot] - store.radius[other], 0.0)
        ahead = max(rx * store.sorted_vx[j] + rz * store.sorted_vz[j], 0.0)
        speed = sqrt(ahead * ahead + _BRAKING_SHARE * store.followers.max_acceleration[slot] * gap)
        count = lines.count
        lines.px[count] = rx * speed
        lines.pz[count] = rz * speed
        lines.nx[count] = -rx
        lines.nz[count] = -rz
        lines.count = count + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def group_verdict(store: CrowdStore, worker: CrowdWorker, slot: cython.int, slow: cython.bint) -> cython.int:
    """Judge a walker that arrives with its group.

    Returns:
        0: it is on its way. 1: it counts as arrived. 2: it does so if it is slow and cannot go around those who hold
        it up. 3: it goes around them if it is slow.

    It counts as arrived in contact with agents that have arrived at the same place, if those who stand nearer to it
    fill the ground there, or if it has come no nearer for some time (where walls leave less ground than there would
    be). The first counts as arrived next to the target, if the others hold it up there.
    """
    to_go2: cython.double = _distance2(store.followers.position, store.followers.target, slot, slot)
    waited: cython.int = store.followers.recoveries[slot]
    combined: cython.double
    contact: cython.double
    k: cython.int
    other: cython.int
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        combined = store.radius[slot] + store.radius[other]
        contact = combined * (1.0 + _CONTACT_SHARE)
        if worker.near_distance2[k] > contact * contact or not same_place(store, slot, other):
            continue
        if store.followers.state[other] != FollowerState.ARRIVED:
            if waited > 0 and to_go2 <= combined * combined:
                return 1
            continue
        if _distance2(store.followers.position, store.followers.target, other, slot) < to_go2:
            if waited >= _PATIENCE:
                return 1
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
    left: cython.int = cell_at(x - to_go, store.grid_cell, store.grid_columns)
    right: cython.int = cell_at(x + to_go, store.grid_cell, store.grid_columns)
    row: cython.int
    i: cython.int
    other: cython.int
    found: cython.double = 0.0
    if room <= 0.0:
        return 1
    for row in range(cell_at(z - to_go, store.grid_cell, store.grid_rows),
                     cell_at(z + to_go, store.grid_cell, store.grid_rows) + 1):
        for i in range(store.cell_start[row * store.grid_columns + left],
                       store.cell_start[row * store.grid_columns + right + 1]):
            other = store.sorted_slot[i]
            if (store.followers.state[other] == FollowerState.ARRIVED and same_place(store, slot, other)
                    and _distance2(store.followers.position, store.followers.target, other, slot) < to_go2):
                found += store.radius[other] * store.radius[other]
    share: cython.double = found / (room * room)
    if share >= _FILLED_SHARE or (slow and share >= _NEARLY_FILLED_SHARE):
        return 1
    return 2 if share >= _MOSTLY_FILLED_SHARE else 3
