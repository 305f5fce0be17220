"""Points spread evenly over the surface: seeded numbers in, the same point out on every machine."""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.geometry import cross_xz
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point
from cython.cimports.onepath.navmesh.store import MeshStore, passes
from cython.cimports.onepath.queries.scratch import QueryScratch

_WORD = (1 << 64) - 1


def seeded_fractions(seed: int, count: int) -> list[float]:
    """Return ``count`` numbers in [0, 1) with 53 bits each, by splitmix64 (Steele, Lea and Flood 2014).

    The arithmetic is on Python's own integers, masked to 64 bits, so it is the same compiled and interpreted.
    """
    state = seed & _WORD
    fractions = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _WORD
        fractions.append(((mixed ^ (mixed >> 31)) >> 11) / 9007199254740992.0)
    return fractions


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pick_point(q: QueryScratch, filter: QueryFilter, share: cython.double, u: cython.double,
               v: cython.double) -> cython.int:
    """Leave the point at a share of the accepted area in ``q.out_*``; return its polygon, or −1 if there is none.

    Areas are measured in X/Z and laid end to end by slot and polygon number.

    Args:
        q: the working memory.
        filter: what counts.
        share: which part of the area, in [0, 1).
        u, v: place in the triangle that is found, in [0, 1) (Turk, Generating random points in triangles, 1990).
    """
    total: cython.double = _walk_area(q, q.mesh, filter, -1.0, u, v)
    if total <= 0.0:
        return -1
    q.near_poly = -1
    _walk_area(q, q.mesh, filter, share * total, u, v)
    if q.near_poly >= 0:
        closest_point(q.mesh, q, q.near_poly, q.out_x, q.out_z)
    return q.near_poly


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk_area(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, goal: cython.double, u: cython.double,
               v: cython.double) -> cython.double:
    """Add up twice the area of the accepted triangles; with a ``goal`` ≥ 0 stop in the one where the sum passes it."""
    xyz: cython.p_double = mesh.xyz
    total: cython.double = 0.0
    slot: cython.int
    poly: cython.int
    k: cython.int
    for slot in range(mesh.tile_slots):
        if mesh.tile_live[slot] == 0:
            continue
        for poly in range(mesh.tile_poly[slot], mesh.tile_poly[slot] + mesh.tile_poly_count[slot]):
            if not passes(mesh, filter, poly):
                continue
            a: cython.int = 3 * mesh.poly_edge[poly]
            for k in range(1, mesh.poly_size[poly] - 1):
                b: cython.int = a + 3 * k
                total += max(cross_xz(xyz[a], xyz[a + 2], xyz[b], xyz[b + 2], xyz[b + 3], xyz[b + 5]), 0.0)
                if total > goal >= 0.0:
                    root: cython.double = sqrt(u)
                    weight_b: cython.double = root * (1.0 - v)
                    weight_c: cython.double = root * v
                    q.out_x = xyz[a] + weight_b * (xyz[b] - xyz[a]) + weight_c * (xyz[b + 3] - xyz[a])
                    q.out_z = xyz[a + 2] + weight_b * (xyz[b + 2] - xyz[a + 2]) + weight_c * (xyz[b + 5] - xyz[a + 2])
                    q.near_poly = poly
                    return total
    return total
