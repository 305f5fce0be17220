"""Portals: where an edge on a tile's border has polygons of the facing tiles behind it."""

import cython

from onepath.buffers import grown, zeros
from cython.cimports.onepath.buffers import int_pointer
from cython.cimports.onepath.navmesh.store import MeshStore

#: Pieces of border no longer than this (world units) are not worth a portal.
_MINIMUM_OVERLAP = cython.declare(cython.double, 1e-3)
#: How far (world units) an edge may lie from its tile's border and still be on it.
_BORDER_TOLERANCE = cython.declare(cython.double, 1e-6)

#: Sides of a tile: −x, +x, −z, +z; ``side ^ 1`` is the facing one.
SIDE_STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edge_end(mesh: MeshStore, poly: cython.int, edge: cython.int) -> cython.int:
    """Return the edge that starts where this one ends."""
    following: cython.int = edge + 1
    return following if following < mesh.poly_edge[poly] + mesh.poly_size[poly] else mesh.poly_edge[poly]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def border_coordinate(mesh: MeshStore, slot: cython.int, side: cython.int) -> cython.double:
    """Return the x (sides 0, 1) or z (sides 2, 3) of a side of the tile in a slot."""
    step: cython.int = side & 1
    if side < 2:
        return mesh.origin_x + (mesh.tile_x[slot] + step) * mesh.tile_size
    return mesh.origin_z + (mesh.tile_z[slot] + step) * mesh.tile_size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def on_side(mesh: MeshStore, poly: cython.int, edge: cython.int, side: cython.int, line: cython.double) -> cython.bint:
    """Tell whether an edge lies on a side of its tile whose coordinate is ``line``, with the tile behind it."""
    across: cython.int = 0 if side < 2 else 2
    along: cython.int = 2 - across
    end: cython.int = _edge_end(mesh, poly, edge)
    if not (-_BORDER_TOLERANCE < mesh.xyz[3 * edge + across] - line < _BORDER_TOLERANCE):
        return False
    if not (-_BORDER_TOLERANCE < mesh.xyz[3 * end + across] - line < _BORDER_TOLERANCE):
        return False
    # With the inner side at positive cross product, the −x and +z sides run towards −z and −x, the others up.
    grows: cython.bint = mesh.xyz[3 * end + along] > mesh.xyz[3 * edge + along]
    return grows == (side == 1 or side == 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _release(mesh: MeshStore, slot: cython.int, side: cython.int) -> cython.void:
    """Free the portals of one side of a tile; its border edges become walls."""
    line: cython.double = border_coordinate(mesh, slot, side)
    poly: cython.int
    edge: cython.int
    for poly in range(mesh.tile_poly[slot], mesh.tile_poly[slot] + mesh.tile_poly_count[slot]):
        for edge in range(mesh.poly_edge[poly], mesh.poly_edge[poly] + mesh.poly_size[poly]):
            if mesh.neighbour[edge] > -2 or not on_side(mesh, poly, edge, side, line):
                continue
            portal: cython.int = -2 - mesh.neighbour[edge]
            while portal >= 0:
                following: cython.int = mesh.portal_next[portal]
                mesh.portal_edge[portal] = -1
                mesh.portal_next[portal] = mesh.portal_free
                mesh.portal_free = portal
                portal = following
            mesh.neighbour[edge] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _collect(
    mesh: MeshStore, slot: cython.int, side: cython.int, found: cython.p_int, write: cython.bint
) -> cython.int:
    """Count, or with ``write`` list as (polygon, edge) pairs, the edges of a tile that lie on one of its sides."""
    line: cython.double = border_coordinate(mesh, slot, side)
    count: cython.int = 0
    poly: cython.int
    edge: cython.int
    for poly in range(mesh.tile_poly[slot], mesh.tile_poly[slot] + mesh.tile_poly_count[slot]):
        for edge in range(mesh.poly_edge[poly], mesh.poly_edge[poly] + mesh.poly_size[poly]):
            if mesh.neighbour[edge] < 0 and on_side(mesh, poly, edge, side, line):
                if write:
                    found[2 * count] = poly
                    found[2 * count + 1] = edge
                count += 1
    return count


@cython.cfunc
def _border_edges(mesh: MeshStore, slot: cython.int, side: cython.int):
    count: cython.int = _collect(mesh, slot, side, mesh.tile_salt, False)
    column = zeros("i", 2 * count)
    _collect(mesh, slot, side, int_pointer(column), True)
    return column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _connect(mesh: MeshStore, own: cython.p_int, own_count: cython.int, facing: cython.p_int,
             facing_count: cython.int, side: cython.int, write: cython.bint) -> cython.int:
    """Count, or with ``write`` make, the portals from the edges of one side into the facing tile's edges."""
    count: cython.int = 0
    i: cython.int
    k: cython.int
    for i in range(own_count):
        for k in range(facing_count):
            count += _overlap(mesh, own[2 * i], own[2 * i + 1], facing[2 * k], facing[2 * k + 1], side, write)
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _height_at(
    mesh: MeshStore, edge: cython.int, end: cython.int, along: cython.int, u: cython.double
) -> cython.double:
    """Return an edge's height at the coordinate ``u`` along the border."""
    ua: cython.double = mesh.xyz[3 * edge + along]
    ub: cython.double = mesh.xyz[3 * end + along]
    ya: cython.double = mesh.xyz[3 * edge + 1]
    return ya + (mesh.xyz[3 * end + 1] - ya) * ((u - ua) / (ub - ua))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _overlap(mesh: MeshStore, poly: cython.int, edge: cython.int, other: cython.int, other_edge: cython.int,
             side: cython.int, write: cython.bint) -> cython.int:
    """Return 1 if two facing border edges overlap enough at nearly the same height; make the portal if asked."""
    along: cython.int = 2 if side < 2 else 0
    end: cython.int = _edge_end(mesh, poly, edge)
    other_end: cython.int = _edge_end(mesh, other, other_edge)
    low: cython.double = max(min(mesh.xyz[3 * edge + along], mesh.xyz[3 * end + along]),
                             min(mesh.xyz[3 * other_edge + along], mesh.xyz[3 * other_end + along]))
    high: cython.double = min(max(mesh.xyz[3 * edge + along], mesh.xyz[3 * end + along]),
                              max(mesh.xyz[3 * other_edge + along], mesh.xyz[3 * other_end + along]))
    if high - low <= _MINIMUM_OVERLAP:
        return 0
    middle: cython.double = 0.5 * (low + high)
    rise: cython.double = _height_at(mesh, edge, end, along, middle) - _height_at(
        mesh, other_edge, other_end, along, middle)
    if rise > mesh.max_climb or rise < -mesh.max_climb:
        return 0
    if write:
        grows: cython.bint = mesh.xyz[3 * end + along] > mesh.xyz[3 * edge + along]
        _write_portal(mesh, edge, end, along, other, low if grows else high, high if grows else low)
    return 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_portal(mesh: MeshStore, edge: cython.int, end: cython.int, along: cython.int, target: cython.int,
                  first: cython.double, last: cython.double) -> cython.void:
    """Make a portal over [first, last] along an edge and chain it by place, then by the order portals are made in."""
    portal: cython.int = mesh.portal_free
    mesh.portal_free = mesh.portal_next[portal]
    mesh.portal_target[portal] = target
    mesh.portal_edge[portal] = edge
    ua: cython.double = mesh.xyz[3 * edge + along]
    ub: cython.double = mesh.xyz[3 * end + along]
    _place_end(mesh, portal, 0, edge, end, (first - ua) / (ub - ua))
    _place_end(mesh, portal, 1, edge, end, (last - ua) / (ub - ua))
    mesh.portal_xyz[6 * portal + along] = first
    mesh.portal_xyz[6 * portal + 3 + along] = last
    previous: cython.int = -1
    current: cython.int = -2 - mesh.neighbour[edge] if mesh.neighbour[edge] <= -2 else -1
    while current >= 0 and mesh.portal_t[2 * current] <= mesh.portal_t[2 * portal]:
        previous = current
        current = mesh.portal_next[current]
    mesh.portal_next[portal] = current
    if previous < 0:
        mesh.neighbour[edge] = -2 - portal
    else:
        mesh.portal_next[previous] = portal


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place_end(mesh: MeshStore, portal: cython.int, which: cython.int, edge: cython.int, end: cython.int,
               t: cython.double) -> cython.void:
    """Set one end of a portal to the point of the edge at parameter t (the vertices themselves at 0 and 1)."""
    axis: cython.int
    mesh.portal_t[2 * portal + which] = t
    for axis in range(3):
        a: cython.double = mesh.xyz[3 * edge + axis]
        b: cython.double = mesh.xyz[3 * end + axis]
        mesh.portal_xyz[6 * portal + 3 * which + axis] = b if t >= 1.0 else a + (b - a) * t


def rebuild_side(mesh: MeshStore, slot: cython.int, side: cython.int, facing_slots) -> None:
    """Make the portals of one side of a tile afresh.

    Args:
        mesh: the columns.
        slot: the tile's slot.
        side: 0..3, see :data:`SIDE_STEPS`.
        facing_slots: slots of the tiles on the other side, in layer order.
    """
    count: cython.int = 0
    facing_count: cython.int
    with cython.nogil:
        _release(mesh, slot, side)
    own_column = _border_edges(mesh, slot, side)
    own_count: cython.int = len(own_column) // 2
    own: cython.p_int = int_pointer(own_column)
    facing_columns = [_border_edges(mesh, facing_slot, side ^ 1) for facing_slot in facing_slots]
    for column in facing_columns:
        facing_count = len(column) // 2
        count += _connect(mesh, own, own_count, int_pointer(column), facing_count, side, False)
    _reserve(mesh, count)
    for column in facing_columns:
        facing_count = len(column) // 2
        _connect(mesh, own, own_count, int_pointer(column), facing_count, side, True)


def release_side(mesh: MeshStore, slot: cython.int, side: cython.int) -> None:
    """Free the portals of one side of a tile that is about to go."""
    with cython.nogil:
        _release(mesh, slot, side)


@cython.cfunc
def _reserve(mesh: MeshStore, count: cython.int):
    """Make sure that at least ``count`` portals are free."""
    free: cython.int = 0
    portal: cython.int = mesh.portal_free
    while portal >= 0 and free < count:
        free += 1
        portal = mesh.portal_next[portal]
    if free >= count:
        return
    old: cython.int = mesh.portal_capacity
    mesh.portal_edge_column = grown(mesh.portal_edge_column, old + count, -1)
    mesh.portal_capacity = len(mesh.portal_edge_column)
    mesh.portal_target_column = grown(mesh.portal_target_column, mesh.portal_capacity, -1)
    mesh.portal_next_column = grown(mesh.portal_next_column, mesh.portal_capacity, -1)
    mesh.portal_t_column = grown(mesh.portal_t_column, 2 * mesh.portal_capacity)
    mesh.portal_xyz_column = grown(mesh.portal_xyz_column, 6 * mesh.portal_capacity)
    mesh.bind()
    for portal in range(mesh.portal_capacity - 1, old - 1, -1):
        mesh.portal_next[portal] = mesh.portal_free
        mesh.portal_free = portal
