"""The straight path through a corridor of polygons: the funnel algorithm, with off-mesh links.

Source: Lee and Preparata 1984; the single pass over portals follows the public writing of M. Mononen. Everything is
decided in the X/Z plane; heights are those of the points themselves. An area of exactly zero keeps the apex, so
portals on a straight line give no corner.
"""

import cython
from cython.cimports.libc.math import sqrt

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point
from cython.cimports.onepath.navmesh.store import link_passes, poly_of_ref
from cython.cimports.onepath.queries.results import CornerFlag
from cython.cimports.onepath.queries.scratch import QueryScratch

#: An exit is 1 + edge · 32 + the number of edges between the one that follows it and the next in the columns, or
#: −1 − portal.
_EXIT_STRIDE = cython.declare(cython.int, 32)
_MOST_EXIT_EDGES = cython.declare(cython.int, 1 << 26)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _turn(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, px: cython.double,
          pz: cython.double) -> cython.double:
    """Return a positive number if, seen from a, p lies to the right of b (twice the area of a, b, p)."""
    return (bx - ax) * (pz - az) - (bz - az) * (px - ax)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_past(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, cx: cython.double,
             cz: cython.double, px: cython.double, pz: cython.double, sense: cython.double) -> cython.bint:
    """Tell whether p, moving in from side c of the funnel, has gone past its other side b (in sense 1: to the right).

    On the line of b itself it has not, unless it lies behind the apex, against both sides of a funnel without width.
    """
    area: cython.double = _turn(ax, az, bx, bz, px, pz) * sense
    if area != 0.0:
        return area > 0.0
    return ((bx - ax) * (px - ax) + (bz - az) * (pz - az) < 0.0
            and (cx - ax) * (px - ax) + (cz - az) * (pz - az) < 0.0)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _widen(q: QueryScratch, first: cython.bint, ax: cython.double, ay: cython.double, az: cython.double,
           bx: cython.double, by: cython.double, bz: cython.double) -> cython.void:
    """Make a→b the crossing, or lengthen the crossing by it where it joins on at one of its ends."""
    if first or (ax == q.crossing_right_x and az == q.crossing_right_z):
        q.crossing_right_x = bx
        q.crossing_right_y = by
        q.crossing_right_z = bz
    if first or (bx == q.crossing_left_x and bz == q.crossing_left_z):
        q.crossing_left_x = ax
        q.crossing_left_y = ay
        q.crossing_left_z = az


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_crossing(q: QueryScratch, f: QueryFilter, a: cython.int, b: cython.int) -> cython.int:
    """Find how polygon ``b`` is entered from polygon ``a``.

    Args:
        f: decides which links may be crossed; whether it accepts ``b`` itself is not asked.
        a: polygon to leave.
        b: polygon to enter.

    Returns:
        0 if the two are not connected; 1 or 2 for shared edges or portals: ``q.crossing_left_*`` and
        ``crossing_right_*`` are the ends seen from ``a`` (pieces that lie end to end count as one); 3 for an off-mesh
        link, the first in link order: ``q.crossing_link`` is its link end. Edges and portals go before links.
        ``q.crossing_exit`` stands for a single edge or portal (0: anything else), see :func:`_leave_by`.
    """
    xyz: cython.p_double = q.mesh.xyz
    neighbour: cython.p_int = q.mesh.neighbour
    first: cython.int = q.mesh.poly_edge[a]
    end: cython.int = first + q.mesh.poly_size[a]
    edge: cython.int = first
    following: cython.int
    portal: cython.int
    kind: cython.int = 0
    q.crossing_exit = 0
    while edge < end:
        if neighbour[edge] == b:
            following = edge + 1 if edge + 1 < end else first
            _widen(q, kind == 0, xyz[3 * edge], xyz[3 * edge + 1], xyz[3 * edge + 2],
                   xyz[3 * following], xyz[3 * following + 1], xyz[3 * following + 2])
            q.crossing_exit = 0
            if kind == 0 and edge < _MOST_EXIT_EDGES:
                q.crossing_exit = 1 + edge * _EXIT_STRIDE + (edge + 1 - following)
            kind = 1
        elif neighbour[edge] < -1:
            portal = -2 - neighbour[edge]
            while portal >= 0:
                if q.mesh.portal_target[portal] == b:
                    _widen(q, kind == 0, q.mesh.portal_xyz[6 * portal], q.mesh.portal_xyz[6 * portal + 1],
                           q.mesh.portal_xyz[6 * portal + 2], q.mesh.portal_xyz[6 * portal + 3],
                           q.mesh.portal_xyz[6 * portal + 4], q.mesh.portal_xyz[6 * portal + 5])
                    q.crossing_exit = -1 - portal if kind == 0 else 0
                    kind = 2
                portal = q.mesh.portal_next[portal]
        edge += 1
    if kind != 0:
        return kind
    q.crossing_link = q.mesh.poly_link[a]
    while q.crossing_link >= 0:
        if q.mesh.link_poly[q.crossing_link ^ 1] == b and link_passes(q.mesh, f, q.crossing_link):
            return 3
        q.crossing_link = q.mesh.link_next[q.crossing_link]
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _distance(ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double, by: cython.double,
              bz: cython.double) -> cython.double:
    return sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay) + (bz - az) * (bz - az))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose_link(q: QueryScratch, f: QueryFilter, b: cython.int, px: cython.double, py: cython.double,
                 pz: cython.double, tx: cython.double, ty: cython.double, tz: cython.double) -> cython.void:
    """Where several links lead to ``b`` from the polygon before it, choose the one of the shortest way from p to t."""
    xyz: cython.p_double = q.mesh.link_xyz
    end: cython.int = q.crossing_link
    best: cython.double = 0.0
    length: cython.double
    i: cython.int
    j: cython.int
    while end >= 0:
        if q.mesh.link_poly[end ^ 1] == b and link_passes(q.mesh, f, end):
            i = 3 * end
            j = 3 * (end ^ 1)
            length = _distance(px, py, pz, xyz[i], xyz[i + 1], xyz[i + 2])
            length = length + _distance(xyz[j], xyz[j + 1], xyz[j + 2], tx, ty, tz)
            length = length + f.cost[q.mesh.link_area[end >> 1]] * _distance(
                xyz[i], xyz[i + 1], xyz[i + 2], xyz[j], xyz[j + 1], xyz[j + 2])
            if end == q.crossing_link or length < best:
                best = length
                q.crossing_link = end
        end = q.mesh.link_next[end]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_corner(q: QueryScratch, x: cython.double, y: cython.double, z: cython.double, flags: cython.int,
                  index: cython.int, is_bend: cython.bint) -> cython.void:
    """Write a corner, or merge it into the previous one if they are equal (a bend: if equal in the plane)."""
    last: cython.int = q.corner_count - 1
    xyz: cython.p_double = q.corner_xyz
    if last >= 0 and xyz[3 * last] == x and xyz[3 * last + 2] == z and (is_bend or xyz[3 * last + 1] == y):
        q.corner_flags[last] = q.corner_flags[last] | flags
        q.corner_index[last] = index
        return
    last += 1
    xyz[3 * last] = x
    xyz[3 * last + 1] = y
    xyz[3 * last + 2] = z
    q.corner_flags[last] = flags
    q.corner_index[last] = index
    q.corner_count = last + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look_ahead(q: QueryScratch, f: QueryFilter, refs: cython.p_ulonglong, place: cython.int, count: cython.int,
                ax: cython.double, ay: cython.double, az: cython.double, tx: cython.double, ty: cython.double,
                tz: cython.double) -> cython.int:
    """Set ``q.crossing_*`` to what lies behind polygon ``place`` of the corridor.

    Returns:
        A kind of :func:`find_crossing`; 0 also for a stale reference; 4 for the end of the corridor. A link's entry
        and the end are crossings without width.
    """
    a: cython.int = poly_of_ref(q.mesh, refs[place])
    b: cython.int
    kind: cython.int = 4
    i: cython.int
    if a < 0:
        return 0
    if place + 1 < count:
        b = poly_of_ref(q.mesh, refs[place + 1])
        if b < 0:
            return 0
        kind = find_crossing(q, f, a, b)
        if kind != 3:
            return kind
        _choose_link(q, f, b, ax, ay, az, tx, ty, tz)
        i = 3 * q.crossing_link
        tx = q.mesh.link_xyz[i]
        ty = q.mesh.link_xyz[i + 1]
        tz = q.mesh.link_xyz[i + 2]
    elif not closest_point(q.mesh, q, a, tx, tz):
        tx = q.out_x
        ty = q.out_y
        tz = q.out_z
    q.crossing_left_x = q.crossing_right_x = tx
    q.crossing_left_y = q.crossing_right_y = ty
    q.crossing_left_z = q.crossing_right_z = tz
    return kind


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _remember(q: QueryScratch, place: cython.int, kind: cython.int) -> cython.void:
    """Keep the crossing behind a polygon of the corridor for the rest of this run."""
    cached: cython.p_double = q.pass_xyz
    q.pass_kind[place] = kind
    cached[6 * place] = q.crossing_left_x
    cached[6 * place + 1] = q.crossing_left_y
    cached[6 * place + 2] = q.crossing_left_z
    cached[6 * place + 3] = q.crossing_right_x
    cached[6 * place + 4] = q.crossing_right_y
    cached[6 * place + 5] = q.crossing_right_z


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cross(q: QueryScratch, xyz: cython.p_double, left: cython.int, right: cython.int) -> cython.void:
    """Set the ends of the crossing to two points of a column."""
    q.crossing_left_x = xyz[left]
    q.crossing_left_y = xyz[left + 1]
    q.crossing_left_z = xyz[left + 2]
    q.crossing_right_x = xyz[right]
    q.crossing_right_y = xyz[right + 1]
    q.crossing_right_z = xyz[right + 2]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _leave_by(q: QueryScratch, code: cython.int) -> cython.void:
    """Set ``q.crossing_*`` to the ends of the edge or portal that an exit stands for."""
    edge: cython.int
    if code > 0:
        edge = (code - 1) // _EXIT_STRIDE
        _cross(q, q.mesh.xyz, 3 * edge, 3 * (edge + 1 - (code - 1) % _EXIT_STRIDE))
    else:
        _cross(q, q.mesh.portal_xyz, 6 * (-1 - code), 6 * (-1 - code) + 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_corners_filtered(q: QueryScratch, f: QueryFilter, px: cython.double, py: cython.double, pz: cython.double,
                          tx: cython.double, ty: cython.double, tz: cython.double, refs: cython.p_ulonglong,
                          first: cython.int, count: cython.int, max_corners: cython.int) -> cython.int:
    """Pull a string from p to t through ``refs[first .. first + count)`` and write its first corners.

    The first corner is p (START). The last is t (END), or the closest point to it of the last polygon's outline if t
    lies beside that polygon. A link gives its entry (OFF_MESH) and its exit, where the funnel begins anew.
    References are decoded only as far as the corners asked for need it.

    Args:
        f: decides which links may be crossed.
        refs: the corridor: references of polygons, each connected to the previous one.
        first: place of its first reference.
        count: number of references, at least 1.
        max_corners: most corners to write, 1..``q.corner_capacity``.

    Returns:
        Number of corners in ``q.corner_xyz``, ``corner_flags`` and ``corner_index`` (place in the corridor, from 0, of
        the polygon that is entered at the corner, the last one where several touch it; for a link's entry, the
        polygon it lies on); −1 if a reference is stale or two neighbours are not connected.
    """
    return find_corners_along(q, f, px, py, pz, tx, ty, tz, refs, first, count, max_corners, q.pass_kind, 0, 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_corners_along(q: QueryScratch, f: QueryFilter, px: cython.double, py: cython.double, pz: cython.double,
                       tx: cython.double, ty: cython.double, tz: cython.double, refs: cython.p_ulonglong,
                       first: cython.int, count: cython.int, max_corners: cython.int, exits: cython.p_int,
                       first_exit: cython.int, exit_count: cython.int) -> cython.int:
    """Like :func:`find_corners_filtered`, with a memory of how the first polygons are left.

    Args:
        exits: ``exits[first_exit + i]`` is the exit of polygon ``i`` of the corridor into the next one, or 0: it is
            found out and, if one number tells it, noted. Those that are there must be right.
        exit_count: number of polygons that there is a memory for.
    """
    # The funnel: apex and the ends of its two sides, with the place of the polygon that each side end enters.
    ax: cython.double = px
    ay: cython.double = py
    az: cython.double = pz
    lx: cython.double = px
    ly: cython.double = py
    lz: cython.double = pz
    rx: cython.double = px
    ry: cython.double = py
    rz: cython.double = pz
    nx: cython.double
    nz: cython.double
    left: cython.int = 0
    right: cython.int = 0
    place: cython.int = 0
    kind: cython.int
    i: cython.int
    # Behind each corner found the funnel begins anew; what lies behind a polygon need not be found out twice.
    known: cython.int = 0
    q.corner_count = 0
    _write_corner(q, px, py, pz, CornerFlag.START, 0, False)
    while q.corner_count < max_corners:
        if place < known and q.pass_kind[place] < 3:
            kind = q.pass_kind[place]
            _cross(q, q.pass_xyz, 6 * place, 6 * place + 3)
        else:
            if place < exit_count and exits[first_exit + place] != 0:
                kind = 1
                _leave_by(q, exits[first_exit + place])
            else:
                kind = _look_ahead(q, f, refs, first + place, first + count, ax, ay, az, tx, ty, tz)
                if kind == 0:
                    q.corner_count = 0
                    return -1
                if place < exit_count and kind < 3:
                    exits[first_exit + place] = q.crossing_exit
            if place == known and place < q.corner_capacity:
                _remember(q, place, kind)
                known += 1
        nx = q.crossing_right_x
        nz = q.crossing_right_z
        if _turn(ax, az, rx, rz, nx, nz) <= 0.0:
            if (ax == rx and az == rz) or not _is_past(ax, az, lx, lz, rx, rz, nx, nz, -1.0):
                rx = nx
                ry = q.crossing_right_y
                rz = nz
                right = place + 1
            else:
                _write_corner(q, lx, ly, lz, 0, left, True)
                ax = rx = lx
                ay = ry = ly
                az = rz = lz
                place = right = left
                continue
        nx = q.crossing_left_x
        nz = q.crossing_left_z
        if _turn(ax, az, lx, lz, nx, nz) >= 0.0:
            if (ax == lx and az == lz) or not _is_past(ax, az, rx, rz, lx, lz, nx, nz, 1.0):
                lx = nx
                ly = q.crossing_left_y
                lz = nz
                left = place + 1
            else:
                _write_corner(q, rx, ry, rz, 0, right, True)
                ax = lx = rx
                ay = ly = ry
                az = lz = rz
                place = left = right
                continue
        if kind == 4:
            _write_corner(q, nx, q.crossing_left_y, nz, CornerFlag.END, place, False)
            break
        place += 1
        if kind == 3:
            _write_corner(q, nx, q.crossing_left_y, nz, CornerFlag.OFF_MESH, place - 1, False)
            if q.corner_count == max_corners:
                break
            i = 3 * (q.crossing_link ^ 1)
            ax = lx = rx = q.mesh.link_xyz[i]
            ay = ly = ry = q.mesh.link_xyz[i + 1]
            az = lz = rz = q.mesh.link_xyz[i + 2]
            left = right = place
            _write_corner(q, ax, ay, az, 0, place, False)
    return q.corner_count
