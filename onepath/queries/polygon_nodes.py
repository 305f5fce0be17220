"""The polygon-node model of the path search: a node is a polygon and its key.

It stands at the mean of its vertices, the start and the end polygon at the start and the end point. A step costs the
distance times the cost of the area left; through a link, the way to its entry, its length times its own area's cost,
and the way from its exit at the cost of the area entered. A polygon's node is looked up in ``key_node``; the entry
counts only if that node exists and is that polygon's, so nothing is cleared between searches.
"""

import cython

from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import link_passes, passes
from cython.cimports.onepath.queries.heap import distance, improve_node, open_node
from cython.cimports.onepath.queries.scratch import QueryScratch


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
        g = g + walk_cost * distance(px, py, pz, q.out_x, q.out_y, q.out_z)
    else:
        a = 3 * link_end
        b = 3 * (link_end ^ 1)
        g = g + walk_cost * distance(px, py, pz, xyz[a], xyz[a + 1], xyz[a + 2])
        g = g + f.cost[q.mesh.link_area[link_end >> 1]] * distance(
            xyz[a], xyz[a + 1], xyz[a + 2], xyz[b], xyz[b + 1], xyz[b + 2])
        g = g + f.cost[q.mesh.poly_area[target]] * distance(
            xyz[b], xyz[b + 1], xyz[b + 2], q.out_x, q.out_y, q.out_z)
    if known and g >= value[5 * other + 3]:
        return
    rest: cython.double = distance(q.out_x, q.out_y, q.out_z, q.end_x, q.end_y, q.end_z)
    total: cython.double = g + rest * q.search_least_cost
    if known:
        improve_node(q, other, node, q.out_x, q.out_y, q.out_z, g, total)
        return
    other = open_node(q, target, target, node, q.out_x, q.out_y, q.out_z, g, total)
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
