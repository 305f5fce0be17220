"""Ear clipping (Meisters 1975): a simple outline becomes triangles, without new vertices."""

import cython

from cython.cimports.onepath.geometry import cross_xz
from cython.cimports.libc.math import sqrt

# Kinds of corner. A full ear is a triangle that no other vertex is near; a bare one has no vertex inside.
_NO_EAR = cython.declare(cython.int, 0)
_BARE_EAR = cython.declare(cython.int, 1)
_FULL_EAR = cython.declare(cython.int, 2)
#: Vertices nearer than this to an ear's triangle keep it from being a full ear, world units.
_CLEARANCE = cython.declare(cython.double, 1e-6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clip_ears(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int, prev: cython.p_int,
              next: cython.p_int, state: cython.p_int, diagonal: cython.p_double,
              triangles: cython.p_int) -> cython.int:
    """Cut an outline of positive area into triangles; return how many were written.

    Of the ears the one with the shortest diagonal goes first, the first corner on a tie. A vertex on the line between
    two others is never passed over, so no triangle has a vertex of the outline within one of its edges.

    Args:
        prev, next, state, diagonal: working columns of at least ``count`` elements.
        triangles: room for 3 · (count − 2) vertex numbers.
    """
    i: cython.int
    for i in range(count):
        prev[i] = i - 1 if i > 0 else count - 1
        next[i] = i + 1 if i + 1 < count else 0
    for i in range(count):
        _judge(xyz, index, start, i, prev, next, state, diagonal)
    left: cython.int = count
    written: cython.int = 0
    corner: cython.int = 0
    while left > 3:
        ear: cython.int = _best_ear(corner, left, next, state, diagonal)
        if ear < 0:
            return written
        before: cython.int = prev[ear]
        after: cython.int = next[ear]
        _write(index, start, before, ear, after, triangles, written)
        written += 1
        next[before] = after
        prev[after] = before
        left -= 1
        corner = before
        _judge(xyz, index, start, before, prev, next, state, diagonal)
        _judge(xyz, index, start, after, prev, next, state, diagonal)
    if _turn(xyz, index[start + prev[corner]], index[start + corner], index[start + next[corner]]) > 0.0:
        _write(index, start, prev[corner], corner, next[corner], triangles, written)
        written += 1
    return written


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _turn(xyz: cython.p_double, a: cython.int, b: cython.int, c: cython.int) -> cython.double:
    return cross_xz(xyz[3 * a], xyz[3 * a + 2], xyz[3 * b], xyz[3 * b + 2], xyz[3 * c], xyz[3 * c + 2])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _write(index: cython.p_int, start: cython.int, a: cython.int, b: cython.int, c: cython.int,
           triangles: cython.p_int, place: cython.int) -> cython.void:
    triangles[3 * place] = index[start + a]
    triangles[3 * place + 1] = index[start + b]
    triangles[3 * place + 2] = index[start + c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_ear(corner: cython.int, left: cython.int, next: cython.p_int, state: cython.p_int,
              diagonal: cython.p_double) -> cython.int:
    """Return the best corner to clip among those still in the outline, −1 if none can be."""
    best: cython.int = -1
    _i: cython.int
    for _i in range(left):
        if state[corner] != _NO_EAR and (
                best < 0 or state[corner] > state[best]
                or (state[corner] == state[best] and (diagonal[corner] < diagonal[best]
                                                      or (diagonal[corner] == diagonal[best] and corner < best)))):
            best = corner
        corner = next[corner]
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _judge(xyz: cython.p_double, index: cython.p_int, start: cython.int, corner: cython.int, prev: cython.p_int,
           next: cython.p_int, state: cython.p_int, diagonal: cython.p_double) -> cython.void:
    """Find out what kind of ear a corner is."""
    a: cython.int = index[start + prev[corner]]
    b: cython.int = index[start + corner]
    c: cython.int = index[start + next[corner]]
    dx: cython.double = xyz[3 * c] - xyz[3 * a]
    dz: cython.double = xyz[3 * c + 2] - xyz[3 * a + 2]
    length: cython.double = sqrt(dx * dx + dz * dz)
    diagonal[corner] = length
    turn: cython.double = _turn(xyz, a, b, c)
    if turn <= 0.0:
        state[corner] = _NO_EAR
        return
    state[corner] = _FULL_EAR if turn > _CLEARANCE * length else _BARE_EAR
    other: cython.int = next[next[corner]]
    while other != prev[corner]:
        depth: cython.double = _depth(xyz, index[start + other], a, b, c)
        if depth >= 0.0:
            state[corner] = _NO_EAR
            return
        if depth >= -_CLEARANCE:
            state[corner] = _BARE_EAR
        other = next[other]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _depth(xyz: cython.p_double, vertex: cython.int, a: cython.int, b: cython.int, c: cython.int) -> cython.double:
    """Return how far inside a triangle a vertex is: its least distance to the lines of the edges, negative outside."""
    return min(_offset(xyz, vertex, a, b), _offset(xyz, vertex, b, c), _offset(xyz, vertex, c, a))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _offset(xyz: cython.p_double, vertex: cython.int, a: cython.int, b: cython.int) -> cython.double:
    dx: cython.double = xyz[3 * b] - xyz[3 * a]
    dz: cython.double = xyz[3 * b + 2] - xyz[3 * a + 2]
    length: cython.double = sqrt(dx * dx + dz * dz)
    if length <= 0.0:
        return -1.0
    return (dx * (xyz[3 * vertex + 2] - xyz[3 * a + 2]) - dz * (xyz[3 * vertex] - xyz[3 * a])) / length
