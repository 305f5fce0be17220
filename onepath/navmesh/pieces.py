"""Walls: the edges, and the pieces of partly covered border edges, with nothing walkable behind them."""

import cython

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import MeshStore, SurfacePoint, passes

#: Uncovered pieces of a border edge no longer than this (world units) are rounding, not walls.
_MINIMUM_PIECE = cython.declare(cython.double, 1e-6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def wall_piece(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, poly: cython.int, edge: cython.int,
               piece: cython.int) -> cython.bint:
    """Leave the ends of a wall piece of an edge in ``out.piece_*``, in edge direction; tell whether there is one.

    Args:
        mesh: the columns.
        filter: an edge is a wall, too, where the filter refuses the polygon behind it; None accepts every polygon.
        out: receives the ends.
        poly: the polygon.
        edge: number of the edge in the polygon.
        piece: number of the piece along the edge; only a border edge that is covered in part has more than piece 0.
    """
    size: cython.int = mesh.poly_size[poly]
    start: cython.int = mesh.poly_edge[poly] + edge
    end: cython.int = start + 1 if edge + 1 < size else start + 1 - size
    behind: cython.int = mesh.neighbour[start]
    if behind > -2:
        if piece != 0 or (behind >= 0 and (filter is None or passes(mesh, filter, behind))):
            return False
        _set_piece(mesh, out, start, end, 0.0, 1.0)
        return True
    dx: cython.double = mesh.xyz[3 * end] - mesh.xyz[3 * start]
    dz: cython.double = mesh.xyz[3 * end + 2] - mesh.xyz[3 * start + 2]
    # Border edges run along x or along z.
    length: cython.double = max(max(dx, -dx), max(dz, -dz))
    covered: cython.double = 0.0
    number: cython.int = 0
    portal: cython.int = -2 - behind
    while portal >= 0:
        target: cython.int = mesh.portal_target[portal]
        if filter is None or passes(mesh, filter, target):
            first: cython.double = mesh.portal_t[2 * portal]
            if (first - covered) * length > _MINIMUM_PIECE:
                if number == piece:
                    _set_piece(mesh, out, start, end, covered, first)
                    return True
                number += 1
            covered = max(covered, mesh.portal_t[2 * portal + 1])
        portal = mesh.portal_next[portal]
    if number == piece and (1.0 - covered) * length > _MINIMUM_PIECE:
        _set_piece(mesh, out, start, end, covered, 1.0)
        return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_piece(mesh: MeshStore, out: SurfacePoint, start: cython.int, end: cython.int, first: cython.double,
               last: cython.double) -> cython.void:
    xyz: cython.p_double = mesh.xyz
    a: cython.int = 3 * start
    b: cython.int = 3 * end
    out.piece_ax = _between(xyz[a], xyz[b], first)
    out.piece_ay = _between(xyz[a + 1], xyz[b + 1], first)
    out.piece_az = _between(xyz[a + 2], xyz[b + 2], first)
    out.piece_bx = _between(xyz[a], xyz[b], last)
    out.piece_by = _between(xyz[a + 1], xyz[b + 1], last)
    out.piece_bz = _between(xyz[a + 2], xyz[b + 2], last)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _between(a: cython.double, b: cython.double, t: cython.double) -> cython.double:
    return b if t >= 1.0 else a + (b - a) * t
