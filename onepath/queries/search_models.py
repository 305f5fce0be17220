"""The two node models of the path search: what expanding a node means.

Crossing nodes: a node is a piece of edge entered in one direction (an edge, a portal or an off-mesh link) and stands
    at the point of it that is best for the straight way from its parent to the end. Key: edge ``e`` → ``e``, portal
    ``p`` → ``edge_capacity + p``, link end ``d`` → ``edge_capacity + portal_capacity + d``.
Polygon nodes: a node is a polygon and stands at the mean of its vertices (the start and the end polygon at the start
    and the end point). Key: the polygon.

The start has key −1. The end is one node, key −2 among crossings; reaching the end polygon is reaching the end.
A key's node is looked up in ``key_node``; the entry counts only if that node exists and has that key, so nothing is
cleared between searches. Nodes are created in the order of edges, of portals along an edge, then of links; where a
tile lies in the columns has no part in it.
"""

import cython
from cython.cimports.libc.math import sqrt

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import link_passes, passes
from cython.cimports.onepath.queries.heap import heap_add, heap_lower
from cython.cimports.onepath.queries.scratch import QueryScratch

#: A crossing goes over to another parent only if f falls by more than this fraction: less is rounding, and opening a
#: node again for it is work for nothing.
_LEAST_GAIN = cython.declare(cython.double, 1e-12)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _distance(ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double, by: cython.double,
              bz: cython.double) -> cython.double:
    dx: cython.double = bx - ax
    dy: cython.double = by - ay
    dz: cython.double = bz - az
    return sqrt(dx * dx + dy * dy + dz * dz)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _turn(ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, px: cython.double,
          pz: cython.double) -> cython.double:
    """Return a positive number if, seen from a, p lies to the right of b."""
    return (bx - ax) * (pz - az) - (bz - az) * (px - ax)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _create(q: QueryScratch, key: cython.int, poly: cython.int, parent: cython.int, x: cython.double,
            y: cython.double, z: cython.double, g: cython.double, f: cython.double) -> cython.int:
    """Open a new node and return it; −1, and the search is out of nodes, if there is no room for it."""
    node: cython.int = q.node_count
    if node >= q.max_nodes:
        q.search_out_of_nodes = True
        return -1
    q.node_count = node + 1
    value: cython.p_double = q.node_value
    info: cython.p_int = q.node_info
    value[5 * node] = x
    value[5 * node + 1] = y
    value[5 * node + 2] = z
    value[5 * node + 3] = g
    value[5 * node + 4] = f
    info[4 * node] = key
    info[4 * node + 1] = poly
    info[4 * node + 2] = parent
    heap_add(q, node, f)
    return node


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _improve(q: QueryScratch, node: cython.int, parent: cython.int, x: cython.double, y: cython.double,
             z: cython.double, g: cython.double, f: cython.double) -> cython.void:
    """Give a node a better parent; a closed one is opened again."""
    value: cython.p_double = q.node_value
    value[5 * node] = x
    value[5 * node + 1] = y
    value[5 * node + 2] = z
    value[5 * node + 3] = g
    value[5 * node + 4] = f
    q.node_info[4 * node + 2] = parent
    if q.node_info[4 * node + 3] < 0:
        heap_add(q, node, f)
    else:
        heap_lower(q, node, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_start(q: QueryScratch, poly: cython.int) -> cython.void:
    """Empty the open list and put the start on it as the first node."""
    q.node_count = 0
    q.heap_count = 0
    q.heap_hole = False
    h: cython.double = q.search_least_cost * _distance(q.start_x, q.start_y, q.start_z, q.end_x, q.end_y, q.end_z)
    _create(q, -1, poly, -1, q.start_x, q.start_y, q.start_z, 0.0, h)
    if q.polygon_nodes:
        # Without it, what an earlier search left there would decide whether the start can be opened a second time.
        q.key_node[poly] = 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _reach_end(q: QueryScratch, parent: cython.int, g: cython.double) -> cython.void:
    """Open the end, or improve it, with cost ``g``."""
    goal: cython.int = q.search_goal
    if goal < 0:
        q.search_goal = _create(q, -2, q.search_end, parent, q.end_x, q.end_y, q.end_z, g, g)
    elif g < q.node_value[5 * goal + 3]:
        _improve(q, goal, parent, q.end_x, q.end_y, q.end_z, g, g)


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
def _arrive(q: QueryScratch, parent: cython.int, key: cython.int, target: cython.int, x: cython.double,
            y: cython.double, z: cython.double, g: cython.double) -> cython.void:
    """Open or improve the crossing ``key`` into polygon ``target``, reached at a point with cost ``g``."""
    rest: cython.double = _distance(x, y, z, q.end_x, q.end_y, q.end_z)
    if target == q.search_end:
        _reach_end(q, parent, g + rest * q.search_end_cost)
        return
    f: cython.double = g + rest * q.search_least_cost
    info: cython.p_int = q.node_info
    value: cython.p_double = q.node_value
    node: cython.int = q.key_node[key]
    if node < q.node_count and info[4 * node] == key:
        if f < value[5 * node + 4] * (1.0 - _LEAST_GAIN) and not _descends(q, parent, node):
            _improve(q, node, parent, x, y, z, g, f)
        return
    node = _create(q, key, target, parent, x, y, z, g, f)
    if node >= 0:
        q.key_node[key] = node


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _cross(q: QueryScratch, node: cython.int, key: cython.int, target: cython.int, walk_cost: cython.double,
           ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double,
           by: cython.double, bz: cython.double) -> cython.void:
    """Cross the piece a→b out of the polygon of ``node`` into ``target``.

    The crossing point minimises the way parent → piece → end in the plane: where the straight line crosses the piece,
    clamped to it; if the end lies on this side of the piece, where the line to its mirror image does. Where the way to
    it from the parent's own parent leads straight through the parent's piece, that is the way measured.
    """
    value: cython.p_double = q.node_value
    px: cython.double = value[5 * node]
    py: cython.double = value[5 * node + 1]
    pz: cython.double = value[5 * node + 2]
    dx: cython.double = bx - ax
    dz: cython.double = bz - az
    from_x: cython.double = px - ax
    from_z: cython.double = pz - az
    to_x: cython.double = q.end_x - ax
    to_z: cython.double = q.end_z - az
    from_side: cython.double = dx * from_z - dz * from_x
    to_side: cython.double = dx * to_z - dz * to_x
    from_along: cython.double = from_x * dx + from_z * dz
    to_along: cython.double = to_x * dx + to_z * dz
    if from_side < 0.0:
        from_side = 0.0
    if to_side < 0.0:
        to_side = -to_side
    sides: cython.double = from_side + to_side
    # Parameter of the crossing point times ``scale``.
    along: cython.double = from_along
    scale: cython.double = dx * dx + dz * dz
    if sides > 0.0:
        along = from_along * to_side + to_along * from_side
        scale = scale * sides
    x: cython.double = ax
    y: cython.double = ay
    z: cython.double = az
    t: cython.double
    if along >= scale:
        x = bx
        y = by
        z = bz
    elif along > 0.0:
        t = along / scale
        x = ax + dx * t
        y = ay + (by - ay) * t
        z = az + dz * t
    if q.through and _turn(q.eye_x, q.eye_z, q.door_left_x, q.door_left_z, x, z) >= 0.0 and _turn(
            q.eye_x, q.eye_z, q.door_right_x, q.door_right_z, x, z) <= 0.0:
        _arrive(q, node, key, target, x, y, z, q.eye_g + walk_cost * _distance(q.eye_x, q.eye_y, q.eye_z, x, y, z))
    else:
        _arrive(q, node, key, target, x, y, z, value[5 * node + 3] + walk_cost * _distance(px, py, pz, x, y, z))


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
    q.eye_y = value[5 * parent + 1]
    q.eye_z = value[5 * parent + 2]
    q.eye_g = value[5 * parent + 3]
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
    """Cross every passable off-mesh link that leaves the polygon of a crossing node."""
    value: cython.p_double = q.node_value
    xyz: cython.p_double = q.mesh.link_xyz
    end: cython.int = q.mesh.poly_link[q.node_info[4 * node + 1]]
    first_key: cython.int = q.mesh.edge_capacity + q.mesh.portal_capacity
    a: cython.int
    b: cython.int
    target: cython.int
    g: cython.double
    while end >= 0 and not q.search_out_of_nodes:
        if link_passes(q.mesh, f, end):
            target = q.mesh.link_poly[end ^ 1]
            a = 3 * end
            b = 3 * (end ^ 1)
            g = value[5 * node + 3] + walk_cost * _distance(
                value[5 * node], value[5 * node + 1], value[5 * node + 2], xyz[a], xyz[a + 1], xyz[a + 2])
            g = g + f.cost[q.mesh.link_area[end >> 1]] * _distance(
                xyz[a], xyz[a + 1], xyz[a + 2], xyz[b], xyz[b + 1], xyz[b + 2])
            _arrive(q, node, first_key + end, target, xyz[b], xyz[b + 1], xyz[b + 2], g)
        end = q.mesh.link_next[end]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def expand_crossings(q: QueryScratch, f: QueryFilter, node: cython.int) -> cython.void:
    """Expand a crossing node: cross every passable piece of its polygon's edges but those it came in by, and links."""
    xyz: cython.p_double = q.mesh.xyz
    neighbour: cython.p_int = q.mesh.neighbour
    area: cython.p_uchar = q.mesh.poly_area
    flags: cython.p_ushort = q.mesh.poly_flags
    cost: cython.p_double = f.cost
    forbidden: cython.p_double = f.forbidden
    include: cython.int = f.include_flags
    exclude: cython.int = f.exclude_flags
    poly: cython.int = q.node_info[4 * node + 1]
    parent: cython.int = q.node_info[4 * node + 2]
    came_from: cython.int = -1
    q.through = False
    if parent >= 0:
        came_from = q.node_info[4 * parent + 1]
        _look_back(q, f, node, parent)
    walk_cost: cython.double = cost[area[poly]]
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
                _cross(q, node, edge, target, walk_cost, xyz[3 * edge], xyz[3 * edge + 1], xyz[3 * edge + 2],
                       xyz[3 * following], xyz[3 * following + 1], xyz[3 * following + 2])
        elif target < -1:
            portal = -2 - target
            while portal >= 0:
                target = q.mesh.portal_target[portal]
                if (target != came_from and (flags[target] & include) != 0 and (flags[target] & exclude) == 0
                        and forbidden[area[target]] == 0.0):
                    _cross(q, node, q.mesh.edge_capacity + portal, target, walk_cost,
                           q.mesh.portal_xyz[6 * portal], q.mesh.portal_xyz[6 * portal + 1],
                           q.mesh.portal_xyz[6 * portal + 2], q.mesh.portal_xyz[6 * portal + 3],
                           q.mesh.portal_xyz[6 * portal + 4], q.mesh.portal_xyz[6 * portal + 5])
                portal = q.mesh.portal_next[portal]
        if q.search_out_of_nodes:
            return
        edge += 1
    if q.mesh.poly_link[poly] >= 0:
        _expand_links(q, f, node, walk_cost)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place_polygon(q: QueryScratch, poly: cython.int) -> cython.void:
    """Set ``q.out_*`` to the place of a polygon node: the end for the end polygon, else the mean of the vertices."""
    xyz: cython.p_double = q.mesh.xyz
    x: cython.double = 0.0
    y: cython.double = 0.0
    z: cython.double = 0.0
    size: cython.int = q.mesh.poly_size[poly]
    edge: cython.int = q.mesh.poly_edge[poly]
    i: cython.int
    if poly == q.search_end:
        q.out_x = q.end_x
        q.out_y = q.end_y
        q.out_z = q.end_z
        return
    for i in range(3 * edge, 3 * (edge + size), 3):
        x += xyz[i]
        y += xyz[i + 1]
        z += xyz[i + 2]
    q.out_x = x / size
    q.out_y = y / size
    q.out_z = z / size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _step(q: QueryScratch, f: QueryFilter, node: cython.int, target: cython.int, link_end: cython.int,
          walk_cost: cython.double) -> cython.void:
    """Go from a polygon node to a connected polygon: straight, or by way of a link (``link_end`` ≥ 0)."""
    value: cython.p_double = q.node_value
    info: cython.p_int = q.node_info
    xyz: cython.p_double = q.mesh.link_xyz
    other: cython.int = q.key_node[target]
    known: cython.bint = other < q.node_count and info[4 * other + 1] == target
    if known:
        q.out_x = value[5 * other]
        q.out_y = value[5 * other + 1]
        q.out_z = value[5 * other + 2]
    else:
        _place_polygon(q, target)
    px: cython.double = value[5 * node]
    py: cython.double = value[5 * node + 1]
    pz: cython.double = value[5 * node + 2]
    g: cython.double = value[5 * node + 3]
    a: cython.int
    b: cython.int
    if link_end < 0:
        g = g + walk_cost * _distance(px, py, pz, q.out_x, q.out_y, q.out_z)
    else:
        a = 3 * link_end
        b = 3 * (link_end ^ 1)
        g = g + walk_cost * _distance(px, py, pz, xyz[a], xyz[a + 1], xyz[a + 2])
        g = g + f.cost[q.mesh.link_area[link_end >> 1]] * _distance(
            xyz[a], xyz[a + 1], xyz[a + 2], xyz[b], xyz[b + 1], xyz[b + 2])
        g = g + f.cost[q.mesh.poly_area[target]] * _distance(
            xyz[b], xyz[b + 1], xyz[b + 2], q.out_x, q.out_y, q.out_z)
    if known and g >= value[5 * other + 3]:
        return
    rest: cython.double = _distance(q.out_x, q.out_y, q.out_z, q.end_x, q.end_y, q.end_z)
    total: cython.double = g + rest * q.search_least_cost
    if known:
        _improve(q, other, node, q.out_x, q.out_y, q.out_z, g, total)
        return
    other = _create(q, target, target, node, q.out_x, q.out_y, q.out_z, g, total)
    if other >= 0:
        q.key_node[target] = other
        if target == q.search_end:
            q.search_goal = other


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def expand_polygons(q: QueryScratch, f: QueryFilter, node: cython.int) -> cython.void:
    """Expand a polygon node: step into every accepted polygon behind its edges, portals and links."""
    poly: cython.int = q.node_info[4 * node + 1]
    walk_cost: cython.double = f.cost[q.mesh.poly_area[poly]]
    edge: cython.int = q.mesh.poly_edge[poly]
    end: cython.int = edge + q.mesh.poly_size[poly]
    link_end: cython.int = q.mesh.poly_link[poly]
    target: cython.int
    portal: cython.int
    while edge < end:
        target = q.mesh.neighbour[edge]
        if target >= 0:
            if passes(q.mesh, f, target):
                _step(q, f, node, target, -1, walk_cost)
        elif target < -1:
            portal = -2 - target
            while portal >= 0 and not q.search_out_of_nodes:
                target = q.mesh.portal_target[portal]
                if passes(q.mesh, f, target):
                    _step(q, f, node, target, -1, walk_cost)
                portal = q.mesh.portal_next[portal]
        if q.search_out_of_nodes:
            return
        edge += 1
    while link_end >= 0 and not q.search_out_of_nodes:
        if link_passes(q.mesh, f, link_end):
            _step(q, f, node, q.mesh.link_poly[link_end ^ 1], link_end, walk_cost)
        link_end = q.mesh.link_next[link_end]
