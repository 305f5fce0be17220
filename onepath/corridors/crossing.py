"""Crossing an off-mesh link: the agent leaves the surface at the link's entry and comes back to it at the exit.

While it crosses, the corridor stays at the entry's polygon; position and velocity are the crossing's own. An automatic
crossing takes ⌈duration / dt⌉ steps; in host mode nothing moves until :func:`complete_link`.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import keep_from, put_surface, relocate, set_single
from cython.cimports.onepath.corridors.follower import place_at_surface, set_velocity
from cython.cimports.onepath.corridors.options import OffMeshMode
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.states import CorridorFlag, FollowerState
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import link_passes, link_target, poly_of_ref


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_at(w: CorridorScratch, end: cython.int, corner: cython.int) -> cython.bint:
    """Tell whether a link end leaves the surface at a corner."""
    ends: cython.p_double = w.query.mesh.link_xyz
    at: cython.p_double = w.query.corner_xyz
    return ends[3 * end] == at[3 * corner] and ends[3 * end + 2] == at[3 * corner + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _link_at(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, place: cython.int,
             corner: cython.int) -> cython.int:
    """Return the link end at a corner that leads from corridor polygon ``place`` to the next one, or −1.

    Of several that leave there it is the one that comes back at the next corner, else the first.
    """
    if place < 0 or place + 1 >= s.count[slot]:
        return -1
    a: cython.int = poly_of_ref(w.query.mesh, s.refs[slot * s.stride + place])
    b: cython.int = poly_of_ref(w.query.mesh, s.refs[slot * s.stride + place + 1])
    if a < 0 or b < 0:
        return -1
    found: cython.int = -1
    end: cython.int = w.query.mesh.poly_link[a]
    while end >= 0:
        if link_target(w.query.mesh, end) == b and link_passes(w.query.mesh, f, end) and _is_at(w, end, corner):
            if corner + 1 < w.corner_count and _is_at(w, end ^ 1, corner + 1):
                return end
            if found < 0:
                found = end
        end = w.query.mesh.link_next[end]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_entry(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
               entry: cython.int) -> cython.bint:
    """Note in ``s.entry`` and ``s.entry_place`` the link whose entry corner ``entry`` in ``w.query`` is.

    Returns:
        Whether there is such a link and it may be crossed now.
    """
    place: cython.int = w.query.corner_index[entry]
    end: cython.int = _link_at(s, slot, w, f, place, entry)
    if end < 0:
        # The exit of a link without length is merged into its entry, and with it the polygon behind.
        place -= 1
        end = _link_at(s, slot, w, f, place, entry)
        if end < 0:
            return False
    s.entry[slot] = end + 1
    s.entry_place[slot] = place
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_crossing(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.void:
    """Put the agent at the entry that :func:`find_entry` has found, and start across."""
    end: cython.int = s.entry[slot] - 1
    keep_from(s, slot, s.entry_place[slot])
    ends: cython.p_double = w.query.mesh.link_xyz
    length2: cython.double = 0.0
    i: cython.int
    for i in range(3):
        s.link_start[3 * slot + i] = ends[3 * end + i]
        s.link_end[3 * slot + i] = ends[3 * (end ^ 1) + i]
        s.velocity[3 * slot + i] = 0.0
        length2 += (ends[3 * (end ^ 1) + i] - ends[3 * end + i]) * (ends[3 * (end ^ 1) + i] - ends[3 * end + i])
    put_surface(s, slot, ends[3 * end], ends[3 * end + 1], ends[3 * end + 2])
    place_at_surface(s, slot)
    s.link_exit[slot] = s.refs[slot * s.stride + 1]
    s.link_elapsed[slot] = 0.0
    s.link_duration[slot] = sqrt(length2) / s.off_mesh_speed[slot]
    s.state[slot] = FollowerState.OFF_MESH_LINK


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def step_crossing(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                  dt: cython.double) -> cython.void:
    """One step of a crossing; in host mode the agent just stands."""
    i: cython.int
    if s.off_mesh_mode[slot] == OffMeshMode.HOST:
        for i in range(3):
            s.velocity[3 * slot + i] = 0.0
        return
    x: cython.double = s.position[3 * slot]
    y: cython.double = s.position[3 * slot + 1]
    z: cython.double = s.position[3 * slot + 2]
    s.link_elapsed[slot] += dt
    if s.link_elapsed[slot] >= s.link_duration[slot]:
        complete_link(s, slot, w, f)
    else:
        part: cython.double = s.link_elapsed[slot] / s.link_duration[slot]
        for i in range(3):
            s.position[3 * slot + i] = s.link_start[3 * slot + i] + part * (
                s.link_end[3 * slot + i] - s.link_start[3 * slot + i])
    set_velocity(s, slot, x, y, z, dt)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def complete_link(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Put a crossing agent at the link's exit, MOVING. False (nothing changed) if it is not crossing.

    The corridor is trimmed to the exit's polygon; if that is not in it any more, the agent begins anew near the exit.
    """
    if s.state[slot] != FollowerState.OFF_MESH_LINK:
        return False
    base: cython.int = slot * s.stride
    x: cython.double = s.link_end[3 * slot]
    y: cython.double = s.link_end[3 * slot + 1]
    z: cython.double = s.link_end[3 * slot + 2]
    place: cython.int = 0
    while place < s.count[slot] and s.refs[base + place] != s.link_exit[slot]:
        place += 1
    if place < s.count[slot]:
        keep_from(s, slot, place)
        put_surface(s, slot, x, y, z)
    else:
        # Where no ground is left near the exit, the next step's mesh check says so.
        set_single(s, slot, s.link_exit[slot], x, y, z)
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
        relocate(s, slot, w, f, s.search_extents[3 * slot], s.search_extents[3 * slot + 1],
                 s.search_extents[3 * slot + 2])
    place_at_surface(s, slot)
    i: cython.int
    for i in range(3):
        s.velocity[3 * slot + i] = 0.0
        s.link_start[3 * slot + i] = 0.0
        s.link_end[3 * slot + i] = 0.0
    s.link_elapsed[slot] = 0.0
    s.link_duration[slot] = 0.0
    s.link_exit[slot] = 0
    s.state[slot] = FollowerState.MOVING
    return True
