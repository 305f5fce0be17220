"""A straight line followed over the surface from polygon to polygon until a wall stops it.

A polygon is left through the edge whose ends lie on either side of the line. Which side a vertex is on is one number,
the same for every polygon that has the vertex, so neighbours never disagree and no crossing is lost to rounding. Only
a vertex on the line itself (within 1e-9) leaves a choice; see :func:`_turn_at_vertex`.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.geometry import cross_xz, segment_parameter_xz
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, contains_xz
from cython.cimports.onepath.navmesh.store import MeshStore, passes
from cython.cimports.onepath.queries.scratch import QueryScratch

#: A vertex or end point this close (world units) to a line is on it.
_ON_LINE = cython.declare(cython.double, 1e-9)
#: Where a line that only touches a polygon meets an edge's line, the edge itself is met if it is this close.
_TOUCH = cython.declare(cython.double, 1e-7)
#: How far (world units) past the end of a portal a line may still pass.
_PORTAL_RIM = cython.declare(cython.double, 1e-6)
#: Most polygons around one vertex that a ray is led through.
_MOST_TURNS = cython.declare(cython.int, 16)
#: Instead of the edge that a line leaves through: it leaves through none, or twice.
_NONE = cython.declare(cython.int, -1)
_MANY = cython.declare(cython.int, -2)
_INFINITY = cython.declare(cython.double, float("inf"))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def raycast(q: QueryScratch, filter: QueryFilter, poly: cython.int, sx: cython.double, sz: cython.double,
            ex: cython.double, ez: cython.double, max_polys: cython.int) -> cython.int:
    """Follow the line from start to end in X/Z; return the number of polygons crossed, the first included.

    Edges and the covered pieces of portals are crossed where the filter accepts what is behind; links are not. A line
    that only touches a wall, at its end or along it, goes on. ``q.visited`` holds the polygons (as many as it has
    room for), ``q.hit_t`` the fraction of the way at which a wall is hit (infinity: none), ``q.normal_x/z`` the
    wall's unit normal toward the walkable side.

    Args:
        q: the working memory.
        filter: what is walkable; the first polygon is not asked.
        poly: the polygon the line starts in.
        sx, sz: start; a place outside the polygon is moved to its closest point.
        ex, ez: end.
        max_polys: number of polygons after which to stop (≥ 1).
    """
    return _follow(q, q.mesh, filter, poly, sx, sz, ex, ez, max_polys)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _follow(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, poly: cython.int, sx: cython.double,
            sz: cython.double, ex: cython.double, ez: cython.double, max_polys: cython.int) -> cython.int:
    """Do what :func:`raycast` says."""
    xyz: cython.p_double = mesh.xyz
    q.hit_t = _INFINITY
    q.normal_x = 0.0
    q.normal_z = 0.0
    q.ray_last = poly
    q.visited[0] = poly
    count: cython.int = 1
    if sx == ex and sz == ez:
        return count
    if not contains_xz(mesh, poly, sx, sz, 0.0):
        closest_point(mesh, q, poly, sx, sz)
        sx = q.out_x
        sz = q.out_z
    dx: cython.double = ex - sx
    dz: cython.double = ez - sz
    slack: cython.double = _ON_LINE * sqrt(dx * dx + dz * dz)
    q.out_x = _INFINITY
    while True:
        first: cython.int = mesh.poly_edge[poly]
        size: cython.int = mesh.poly_size[poly]
        edge: cython.int = _plain_exit(xyz, first, size, sx, sz, dx, dz, slack)
        if edge < 0:
            edge = _doubtful_exit(mesh, first, size, sx, sz, ex, ez, slack, edge == _MANY)
            if edge < 0:
                return count
        after: cython.int = edge + 1 if edge + 1 < first + size else first
        if not _lies_beyond(mesh, edge, after, ex, ez):
            return count
        behind: cython.int = mesh.neighbour[edge]
        if behind >= 0:
            if not passes(mesh, filter, behind):
                behind = -1
        elif behind <= -2:
            behind = portal_target(mesh, filter, edge, after, _crossing(xyz, edge, after, sx, sz, dx, dz))
        if behind >= 0:
            if count >= max_polys:
                return count
            if count < q.visited_capacity:
                q.visited[count] = behind
            count += 1
        else:
            count = _meet_wall(q, mesh, filter, poly, edge, after, sx, sz, dx, dz, slack, count)
            behind = q.ray_last
            if behind == poly:
                _set_hit(q, edge, after, sx, sz, ex, ez)
                return count
            if count > max_polys:
                return max_polys
        poly = behind
        q.ray_last = poly


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _plain_exit(xyz: cython.p_double, first: cython.int, size: cython.int, sx: cython.double, sz: cython.double,
                dx: cython.double, dz: cython.double, slack: cython.double) -> cython.int:
    """Return the one edge of a polygon through which a line leaves it, or ``_NONE`` or ``_MANY``."""
    edge: cython.int = _NONE
    v: cython.int = 3 * first
    first_side: cython.double = dx * (xyz[v + 2] - sz) - dz * (xyz[v] - sx)
    a_side: cython.double = first_side
    exits: cython.int = 0
    k: cython.int
    for k in range(size - 1):
        v += 3
        b_side: cython.double = dx * (xyz[v + 2] - sz) - dz * (xyz[v] - sx)
        if a_side <= slack and b_side > slack:
            edge = first + k
            exits += 1
        a_side = b_side
    if a_side <= slack and first_side > slack:
        edge = first + size - 1
        exits += 1
    return edge if exits <= 1 else _MANY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _meet_wall(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, poly: cython.int, edge: cython.int,
               after: cython.int, sx: cython.double, sz: cython.double, dx: cython.double, dz: cython.double,
               slack: cython.double, count: cython.int) -> cython.int:
    """Lead a ray past a wall that it only touches at a vertex; ``q.ray_last`` is another polygon if that worked.

    ``q.out_x/z`` is the vertex led round last, which is not tried again. Return the number of polygons crossed.
    """
    xyz: cython.p_double = mesh.xyz
    corner: cython.int = -1
    if _side(xyz, edge, sx, sz, dx, dz) >= -slack:
        corner = edge
    elif _side(xyz, after, sx, sz, dx, dz) <= slack:
        corner = after
    if corner < 0 or (q.out_x == xyz[3 * corner] and q.out_z == xyz[3 * corner + 2]):
        return count
    q.out_x = xyz[3 * corner]
    q.out_z = xyz[3 * corner + 2]
    turned: cython.int = _turn_at_vertex(q, mesh, filter, poly, corner == after, dx, dz, slack, count)
    return turned if turned > 0 else count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _side(xyz: cython.p_double, vertex: cython.int, sx: cython.double, sz: cython.double, dx: cython.double,
          dz: cython.double) -> cython.double:
    """Return on which side of the line from s along d a vertex is: its distance times the length of d."""
    return dx * (xyz[3 * vertex + 2] - sz) - dz * (xyz[3 * vertex] - sx)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _crossing(xyz: cython.p_double, a: cython.int, b: cython.int, sx: cython.double, sz: cython.double,
              dx: cython.double, dz: cython.double) -> cython.double:
    """Return the parameter at which the line from s along d crosses an edge that it leaves through."""
    a_side: cython.double = _side(xyz, a, sx, sz, dx, dz)
    rise: cython.double = _side(xyz, b, sx, sz, dx, dz) - a_side
    return min(max(-a_side / rise, 0.0), 1.0) if rise > 0.0 else 0.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _lies_beyond(mesh: MeshStore, a: cython.int, b: cython.int, x: cython.double, z: cython.double) -> cython.bint:
    """Tell whether a place is on the outer side of the line through two vertices, by more than a rounding error."""
    xyz: cython.p_double = mesh.xyz
    dx: cython.double = xyz[3 * b] - xyz[3 * a]
    dz: cython.double = xyz[3 * b + 2] - xyz[3 * a + 2]
    side: cython.double = dx * (z - xyz[3 * a + 2]) - dz * (x - xyz[3 * a])
    return side < 0.0 and side * side > _ON_LINE * _ON_LINE * (dx * dx + dz * dz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _doubtful_exit(mesh: MeshStore, first: cython.int, size: cython.int, sx: cython.double, sz: cython.double,
                   ex: cython.double, ez: cython.double, slack: cython.double, twice: cython.bint) -> cython.int:
    """Return the edge through which a line leaves a polygon that it only touches or leaves twice; −1: it ends there.

    Touched at a vertex or along an edge, the polygon is left through the first of the edges whose outer side the line
    comes to, of edges in one line the one it meets. Outlines are convex within a tolerance only; where the line leaves
    twice, the last exit counts.
    """
    xyz: cython.p_double = mesh.xyz
    dx: cython.double = ex - sx
    dz: cython.double = ez - sz
    best: cython.int = -1
    best_t: cython.double = 0.0
    best_met: cython.bint = False
    a: cython.int
    for a in range(first, first + size):
        b: cython.int = a + 1 if a + 1 < first + size else first
        if twice and (_side(xyz, a, sx, sz, dx, dz) > slack or _side(xyz, b, sx, sz, dx, dz) <= slack):
            continue
        end_side: cython.double = cross_xz(xyz[3 * a], xyz[3 * a + 2], xyz[3 * b], xyz[3 * b + 2], ex, ez)
        start_side: cython.double = cross_xz(xyz[3 * a], xyz[3 * a + 2], xyz[3 * b], xyz[3 * b + 2], sx, sz)
        if start_side <= end_side or not _lies_beyond(mesh, a, b, ex, ez):
            continue
        start_side = max(start_side, 0.0)
        t: cython.double = start_side / (start_side - end_side)
        met: cython.bint = twice or _is_near(mesh, a, b, sx + t * dx, sz + t * dz, _TOUCH)
        if best < 0 or (met and not best_met) or (met == best_met and (t > best_t if twice else t < best_t)):
            best = a
            best_t = t
            best_met = met
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def portal_target(mesh: MeshStore, filter: QueryFilter, edge: cython.int, after: cython.int,
                  t: cython.double) -> cython.int:
    """Return the first accepted polygon behind the place at parameter t of a border edge, or −1.

    ``edge`` and ``after`` are the vertices the edge runs between.
    """
    dx: cython.double = mesh.xyz[3 * after] - mesh.xyz[3 * edge]
    dz: cython.double = mesh.xyz[3 * after + 2] - mesh.xyz[3 * edge + 2]
    # Border edges run along x or along z.
    length: cython.double = max(max(dx, -dx), max(dz, -dz))
    portal: cython.int = -2 - mesh.neighbour[edge]
    while portal >= 0:
        if (mesh.portal_t[2 * portal] - t) * length <= _PORTAL_RIM and (
            t - mesh.portal_t[2 * portal + 1]
        ) * length <= _PORTAL_RIM:
            target: cython.int = mesh.portal_target[portal]
            if passes(mesh, filter, target):
                return target
        portal = mesh.portal_next[portal]
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn_at_vertex(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, poly: cython.int, forward: cython.bint,
                    dx: cython.double, dz: cython.double, slack: cython.double, count: cython.int) -> cython.int:
    """Lead a ray that meets the end of a wall at the vertex ``q.out_x/z`` round it to a polygon it runs on into.

    The polygons around the vertex are taken in turn, away from the wall: through the edges that start at the vertex
    if ``forward``, else through those that end there. The ones passed join ``q.visited`` after its first ``count``,
    and loops in it are cut. Return its new length, or 0 with nothing changed if there is another wall in the way.
    """
    turns: cython.int = 0
    while turns < _MOST_TURNS:
        vertex: cython.int = _vertex_at(mesh, poly, q.out_x, q.out_z)
        if vertex < 0:
            return 0
        first: cython.int = mesh.poly_edge[poly]
        size: cython.int = mesh.poly_size[poly]
        edge: cython.int = vertex
        if not forward:
            edge = vertex - 1 if vertex > first else first + size - 1
        after: cython.int = edge + 1 if edge + 1 < first + size else first
        behind: cython.int = mesh.neighbour[edge]
        if behind <= -2:
            behind = portal_target(mesh, filter, edge, after, 0.0 if forward else 1.0)
        if behind < 0 or not passes(mesh, filter, behind):
            return 0
        q.reach_poly[turns] = behind
        turns += 1
        if _runs_on_into(mesh, behind, q.out_x, q.out_z, dx, dz, slack):
            return _join_visited(q, turns, count)
        poly = behind
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join_visited(q: QueryScratch, turns: cython.int, count: cython.int) -> cython.int:
    """Append the polygons in ``q.reach_poly`` to the first ``count`` of ``q.visited``, cutting loops."""
    i: cython.int
    for i in range(turns):
        q.ray_last = q.reach_poly[i]
        place: cython.int = min(count, q.visited_capacity)
        while place > 0 and q.visited[place - 1] != q.ray_last:
            place -= 1
        if place > 0:
            count = place
            continue
        if count < q.visited_capacity:
            q.visited[count] = q.ray_last
        count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _vertex_at(mesh: MeshStore, poly: cython.int, x: cython.double, z: cython.double) -> cython.int:
    """Return the polygon's vertex at (x, z), counted over the mesh, or −1."""
    vertex: cython.int
    for vertex in range(mesh.poly_edge[poly], mesh.poly_edge[poly] + mesh.poly_size[poly]):
        if mesh.xyz[3 * vertex] == x and mesh.xyz[3 * vertex + 2] == z:
            return vertex
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _runs_on_into(mesh: MeshStore, poly: cython.int, x: cython.double, z: cython.double, dx: cython.double,
                  dz: cython.double, slack: cython.double) -> cython.bint:
    """Tell whether a ray of direction (dx, dz) from (x, z) on a polygon's outline stays in the polygon at first."""
    xyz: cython.p_double = mesh.xyz
    first: cython.int = mesh.poly_edge[poly]
    a: cython.int = first + mesh.poly_size[poly] - 1
    b: cython.int
    for b in range(first, first + mesh.poly_size[poly]):
        turn: cython.double = dx * (xyz[3 * b + 2] - xyz[3 * a + 2]) - dz * (xyz[3 * b] - xyz[3 * a])
        if turn > slack and _is_near(mesh, a, b, x, z, _ON_LINE):
            return False
        a = b
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_near(mesh: MeshStore, a: cython.int, b: cython.int, x: cython.double, z: cython.double,
             distance: cython.double) -> cython.bint:
    """Tell whether a place is within a distance of the edge between two vertices."""
    ax: cython.double = mesh.xyz[3 * a]
    az: cython.double = mesh.xyz[3 * a + 2]
    dx: cython.double = mesh.xyz[3 * b] - ax
    dz: cython.double = mesh.xyz[3 * b + 2] - az
    t: cython.double = segment_parameter_xz(ax, az, ax + dx, az + dz, x, z)
    off_x: cython.double = ax + t * dx - x
    off_z: cython.double = az + t * dz - z
    return off_x * off_x + off_z * off_z <= distance * distance


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_hit(q: QueryScratch, a: cython.int, b: cython.int, sx: cython.double, sz: cython.double, ex: cython.double,
             ez: cython.double) -> cython.void:
    """Leave the fraction and the normal of a hit on the edge between two vertices; the end lies beyond the edge."""
    xyz: cython.p_double = q.mesh.xyz
    dx: cython.double = xyz[3 * b] - xyz[3 * a]
    dz: cython.double = xyz[3 * b + 2] - xyz[3 * a + 2]
    start_side: cython.double = max(dx * (sz - xyz[3 * a + 2]) - dz * (sx - xyz[3 * a]), 0.0)
    end_side: cython.double = dx * (ez - xyz[3 * a + 2]) - dz * (ex - xyz[3 * a])
    length: cython.double = sqrt(dx * dx + dz * dz)
    q.hit_t = start_side / (start_side - end_side)
    q.normal_x = (xyz[3 * a + 2] - xyz[3 * b + 2]) / length
    q.normal_z = dx / length
