"""The mesh as flat columns, and the accessors every kernel starts from.

Inside the library a polygon is its index in the polygon columns; references (u64) are decoded at the border.
Nothing that decides a result may depend on where in a column a tile happens to lie.

Tiles (by slot): ``tile_salt`` (1..65535), ``tile_live`` (0/1), grid coordinates and layer, the ranges it owns in the
    polygon, edge, tree-node and tree-item columns, and ``tile_next``, the next tile of the same (tx, tz) by layer.
Tile grid: ``grid[(tz − grid_z) · grid_width + tx − grid_x]`` is the first tile's slot at (tx, tz), or −1.
Polygons: ``poly_edge`` first edge, ``poly_size`` vertex count (0: no polygon), area, flags, tile slot, and
    ``poly_link``, the first link end that leaves it (−1: none).
Edges: edge ``e`` starts at ``xyz[3e..3e+2]``; ``neighbour[e]`` is the polygon behind it (≥ 0), −1 for a wall, or
    ``−2 − p`` where ``p`` is the first of the edge's portals.
Portals: a piece of a border edge with a polygon of another tile behind it: ``portal_target`` that polygon,
    ``portal_edge`` the edge it is on (−1: free), ``portal_next`` the next along the edge (−1: last), its parameters
    ``portal_t[2p], portal_t[2p+1]`` and its end points ``portal_xyz[6p..6p+5]`` in edge direction. Free portals are
    chained from ``portal_free`` through ``portal_next``.
Links: link ``l`` has the ends ``2l`` (start → end) and ``2l + 1`` (end → start). ``link_state[l]``: −1 free, else bit 0
    enabled, bit 1 both ways. ``link_poly[2l]`` is the polygon of the start, ``[2l+1]`` that of the end (−1: dormant).
    ``link_xyz[6l..]`` are start and end as attached to the surface. Link end ``d`` leaves polygon ``link_poly[d]``,
    enters ``link_poly[d ^ 1]``, and ``link_next[d]`` is the next link end leaving the same polygon, in link order.
Edits: ``edit_count`` is part of the mesh's state (a restore brings it back); ``revision`` only ever grows, so that work
    under way can tell that the mesh is not the one it began with.
Trees: per tile, nodes in depth-first order. ``node_bounds[6n..]`` min x, y, z, max x, y, z; ``node_skip[n]`` the number
    of nodes to jump over when ``n`` is missed; ``node_first[n]`` ≥ 0 for a leaf: its first item, counted from the
    tile's ``tile_item``; items are polygons counted from ``tile_poly``; a leaf's items end where the next leaf's begin.
"""

import cython

from onepath.buffers import filled, zeros
from onepath.errors import OnePathError
from cython.cimports.onepath.buffers import (
    byte_pointer, double_pointer, int_pointer, short_pointer,
)
from cython.cimports.onepath.navmesh.filter import QueryFilter, accepts


@cython.cclass
class SurfacePoint:
    """Where a kernel leaves the point or piece of edge it found; the base of every query's working memory."""

    def __init__(self):
        self.out_x = self.out_y = self.out_z = 0.0
        self.ask_x = self.ask_y = self.ask_z = self.ask_ex = self.ask_ey = self.ask_ez = 0.0
        self.near_poly = -1
        self.near_best = self.near_second = self.near_limit = self.near_rise = 0.0
        self.piece_ax = self.piece_ay = self.piece_az = 0.0
        self.piece_bx = self.piece_by = self.piece_bz = 0.0


@cython.cclass
class MeshStore:
    """All columns of one mesh. Grown and filled by :mod:`onepath.navmesh.tiles` and :mod:`~onepath.navmesh.links`."""

    def __init__(self, origin_x: cython.double, origin_z: cython.double, tile_size: cython.double,
                 max_climb: cython.double):
        self.origin_x = origin_x
        self.origin_z = origin_z
        self.tile_size = tile_size
        self.max_climb = max_climb
        self.tile_slots = 0
        self.tile_salt_column = zeros("i", 0)
        self.tile_live_column = zeros("i", 0)
        self.tile_x_column = zeros("i", 0)
        self.tile_z_column = zeros("i", 0)
        self.tile_layer_column = zeros("i", 0)
        self.tile_poly_column = zeros("i", 0)
        self.tile_poly_count_column = zeros("i", 0)
        self.tile_edge_column = zeros("i", 0)
        self.tile_edge_count_column = zeros("i", 0)
        self.tile_node_column = zeros("i", 0)
        self.tile_node_count_column = zeros("i", 0)
        self.tile_item_column = zeros("i", 0)
        self.tile_next_column = zeros("i", 0)
        self.grid_x = self.grid_z = self.grid_width = self.grid_depth = 0
        self.grid_column = filled("i", 1, -1)
        self.poly_capacity = 0
        self.poly_edge_column = zeros("i", 0)
        self.poly_size_column = zeros("B", 0)
        self.poly_area_column = zeros("B", 0)
        self.poly_flags_column = zeros("H", 0)
        self.poly_tile_column = zeros("i", 0)
        self.poly_link_column = zeros("i", 0)
        self.edge_capacity = 0
        self.xyz_column = zeros("d", 0)
        self.neighbour_column = zeros("i", 0)
        self.portal_capacity = 0
        self.portal_free = -1
        self.portal_target_column = zeros("i", 0)
        self.portal_edge_column = zeros("i", 0)
        self.portal_next_column = zeros("i", 0)
        self.portal_t_column = zeros("d", 0)
        self.portal_xyz_column = zeros("d", 0)
        self.link_capacity = 0
        self.link_state_column = zeros("i", 0)
        self.link_poly_column = zeros("i", 0)
        self.link_next_column = zeros("i", 0)
        self.link_area_column = zeros("i", 0)
        self.link_flags_column = zeros("i", 0)
        self.link_xyz_column = zeros("d", 0)
        self.node_bounds_column = zeros("d", 0)
        self.node_skip_column = zeros("i", 0)
        self.node_first_column = zeros("i", 0)
        self.item_column = zeros("i", 0)
        self.edit_count = 0
        self.revision = 0
        self.readers = 0
        self.changing = False
        self.bind()

    def adopt(self, source) -> None:
        """Become another mesh, whose columns are taken over; the other must not be used any more."""
        other: MeshStore = source
        self.tile_slots = other.tile_slots
        self.origin_x = other.origin_x
        self.origin_z = other.origin_z
        self.tile_size = other.tile_size
        self.max_climb = other.max_climb
        self.grid_x = other.grid_x
        self.grid_z = other.grid_z
        self.grid_width = other.grid_width
        self.grid_depth = other.grid_depth
        self.poly_capacity = other.poly_capacity
        self.edge_capacity = other.edge_capacity
        self.portal_capacity = other.portal_capacity
        self.portal_free = other.portal_free
        self.link_capacity = other.link_capacity
        self.tile_salt_column = other.tile_salt_column
        self.tile_live_column = other.tile_live_column
        self.tile_x_column = other.tile_x_column
        self.tile_z_column = other.tile_z_column
        self.tile_layer_column = other.tile_layer_column
        self.tile_poly_column = other.tile_poly_column
        self.tile_poly_count_column = other.tile_poly_count_column
        self.tile_edge_column = other.tile_edge_column
        self.tile_edge_count_column = other.tile_edge_count_column
        self.tile_node_column = other.tile_node_column
        self.tile_node_count_column = other.tile_node_count_column
        self.tile_item_column = other.tile_item_column
        self.tile_next_column = other.tile_next_column
        self.grid_column = other.grid_column
        self.poly_edge_column = other.poly_edge_column
        self.poly_size_column = other.poly_size_column
        self.poly_area_column = other.poly_area_column
        self.poly_flags_column = other.poly_flags_column
        self.poly_tile_column = other.poly_tile_column
        self.poly_link_column = other.poly_link_column
        self.xyz_column = other.xyz_column
        self.neighbour_column = other.neighbour_column
        self.portal_target_column = other.portal_target_column
        self.portal_edge_column = other.portal_edge_column
        self.portal_next_column = other.portal_next_column
        self.portal_t_column = other.portal_t_column
        self.portal_xyz_column = other.portal_xyz_column
        self.link_state_column = other.link_state_column
        self.link_poly_column = other.link_poly_column
        self.link_next_column = other.link_next_column
        self.link_area_column = other.link_area_column
        self.link_flags_column = other.link_flags_column
        self.link_xyz_column = other.link_xyz_column
        self.node_bounds_column = other.node_bounds_column
        self.node_skip_column = other.node_skip_column
        self.node_first_column = other.node_first_column
        self.item_column = other.item_column
        self.bind()

    @cython.ccall
    def check_unchanging(self):
        """Refuse to read while another thread is in the middle of an edit."""
        if self.changing:
            raise OnePathError("another thread is editing this mesh")

    @cython.ccall
    def begin_reading(self):
        """Keep edits away until :meth:`end_reading`: kernels are about to read without the interpreter lock."""
        self.check_unchanging()
        self.readers += 1

    @cython.ccall
    def end_reading(self):
        """Let edits in again."""
        self.readers -= 1

    @cython.ccall
    def bind(self):
        """Take every pointer again; to be called whenever a column was replaced."""
        self.tile_salt = int_pointer(self.tile_salt_column)
        self.tile_live = int_pointer(self.tile_live_column)
        self.tile_x = int_pointer(self.tile_x_column)
        self.tile_z = int_pointer(self.tile_z_column)
        self.tile_layer = int_pointer(self.tile_layer_column)
        self.tile_poly = int_pointer(self.tile_poly_column)
        self.tile_poly_count = int_pointer(self.tile_poly_count_column)
        self.tile_edge = int_pointer(self.tile_edge_column)
        self.tile_edge_count = int_pointer(self.tile_edge_count_column)
        self.tile_node = int_pointer(self.tile_node_column)
        self.tile_node_count = int_pointer(self.tile_node_count_column)
        self.tile_item = int_pointer(self.tile_item_column)
        self.tile_next = int_pointer(self.tile_next_column)
        self.grid = int_pointer(self.grid_column)
        self.poly_edge = int_pointer(self.poly_edge_column)
        self.poly_size = byte_pointer(self.poly_size_column)
        self.poly_area = byte_pointer(self.poly_area_column)
        self.poly_flags = short_pointer(self.poly_flags_column)
        self.poly_tile = int_pointer(self.poly_tile_column)
        self.poly_link = int_pointer(self.poly_link_column)
        self.xyz = double_pointer(self.xyz_column)
        self.neighbour = int_pointer(self.neighbour_column)
        self.portal_target = int_pointer(self.portal_target_column)
        self.portal_edge = int_pointer(self.portal_edge_column)
        self.portal_next = int_pointer(self.portal_next_column)
        self.portal_t = double_pointer(self.portal_t_column)
        self.portal_xyz = double_pointer(self.portal_xyz_column)
        self.link_state = int_pointer(self.link_state_column)
        self.link_poly = int_pointer(self.link_poly_column)
        self.link_next = int_pointer(self.link_next_column)
        self.link_area = int_pointer(self.link_area_column)
        self.link_flags = int_pointer(self.link_flags_column)
        self.link_xyz = double_pointer(self.link_xyz_column)
        self.node_bounds = double_pointer(self.node_bounds_column)
        self.node_skip = int_pointer(self.node_skip_column)
        self.node_first = int_pointer(self.node_first_column)
        self.item = int_pointer(self.item_column)


class Reading:
    """A look at more than one element of a mesh's columns, as a context: no edit comes in between.

    Raises:
        OnePathError: another thread is editing.
    """

    def __init__(self, store):
        self.store = store

    def __enter__(self):
        self.store.begin_reading()

    def __exit__(self, kind, error, trace):
        self.store.end_reading()


class Edit:
    """A change to the columns of a mesh, as a context; it counts if it succeeds.

    Raises:
        OnePathError: another thread is reading or editing; nothing has changed.
    """

    def __init__(self, store):
        self.store = store

    def __enter__(self):
        store = self.store
        if store.changing or store.readers > 0:
            raise OnePathError("another thread is reading or editing this mesh; edit it between such calls")
        store.changing = True

    def __exit__(self, kind, error, trace):
        store = self.store
        store.changing = False
        store.revision += 1
        if kind is None:
            store.edit_count += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def poly_of_ref(mesh: MeshStore, ref: cython.ulonglong) -> cython.int:
    """Return the polygon index of a reference, or −1 if it is stale, forged or 0."""
    slot: cython.int = cython.cast(cython.int, (ref >> 24) & 0xFFFFFF)
    if slot >= mesh.tile_slots or mesh.tile_live[slot] == 0:
        return -1
    if cython.cast(cython.int, ref >> 48) != mesh.tile_salt[slot]:
        return -1
    poly: cython.int = cython.cast(cython.int, ref & 0xFFFFFF)
    if poly >= mesh.tile_poly_count[slot]:
        return -1
    return mesh.tile_poly[slot] + poly


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def ref_of_poly(mesh: MeshStore, poly: cython.int) -> cython.ulonglong:
    """Return the reference of a live polygon index; 0 for −1."""
    if poly < 0:
        return 0
    slot: cython.int = mesh.poly_tile[poly]
    salt: cython.ulonglong = mesh.tile_salt[slot]
    wide_slot: cython.ulonglong = slot
    index: cython.ulonglong = poly - mesh.tile_poly[slot]
    return (salt << 48) | (wide_slot << 24) | index


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def passes(mesh: MeshStore, filter: QueryFilter, poly: cython.int) -> cython.bint:
    """Tell whether the filter accepts a polygon."""
    return accepts(filter, mesh.poly_flags[poly], mesh.poly_area[poly])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def link_target(mesh: MeshStore, link_end: cython.int) -> cython.int:
    """Return the polygon that a link end leads into, or −1 while the link is dormant."""
    return mesh.link_poly[link_end ^ 1]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def link_passes(mesh: MeshStore, filter: QueryFilter, link_end: cython.int) -> cython.bint:
    """Tell whether a link end can be crossed: attached, enabled, in a walkable direction, link and target accepted."""
    link: cython.int = link_end >> 1
    state: cython.int = mesh.link_state[link]
    if state < 0 or (state & 1) == 0 or ((link_end & 1) == 1 and (state & 2) == 0):
        return False
    target: cython.int = mesh.link_poly[link_end ^ 1]
    if target < 0 or mesh.link_poly[link_end] < 0:
        return False
    return accepts(filter, mesh.link_flags[link], mesh.link_area[link]) and passes(mesh, filter, target)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def tile_at(mesh: MeshStore, tx: cython.int, tz: cython.int) -> cython.int:
    """Return the slot of the lowest layer's tile at grid coordinates (tx, tz), or −1."""
    column: cython.int = tx - mesh.grid_x
    row: cython.int = tz - mesh.grid_z
    if column < 0 or row < 0 or column >= mesh.grid_width or row >= mesh.grid_depth:
        return -1
    return mesh.grid[row * mesh.grid_width + column]
