"""Shortcuts of a corridor, each bounded: by sight along a ray, by a small search around the agent, and across the edge
that an agent who has left the corridor shares with a later part of it.

Source: the library's specification; the first two follow M. Mononen's path corridor.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.corridors.corridor import (
    chain_add, chain_clear, chain_store, keep_from, mark_cut, move_position,
)
from cython.cimports.onepath.corridors.known import keep_rest
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point
from cython.cimports.onepath.navmesh.store import MeshStore, passes, poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.funnel import find_corners_filtered
from cython.cimports.onepath.queries.raycast import raycast
from cython.cimports.onepath.queries.results import PathStatus
from cython.cimports.onepath.queries.search import begin_search, finish_search, update_search

#: A searched route replaces the corridor only if it is shorter by more than this share of its length.
_GAIN = cython.declare(cython.double, 1e-4)
#: Polygons ahead that an agent beside its corridor looks for the way back in.
_TURN_WINDOW = cython.declare(cython.int, 64)
#: More corners than any corridor has.
_ALL_CORNERS = cython.declare(cython.int, 4098)
#: Longest route that is read out.
_LONGEST_ROUTE = cython.declare(cython.int, 4096)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def optimize_visibility(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                        z: cython.double, reach: cython.double, budget: cython.int) -> cython.bint:
    """Replace the near part of the corridor by the polygons that a straight ray toward a point crosses.

    Args:
        reach: horizontal length to which the ray is cut.
        budget: most polygons the ray may cross (at least 2, at most the corridor's capacity are allowed).

    Returns:
        Whether the corridor changed: the ray meets it again further along, by another way that fits.
    """
    base: cython.int = slot * s.stride
    count: cython.int = s.count[slot]
    if count < 2:
        return False
    start: cython.int = poly_of_ref(w.query.mesh, s.refs[base])
    if start < 0 or not passes(w.query.mesh, f, start):
        return False
    px: cython.double = s.surface[3 * slot]
    pz: cython.double = s.surface[3 * slot + 2]
    length: cython.double = sqrt((x - px) * (x - px) + (z - pz) * (z - pz))
    if length > reach:
        part: cython.double = reach / length
        x = px + (x - px) * part
        z = pz + (z - pz) * part
    limit: cython.int = min(max(budget, 2), s.capacity[slot])
    crossed: cython.int = raycast(w.query, f, start, px, pz, x, z, limit)
    crossed = min(crossed, limit)
    chain_clear(w)
    i: cython.int
    for i in range(crossed):
        chain_add(w, ref_of_poly(w.query.mesh, w.query.visited[i]))
    return _splice_ray(s, slot, w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _splice_ray(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.bint:
    base: cython.int = slot * s.stride
    count: cython.int = s.count[slot]
    joint: cython.int = 0
    kept: cython.int = count
    while joint == 0 and kept > 1:
        kept -= 1
        joint = w.chain_count - 1
        while joint > 0 and w.chain[joint] != s.refs[base + kept]:
            joint -= 1
    if joint <= 0:
        return False
    if joint == kept:
        same: cython.int = 1
        while same < joint and w.chain[same] == s.refs[base + same]:
            same += 1
        if same == joint:
            return False
    if joint + count - kept > s.capacity[slot]:
        return False
    w.chain_count = joint + 1
    i: cython.int = kept + 1
    while i < count:
        w.chain[w.chain_count] = s.refs[base + i]
        w.chain_count += 1
        i += 1
    return chain_store(s, slot, w)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pulled_length(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, refs: cython.p_ulonglong,
                   first: cython.int, count: cython.int, x: cython.double, y: cython.double,
                   z: cython.double) -> cython.double:
    """Return the length of the taut string from the position to a point through polygons, −1: broken."""
    corner_count: cython.int = find_corners_filtered(
        w.query, f, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2], x, y, z, refs, first, count,
        _ALL_CORNERS)
    if corner_count < 0:
        return -1.0
    corner: cython.p_double = w.query.corner_xyz
    length: cython.double = 0.0
    i: cython.int = 3
    while i < 3 * corner_count:
        dx: cython.double = corner[i] - corner[i - 3]
        dy: cython.double = corner[i + 1] - corner[i - 2]
        dz: cython.double = corner[i + 2] - corner[i - 1]
        length += sqrt(dx * dx + dy * dy + dz * dz)
        i += 3
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def optimize_topology(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, budget: cython.int,
                      window: cython.int) -> cython.bint:
    """Search for a shorter way to a polygon of the corridor, with ``w.local``; take it if its taut string is shorter.

    Args:
        budget: most node expansions; a search that does not finish changes nothing.
        window: the search goes to polygon number ``window − 1``, or the last one; at least 3.

    Returns:
        Whether the corridor changed. A corridor of fewer than 3 polygons does not.
    """
    base: cython.int = slot * s.stride
    count: cython.int = s.count[slot]
    if count < 3 or window < 3:
        return False
    goal: cython.int = min(count, window) - 1
    start: cython.int = poly_of_ref(w.local.mesh, s.refs[base])
    end: cython.int = poly_of_ref(w.local.mesh, s.refs[base + goal])
    if start < 0 or end < 0:
        return False
    closest_point(w.local.mesh, w.local, end, s.target[3 * slot], s.target[3 * slot + 2])
    begin_search(w.local, f, start, end, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2],
                 w.local.out_x, w.local.out_y, w.local.out_z)
    status: cython.int = update_search(w.local, f, budget)
    w.searched += w.local.search_iterations
    if status != PathStatus.SUCCESS:
        return False
    finish_search(w.local, _LONGEST_ROUTE)
    chain_clear(w)
    i: cython.int
    same: cython.bint = w.local.route_count == goal + 1
    for i in range(w.local.route_count):
        chain_add(w, ref_of_poly(w.local.mesh, w.local.route[i]))
        same = same and w.chain[i] == s.refs[base + i]
    if same or w.chain[w.chain_count - 1] != s.refs[base + goal]:
        return False
    old_length: cython.double = _pulled_length(s, slot, w, f, s.refs, base, goal + 1, w.local.end_x, w.local.end_y,
                                               w.local.end_z)
    new_length: cython.double = _pulled_length(s, slot, w, f, w.chain, 0, w.chain_count, w.local.end_x, w.local.end_y,
                                               w.local.end_z)
    if new_length < 0.0 or new_length >= old_length * (1.0 - _GAIN):
        return False
    i = goal + 1
    while i < count:
        chain_add(w, s.refs[base + i])
        i += 1
    if not chain_store(s, slot, w):
        mark_cut(s, slot)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_freely(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                z: cython.double) -> cython.bint:
    """Walk as ``move_position`` does, and cut the corridor short where it then leads back round a corner.

    An agent that passes a corner where polygons meet on the other side than its corridor does would turn back for it,
    although the polygon it is in has an edge in common with the corridor beyond the corner.
    """
    before: cython.ulonglong = s.refs[slot * s.stride]
    if not move_position(s, slot, w, f, x, z):
        return False
    if s.refs[slot * s.stride] != before:
        _leave_out_turn(s, slot, w, f)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave_out_turn(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.bint:
    """Go from the first polygon straight to the farthest one it touches, if that makes the taut string shorter."""
    base: cython.int = slot * s.stride
    goal: cython.int = min(s.count[slot], _TURN_WINDOW) - 1
    first: cython.int = poly_of_ref(w.query.mesh, s.refs[base])
    end: cython.int = poly_of_ref(w.query.mesh, s.refs[base + goal])
    if first < 0 or end < 0:
        return False
    joint: cython.int = _last_neighbour(s, base, goal, w.query.mesh, first)
    if joint < 2:
        return False
    closest_point(w.query.mesh, w.query, end, s.target[3 * slot], s.target[3 * slot + 2])
    x: cython.double = w.query.out_x
    y: cython.double = w.query.out_y
    z: cython.double = w.query.out_z
    chain_clear(w)
    chain_add(w, s.refs[base])
    i: cython.int
    for i in range(joint, goal + 1):
        chain_add(w, s.refs[base + i])
    old_length: cython.double = _pulled_length(s, slot, w, f, s.refs, base, goal + 1, x, y, z)
    new_length: cython.double = _pulled_length(s, slot, w, f, w.chain, 0, w.chain_count, x, y, z)
    if new_length < 0.0 or new_length >= old_length * (1.0 - _GAIN):
        return False
    keep_from(s, slot, joint - 1)
    s.refs[base] = w.chain[0]
    keep_rest(s, slot, 1, 1)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _last_neighbour(s: FollowerStore, base: cython.int, last: cython.int, mesh: MeshStore,
                    poly: cython.int) -> cython.int:
    """Return the place of the last of a corridor's polygons up to ``last`` behind an edge or portal of one, or 0."""
    found: cython.int = 0
    edge: cython.int
    for edge in range(mesh.poly_edge[poly], mesh.poly_edge[poly] + mesh.poly_size[poly]):
        behind: cython.int = mesh.neighbour[edge]
        if behind >= 0:
            found = _last_place(s, base, found, last, ref_of_poly(mesh, behind))
        portal: cython.int = -2 - behind
        while portal >= 0:
            found = _last_place(s, base, found, last, ref_of_poly(mesh, mesh.portal_target[portal]))
            portal = mesh.portal_next[portal]
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _last_place(s: FollowerStore, base: cython.int, found: cython.int, last: cython.int,
                ref: cython.ulonglong) -> cython.int:
    """Return the place of a reference in a corridor if it is between ``found`` and ``last``, else ``found``."""
    i: cython.int = last
    while i > found and s.refs[base + i] != ref:
        i -= 1
    return i
