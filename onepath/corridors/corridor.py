"""One corridor: the polygons still ahead of an agent, trimmed as it moves, checked as the mesh changes.

The corridor of slot ``slot`` is ``s.refs[slot * s.stride ..]``, ``s.count[slot]`` polygons long. No polygon is in it
twice and each is connected to the one before. Kernels refuse (and change nothing) where a reference they start from is
stale or the filter does not accept its polygon; they raise nothing and allocate nothing.

Source: the corridor idea follows M. Mononen's talks; the rules are those of the library's specification.
"""

import cython

from cython.cimports.onepath.corridors.known import forget, keep_rest
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.states import CorridorFlag, Validity
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, contains_xz, find_nearest, surface_height
from cython.cimports.onepath.navmesh.store import MeshStore, link_passes, link_target, passes, poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.funnel import find_corners_filtered
from cython.cimports.onepath.queries.surface import move_along_surface

#: A point this far (world units) outside an outline still counts as on the polygon when walking along the corridor.
_OUTLINE_TOLERANCE = cython.declare(cython.double, 1e-7)
#: Surfaces whose vertical distances differ by no more than this are equally good; the one further along is taken.
_HEIGHT_TIE = cython.declare(cython.double, 1e-9)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def connected(mesh: MeshStore, filter: QueryFilter, a: cython.int, b: cython.int) -> cython.bint:
    """Tell whether polygon ``b`` can be entered from ``a``: over an edge, a portal or a link, all accepted."""
    if not passes(mesh, filter, b):
        return False
    edge: cython.int = mesh.poly_edge[a]
    end: cython.int = edge + mesh.poly_size[a]
    while edge < end:
        behind: cython.int = mesh.neighbour[edge]
        if behind == b:
            return True
        portal: cython.int = -2 - behind
        while portal >= 0:
            if mesh.portal_target[portal] == b:
                return True
            portal = mesh.portal_next[portal]
        edge += 1
    link_end: cython.int = mesh.poly_link[a]
    while link_end >= 0:
        if link_target(mesh, link_end) == b and link_passes(mesh, filter, link_end):
            return True
        link_end = mesh.link_next[link_end]
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_surface(s: FollowerStore, slot: cython.int, x: cython.double, y: cython.double,
                z: cython.double) -> cython.void:
    """Set the corridor's position."""
    s.surface[3 * slot] = x
    s.surface[3 * slot + 1] = y
    s.surface[3 * slot + 2] = z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def keep_from(s: FollowerStore, slot: cython.int, first: cython.int) -> cython.void:
    """Drop the polygons in front of number ``first``."""
    if first <= 0:
        return
    base: cython.int = slot * s.stride
    i: cython.int = first
    while i < s.count[slot]:
        s.refs[base + i - first] = s.refs[base + i]
        i += 1
    s.count[slot] -= first
    keep_rest(s, slot, first, 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_single(s: FollowerStore, slot: cython.int, ref: cython.ulonglong, x: cython.double, y: cython.double,
               z: cython.double) -> cython.void:
    """Make the corridor the one polygon that the position is on."""
    s.refs[slot * s.stride] = ref
    s.count[slot] = 1
    forget(s, slot)
    put_surface(s, slot, x, y, z)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def chain_clear(w: CorridorScratch) -> cython.void:
    """Begin to put a chain of polygons together."""
    w.chain_count = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def chain_add(w: CorridorScratch, ref: cython.ulonglong) -> cython.void:
    """Add a polygon to the chain; one that is in it already cuts off everything after its first occurrence."""
    chain: cython.p_ulonglong = w.chain
    i: cython.int = w.chain_count - 1
    while i >= 0:
        if chain[i] == ref:
            w.chain_count = i + 1
            return
        i -= 1
    if w.chain_count < w.chain_capacity:
        chain[w.chain_count] = ref
        w.chain_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def chain_store(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.bint:
    """Make the chain the corridor, as far as it fits. Tells whether all of it did; the flags are the caller's."""
    base: cython.int = slot * s.stride
    count: cython.int = min(w.chain_count, s.capacity[slot])
    i: cython.int
    for i in range(count):
        s.refs[base + i] = w.chain[i]
    s.count[slot] = count
    forget(s, slot)
    return count == w.chain_count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mark_cut(s: FollowerStore, slot: cython.int) -> cython.void:
    """Note that the far end of the corridor was cut off."""
    s.flags[slot] = (s.flags[slot] & ~CorridorFlag.COMPLETE) | CorridorFlag.NEEDS_REPLAN


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather_visited(w: CorridorScratch, count: cython.int) -> cython.void:
    # A walk that comes back to a polygon counts as if it had not left it.
    chain_clear(w)
    i: cython.int
    for i in range(count):
        chain_add(w, ref_of_poly(w.query.mesh, w.query.visited[i]))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _index_in_chain(w: CorridorScratch, ref: cython.ulonglong) -> cython.int:
    i: cython.int = w.chain_count - 1
    while i >= 0 and w.chain[i] != ref:
        i -= 1
    return i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_position(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                  z: cython.double) -> cython.bint:
    """Walk along the surface toward a point, sliding along walls; the corridor follows.

    Polygons walked through are trimmed; a step aside leads back through the polygons walked. Refused if the walk
    crosses more polygons than the corridor holds; a far end that no longer fits is cut (incomplete, replan wanted).
    """
    base: cython.int = slot * s.stride
    if s.count[slot] == 0:
        return False
    start: cython.int = poly_of_ref(w.query.mesh, s.refs[base])
    if start < 0 or not passes(w.query.mesh, f, start):
        return False
    visited: cython.int = move_along_surface(w.query, f, start, s.surface[3 * slot], s.surface[3 * slot + 2],
                                             x, z)
    if visited > 1 and not _merge_front(s, slot, w, visited):
        return False
    put_surface(s, slot, w.query.out_x, w.query.out_y, w.query.out_z)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge_front(s: FollowerStore, slot: cython.int, w: CorridorScratch, visited: cython.int) -> cython.bint:
    base: cython.int = slot * s.stride
    capacity: cython.int = s.capacity[slot]
    _gather_visited(w, visited)
    kept: cython.int = s.count[slot] - 1
    joint: cython.int = _index_in_chain(w, s.refs[base + kept])
    while joint < 0:
        kept -= 1
        joint = _index_in_chain(w, s.refs[base + kept])
    crossed: cython.int = w.chain_count - joint
    if crossed > capacity:
        return False
    tail: cython.int = s.count[slot] - kept - 1
    if crossed + tail > capacity:
        tail = capacity - crossed
        mark_cut(s, slot)
    i: cython.int
    if crossed > kept + 1:
        i = tail - 1
        while i >= 0:
            s.refs[base + crossed + i] = s.refs[base + kept + 1 + i]
            i -= 1
    else:
        for i in range(tail):
            s.refs[base + crossed + i] = s.refs[base + kept + 1 + i]
    for i in range(crossed):
        s.refs[base + i] = w.chain[w.chain_count - 1 - i]
    if kept + 1 + tail < s.count[slot]:
        forget(s, slot)
    else:
        keep_rest(s, slot, kept + 1, crossed)
    s.count[slot] = crossed + tail
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_target(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, x: cython.double,
                y: cython.double, z: cython.double) -> cython.bint:
    """Walk the target along the surface toward a point; the far end of the corridor follows.

    Refused if the longer corridor would not fit. While the corridor is incomplete the target is only recorded.
    """
    if (s.flags[slot] & CorridorFlag.COMPLETE) == 0:
        s.target[3 * slot] = x
        s.target[3 * slot + 1] = y
        s.target[3 * slot + 2] = z
        s.target_ref[slot] = 0
        s.flags[slot] |= CorridorFlag.NEEDS_REPLAN
        forget(s, slot)
        return True
    base: cython.int = slot * s.stride
    start: cython.int = poly_of_ref(w.query.mesh, s.target_ref[slot])
    if s.count[slot] == 0 or start < 0 or not passes(w.query.mesh, f, start):
        return False
    if s.refs[base + s.count[slot] - 1] != s.target_ref[slot]:
        return False
    closest_point(w.query.mesh, w.query, start, s.target[3 * slot], s.target[3 * slot + 2])
    visited: cython.int = move_along_surface(w.query, f, start, w.query.out_x, w.query.out_z, x, z)
    _gather_visited(w, visited)
    kept: cython.int = 0
    joint: cython.int = _index_in_chain(w, s.refs[base])
    while joint < 0:
        kept += 1
        joint = _index_in_chain(w, s.refs[base + kept])
    if kept + w.chain_count - joint > s.capacity[slot]:
        return False
    i: cython.int = joint
    while i < w.chain_count:
        s.refs[base + kept + i - joint] = w.chain[i]
        i += 1
    s.count[slot] = kept + w.chain_count - joint
    forget(s, slot)
    s.target_ref[slot] = w.chain[w.chain_count - 1]
    s.target[3 * slot] = w.query.out_x
    s.target[3 * slot + 1] = w.query.out_y
    s.target[3 * slot + 2] = w.query.out_z
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_along(s: FollowerStore, slot: cython.int, w: CorridorScratch, limit: cython.int, x: cython.double,
               y: cython.double, z: cython.double) -> cython.bint:
    """Put the agent at a point of the first ``limit`` polygons without tracing a way to it.

    Of the polygons that hold the point in X/Z the one with the surface nearest in height is taken, the furthest along
    on a tie. Tells whether there is one.
    """
    mesh_limit: cython.int = min(limit, s.count[slot])
    base: cython.int = slot * s.stride
    found: cython.int = -1
    found_poly: cython.int = -1
    best: cython.double = 0.0
    rise: cython.double
    poly: cython.int
    i: cython.int
    for i in range(mesh_limit):
        poly = poly_of_ref(w.query.mesh, s.refs[base + i])
        if poly < 0 or not contains_xz(w.query.mesh, poly, x, z, _OUTLINE_TOLERANCE):
            continue
        rise = surface_height(w.query.mesh, poly, x, z) - y
        if rise < 0.0:
            rise = -rise
        if found < 0 or rise <= best + _HEIGHT_TIE:
            best = rise if found < 0 or rise < best else best
            found = i
            found_poly = poly
    if found < 0:
        return False
    keep_from(s, slot, found)
    closest_point(w.query.mesh, w.query, found_poly, x, z)
    put_surface(s, slot, w.query.out_x, w.query.out_y, w.query.out_z)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def corners(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
            max_corners: cython.int) -> cython.int:
    """Pull the string: write up to ``max_corners`` corners into ``w.query``; −1 if the corridor does not hold."""
    if s.count[slot] == 0:
        return -1
    return find_corners_filtered(w.query, f, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2],
                                 s.target[3 * slot], s.target[3 * slot + 1], s.target[3 * slot + 2],
                                 s.refs, slot * s.stride, s.count[slot], max_corners)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def validate(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
             look_ahead: cython.int) -> cython.int:
    """Check the first ``look_ahead`` polygons against mesh and filter; a bad one cuts the corridor in front of it.

    Returns:
        A ``Validity``: VALID; TRIMMED (incomplete, replan at the end of what is left); INVALID (the first polygon is
        bad, nothing changed).
    """
    return validate_rest(s, slot, w, f, look_ahead, 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def validate_rest(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, look_ahead: cython.int,
                  sound: cython.int) -> cython.int:
    """Do what :func:`validate` does, of a corridor whose first ``sound`` polygons are known to pass."""
    base: cython.int = slot * s.stride
    count: cython.int = min(s.count[slot], look_ahead)
    if s.count[slot] == 0:
        return Validity.INVALID
    previous: cython.int = -1
    poly: cython.int
    i: cython.int
    if 0 < sound < count:
        previous = poly_of_ref(w.query.mesh, s.refs[base + sound - 1])
    for i in range(sound, count):
        poly = poly_of_ref(w.query.mesh, s.refs[base + i])
        if poly >= 0 and (passes(w.query.mesh, f, poly) if i == 0 else connected(w.query.mesh, f, previous, poly)):
            previous = poly
            continue
        if i == 0:
            return Validity.INVALID
        s.count[slot] = i
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN
        forget(s, slot)
        return Validity.TRIMMED
    whole: cython.bint = count == s.count[slot] and (s.flags[slot] & CorridorFlag.COMPLETE) != 0
    if whole and poly_of_ref(w.query.mesh, s.target_ref[slot]) < 0:
        mark_cut(s, slot)
        return Validity.TRIMMED
    return Validity.VALID


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def relocate(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, ex: cython.double,
             ey: cython.double, ez: cython.double) -> cython.bint:
    """Begin anew on the accepted polygon nearest to the position within the extents; tells whether there is one.

    The target is kept and a replan from start wanted.
    """
    poly: cython.int = find_nearest(w.query.mesh, f, w.query, s.surface[3 * slot], s.surface[3 * slot + 1],
                                    s.surface[3 * slot + 2], ex, ey, ez)
    if poly < 0:
        return False
    set_single(s, slot, ref_of_poly(w.query.mesh, poly), w.query.out_x, w.query.out_y, w.query.out_z)
    s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
    return True
