"""Where on the mesh a place is: surface heights, closest points of polygons, and the nearest polygon.

The closest point of a polygon to p is, as in Detour, the one straight above or below p where the outline holds p in
X/Z, and otherwise the nearest point of the outline measured in X/Z, at the height of its edge there. So the height
asked with never moves the answer sideways.
"""

import cython

from onepath.navmesh.fan import SLIVER
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import MeshStore, SurfacePoint, passes, ref_of_poly, tile_at

#: Distances closer than this (world units) count as equal when the nearest polygon is chosen.
_TIE = cython.declare(cython.double, 1e-9)
#: Larger than any squared distance on a mesh.
_FAR = cython.declare(cython.double, 1e300)
#: What stands for the distance of places outside the box.
_OUTSIDE = cython.declare(cython.double, 2e300)

_SLIVER = cython.declare(cython.double, SLIVER)
#: Outlines are convex within a smaller tolerance than this (world units).
_WELL_INSIDE = cython.declare(cython.double, 1e-3)
#: How far (world units) polygons may stick out of their tile.
_OVERHANG = cython.declare(cython.double, 1e-5)

_NEAREST = cython.declare(cython.int, 0)
_FLATTEST = cython.declare(cython.int, 1)
_LOWEST_REFERENCE = cython.declare(cython.int, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def surface_height(mesh: MeshStore, poly: cython.int, x: cython.double, z: cython.double) -> cython.double:
    """Return the height of a polygon's surface, the fan of triangles at its vertex 0, at a place in its outline.

    A place a rounding error outside gets the height of the nearest triangle's rim; triangles whose corners lie in one
    line, to within rounding, are passed: no outline of a mesh has any whose heights are not in line as well.
    """
    xyz: cython.p_double = mesh.xyz
    first: cython.int = 3 * mesh.poly_edge[poly]
    last: cython.int = first + 3 * (mesh.poly_size[poly] - 1)
    ax: cython.double = xyz[first]
    ay: cython.double = xyz[first + 1]
    az: cython.double = xyz[first + 2]
    dx: cython.double = x - ax
    dz: cython.double = z - az
    b: cython.int = first + 3
    bx: cython.double = xyz[b] - ax
    bz: cython.double = xyz[b + 2] - az
    area: cython.double = 0.0
    weight_b: cython.double = 0.0
    weight_c: cython.double = 0.0
    rise_b: cython.double = 0.0
    rise_c: cython.double = 0.0
    while b < last:
        cx: cython.double = xyz[b + 3] - ax
        cz: cython.double = xyz[b + 5] - az
        doubled: cython.double = bx * cz - bz * cx
        if doubled > _SLIVER * (bx * bx + bz * bz + cx * cx + cz * cz):
            area = doubled
            weight_b = dx * cz - dz * cx
            weight_c = bx * dz - bz * dx
            rise_b = xyz[b + 1] - ay
            rise_c = xyz[b + 4] - ay
            if weight_b >= 0.0:
                break
        bx = cx
        bz = cz
        b += 3
    if area <= 0.0:
        return ay
    weight_b = min(max(weight_b, 0.0), area)
    weight_c = min(max(weight_c, 0.0), area - weight_b)
    rise: cython.double = weight_b * rise_b + weight_c * rise_c
    return ay if rise == 0.0 else ay + rise / area


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lies_beyond(mesh: MeshStore, poly: cython.int, px: cython.double, pz: cython.double,
                limit: cython.double) -> cython.bint:
    """Tell whether a polygon is farther than the root of ``limit`` in X/Z because all of it lies behind one edge."""
    xyz: cython.p_double = mesh.xyz
    b: cython.int = 3 * mesh.poly_edge[poly]
    end: cython.int = b + 3 * mesh.poly_size[poly]
    ax: cython.double = xyz[end - 3]
    az: cython.double = xyz[end - 1]
    while b < end:
        bx: cython.double = xyz[b]
        bz: cython.double = xyz[b + 2]
        dx: cython.double = bx - ax
        dz: cython.double = bz - az
        side: cython.double = dx * (pz - az) - dz * (px - ax)
        if side < 0.0 and side * side > limit * (dx * dx + dz * dz):
            return True
        ax = bx
        az = bz
        b += 3
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def contains_xz(mesh: MeshStore, poly: cython.int, x: cython.double, z: cython.double,
                tolerance: cython.double) -> cython.bint:
    """Tell whether a polygon's outline holds a place, or misses it by no more than ``tolerance`` ≥ 0 at any edge."""
    return not lies_beyond(mesh, poly, x, z, tolerance * tolerance)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def project_xz(mesh: MeshStore, out: SurfacePoint, poly: cython.int, x: cython.double, z: cython.double) -> cython.bint:
    """Leave the surface point above or below a place in ``out`` if the polygon's outline holds it; tell whether."""
    xyz: cython.p_double = mesh.xyz
    b: cython.int = 3 * mesh.poly_edge[poly]
    end: cython.int = b + 3 * mesh.poly_size[poly]
    ax: cython.double = xyz[end - 3]
    az: cython.double = xyz[end - 1]
    while b < end:
        bx: cython.double = xyz[b]
        bz: cython.double = xyz[b + 2]
        if (bx - ax) * (z - az) - (bz - az) * (x - ax) < 0.0:
            return False
        ax = bx
        az = bz
        b += 3
    out.out_x = x
    out.out_y = surface_height(mesh, poly, x, z)
    out.out_z = z
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def closest_point(mesh: MeshStore, out: SurfacePoint, poly: cython.int, px: cython.double,
                  pz: cython.double) -> cython.bint:
    """Leave the closest point of a polygon to p in ``out``; tell whether the outline holds p in X/Z."""
    if project_xz(mesh, out, poly, px, pz):
        return True
    xyz: cython.p_double = mesh.xyz
    b: cython.int = 3 * mesh.poly_edge[poly]
    end: cython.int = b + 3 * mesh.poly_size[poly]
    a: cython.int = end - 3
    ax: cython.double = xyz[a]
    az: cython.double = xyz[a + 2]
    best: cython.double = _FAR
    while b < end:
        bx: cython.double = xyz[b]
        bz: cython.double = xyz[b + 2]
        dx: cython.double = bx - ax
        dz: cython.double = bz - az
        side: cython.double = dx * (pz - az) - dz * (px - ax)
        length2: cython.double = dx * dx + dz * dz
        # The nearest point of a convex outline is on an edge that p is not well inside of.
        if side <= 0.0 or side * side <= _WELL_INSIDE * _WELL_INSIDE * length2:
            along: cython.double = (px - ax) * dx + (pz - az) * dz
            t: cython.double = 0.0
            x: cython.double = ax
            z: cython.double = az
            if along >= length2:
                t = 1.0
                x = bx
                z = bz
            elif along > 0.0:
                t = along / length2
                x = ax + t * dx
                z = az + t * dz
            distance: cython.double = (x - px) * (x - px) + (z - pz) * (z - pz)
            if distance < best:
                best = distance
                out.out_x = x
                out.out_y = xyz[b + 1] if t == 1.0 else xyz[a + 1] + t * (xyz[b + 1] - xyz[a + 1])
                out.out_z = z
        ax = bx
        az = bz
        a = b
        b += 3
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_nearest(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, px: cython.double, py: cython.double,
                 pz: cython.double, ex: cython.double, ey: cython.double, ez: cython.double) -> cython.int:
    """Return the accepted polygon whose closest point to p is nearest in 3D, or −1; leave that point in ``out``.

    The point must lie in the box p ± (ex, ey, ez). Polygons whose distances are within 1e-9 of the least are equal:
    of them those count whose vertical distances are within 1e-9 of the least, and the lowest reference wins.
    ``filter`` None accepts every polygon, also one without flags.
    """
    out.ask_x = px
    out.ask_y = py
    out.ask_z = pz
    out.ask_ex = ex
    out.ask_ey = ey
    out.ask_ez = ez
    out.near_poly = -1
    out.near_best = _FAR
    out.near_second = _FAR
    out.near_limit = _FAR
    _search(mesh, filter, out, _NEAREST)
    if out.near_poly < 0:
        return -1
    if out.near_second <= out.near_limit:
        out.near_rise = _FAR
        _search(mesh, filter, out, _FLATTEST)
        out.near_poly = -1
        _search(mesh, filter, out, _LOWEST_REFERENCE)
    closest_point(mesh, out, out.near_poly, px, pz)
    return out.near_poly


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, aim: cython.int) -> cython.void:
    """Weigh the polygons of every tile that the box may touch, the tiles around the place first."""
    slot: cython.int
    if mesh.grid_width <= 0:
        for slot in range(mesh.tile_slots):
            if mesh.tile_live[slot] != 0:
                _search_tile(mesh, filter, out, slot, aim)
        return
    x: cython.double = out.ask_x - mesh.origin_x
    z: cython.double = out.ask_z - mesh.origin_z
    rim_x: cython.double = out.ask_ex + _OVERHANG
    rim_z: cython.double = out.ask_ez + _OVERHANG
    low_x: cython.int = _tile_coordinate(x - rim_x, mesh.tile_size, mesh.grid_x, mesh.grid_width)
    high_x: cython.int = _tile_coordinate(x + rim_x, mesh.tile_size, mesh.grid_x, mesh.grid_width)
    low_z: cython.int = _tile_coordinate(z - rim_z, mesh.tile_size, mesh.grid_z, mesh.grid_depth)
    high_z: cython.int = _tile_coordinate(z + rim_z, mesh.tile_size, mesh.grid_z, mesh.grid_depth)
    middle_x: cython.int = low_x
    middle_z: cython.int = low_z
    if low_x != high_x:
        middle_x = _tile_coordinate(x, mesh.tile_size, mesh.grid_x, mesh.grid_width)
    if low_z != high_z:
        middle_z = _tile_coordinate(z, mesh.tile_size, mesh.grid_z, mesh.grid_depth)
    _search_column(mesh, filter, out, middle_x, middle_z, aim)
    if low_x == high_x and low_z == high_z:
        return
    tx: cython.int
    tz: cython.int
    for tz in range(low_z, high_z + 1):
        for tx in range(low_x, high_x + 1):
            if tx != middle_x or tz != middle_z:
                _search_column(mesh, filter, out, tx, tz, aim)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _tile_coordinate(distance: cython.double, size: cython.double, first: cython.int,
                     count: cython.int) -> cython.int:
    """Return the tile at a distance from the grid's origin, the nearest one of the grid if that is outside."""
    steps: cython.double = distance / size - first
    if steps <= 0.0:
        return first
    if steps >= count:
        return first + count - 1
    return first + cython.cast(cython.int, steps)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_column(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, tx: cython.int, tz: cython.int,
                   aim: cython.int) -> cython.void:
    """Search the tiles of all layers at one place of the grid."""
    slot: cython.int = tile_at(mesh, tx, tz)
    while slot >= 0:
        _search_tile(mesh, filter, out, slot, aim)
        slot = mesh.tile_next[slot]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_tile(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, slot: cython.int,
                 aim: cython.int) -> cython.void:
    if mesh.tile_node_count[slot] > 0 and _node_distance(mesh, out, mesh.tile_node[slot]) <= out.near_limit:
        _search_node(mesh, filter, out, slot, mesh.tile_node[slot], aim)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _search_node(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, slot: cython.int, node: cython.int,
                 aim: cython.int) -> cython.void:
    """Weigh the polygons below a node of a tile's tree, of any two children the nearer first (branch and bound)."""
    while mesh.node_first[node] < 0:
        near: cython.int = node + 1
        far: cython.int = near + mesh.node_skip[near]
        near_distance: cython.double = _node_distance(mesh, out, near)
        far_distance: cython.double = _node_distance(mesh, out, far)
        if far_distance < near_distance:
            node = near
            near = far
            far = node
            swapped: cython.double = near_distance
            near_distance = far_distance
            far_distance = swapped
        if near_distance > out.near_limit:
            return
        node = near
        if far_distance <= out.near_limit:
            _search_node(mesh, filter, out, slot, near, aim)
            if far_distance > out.near_limit:
                return
            node = far
    _weigh_leaf(mesh, filter, out, slot, node, aim)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _node_distance(mesh: MeshStore, out: SurfacePoint, node: cython.int) -> cython.double:
    """Return the squared distance from the place asked about to a node's bounds; more than any if outside the box."""
    bounds: cython.p_double = mesh.node_bounds
    k: cython.int = 6 * node
    dx: cython.double = max(max(bounds[k] - out.ask_x, out.ask_x - bounds[k + 3]), 0.0)
    dy: cython.double = max(max(bounds[k + 1] - out.ask_y, out.ask_y - bounds[k + 4]), 0.0)
    dz: cython.double = max(max(bounds[k + 2] - out.ask_z, out.ask_z - bounds[k + 5]), 0.0)
    if dx > out.ask_ex or dy > out.ask_ey or dz > out.ask_ez:
        return _OUTSIDE
    return dx * dx + dy * dy + dz * dz


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh_leaf(mesh: MeshStore, filter: QueryFilter, out: SurfacePoint, slot: cython.int, node: cython.int,
                aim: cython.int) -> cython.void:
    """Weigh the polygons of a leaf."""
    base: cython.int = mesh.tile_item[slot]
    item: cython.int = base + mesh.node_first[node]
    item_end: cython.int = base + mesh.tile_poly_count[slot]
    end: cython.int = mesh.tile_node[slot] + mesh.tile_node_count[slot]
    node += 1
    while node < end:
        if mesh.node_first[node] >= 0:
            item_end = base + mesh.node_first[node]
            break
        node += 1
    while item < item_end:
        poly: cython.int = mesh.tile_poly[slot] + mesh.item[item]
        item += 1
        if (filter is None or passes(mesh, filter, poly)) and not lies_beyond(
            mesh, poly, out.ask_x, out.ask_z, out.near_limit
        ):
            _weigh(mesh, out, poly, aim)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh(mesh: MeshStore, out: SurfacePoint, poly: cython.int, aim: cython.int) -> cython.void:
    """Let one polygon take part in the choice of the nearest."""
    closest_point(mesh, out, poly, out.ask_x, out.ask_z)
    dx: cython.double = out.out_x - out.ask_x
    dy: cython.double = out.out_y - out.ask_y
    dz: cython.double = out.out_z - out.ask_z
    rise: cython.double = dy if dy >= 0.0 else -dy
    if dx > out.ask_ex or -dx > out.ask_ex or rise > out.ask_ey or dz > out.ask_ez or -dz > out.ask_ez:
        return
    distance: cython.double = dx * dx + dy * dy + dz * dz
    if aim == _NEAREST:
        if distance < out.near_best:
            out.near_second = out.near_best
            out.near_best = distance
            out.near_poly = poly
            reach: cython.double = sqrt(distance) + _TIE
            out.near_limit = reach * reach
        elif distance < out.near_second:
            out.near_second = distance
    elif distance <= out.near_limit:
        if aim == _FLATTEST:
            out.near_rise = min(out.near_rise, rise)
        elif rise <= out.near_rise + _TIE and (
            out.near_poly < 0 or ref_of_poly(mesh, poly) < ref_of_poly(mesh, out.near_poly)
        ):
            out.near_poly = poly
