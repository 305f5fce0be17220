"""Agents that queue at off-mesh links: who of those that stand at an entry may begin to cross.

All of this needs ``CrowdOptions.queue_at_links``. Nothing here is state: who crosses, and where, is in the followers'
link ends and clocks, who waits is found anew in each step, and the right of way follows from the number of steps.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.crossing import begin_crossing
from cython.cimports.onepath.corridors.options import OffMeshMode
from cython.cimports.onepath.corridors.states import FollowerState
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.crowds.neighbours import cell_at
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker

#: Who lands takes this much longer to make room for the next than walking away freely takes.
_HASTE = cython.declare(cython.double, 1.25)
#: Of two directions each has the right of way for at least two crossings and so many seconds, and for so many steps.
_SHORTEST_TURN = cython.declare(cython.double, 1.0)
_FEWEST_STEPS = cython.declare(cython.ulonglong, 8)
_MOST_STEPS = cython.declare(cython.ulonglong, 1 << 20)
#: Share of the way that it lacks that an agent steps back in a second.
_STEP_BACK_RATE = cython.declare(cython.double, 4.0)
#: What is so much higher or lower (m) is on another floor.
_OTHER_FLOOR = cython.declare(cython.double, 1.5)
#: Share of its full speed at which an agent walks the last of the way to where it waits.
_SLOWEST = cython.declare(cython.double, 0.2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _distance2(a: cython.p_double, i: cython.int, b: cython.p_double, j: cython.int) -> cython.double:
    dx: cython.double = a[3 * i] - b[3 * j]
    dy: cython.double = a[3 * i + 1] - b[3 * j + 1]
    dz: cython.double = a[3 * i + 2] - b[3 * j + 2]
    return dx * dx + dy * dy + dz * dz


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_at(a: cython.p_double, i: cython.int, b: cython.p_double, j: cython.int) -> cython.bint:
    return a[3 * i] == b[3 * j] and a[3 * i + 1] == b[3 * j + 1] and a[3 * i + 2] == b[3 * j + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_widest(store: CrowdStore) -> cython.void:
    """Note the largest radius: who lands makes others keep away up to so much farther than where they would wait."""
    slot: cython.int
    store.widest_radius = 0.0
    for slot in range(store.slot_count):
        if store.active[slot] != 0:
            store.widest_radius = max(store.widest_radius, store.radius[slot])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def let_in(store: CrowdStore, worker: CrowdWorker, dt: cython.double) -> cython.void:
    """Let the agents that wait at links begin to cross, the nearest to its entry first, if there is room for them."""
    k: cython.int
    slot: cython.int
    turn: cython.ulonglong
    _gather(store)
    for k in range(store.waiter_count):
        slot = store.waiter[k]
        if store.walking[slot] != 0:
            continue
        turn = _turn(store, slot, dt)
        if (not _has_right_of_way(store, slot, turn) or not _has_room(store, slot, dt)
                or (_is_patient(store, turn) and _is_exit_taken(store, slot, dt))):
            _make_room(store, slot)
            continue
        begin_crossing(store.followers, slot, worker.scratch)
        store.crossing[slot] = 1
        store.crosser[store.crosser_count] = slot
        store.crosser_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather(store: CrowdStore) -> cython.void:
    """List who crosses or has just landed, in slot order, and who waits or comes to wait, the nearest first."""
    slot: cython.int
    place: cython.int
    way2: cython.double
    store.crosser_count = 0
    store.waiter_count = 0
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        if store.crossing[slot] != 0:
            store.crosser[store.crosser_count] = slot
            store.crosser_count += 1
        elif store.followers.entry[slot] != 0:
            way2 = _way2(store, slot)
            place = store.waiter_count
            while place > 0 and way2 < _way2(store, store.waiter[place - 1]):
                store.waiter[place] = store.waiter[place - 1]
                place -= 1
            store.waiter[place] = slot
            store.waiter_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _way2(store: CrowdStore, slot: cython.int) -> cython.double:
    return _distance2(store.followers.position, slot, store.mesh.link_xyz, store.followers.entry[slot] - 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _duration(store: CrowdStore, slot: cython.int) -> cython.double:
    """Return how long the agent takes to cross the link that it waits at, s."""
    end: cython.int = store.followers.entry[slot] - 1
    length: cython.double = sqrt(_distance2(store.mesh.link_xyz, end, store.mesh.link_xyz, end ^ 1))
    return length / store.followers.off_mesh_speed[slot]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn(store: CrowdStore, slot: cython.int, dt: cython.double) -> cython.ulonglong:
    """Return how many steps the turn of either end of the link that an agent waits at lasts.

    Longer than a crossing, so that those who came from the other end are out of the way before it is over.
    """
    least: cython.double = 2.0 * _duration(store, slot) + _SHORTEST_TURN
    steps: cython.ulonglong = _FEWEST_STEPS
    while steps < _MOST_STEPS and steps * dt < least:
        steps *= 2
    return steps


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_patient(store: CrowdStore, turn: cython.ulonglong) -> cython.bint:
    """Tell whether agents still wait for walkers to leave the exit: not in the last quarter of a turn.

    So nobody waits for ever for walkers that cannot leave.
    """
    return (store.step_count // (turn // 4)) & 3 != 3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_right_of_way(store: CrowdStore, slot: cython.int, turn: cython.ulonglong) -> cython.bint:
    """Tell whether nobody waits at the other end of the link, or it is this end's turn."""
    end: cython.int = store.followers.entry[slot] - 1
    return not _is_waited_at(store, end ^ 1) or ((store.step_count // turn) & 1) == (end & 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_waited_at(store: CrowdStore, end: cython.int) -> cython.bint:
    k: cython.int
    slot: cython.int
    for k in range(store.waiter_count):
        slot = store.waiter[k]
        if store.followers.entry[slot] - 1 == end and store.crossing[slot] == 0:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_room(store: CrowdStore, slot: cython.int, dt: cython.double) -> cython.bint:
    """Tell whether an agent that begins to cross now comes near nobody on the link, nor where it lands."""
    k: cython.int
    for k in range(store.crosser_count):
        if _hinders(store, store.followers, slot, store.crosser[k], dt):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_exit_taken(store: CrowdStore, slot: cython.int, dt: cython.double) -> cython.bint:
    """Tell whether a walker will still be where an agent that begins to cross now lands.

    Who stands there for good is not waited for.
    """
    exit: cython.int = (store.followers.entry[slot] - 1) ^ 1
    reach: cython.double = store.radius[slot] + store.widest_radius
    duration: cython.double = _duration(store, slot)
    x: cython.double = store.mesh.link_xyz[3 * exit] - store.grid_x
    z: cython.double = store.mesh.link_xyz[3 * exit + 2] - store.grid_z
    left: cython.int = cell_at(x - reach, store.grid_cell, store.grid_columns)
    right: cython.int = cell_at(x + reach, store.grid_cell, store.grid_columns)
    row: cython.int
    i: cython.int
    for row in range(cell_at(z - reach, store.grid_cell, store.grid_rows),
                     cell_at(z + reach, store.grid_cell, store.grid_rows) + 1):
        for i in range(store.cell_start[row * store.grid_columns + left],
                       store.cell_start[row * store.grid_columns + right + 1]):
            if _stays(store, store.followers, slot, store.sorted_slot[i], duration - dt):
                return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _stays(store: CrowdStore, s: FollowerStore, slot: cython.int, other: cython.int,
           duration: cython.double) -> cython.bint:
    """Tell whether a walker will still be too near to the exit of an agent's link in so many seconds."""
    ends: cython.p_double = store.mesh.link_xyz
    exit: cython.int = (s.entry[slot] - 1) ^ 1
    if other == slot or store.crossing[other] != 0 or s.state[other] != FollowerState.MOVING:
        return False
    dx: cython.double = s.position[3 * other] - ends[3 * exit]
    dy: cython.double = s.position[3 * other + 1] - ends[3 * exit + 1]
    dz: cython.double = s.position[3 * other + 2] - ends[3 * exit + 2]
    lacking: cython.double = store.radius[slot] + store.radius[other] - sqrt(dx * dx + dz * dz)
    return lacking > 0.0 and -_OTHER_FLOOR < dy < _OTHER_FLOOR and duration < _time_to_leave(s, other, lacking)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _make_room(store: CrowdStore, slot: cython.int) -> cython.void:
    """Let a waiting agent want to step back from where somebody lands, or will who waits at the link's other end."""
    k: cython.int
    other: cython.int
    end: cython.int = store.followers.entry[slot] - 1
    for k in range(store.crosser_count):
        other = store.crosser[k]
        if store.followers.state[other] == FollowerState.OFF_MESH_LINK:
            _step_back(store, store.followers, slot, other, store.followers.link_end, other)
    for k in range(store.waiter_count):
        other = store.waiter[k]
        if store.followers.entry[other] - 1 == (end ^ 1):
            _step_back(store, store.followers, slot, other, store.mesh.link_xyz, end)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _step_back(store: CrowdStore, s: FollowerStore, slot: cython.int, other: cython.int,
               places: cython.p_double, place: cython.int) -> cython.void:
    """Let an agent want to step back from the place where another one lands, unless it wants that faster already."""
    dx: cython.double = s.position[3 * slot] - places[3 * place]
    dy: cython.double = s.position[3 * slot + 1] - places[3 * place + 1]
    dz: cython.double = s.position[3 * slot + 2] - places[3 * place + 2]
    way: cython.double = sqrt(dx * dx + dz * dz)
    speed: cython.double = min(_STEP_BACK_RATE * (store.radius[slot] + store.radius[other] - way), s.max_speed[slot])
    x: cython.double = s.wanted[2 * slot]
    z: cython.double = s.wanted[2 * slot + 1]
    if speed <= 0.0 or speed * speed <= x * x + z * z or not -_OTHER_FLOOR < dy < _OTHER_FLOOR:
        return
    s.wanted[2 * slot] = speed * (dx / way) if way > 0.0 else speed
    s.wanted[2 * slot + 1] = speed * (dz / way) if way > 0.0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def approach(store: CrowdStore, worker: CrowdWorker, s: FollowerStore, slot: cython.int) -> cython.double:
    """Return the share of its wanted speed at which a walker goes to a link where others wait or are to land.

    It comes to rest where it will wait instead of running into the place where they land.
    """
    k: cython.int
    other: cython.int
    busy: cython.bint = False
    for k in range(worker.near_count):
        other = store.sorted_slot[worker.near[k]]
        if store.crossing[other] != 0:
            busy = busy or (s.state[other] == FollowerState.OFF_MESH_LINK and _is_at(s.link_end, other, s.corner, slot))
        elif s.entry[other] != 0 and store.walking[other] == 0:
            busy = busy or _is_at(store.mesh.link_xyz, s.entry[other] - 1, s.corner, slot)
    if not busy:
        return 1.0
    dx: cython.double = s.corner[3 * slot] - s.position[3 * slot]
    dz: cython.double = s.corner[3 * slot + 2] - s.position[3 * slot + 2]
    way: cython.double = max(sqrt(dx * dx + dz * dz) - s.off_mesh_trigger_radius[slot], 0.0)
    return min(max(sqrt(s.max_acceleration[slot] * way) / s.max_speed[slot], _SLOWEST), 1.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hinders(store: CrowdStore, s: FollowerStore, slot: cython.int, other: cython.int,
             dt: cython.double) -> cython.bint:
    """Tell whether somebody who crosses a link, this or another one, or has just landed is in the agent's way."""
    ends: cython.p_double = store.mesh.link_xyz
    end: cython.int = s.entry[slot] - 1
    room: cython.double = store.radius[slot] + store.radius[other]
    landing: cython.p_double = s.link_end if s.state[other] == FollowerState.OFF_MESH_LINK else s.position
    first: cython.double = 0.0
    last: cython.double
    same: cython.bint = False
    if s.state[other] == FollowerState.OFF_MESH_LINK:
        if _is_at(s.link_start, other, ends, end ^ 1) and _is_at(s.link_end, other, ends, end):
            return True
        same = _is_at(s.link_start, other, ends, end) and _is_at(s.link_end, other, ends, end ^ 1)
        if same and _distance2(s.position, other, ends, end) < room * room:
            return True
        if s.off_mesh_mode[other] == OffMeshMode.HOST:
            return False
        first = max(s.link_duration[other] - s.link_elapsed[other], 0.0)
    if s.off_mesh_mode[slot] == OffMeshMode.HOST or _distance2(landing, other, ends, end ^ 1) >= room * room:
        return False
    last = _duration(store, slot)
    if same or first <= last:
        return last - first < _time_to_leave(s, other, room) + dt
    return first - last < _time_to_leave(s, slot, room) + dt


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _time_to_leave(s: FollowerStore, slot: cython.int, way: cython.double) -> cython.double:
    """Return how long an agent takes to walk so far from where it lands, where it stands at first."""
    speed: cython.double = s.max_speed[slot]
    pace: cython.double = s.max_acceleration[slot]
    if 2.0 * pace * way <= speed * speed:
        return _HASTE * sqrt(2.0 * way / pace)
    return _HASTE * (way / speed + 0.5 * speed / pace)
