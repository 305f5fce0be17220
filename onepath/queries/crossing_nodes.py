"""The crossing-node model of the path search: a node is a piece of edge entered in one direction, or a link crossed.

It stands at the point of the piece that is best for the straight way from its parent to the end. Keys: edge ``e`` →
``e``, portal ``p`` → ``edge_capacity + p``, link end ``d`` → ``edge_capacity + portal_capacity + d``. The end is one
node, key −2: entering the end polygon is reaching it. A key's node is looked up in ``key_node``; the entry counts only
if that node exists and has that key, so nothing is cleared between searches. Nodes are opened in the order of edges, of
portals along an edge, then of links; where a tile lies in the columns has no part in it.

A polygon is mostly entered by several crossings, of which one shows it to the search first. Another is left out if it
brings next to nothing over walking to it from that first one; what lies behind is found from there as well.
"""

import cython

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import link_passes
from cython.cimports.onepath.queries.heap import distance, improve_node, open_node
from cython.cimports.onepath.queries.scratch import QueryScratch
from cython.cimports.libc.math import sqrt

#: What marks a closed node as the first of its polygon, in the place of its place in the heap.
_CLOSED_FIRST = cython.declare(cython.int, -2)
#: A crossing goes over to another parent only if f falls by more than this fraction: less is rounding, and opening a
#: node again for it is work for nothing.
_LEAST_GAIN = cython.declare(cython.double, 1e-12)
#: Fraction of f that a further crossing into a polygon has to save. Routes are pulled straight afterwards, which
#: levels smaller differences; the oracles of the tests tell what it costs (0.0003 of a route on average).
_LEAST_SAVING = cython.declare(cython.double, 0.02)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _turn(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, px: cython.double,
          pz: cython.double) -> cython.double:
    """Return a positive number if, seen from a, p lies to the right of b."""
    return (bx - ax) * (pz - az) - (bz - az) * (px - ax)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach_end(q: QueryScratch, parent: cython.int, g: cython.double) -> cython.void:
    """Open the end, or improve it, with cost ``g``."""
    goal: cython.int = q.search_goal
    if goal < 0:
        q.search_goal = open_node(q, -2, q.search_end, parent, q.end_x, q.end_y, q.end_z, g, g)
    elif g < q.node_value[5 * goal + 3]:
        improve_node(q, goal, parent, q.end_x, q.end_y, q.end_z, g, g)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _descends(q: QueryScratch, node: cython.int, ancestor: cython.int) -> cython.bint:
    """Tell whether ``ancestor`` is on the way from the start to ``node``; one still open is on nobody's way."""
    info: cython.p_int = q.node_info
    if info[4 * ancestor + 3] >= 0:
        return False
    while node >= 0:
        if node == ancestor:
            return True
        node = info[4 * node + 2]
    return False


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _first_of(q: QueryScratch, poly: cython.int) -> cython.int:
    """Return the node that was expanded first in a polygon (unless it is open again), or −1."""
    first: cython.int = q.poly_node[poly]
    info: cython.p_int = q.node_info
    if first < q.node_count and info[4 * first + 1] == poly and info[4 * first + 3] == _CLOSED_FIRST:
        return first
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_superfluous(q: QueryScratch, first: cython.int, cost: cython.double, x: cython.double, y: cython.double,
                    z: cython.double, g: cython.double) -> cython.bint:
    """Tell whether a point of a polygon with cost ``g`` saves too little over walking there from node ``first``."""
    value: cython.p_double = q.node_value
    dx: cython.double = x - value[5 * first]
    dy: cython.double = y - value[5 * first + 1]
    dz: cython.double = z - value[5 * first + 2]
    spare: cython.double = g - value[5 * first + 3] + q.search_saving
    return spare >= 0.0 and spare * spare >= cost * cost * (dx * dx + dy * dy + dz * dz)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _arrive(q: QueryScratch, f: QueryFilter, parent: cython.int, key: cython.int, target: cython.int,
            x: cython.double, y: cython.double, z: cython.double, g: cython.double) -> cython.void:
    """Open or improve the crossing ``key`` into polygon ``target``, reached at a point with cost ``g``."""
    info: cython.p_int = q.node_info
    first: cython.int = _first_of(q, target)
    if first >= 0 and _is_superfluous(q, first, f.cost[q.mesh.poly_area[target]], x, y, z, g):
        return
    dx: cython.double = q.end_x - x
    dy: cython.double = q.end_y - y
    dz: cython.double = q.end_z - z
    rest: cython.double = sqrt(dx * dx + dy * dy + dz * dz)
    if target == q.search_end:
        _reach_end(q, parent, g + rest * q.search_end_cost)
        return
    total: cython.double = g + rest * q.search_least_cost
    node: cython.int = q.key_node[key]
    if node < q.node_count and info[4 * node] == key:
        if total < q.node_value[5 * node + 4] * (1.0 - _LEAST_GAIN) and not _descends(q, parent, node):
            improve_node(q, node, parent, x, y, z, g, total)
        return
    node = open_node(q, key, target, parent, x, y, z, g, total)
    if node >= 0:
        q.key_node[key] = node


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _cross(q: QueryScratch, f: QueryFilter, node: cython.int, key: cython.int, target: cython.int,
           walk_cost: cython.double, ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double,
           by: cython.double, bz: cython.double) -> cython.void:
    """Cross the piece a→b out of the polygon of ``node`` into ``target``.

    The crossing point minimises the way parent → piece → end in the plane: where the straight line crosses the piece,
    clamped to it; if the end lies on this side of the piece, where the line to its mirror image does. Where the way to
    it from the parent's own parent leads straight through the parent's piece, that is the way measured.
    """
    value: cython.p_double = q.node_value
    px: cython.double = value[5 * node]
    pz: cython.double = value[5 * node + 2]
    dx: cython.double = bx - ax
    dz: cython.double = bz - az
    from_x: cython.double = px - ax
    from_z: cython.double = pz - az
    to_x: cython.double = q.end_x - ax
    to_z: cython.double = q.end_z - az
    from_side: cython.double = abs(dx * from_z - dz * from_x)
    to_side: cython.double = abs(dx * to_z - dz * to_x)
    sides: cython.double = from_side + to_side
    along: cython.double = from_x * dx + from_z * dz
    length2: cython.double = dx * dx + dz * dz
    t: cython.double = along / length2
    if sides > 0.0:
        t = (along * to_side + (to_x * dx + to_z * dz) * from_side) / (length2 * sides)
    t = 0.0 if t < 0.0 else t
    t = 1.0 if t > 1.0 else t
    x: cython.double = ax + dx * t
    y: cython.double = ay + (by - ay) * t
    z: cython.double = az + dz * t
    eye: cython.int = node
    if q.through and _turn(q.eye_x, q.eye_z, q.door_left_x, q.door_left_z, x, z) >= 0.0 and _turn(
            q.eye_x, q.eye_z, q.door_right_x, q.door_right_z, x, z) <= 0.0:
        eye = q.node_info[4 * node + 2]
    from_x = x - value[5 * eye]
    from_y: cython.double = y - value[5 * eye + 1]
    from_z = z - value[5 * eye + 2]
    _arrive(q, f, node, key, target, x, y, z,
            value[5 * eye + 3] + walk_cost * sqrt(from_x * from_x + from_y * from_y + from_z * from_z))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look_back(q: QueryScratch, f: QueryFilter, node: cython.int, parent: cython.int) -> cython.void:
    """Set up :func:`_cross` to look through the piece that ``node`` stands on from where ``parent`` stands."""
    value: cython.p_double = q.node_value
    info: cython.p_int = q.node_info
    key: cython.int = info[4 * node]
    behind: cython.int = info[4 * parent + 1]
    portal: cython.int = key - q.mesh.edge_capacity
    first: cython.int
    following: cython.int
    q.through = (portal < q.mesh.portal_capacity
                 and f.cost[q.mesh.poly_area[behind]] == f.cost[q.mesh.poly_area[info[4 * node + 1]]])
    if not q.through:
        return
    q.eye_x = value[5 * parent]
    q.eye_z = value[5 * parent + 2]
    if portal >= 0:
        q.door_left_x = q.mesh.portal_xyz[6 * portal]
        q.door_left_z = q.mesh.portal_xyz[6 * portal + 2]
        q.door_right_x = q.mesh.portal_xyz[6 * portal + 3]
        q.door_right_z = q.mesh.portal_xyz[6 * portal + 5]
        return
    first = q.mesh.poly_edge[behind]
    following = key + 1 if key + 1 < first + q.mesh.poly_size[behind] else first
    q.door_left_x = q.mesh.xyz[3 * key]
    q.door_left_z = q.mesh.xyz[3 * key + 2]
    q.door_right_x = q.mesh.xyz[3 * following]
    q.door_right_z = q.mesh.xyz[3 * following + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _expand_links(q: QueryScratch, f: QueryFilter, node: cython.int, walk_cost: cython.double) -> cython.void:
    """Cross every passable off-mesh link that leaves the polygon of a node."""
    value: cython.p_double = q.node_value
    xyz: cython.p_double = q.mesh.link_xyz
    end: cython.int = q.mesh.poly_link[q.node_info[4 * node + 1]]
    first_key: cython.int = q.mesh.edge_capacity + q.mesh.portal_capacity
    a: cython.int
    b: cython.int
    g: cython.double
    while end >= 0 and not q.search_out_of_nodes:
        if link_passes(q.mesh, f, end):
            a = 3 * end
            b = 3 * (end ^ 1)
            g = value[5 * node + 3] + walk_cost * distance(
                value[5 * node], value[5 * node + 1], value[5 * node + 2], xyz[a], xyz[a + 1], xyz[a + 2])
            g = g + f.cost[q.mesh.link_area[end >> 1]] * distance(
                xyz[a], xyz[a + 1], xyz[a + 2], xyz[b], xyz[b + 1], xyz[b + 2])
            _arrive(q, f, node, first_key + end, q.mesh.link_poly[end ^ 1], xyz[b], xyz[b + 1], xyz[b + 2], g)
        end = q.mesh.link_next[end]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _shows_polygon(q: QueryScratch, f: QueryFilter, node: cython.int, poly: cython.int) -> cython.bint:
    """Tell whether a node is worth expanding: the first of its polygon, or one that saves enough over that."""
    value: cython.p_double = q.node_value
    first: cython.int = _first_of(q, poly)
    q.search_saving = _LEAST_SAVING * value[5 * node + 4]
    if first < 0:
        q.poly_node[poly] = node
        q.node_info[4 * node + 3] = _CLOSED_FIRST
        return True
    return not _is_superfluous(q, first, f.cost[q.mesh.poly_area[poly]], value[5 * node], value[5 * node + 1],
                               value[5 * node + 2], value[5 * node + 3])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def expand_crossings(q: QueryScratch, f: QueryFilter, node: cython.int) -> cython.void:
    """Expand a node: cross every passable piece of its polygon's edges but those it came in by, and every link."""
    xyz: cython.p_double = q.mesh.xyz
    neighbour: cython.p_int = q.mesh.neighbour
    area: cython.p_uchar = q.mesh.poly_area
    flags: cython.p_ushort = q.mesh.poly_flags
    forbidden: cython.p_double = f.forbidden
    include: cython.int = f.include_flags
    exclude: cython.int = f.exclude_flags
    poly: cython.int = q.node_info[4 * node + 1]
    parent: cython.int = q.node_info[4 * node + 2]
    came_from: cython.int = -1
    if not _shows_polygon(q, f, node, poly):
        return
    q.through = False
    if parent >= 0:
        came_from = q.node_info[4 * parent + 1]
        _look_back(q, f, node, parent)
    walk_cost: cython.double = f.cost[area[poly]]
    first: cython.int = q.mesh.poly_edge[poly]
    end: cython.int = first + q.mesh.poly_size[poly]
    edge: cython.int = first
    following: cython.int
    target: cython.int
    portal: cython.int
    while edge < end:
        target = neighbour[edge]
        if target >= 0:
            if (target != came_from and (flags[target] & include) != 0 and (flags[target] & exclude) == 0
                    and forbidden[area[target]] == 0.0):
                following = edge + 1 if edge + 1 < end else first
                _cross(q, f, node, edge, target, walk_cost, xyz[3 * edge], xyz[3 * edge + 1], xyz[3 * edge + 2],
                       xyz[3 * following], xyz[3 * following + 1], xyz[3 * following + 2])
        elif target < -1:
            portal = -2 - target
            while portal >= 0:
                target = q.mesh.portal_target[portal]
                if (target != came_from and (flags[target] & include) != 0 and (flags[target] & exclude) == 0
                        and forbidden[area[target]] == 0.0):
                    _cross(q, f, node, q.mesh.edge_capacity + portal, target, walk_cost,
                           q.mesh.portal_xyz[6 * portal], q.mesh.portal_xyz[6 * portal + 1],
                           q.mesh.portal_xyz[6 * portal + 2], q.mesh.portal_xyz[6 * portal + 3],
                           q.mesh.portal_xyz[6 * portal + 4], q.mesh.portal_xyz[6 * portal + 5])
                portal = q.mesh.portal_next[portal]
        if q.search_out_of_nodes:
            return
        edge += 1
    if q.mesh.poly_link[poly] >= 0:
        _expand_links(q, f, node, walk_cost)
