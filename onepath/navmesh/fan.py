"""A polygon's surface is the fan of triangles at its first vertex: which vertices can be the first.

Where three vertices of an outline are in line in X/Z and the fan's vertex is the first or last of them, they make a
triangle that nobody can stand on, and the surface goes straight from the first to the last. That is the outline's own
height only if the middle one is on this line in height, too.
"""

import cython

#: A triangle thinner than this, in parts of its length, is none: where a place lies in it is down to rounding.
SLIVER = 1e-8

_SLIVER = cython.declare(cython.double, SLIVER)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_sliver(bx: cython.double, bz: cython.double, cx: cython.double, cz: cython.double) -> cython.bint:
    """Tell whether surface heights pass the triangle 0, b, c, as ``locate.surface_height`` does."""
    return not (bx * cz - bz * cx > _SLIVER * (bx * bx + bz * bz + cx * cx + cz * cz))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _deviation(ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double, by: cython.double,
               bz: cython.double, mx: cython.double, my: cython.double, mz: cython.double) -> cython.double:
    """Return how far the height of m is from that of the line a→b beside it."""
    dx: cython.double = bx - ax
    dz: cython.double = bz - az
    length2: cython.double = dx * dx + dz * dz
    gap: cython.double = my - ay
    if length2 > 0.0:
        gap -= ((mx - ax) * dx + (mz - az) * dz) / length2 * (by - ay)
    return -gap if gap < 0.0 else gap


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rise(xyz: cython.p_double, a: cython.int, b: cython.int, c: cython.int) -> cython.double:
    """Return how far a sliver's middle vertex is, in height, from the line between the two farthest apart."""
    ax: cython.double = xyz[a]
    az: cython.double = xyz[a + 2]
    bx: cython.double = xyz[b]
    bz: cython.double = xyz[b + 2]
    cx: cython.double = xyz[c]
    cz: cython.double = xyz[c + 2]
    ab: cython.double = (bx - ax) * (bx - ax) + (bz - az) * (bz - az)
    bc: cython.double = (cx - bx) * (cx - bx) + (cz - bz) * (cz - bz)
    ca: cython.double = (ax - cx) * (ax - cx) + (az - cz) * (az - cz)
    if ca >= ab and ca >= bc:
        return _deviation(ax, xyz[a + 1], az, cx, xyz[c + 1], cz, bx, xyz[b + 1], bz)
    if ab >= bc:
        return _deviation(ax, xyz[a + 1], az, bx, xyz[b + 1], bz, cx, xyz[c + 1], cz)
    return _deviation(bx, xyz[b + 1], bz, cx, xyz[c + 1], cz, ax, xyz[a + 1], az)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fan_is_flat(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int) -> cython.bint:
    """Tell whether an outline encloses nothing but slivers, seen from its first vertex."""
    a: cython.int = 3 * index[start]
    k: cython.int
    for k in range(1, count - 1):
        b: cython.int = 3 * index[start + k]
        c: cython.int = 3 * index[start + k + 1]
        if not _is_sliver(xyz[b] - xyz[a], xyz[b + 2] - xyz[a + 2], xyz[c] - xyz[a], xyz[c + 2] - xyz[a + 2]):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fan_meets_rim(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int, apex: cython.int,
                  tolerance: cython.double) -> cython.bint:
    """Tell whether the fan at a vertex has the heights of all edges of a convex outline.

    Args:
        xyz: vertices.
        index: vertex numbers; the outline is index[start] .. index[start + count − 1].
        start, count: see ``index``.
        apex: which of the outline's vertices the fan is at, 0..count − 1.
        tolerance: by how much the heights of vertices in line may deviate from one line, world units.
    """
    a: cython.int = 3 * index[start + apex]
    flat: cython.bint = True
    level: cython.bint = True
    k: cython.int
    for k in range(1, count):
        b: cython.int = 3 * index[start + (apex + k if apex + k < count else apex + k - count)]
        if not (-tolerance <= xyz[b + 1] - xyz[a + 1] <= tolerance):
            level = False
        if k + 1 == count:
            break
        c: cython.int = 3 * index[start + (apex + k + 1 if apex + k + 1 < count else apex + k + 1 - count)]
        if not _is_sliver(xyz[b] - xyz[a], xyz[b + 2] - xyz[a + 2], xyz[c] - xyz[a], xyz[c + 2] - xyz[a + 2]):
            flat = False
        elif _rise(xyz, a, b, c) > tolerance:
            return False
    # Where nothing but slivers is, the height is everywhere that of the first vertex.
    return level or not flat
