"""Planes that stand in for the surface of a polygon.

A plane is five numbers of a column from ``at`` on: x, y, z of a point, slope along x, slope along z.
"""

import cython


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fit_plane(xyz: cython.p_double, ring: cython.p_int, start: cython.int, count: cython.int,
               plane: cython.p_double, at: cython.int) -> cython.void:
    """Write the plane through the middle of an outline whose normal is the outline's (Newell's method)."""
    ox: cython.double = xyz[3 * ring[start]]
    oy: cython.double = xyz[3 * ring[start] + 1]
    oz: cython.double = xyz[3 * ring[start] + 2]
    nx: cython.double = 0.0
    ny: cython.double = 0.0
    nz: cython.double = 0.0
    mx: cython.double = 0.0
    my: cython.double = 0.0
    mz: cython.double = 0.0
    i: cython.int
    for i in range(count):
        a: cython.int = 3 * ring[start + i]
        b: cython.int = 3 * ring[start + (i + 1 if i + 1 < count else 0)]
        ax: cython.double = xyz[a] - ox
        ay: cython.double = xyz[a + 1] - oy
        az: cython.double = xyz[a + 2] - oz
        bx: cython.double = xyz[b] - ox
        by: cython.double = xyz[b + 1] - oy
        bz: cython.double = xyz[b + 2] - oz
        nx += ay * bz - az * by
        ny += az * bx - ax * bz
        nz += ax * by - ay * bx
        mx += ax
        my += ay
        mz += az
    plane[at] = ox + mx / count
    plane[at + 1] = oy + my / count
    plane[at + 2] = oz + mz / count
    plane[at + 3] = -nx / ny if ny != 0.0 else 0.0
    plane[at + 4] = -nz / ny if ny != 0.0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def plane_height(plane: cython.p_double, at: cython.int, x: cython.double, z: cython.double) -> cython.double:
    """Return the height of a plane at a place."""
    return plane[at + 1] + (x - plane[at]) * plane[at + 3] + (z - plane[at + 2]) * plane[at + 4]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def greatest_gap(xyz: cython.p_double, ring: cython.p_int, start: cython.int, count: cython.int,
                  plane: cython.p_double, at: cython.int) -> cython.double:
    """Return how far the vertices of an outline are from a plane at most, vertically."""
    greatest: cython.double = 0.0
    i: cython.int
    for i in range(count):
        v: cython.int = 3 * ring[start + i]
        gap: cython.double = xyz[v + 1] - plane_height(plane, at, xyz[v], xyz[v + 2])
        if gap < 0.0:
            gap = -gap
        if gap > greatest:
            greatest = gap
    return greatest
