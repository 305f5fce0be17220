"""A move over the surface that slides along walls instead of stopping at them.

The line to the target is walked as far as it goes. If a wall stops it, the move ends at the point nearest to the
target (in X/Z), and no farther from the start than that is, of all polygons reached by a search around it: breadth
first from those the line crossed, through edges and portals (never links) that come within the circle over the move as
its diameter, as Detour does it. In a straight wall that is the foot of the target on the wall; round an obtuse corner
it is the foot on the next wall.
"""

import cython

from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.geometry import segment_parameter_xz
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, project_xz
from cython.cimports.onepath.navmesh.store import MeshStore, passes
from cython.cimports.onepath.queries.raycast import raycast
from cython.cimports.onepath.queries.reach import begin_reach, reach
from cython.cimports.onepath.queries.scratch import QueryScratch

#: A move crosses at most this many edges, portals included.
_MOST_CROSSINGS = cython.declare(cython.int, 64)
#: Most polygons searched when a wall is in the way.
_MOST_POLYS = cython.declare(cython.int, 512)
#: How far (world units) the search reaches beyond the circle over the move.
_MARGIN = cython.declare(cython.double, 1e-3)
#: How far (world units) outside its polygon a start on the rim may be.
_ROUNDING = cython.declare(cython.double, 1e-9)
#: By what part a squared distance must be less for a polygon farther on to be preferred.
_GAIN = cython.declare(cython.double, 1e-12)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def move_along_surface(q: QueryScratch, filter: QueryFilter, poly: cython.int, sx: cython.double, sz: cython.double,
                       ex: cython.double, ez: cython.double) -> cython.int:
    """Move from start toward the target; return the number of polygons visited (≥ 1).

    ``q.visited`` holds them, each connected to the one before, none twice; ``q.out_x/y/z`` is the place reached, on
    the surface of the last. If the start was in its polygon, the place is no farther (X/Z) from the target than the
    start was, and no farther from the start than the target.

    Args:
        q: the working memory.
        filter: what is walkable; the first polygon is not asked.
        poly: the polygon of the start.
        sx, sz: start; a place outside the polygon is moved to its closest point.
        ex, ez: target.
    """
    if project_xz(q.mesh, q, poly, ex, ez):
        q.visited[0] = poly
        return 1
    count: cython.int = raycast(q, filter, poly, sx, sz, ex, ez, _MOST_CROSSINGS + 1)
    if q.hit_t <= 1.0:
        closest_point(q.mesh, q, poly, sx, sz)
        count = _slide(q, filter, count, q.out_x, q.out_y, q.out_z, ex, ez)
    else:
        closest_point(q.mesh, q, q.visited[count - 1], ex, ez)
    if q.out_x == ex and q.out_z == ez:
        return count
    return _settle(q, count, sx, sz, ex, ez)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _settle(q: QueryScratch, count: cython.int, sx: cython.double, sz: cython.double, ex: cython.double,
            ez: cython.double) -> cython.int:
    """Stay at the start if rounding has led a move farther from its target than that."""
    x: cython.double = q.out_x
    y: cython.double = q.out_y
    z: cython.double = q.out_z
    if (x - ex) * (x - ex) + (z - ez) * (z - ez) <= (sx - ex) * (sx - ex) + (sz - ez) * (sz - ez):
        return count
    closest_point(q.mesh, q, q.visited[0], sx, sz)
    if (q.out_x - sx) * (q.out_x - sx) + (q.out_z - sz) * (q.out_z - sz) <= _ROUNDING * _ROUNDING:
        q.out_x = sx
        q.out_z = sz
        return 1
    q.out_x = x
    q.out_y = y
    q.out_z = z
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _slide(q: QueryScratch, filter: QueryFilter, count: cython.int, sx: cython.double, sy: cython.double,
           sz: cython.double, ex: cython.double, ez: cython.double) -> cython.int:
    """End a move whose line hit a wall after ``count`` polygons."""
    dx: cython.double = ex - sx
    dz: cython.double = ez - sz
    start_distance: cython.double = dx * dx + dz * dz
    radius: cython.double = 0.5 * sqrt(start_distance) + _MARGIN
    begin_reach(q)
    i: cython.int
    for i in range(count):
        reach(q, q.visited[i], i - 1, i)
    best: cython.int = 0
    best_distance: cython.double = start_distance
    best_x: cython.double = sx
    best_y: cython.double = sy
    best_z: cython.double = sz
    # The polygons of the line are opened from the last to the first, what they lead to in the order reached.
    opened: cython.int = 0
    while opened < q.reach_count:
        i = count - 1 - opened if opened < count else opened
        opened += 1
        current: cython.int = q.reach_poly[i]
        inside: cython.bint = closest_point(q.mesh, q, current, ex, ez)
        dx = q.out_x - sx
        dz = q.out_z - sz
        if not inside and dx * dx + dz * dz > start_distance:
            _clip(q, q.mesh, current, sx, sz, ex, ez, start_distance)
        dx = q.out_x - ex
        dz = q.out_z - ez
        distance: cython.double = dx * dx + dz * dz
        if inside or distance < best_distance - _GAIN * best_distance:
            best = i
            best_distance = distance
            best_x = q.out_x
            best_y = q.out_y
            best_z = q.out_z
            if inside:
                break
        if q.reach_depth[i] < _MOST_CROSSINGS:
            _open(q, q.mesh, filter, i, 0.5 * (sx + ex), 0.5 * (sz + ez), radius * radius)
    q.out_x = best_x
    q.out_y = best_y
    q.out_z = best_z
    return _trace_back(q, best)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clip(q: QueryScratch, mesh: MeshStore, poly: cython.int, sx: cython.double, sz: cython.double,
          ex: cython.double, ez: cython.double, reach2: cython.double) -> cython.void:
    """Leave the point nearest to the target of those of an outline that lie in the circle around the start.

    The start itself (X/Z) is left if there are none. ``reach2`` is the square of the circle's radius.
    """
    xyz: cython.p_double = mesh.xyz
    b: cython.int = 3 * mesh.poly_edge[poly]
    end: cython.int = b + 3 * mesh.poly_size[poly]
    a: cython.int = end - 3
    best: cython.double = reach2
    q.out_x = sx
    q.out_z = sz
    while b < end:
        dx: cython.double = xyz[b] - xyz[a]
        dz: cython.double = xyz[b + 2] - xyz[a + 2]
        # The edge's line is in the circle from ``middle`` − ``half`` to ``middle`` + ``half`` (in squared lengths).
        length2: cython.double = dx * dx + dz * dz
        middle: cython.double = (sx - xyz[a]) * dx + (sz - xyz[a + 2]) * dz
        off: cython.double = (sz - xyz[a + 2]) * dx - (sx - xyz[a]) * dz
        half2: cython.double = reach2 * length2 - off * off
        if half2 >= 0.0:
            half: cython.double = sqrt(half2)
            along: cython.double = (ex - xyz[a]) * dx + (ez - xyz[a + 2]) * dz
            low: cython.double = max(middle - half, 0.0)
            high: cython.double = min(middle + half, length2)
            if low <= high:
                t: cython.double = min(max(along, low), high) / length2
                x: cython.double = xyz[a] + t * dx
                z: cython.double = xyz[a + 2] + t * dz
                distance: cython.double = (x - ex) * (x - ex) + (z - ez) * (z - ez)
                if distance < best:
                    best = distance
                    q.out_x = x
                    q.out_y = xyz[a + 1] + t * (xyz[b + 1] - xyz[a + 1])
                    q.out_z = z
        a = b
        b += 3


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _open(q: QueryScratch, mesh: MeshStore, filter: QueryFilter, place: cython.int, cx: cython.double,
          cz: cython.double, radius2: cython.double) -> cython.void:
    """Reach the polygons behind the edges and portals of a reached one that come within the circle."""
    xyz: cython.p_double = mesh.xyz
    poly: cython.int = q.reach_poly[place]
    depth: cython.int = q.reach_depth[place] + 1
    first: cython.int = mesh.poly_edge[poly]
    size: cython.int = mesh.poly_size[poly]
    k: cython.int
    for k in range(size):
        behind: cython.int = mesh.neighbour[first + k]
        if behind >= 0:
            a: cython.int = 3 * (first + k)
            b: cython.int = a + 3 if k + 1 < size else 3 * first
            if q.reach_count < _MOST_POLYS and _segment_distance2(
                xyz[a], xyz[a + 2], xyz[b], xyz[b + 2], cx, cz
            ) <= radius2 and passes(mesh, filter, behind):
                reach(q, behind, place, depth)
            continue
        portal: cython.int = -2 - behind
        while portal >= 0:
            p: cython.int = 6 * portal
            if q.reach_count < _MOST_POLYS and _segment_distance2(
                mesh.portal_xyz[p], mesh.portal_xyz[p + 2], mesh.portal_xyz[p + 3], mesh.portal_xyz[p + 5], cx, cz
            ) <= radius2 and passes(mesh, filter, mesh.portal_target[portal]):
                reach(q, mesh.portal_target[portal], place, depth)
            portal = mesh.portal_next[portal]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _segment_distance2(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, cx: cython.double,
                       cz: cython.double) -> cython.double:
    t: cython.double = segment_parameter_xz(ax, az, bx, bz, cx, cz)
    dx: cython.double = ax + t * (bx - ax) - cx
    dz: cython.double = az + t * (bz - az) - cz
    return dx * dx + dz * dz


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _trace_back(q: QueryScratch, place: cython.int) -> cython.int:
    """Write the chain of polygons that leads to a reached one into ``q.visited``; return its length."""
    count: cython.int = q.reach_depth[place] + 1
    i: cython.int = count - 1
    while i >= 0:
        q.visited[i] = q.reach_poly[place]
        place = q.reach_parent[place]
        i -= 1
    return count
