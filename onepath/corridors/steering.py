"""A follower's step in a crowd, in two halves: what it wants, and the move with the velocity that was solved.

The first half leaves in the store what the second half needs, as other agents use the scratch in between.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import move_along, move_position
from cython.cimports.onepath.corridors.crossing import step_crossing
from cython.cimports.onepath.corridors.follower import place_at_surface, recover, set_velocity
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.shortcuts import move_freely
from cython.cimports.onepath.corridors.states import CornerKind, FollowerState, PlanKind
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.corridors.upkeep import arrive, keep_ground, pending, upkeep, wanted_speed
from cython.cimports.onepath.corridors.walk import report, watch_progress
from cython.cimports.onepath.navmesh.filter import QueryFilter

#: Lengths below this have no direction (world units; for the bend of a path, no unit).
_NO_LENGTH = cython.declare(cython.double, 1e-9)
_NO_BEND = cython.declare(cython.double, 1e-6)
#: No move goes farther than this per axis (the largest distance between two coordinates).
_FARTHEST = cython.declare(cython.double, 4194304.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def plan_crowd(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
               dt: cython.double) -> cython.int:
    """Do the upkeep of one agent and find the velocity it wants, in ``s.wanted`` (X/Z).

    Returns:
        0: it stands and wants 0. 1: it walks. 2: it crosses a link (or has just entered or left one); its step is done.
        3: it stands at a link's entry, noted in ``s.entry``, and wants to be let in.
    """
    s.entry[slot] = 0
    s.walking[slot] = 0
    s.wanted[2 * slot] = 0.0
    s.wanted[2 * slot + 1] = 0.0
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        step_crossing(s, slot, w, f, dt)
        return PlanKind.CROSSING
    if s.state[slot] != FollowerState.MOVING:
        keep_ground(s, slot, w, f)
        return PlanKind.STANDING
    if not upkeep(s, slot, w, f, True):
        if s.state[slot] == FollowerState.OFF_MESH_LINK:
            return PlanKind.CROSSING
        return PlanKind.WAITING if s.entry[slot] != 0 else PlanKind.STANDING
    s.walking[slot] = 1
    _want(s, slot, w, wanted_speed(s, slot, w))
    return PlanKind.WALKING


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _want(s: FollowerStore, slot: cython.int, w: CorridorScratch, speed: cython.double) -> cython.void:
    dx: cython.double = s.corner[3 * slot] - s.surface[3 * slot]
    dz: cython.double = s.corner[3 * slot + 2] - s.surface[3 * slot + 2]
    length: cython.double = w.steer_distance
    following: cython.int = w.steer + 1
    if (s.corner_kind[slot] == CornerKind.BEND and s.corner_clearance[slot] > 0.0 and following < w.corner_count
            and length > _NO_LENGTH):
        next_x: cython.double = w.query.corner_xyz[3 * following] - s.corner[3 * slot]
        next_z: cython.double = w.query.corner_xyz[3 * following + 2] - s.corner[3 * slot + 2]
        next_length: cython.double = sqrt(next_x * next_x + next_z * next_z)
        if next_length > 0.0:
            # Both unit vectors meet at the corner; their difference points away from the wall it belongs to.
            out_x: cython.double = dx / length - next_x / next_length
            out_z: cython.double = dz / length - next_z / next_length
            out_length: cython.double = sqrt(out_x * out_x + out_z * out_z)
            if out_length >= _NO_BEND:
                dx += s.corner_clearance[slot] * (out_x / out_length)
                dz += s.corner_clearance[slot] * (out_z / out_length)
                length = sqrt(dx * dx + dz * dz)
    if length > _NO_LENGTH:
        s.wanted[2 * slot] = speed * (dx / length)
        s.wanted[2 * slot + 1] = speed * (dz / length)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _within(way: cython.double) -> cython.double:
    return min(max(way, -_FARTHEST), _FARTHEST)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def apply_crowd(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, vx: cython.double,
                vz: cython.double, dt: cython.double) -> cython.void:
    """Move a walking agent by the velocity (X/Z) for ``dt`` seconds along the surface, and report as a step does.

    An agent that would pass the end of its path or a link's entry lands on it.
    """
    x: cython.double = s.position[3 * slot]
    y: cython.double = s.position[3 * slot + 1]
    z: cython.double = s.position[3 * slot + 2]
    dx: cython.double = s.corner[3 * slot] - x
    dz: cython.double = s.corner[3 * slot + 2] - z
    way_x: cython.double = _within(vx * dt)
    way_z: cython.double = _within(vz * dt)
    along: cython.double = dx * way_x + dz * way_z
    distance2: cython.double = dx * dx + dz * dz
    length: cython.double = s.length[slot]
    lands: cython.bint = s.corner_kind[slot] != CornerKind.BEND and along >= distance2
    if lands:
        _move(s, slot, w, f, s.corner[3 * slot], s.corner[3 * slot + 1], s.corner[3 * slot + 2])
    else:
        part: cython.double = min(max(along / distance2, 0.0), 1.0) if distance2 > 0.0 else 0.0
        _move(s, slot, w, f, x + way_x, y + (s.corner[3 * slot + 1] - y) * part, z + way_z)
    place_at_surface(s, slot)
    if (s.state[slot] == FollowerState.MOVING and lands and s.corner_kind[slot] == CornerKind.END
            and not pending(s, slot)):
        dx = s.corner[3 * slot] - s.position[3 * slot]
        dz = s.corner[3 * slot + 2] - s.position[3 * slot + 2]
        if sqrt(dx * dx + dz * dz) <= max(s.arrival_radius[slot], _NO_LENGTH):
            arrive(s, slot)
    report(s, slot, x, y, z, length, dt)
    if s.state[slot] == FollowerState.MOVING:
        watch_progress(s, slot, dt)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double, y: cython.double,
          z: cython.double) -> cython.void:
    if not move_along(s, slot, w, s.corner_limit[slot], x, y, z) and not move_freely(s, slot, w, f, x, z):
        recover(s, slot, w, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def nudge(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, vx: cython.double,
          vz: cython.double, dt: cython.double) -> cython.void:
    """Push a standing agent along the surface; its velocity becomes what came of it."""
    x: cython.double = s.position[3 * slot]
    y: cython.double = s.position[3 * slot + 1]
    z: cython.double = s.position[3 * slot + 2]
    if (vx != 0.0 or vz != 0.0) and move_position(s, slot, w, f, x + _within(vx * dt), z + _within(vz * dt)):
        place_at_surface(s, slot)
    s.velocity[3 * slot] = 0.0
    s.velocity[3 * slot + 1] = 0.0
    s.velocity[3 * slot + 2] = 0.0
    if s.position[3 * slot] != x or s.position[3 * slot + 2] != z:
        set_velocity(s, slot, x, y, z, dt)
