"""The second phase of a step for one agent: from the velocity it wants to one that keeps clear of others and walls.

Source: van den Berg et al. 2011 for the constraints and the program; separation, the side bias and the turns around
standing agents are this library's.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.states import CornerKind
from cython.cimports.onepath.crowds.grouping import add_braking_lines, group_verdict, is_settled, same_place
from cython.cimports.onepath.crowds.neighbours import find_neighbours
from cython.cimports.onepath.crowds.queueing import approach
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.walls import add_wall_lines
from cython.cimports.onepath.crowds.worker import CrowdWorker
from cython.cimports.onepath.orca.constraints import add_agent_line
from cython.cimports.onepath.orca.lines import OrcaLines
from cython.cimports.onepath.orca.program import solve_lines

#: Agents nearer than this have no direction between them.
_SAME_PLACE = cython.declare(cython.double, 1e-9)
#: What agents at the very same place take as their relative position.
_APART = cython.declare(cython.double, 1e-3)
#: A wall constraint within this many radii turns the side bias to the other side.
_WALL_RADII = cython.declare(cython.double, 4.0)
#: A solution below this share of the wanted speed is blocked.
_BLOCKED_SHARE = cython.declare(cython.double, 0.3)
#: Share of full speed at which settled agents close up.
_CLOSING_SHARE = cython.declare(cython.double, 0.4)
#: Agents squeezing past each other keep this share of the distance they have.
_KEPT_ROOM = cython.declare(cython.double, 0.99)
#: Only farther than this many radii from its destination an agent turns around standing agents.
_QUEUE_RADII = cython.declare(cython.double, 8.0)
_HALF_ROOT = cython.declare(cython.double, 0.7071067811865476)
#: Steps shorter than this count as this long in constraints of overlapping agents, so that they stay finite.
_SHORTEST_STEP = cython.declare(cython.double, 1e-9)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def avoid(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    """Solve for the agent's velocity into ``store.solved``."""
    speed: cython.double = store.followers.max_speed[slot]
    speed_share: cython.double
    worker.lines.count = 0
    find_neighbours(store, worker, slot)
    add_wall_lines(store, worker, slot)
    walls: cython.int = worker.lines.count
    worker.lines.out_x = store.followers.wanted[2 * slot]
    worker.lines.out_z = store.followers.wanted[2 * slot + 1]
    if store.queues_at_links and store.walking[slot] != 0 and store.followers.corner_kind[slot] == CornerKind.LINK:
        speed_share = approach(store, worker, store.followers, slot)
        worker.lines.out_x *= speed_share
        worker.lines.out_z *= speed_share
    if is_settled(store, slot):
        _close_up(store, worker, slot)
    if store.separation_distance[slot] > 0.0:
        _add_separation(store, worker, slot, speed)
    _add_side_bias(store, worker, slot)
    wanted_x: cython.double = worker.lines.out_x
    wanted_z: cython.double = worker.lines.out_z
    if store.group_arrival[slot] != 0:
        add_braking_lines(store, worker, worker.lines, slot)
    hard: cython.int = worker.lines.count
    _add_neighbour_lines(store, worker, slot, dt)
    solve_lines(worker.lines, hard, speed, wanted_x, wanted_z)
    wanted2: cython.double = wanted_x * wanted_x + wanted_z * wanted_z
    solved2: cython.double = worker.lines.out_x * worker.lines.out_x + worker.lines.out_z * worker.lines.out_z
    if store.group_arrival[slot] != 0 and store.walking[slot] != 0 and _join_group(
            store, worker, slot, hard, wanted_x, wanted_z):
        pass
    elif solved2 < _BLOCKED_SHARE * _BLOCKED_SHARE * wanted2 and _may_turn(store, worker, slot):
        _turn(worker.lines, hard, speed, wanted_x, wanted_z)
    store.solved[2 * slot] = worker.lines.out_x
    store.solved[2 * slot + 1] = worker.lines.out_z
    if store.recording:
        _record(store, worker.lines, slot, walls)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _close_up(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Let an agent that has settled with its group want to move up while others of the group are still coming."""
    dx: cython.double = store.followers.target[3 * slot] - store.followers.position[3 * slot]
    dz: cython.double = store.followers.target[3 * slot + 2] - store.followers.position[3 * slot + 2]
    distance: cython.double = sqrt(dx * dx + dz * dz)
    speed: cython.double = min(_CLOSING_SHARE * store.followers.max_speed[slot], distance)
    k: cython.int
    other: cython.int
    if distance <= store.followers.arrival_radius[slot]:
        return
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        if store.walking[other] != 0 and same_place(store, slot, other):
            worker.lines.out_x = speed * (dx / distance)
            worker.lines.out_z = speed * (dz / distance)
            return


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_separation(store: CrowdStore, worker: CrowdWorker, slot: cython.int, speed: cython.double) -> cython.void:
    """Add to ``lines.out_*`` a push away from every neighbour that is too near, and cut the sum to full speed."""
    me: cython.int = store.rank[slot]
    distance: cython.double
    t: cython.double
    push: cython.double
    length2: cython.double
    k: cython.int
    j: cython.int
    for k in range(worker.near_count):
        distance = sqrt(worker.near_distance2[k])
        if distance >= store.separation_distance[slot]:
            continue
        j = worker.near[k]
        t = 1.0 - distance / store.separation_distance[slot]
        push = store.separation_weight[slot] * speed * t * t
        if distance > _SAME_PLACE:
            worker.lines.out_x += push * ((store.sorted_x[me] - store.sorted_x[j]) / distance)
            worker.lines.out_z += push * ((store.sorted_z[me] - store.sorted_z[j]) / distance)
        elif store.sorted_slot[j] < slot:
            worker.lines.out_x += push
        else:
            worker.lines.out_x -= push
    length2 = worker.lines.out_x * worker.lines.out_x + worker.lines.out_z * worker.lines.out_z
    if length2 > speed * speed:
        t = speed / sqrt(length2)
        worker.lines.out_x *= t
        worker.lines.out_z *= t


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_side_bias(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Turn the wanted velocity in ``lines.out_*`` a little to one side, or to the other if a wall is near there."""
    preference: cython.double = store.side_preference[slot]
    x: cython.double = worker.lines.out_x
    z: cython.double = worker.lines.out_z
    length2: cython.double = x * x + z * z
    if preference == 0.0 or length2 == 0.0:
        return
    bias_x: cython.double = z * preference
    bias_z: cython.double = -x * preference
    size: cython.double = sqrt(length2)
    if preference < 0.0:
        size *= -preference
    else:
        size *= preference
    near: cython.double = _WALL_RADII * store.radius[slot]
    k: cython.int
    for k in range(worker.wall_count):
        if (worker.wall_distance2[k] <= near * near
                and worker.lines.nx[k] * bias_x + worker.lines.nz[k] * bias_z < -0.5 * size):
            bias_x = -bias_x
            bias_z = -bias_z
            break
    worker.lines.out_x = x + bias_x
    worker.lines.out_z = z + bias_z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_neighbour_lines(store: CrowdStore, worker: CrowdWorker, slot: cython.int, dt: cython.double) -> cython.void:
    """Append the half-plane against each neighbour, in neighbour order."""
    me: cython.int = store.rank[slot]
    x: cython.double = store.sorted_x[me]
    z: cython.double = store.sorted_z[me]
    vx: cython.double = store.sorted_vx[me]
    vz: cython.double = store.sorted_vz[me]
    step: cython.double = max(dt, _SHORTEST_STEP)
    k: cython.int
    j: cython.int
    other: cython.int
    rx: cython.double
    rz: cython.double
    share: cython.double
    radius: cython.double
    for k in range(worker.near_count):
        j = worker.near[k]
        other = store.sorted_slot[j]
        rx = store.sorted_x[j] - x
        rz = store.sorted_z[j] - z
        if rx == 0.0 and rz == 0.0:
            rx = _APART if other > slot else -_APART
        share = 1.0
        if store.crossing[other] == 0:
            share = store.priority[other] / (store.priority[slot] + store.priority[other])
        if is_settled(store, other) != is_settled(store, slot) and same_place(store, slot, other):
            # Who has settled with a group stays; who joins it goes around.
            if is_settled(store, slot):
                continue
            share = 1.0
        radius = store.radius[slot] + store.radius[other]
        if store.squeeze[slot] > 0.0 and store.squeeze[other] > 0.0:
            radius = _squeezed(store, slot, other, me, j, radius, worker.near_distance2[k])
        add_agent_line(worker.lines, rx, rz, vx, vz, store.sorted_vx[j], store.sorted_vz[j], radius,
                       store.horizon[slot], step, share)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_held_up(store: CrowdStore, slot: cython.int, place: cython.int) -> cython.bint:
    vx: cython.double = store.sorted_vx[place]
    vz: cython.double = store.sorted_vz[place]
    slow: cython.double = _BLOCKED_SHARE * store.followers.max_speed[slot]
    return vx * vx + vz * vz < slow * slow


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _squeezed(
    store: CrowdStore, slot: cython.int, other: cython.int, me: cython.int, j: cython.int, radius: cython.double,
    distance2: cython.double,
) -> cython.double:
    """Return the combined radius of two agents that may squeeze past each other.

    It shrinks where both walk, against each other, and are held up. Once on the move they keep what room they have.
    """
    wanted: cython.p_double = store.followers.wanted
    along: cython.double = (
        wanted[2 * slot] * wanted[2 * other] + wanted[2 * slot + 1] * wanted[2 * other + 1])
    if store.walking[slot] == 0 or store.walking[other] == 0 or along >= 0.0:
        return radius
    least: cython.double = radius * (1.0 - min(store.squeeze[slot], store.squeeze[other]))
    if _is_held_up(store, slot, me) or _is_held_up(store, other, j):
        return least
    if distance2 < radius * radius:
        return max(_KEPT_ROOM * sqrt(distance2), least)
    return radius


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _may_turn(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.bint:
    """Tell whether a blocked agent looks for a way around: far from its destination, with a standing neighbour."""
    dx: cython.double = store.followers.destination[3 * slot] - store.followers.position[3 * slot]
    dz: cython.double = store.followers.destination[3 * slot + 2] - store.followers.position[3 * slot + 2]
    queue: cython.double = _QUEUE_RADII * store.radius[slot]
    if dx * dx + dz * dz <= queue * queue:
        return False
    k: cython.int
    other: cython.int
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        if store.walking[other] == 0 and store.crossing[other] == 0:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn(
    lines: OrcaLines, hard: cython.int, speed: cython.double, x: cython.double, z: cython.double
) -> cython.void:
    """Solve for the wanted velocity turned by ±90° and ±45°, too, and keep the fastest result in ``lines.out_*``."""
    best_x: cython.double = lines.out_x
    best_z: cython.double = lines.out_z
    best2: cython.double = best_x * best_x + best_z * best_z
    length2: cython.double
    turn: cython.int
    for turn in range(4):
        if turn == 0:
            solve_lines(lines, hard, speed, -z, x)
        elif turn == 1:
            solve_lines(lines, hard, speed, z, -x)
        elif turn == 2:
            solve_lines(lines, hard, speed, _HALF_ROOT * (x - z), _HALF_ROOT * (x + z))
        else:
            solve_lines(lines, hard, speed, _HALF_ROOT * (x + z), _HALF_ROOT * (z - x))
        length2 = lines.out_x * lines.out_x + lines.out_z * lines.out_z
        if length2 > best2:
            best2 = length2
            best_x = lines.out_x
            best_z = lines.out_z
    lines.out_x = best_x
    lines.out_z = best_z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join_group(
    store: CrowdStore, worker: CrowdWorker, slot: cython.int, hard: cython.int, x: cython.double, z: cython.double
) -> cython.bint:
    """Let a walker that its group holds up count as arrived, or go around the group, always the same way round.

    Returns:
        Whether its group holds it up.
    """
    slow: cython.bint = _is_held_up(store, slot, store.rank[slot])
    verdict: cython.int = group_verdict(store, worker, slot, slow)
    speed: cython.double = store.followers.max_speed[slot]
    best_x: cython.double = worker.lines.out_x
    best_z: cython.double = worker.lines.out_z
    store.settles[slot] = 1 if verdict == 1 else 0
    if verdict < 2 or not slow:
        return verdict != 0
    solve_lines(worker.lines, hard, speed, z, -x)
    around2: cython.double = worker.lines.out_x * worker.lines.out_x + worker.lines.out_z * worker.lines.out_z
    if around2 <= best_x * best_x + best_z * best_z:
        worker.lines.out_x = best_x
        worker.lines.out_z = best_z
    if verdict == 2 and around2 < _BLOCKED_SHARE * _BLOCKED_SHARE * (x * x + z * z):
        store.settles[slot] = 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _record(store: CrowdStore, lines: OrcaLines, slot: cython.int, walls: cython.int) -> cython.void:
    """Keep the half-planes for debug views."""
    first: cython.longlong = 4 * slot * cython.cast(cython.longlong, store.max_lines)
    k: cython.int
    for k in range(lines.count):
        store.line[first + 4 * k] = lines.px[k]
        store.line[first + 4 * k + 1] = lines.pz[k]
        store.line[first + 4 * k + 2] = lines.nx[k]
        store.line[first + 4 * k + 3] = lines.nz[k]
    store.line_count[slot] = lines.count
    store.line_walls[slot] = walls
