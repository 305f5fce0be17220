"""Walls around a place: the nearest pieces of edge with nothing walkable behind them.

The circle search starts in a given polygon and goes on, breadth first, through edges and portals (never links) to
accepted polygons that come within the radius. Everything is measured in X/Z, as the circle is; a floor above or below
is reached only over a ramp inside the circle, and whoever wants to leave such walls out compares heights.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.geometry import segment_parameter_xz
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import MeshStore, passes, ref_of_poly
from cython.cimports.onepath.queries.reach import begin_reach, is_reached, reach
from cython.cimports.onepath.queries.scratch import QueryScratch

#: By how much (world units) rounding may bring a piece of an edge nearer than the whole edge.
_ROUNDING = cython.declare(cython.double, 1e-6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_walls(q: QueryScratch, filter: QueryFilter, poly: cython.int, cx: cython.double,
               cz: cython.double, radius: cython.double, max_walls: cython.int) -> cython.int:
    """Leave the nearest wall pieces within a radius in ``q.wall_*``; return their number.

    Args:
        q: the working memory; at most ``q.wall_capacity`` pieces are kept.
        filter: what is walkable.
        poly: the polygon the search starts from.
        cx, cz: centre.
        radius: of the circle, world units.
        max_walls: most pieces to keep: the first in the order (distance, reference, edge, x, z of the first end).
    """
    q.wall_count = 0
    _gather(q, q.mesh, filter, poly, cx, cz, radius, min(max_walls, q.wall_capacity), False)
    return q.wall_count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_nearest_wall(q: QueryScratch, filter: QueryFilter, poly: cython.int, cx: cython.double,
                      cz: cython.double, radius: cython.double) -> cython.int:
    """As :func:`find_walls` for one piece, but the circle shrinks to each piece found. Return 1 or 0."""
    q.wall_count = 0
    _gather(q, q.mesh, filter, poly, cx, cz, radius, 1, True)
    return q.wall_count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gather(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, poly: cython.int, cx: cython.double,
            cz: cython.double, radius: cython.double, max_walls: cython.int, shrink: cython.bint) -> cython.void:
    begin_reach(q)
    reach(q, poly, -1, 0)
    i: cython.int = 0
    k: cython.int
    while i < q.reach_count:
        current: cython.int = q.reach_poly[i]
        first: cython.int = mesh.poly_edge[current]
        size: cython.int = mesh.poly_size[current]
        for k in range(size):
            behind: cython.int = mesh.neighbour[first + k]
            if behind >= 0 and passes(mesh, filter, behind):
                _enter(q, mesh, behind, i, cx, cz, radius)
                continue
            if behind <= -2:
                portal: cython.int = -2 - behind
                while portal >= 0:
                    if passes(mesh, filter, mesh.portal_target[portal]):
                        _enter(q, mesh, mesh.portal_target[portal], i, cx, cz, radius)
                    portal = mesh.portal_next[portal]
            after: cython.int = first + k + 1 if k + 1 < size else first
            if _segment_distance(mesh.xyz[3 * (first + k)], mesh.xyz[3 * (first + k) + 2], mesh.xyz[3 * after],
                                 mesh.xyz[3 * after + 2], cx, cz) > radius + _ROUNDING:
                continue
            piece: cython.int = 0
            while wall_piece(mesh, filter, q, current, k, piece):
                distance: cython.double = _piece_distance(q, cx, cz)
                if distance <= radius:
                    _keep(q, current, k, piece, distance, max_walls)
                    if shrink:
                        radius = distance
                piece += 1
        i += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enter(q: QueryScratch, mesh: MeshStore, poly: cython.int, parent: cython.int, cx: cython.double,
           cz: cython.double, radius: cython.double) -> cython.void:
    if not is_reached(q, poly) and _comes_within(mesh, poly, cx, cz, radius):
        reach(q, poly, parent, q.reach_depth[parent] + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _comes_within(mesh: MeshStore, poly: cython.int, cx: cython.double, cz: cython.double,
                  radius: cython.double) -> cython.bint:
    """Tell whether a polygon's outline touches or holds a circle's disc in X/Z."""
    xyz: cython.p_double = mesh.xyz
    b: cython.int = 3 * mesh.poly_edge[poly]
    end: cython.int = b + 3 * mesh.poly_size[poly]
    ax: cython.double = xyz[end - 3]
    az: cython.double = xyz[end - 1]
    inside: cython.bint = True
    while b < end:
        bx: cython.double = xyz[b]
        bz: cython.double = xyz[b + 2]
        if (bx - ax) * (cz - az) - (bz - az) * (cx - ax) < 0.0:
            inside = False
            if _segment_distance(ax, az, bx, bz, cx, cz) <= radius:
                return True
        ax = bx
        az = bz
        b += 3
    return inside


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _segment_distance(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, cx: cython.double,
                      cz: cython.double) -> cython.double:
    t: cython.double = segment_parameter_xz(ax, az, bx, bz, cx, cz)
    dx: cython.double = (bx if t >= 1.0 else ax + t * (bx - ax)) - cx
    dz: cython.double = (bz if t >= 1.0 else az + t * (bz - az)) - cz
    return sqrt(dx * dx + dz * dz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _piece_distance(q: QueryScratch, cx: cython.double, cz: cython.double) -> cython.double:
    return _segment_distance(q.piece_ax, q.piece_az, q.piece_bx, q.piece_bz, cx, cz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(q: QueryScratch, poly: cython.int, edge: cython.int, piece: cython.int, distance: cython.double,
          max_walls: cython.int) -> cython.void:
    """Sort the piece left in ``q.piece_*`` into the list, which keeps the first ``max_walls``."""
    place: cython.int = q.wall_count
    while place > 0 and _comes_before(q, poly, edge, distance, place - 1):
        place -= 1
    if place >= max_walls:
        return
    if q.wall_count < max_walls:
        q.wall_count += 1
    i: cython.int = q.wall_count - 1
    k: cython.int
    while i > place:
        q.wall_poly[i] = q.wall_poly[i - 1]
        q.wall_edge[i] = q.wall_edge[i - 1]
        q.wall_piece[i] = q.wall_piece[i - 1]
        q.wall_distance[i] = q.wall_distance[i - 1]
        for k in range(6):
            q.wall_xyz[6 * i + k] = q.wall_xyz[6 * i + k - 6]
        i -= 1
    q.wall_poly[place] = poly
    q.wall_edge[place] = edge
    q.wall_piece[place] = piece
    q.wall_distance[place] = distance
    q.wall_xyz[6 * place] = q.piece_ax
    q.wall_xyz[6 * place + 1] = q.piece_ay
    q.wall_xyz[6 * place + 2] = q.piece_az
    q.wall_xyz[6 * place + 3] = q.piece_bx
    q.wall_xyz[6 * place + 4] = q.piece_by
    q.wall_xyz[6 * place + 5] = q.piece_bz


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _comes_before(q: QueryScratch, poly: cython.int, edge: cython.int, distance: cython.double,
                  other: cython.int) -> cython.bint:
    """Tell whether the piece left in ``q.piece_*`` is to be listed before a kept one."""
    if distance != q.wall_distance[other]:
        return distance < q.wall_distance[other]
    if poly != q.wall_poly[other]:
        return ref_of_poly(q.mesh, poly) < ref_of_poly(q.mesh, q.wall_poly[other])
    if edge != q.wall_edge[other]:
        return edge < q.wall_edge[other]
    if q.piece_ax != q.wall_xyz[6 * other]:
        return q.piece_ax < q.wall_xyz[6 * other]
    return q.piece_az < q.wall_xyz[6 * other + 2]
