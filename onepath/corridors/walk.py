"""One step of a lone follower: upkeep, then steering, walking and the report.

Speeds are horizontal: the agent moves along the taut string by |v| · dt, whatever the slope.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import corners, move_along
from cython.cimports.onepath.corridors.crossing import step_crossing
from cython.cimports.onepath.corridors.follower import begin_watch, place_at_surface, recover, set_velocity
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.shortcuts import move_freely
from cython.cimports.onepath.corridors.states import CornerKind, CorridorFlag, FollowerState
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.corridors.upkeep import aim, arrive, keep_ground, pending, upkeep, wanted_speed
from cython.cimports.onepath.navmesh.filter import QueryFilter

#: Corners that one step may round.
_MOST_HOPS = cython.declare(cython.int, 4)
#: Ending up this close (world units) to the end of the path is landing on it.
_LANDED = cython.declare(cython.double, 1e-9)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _stand(s: FollowerStore, slot: cython.int) -> cython.void:
    s.velocity[3 * slot] = 0.0
    s.velocity[3 * slot + 1] = 0.0
    s.velocity[3 * slot + 2] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def step(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, dt: cython.double) -> cython.void:
    """Advance a lone follower by ``dt`` seconds (> 0)."""
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        step_crossing(s, slot, w, f, dt)
        return
    if s.state[slot] != FollowerState.MOVING:
        keep_ground(s, slot, w, f)
        _stand(s, slot)
        return
    if not upkeep(s, slot, w, f, False):
        _stand(s, slot)
        return
    x: cython.double = s.position[3 * slot]
    y: cython.double = s.position[3 * slot + 1]
    z: cython.double = s.position[3 * slot + 2]
    length: cython.double = s.length[slot]
    _walk(s, slot, w, f, _speed(s, slot, w, dt) * dt)
    if s.state[slot] == FollowerState.NO_PATH:
        _stand(s, slot)
        return
    report(s, slot, x, y, z, length, dt)
    if s.state[slot] == FollowerState.MOVING:
        watch_progress(s, slot, dt)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _speed(s: FollowerStore, slot: cython.int, w: CorridorScratch, dt: cython.double) -> cython.double:
    """Stage 7: turn the velocity toward the wanted one as far as the acceleration allows; return its length."""
    speed: cython.double = wanted_speed(s, slot, w)
    vx: cython.double = s.velocity[3 * slot]
    vz: cython.double = s.velocity[3 * slot + 2]
    dx: cython.double = -vx
    dz: cython.double = -vz
    if w.steer_distance > 0.0:
        dx += speed * ((s.corner[3 * slot] - s.surface[3 * slot]) / w.steer_distance)
        dz += speed * ((s.corner[3 * slot + 2] - s.surface[3 * slot + 2]) / w.steer_distance)
    change: cython.double = sqrt(dx * dx + dz * dz)
    most: cython.double = s.max_acceleration[slot] * dt
    if change > most:
        dx = dx * (most / change)
        dz = dz * (most / change)
    vx += dx
    vz += dz
    # Where two full-speed directions meet the sum may come out a rounding error longer.
    return min(sqrt(vx * vx + vz * vz), max(speed, s.max_speed[slot]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk_to(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
             y: cython.double, z: cython.double) -> cython.bint:
    """Move to a point of the leg to the corner; tells whether exactly there. If nothing works the agent relocates."""
    if move_along(s, slot, w, s.corner_limit[slot], x, y, z):
        return True
    if not move_freely(s, slot, w, f, x, z):
        recover(s, slot, w, f)
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, rest: cython.double) -> cython.void:
    """Stage 8: walk a length along the taut string, round at most a few corners, never past the end or a link entry."""
    _hop: cython.int
    for _hop in range(_MOST_HOPS):
        x: cython.double = s.surface[3 * slot]
        y: cython.double = s.surface[3 * slot + 1]
        z: cython.double = s.surface[3 * slot + 2]
        if rest < w.steer_distance:
            part: cython.double = rest / w.steer_distance
            _walk_to(s, slot, w, f, x + (s.corner[3 * slot] - x) * part, y + (s.corner[3 * slot + 1] - y) * part,
                     z + (s.corner[3 * slot + 2] - z) * part)
            break
        rest -= w.steer_distance
        landed: cython.bint = _walk_to(s, slot, w, f, s.corner[3 * slot], s.corner[3 * slot + 1],
                                       s.corner[3 * slot + 2])
        if s.corner_kind[slot] != CornerKind.BEND or s.state[slot] != FollowerState.MOVING:
            if s.corner_kind[slot] == CornerKind.END and (landed or _is_on_corner(s, slot)) and not pending(s, slot):
                arrive(s, slot)
            break
        if rest <= 0.0:
            break
        w.corner_count = corners(s, slot, w, f, s.max_corners[slot])
        if w.corner_count < 0:
            break
        aim(s, slot, w)
    place_at_surface(s, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_on_corner(s: FollowerStore, slot: cython.int) -> cython.bint:
    dx: cython.double = s.corner[3 * slot] - s.surface[3 * slot]
    dz: cython.double = s.corner[3 * slot + 2] - s.surface[3 * slot + 2]
    return sqrt(dx * dx + dz * dz) <= max(s.arrival_radius[slot], _LANDED)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def report(s: FollowerStore, slot: cython.int, x: cython.double, y: cython.double, z: cython.double,
           length: cython.double, dt: cython.double) -> cython.void:
    """Stage 9: velocity from the displacement since (x, y, z), remaining distance from the path length there."""
    set_velocity(s, slot, x, y, z, dt)
    dx: cython.double = s.position[3 * slot] - x
    dz: cython.double = s.position[3 * slot + 2] - z
    s.remaining[slot] = max(length - sqrt(dx * dx + dz * dz), 0.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def watch_progress(s: FollowerStore, slot: cython.int, dt: cython.double) -> cython.void:
    """Stage 10: at full speed, compare the way made in each window with the way that counts as progress."""
    if s.full_speed[slot] == 0 or s.stuck_window[slot] <= 0.0:
        return
    s.stuck_clock[slot] += dt
    if s.stuck_clock[slot] < s.stuck_window[slot]:
        return
    dx: cython.double = s.position[3 * slot] - s.anchor[3 * slot]
    dz: cython.double = s.position[3 * slot + 2] - s.anchor[3 * slot + 2]
    way: cython.double = sqrt(dx * dx + dz * dz)
    begin_watch(s, slot)
    if way >= s.max_speed[slot] * s.stuck_window[slot] * s.stuck_progress[slot]:
        return
    s.recoveries[slot] += 1
    if s.recoveries[slot] > s.max_stuck_recoveries[slot]:
        s.state[slot] = FollowerState.STUCK
        _stand(s, slot)
    else:
        s.flags[slot] |= CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
