"""What a crowd knows of a corridor from earlier steps, so that a step need not find it out again.

How the first polygons are left, how many of them were checked, and the corners of the taut string. All of it holds for
one revision of the mesh and one filter, follows from the corridor alone, and is found again when it is missing: it is
no state and changes no result. Whoever writes a corridor says here what is left of it.
"""

import cython

from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.queries.funnel import find_corners_along
from cython.cimports.onepath.queries.results import CornerFlag

#: How many exits and corners are kept per corridor; the columns' sizes, as in store.py.
_EXITS = cython.declare(cython.int, 32)
_CORNERS = cython.declare(cython.int, 7)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def forget(s: FollowerStore, slot: cython.int) -> cython.void:
    """Know nothing of the corridor any more: another one begins, or its options or its target have changed."""
    s.known_revision[slot] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def recall(s: FollowerStore, slot: cython.int, revision: cython.longlong) -> cython.void:
    """Begin anew unless what is known holds for this revision of the mesh."""
    i: cython.int
    if s.known_revision[slot] == revision:
        return
    s.known_revision[slot] = revision
    s.sound[slot] = 0
    s.string_count[slot] = 0
    for i in range(slot * _EXITS, (slot + 1) * _EXITS):
        s.exits[i] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def keep_rest(s: FollowerStore, slot: cython.int, before: cython.int, after: cython.int) -> cython.void:
    """Keep what is known of the polygons from number ``before`` on, which are now those from number ``after`` on.

    What is in front of them has been dropped (``after`` 0) or replaced.
    """
    exits: cython.int = slot * _EXITS
    moved: cython.int = max(_EXITS - max(before, after), 0)
    i: cython.int
    if after <= before:
        for i in range(moved):
            s.exits[exits + after + i] = s.exits[exits + before + i]
        for i in range(after + moved, _EXITS):
            s.exits[exits + i] = 0
    else:
        i = moved - 1
        while i >= 0:
            s.exits[exits + after + i] = s.exits[exits + before + i]
            i -= 1
    for i in range(min(after, _EXITS)):
        s.exits[exits + i] = 0
    s.sound[slot] = max(s.sound[slot] - before, 0) if after == 0 else 0
    if s.string_count[slot] > 0 and s.string_index[slot * _CORNERS] < before:
        s.string_count[slot] = 0
    for i in range(slot * _CORNERS, slot * _CORNERS + s.string_count[slot]):
        s.string_index[i] += after - before


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def corners_again(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                  max_corners: cython.int) -> cython.int:
    """Pull the string like :func:`~onepath.corridors.corridor.corners`, of an agent of a crowd.

    To be called with the same ``max_corners`` for as long as anything is known of the corridor.

    What lies behind the first corner follows from that corner: while it stays the same so do the others.
    """
    recall(s, slot, w.query.mesh.revision)
    count: cython.int
    if s.count[slot] == 0:
        return -1
    if s.string_count[slot] > 0:
        count = _pull(s, slot, w, f, 2)
        if count < 2 or (w.query.corner_flags[1] & CornerFlag.END) != 0:
            return count
        if _is_first_corner(s, slot, w):
            return _add_others(s, slot, w)
    count = _pull(s, slot, w, f, max_corners)
    s.string_count[slot] = 0
    if 2 <= count <= _CORNERS + 1 and (w.query.corner_flags[1] & CornerFlag.OFF_MESH) == 0:
        _keep_string(s, slot, w, count - 1)
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pull(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
          max_corners: cython.int) -> cython.int:
    return find_corners_along(w.query, f, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2],
                              s.target[3 * slot], s.target[3 * slot + 1], s.target[3 * slot + 2],
                              s.refs, slot * s.stride, s.count[slot], max_corners, s.exits, slot * _EXITS, _EXITS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_first_corner(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.bint:
    """Tell whether the first corner found now is the one that the string was kept with."""
    first: cython.int = slot * _CORNERS
    xyz: cython.p_double = w.query.corner_xyz
    return (s.string_index[first] == w.query.corner_index[1] and s.string_flags[first] == w.query.corner_flags[1]
            and s.string_xyz[3 * first] == xyz[3] and s.string_xyz[3 * first + 1] == xyz[4]
            and s.string_xyz[3 * first + 2] == xyz[5])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_others(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.int:
    """Put the kept corners behind the first one into the query's buffer; return the number of all."""
    first: cython.int = slot * _CORNERS
    i: cython.int
    k: cython.int
    for i in range(1, s.string_count[slot]):
        w.query.corner_index[i + 1] = s.string_index[first + i]
        w.query.corner_flags[i + 1] = s.string_flags[first + i]
        for k in range(3):
            w.query.corner_xyz[3 * i + 3 + k] = s.string_xyz[3 * (first + i) + k]
    w.query.corner_count = s.string_count[slot] + 1
    return w.query.corner_count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_string(s: FollowerStore, slot: cython.int, w: CorridorScratch, count: cython.int) -> cython.void:
    """Keep the first ``count`` corners behind the position."""
    first: cython.int = slot * _CORNERS
    i: cython.int
    k: cython.int
    for i in range(count):
        s.string_index[first + i] = w.query.corner_index[i + 1]
        s.string_flags[first + i] = w.query.corner_flags[i + 1]
        for k in range(3):
            s.string_xyz[3 * (first + i) + k] = w.query.corner_xyz[3 * i + 3 + k]
    s.string_count[slot] = count
