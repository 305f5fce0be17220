"""Tiles going into and out of the columns: ranges, in-tile neighbours, and the tile grid."""

import cython

from onepath.buffers import filled, grown, zeros
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer, short_pointer
from cython.cimports.onepath.navmesh.store import MeshStore, tile_at
from cython.cimports.onepath.navmesh.tree import TreeBuilder
from onepath.navmesh.ranges import RangeAllocator
from onepath.navmesh.tree import TreeBuilder as _TreeBuilder

#: The tile grid is kept dense while it has at most this many cells per tile (plus a fixed allowance).
_GRID_CELLS_PER_TILE = 16
_GRID_CELLS_FREE = 65536


@cython.cclass
class TileTable:
    """Which ranges of the columns belong to which tile; the only writer of tile, polygon, edge and tree columns."""

    def __init__(self, mesh: MeshStore):
        self.mesh = mesh
        self.polys = RangeAllocator()
        self.edges = RangeAllocator()
        self.nodes = RangeAllocator()
        self.items = RangeAllocator()
        self.slots = {}

    def free_slot(self) -> int:
        """Return the lowest slot without a tile."""
        mesh: MeshStore = self.mesh
        slot: cython.int
        for slot in range(mesh.tile_slots):
            if mesh.tile_live[slot] == 0:
                return slot
        return mesh.tile_slots

    def insert(self, slot: cython.int, tile, salt: cython.int) -> None:
        """Put a checked tile into a free slot. Neighbours inside the tile are found; portals and links are not."""
        mesh: MeshStore = self.mesh
        self.reserve_slots(slot + 1)
        poly_count: cython.int = len(tile.sizes)
        edge_count: cython.int = len(tile.indices)
        mesh.tile_salt[slot] = salt
        mesh.tile_live[slot] = 1
        mesh.tile_x[slot] = tile.tx
        mesh.tile_z[slot] = tile.tz
        mesh.tile_layer[slot] = tile.layer
        mesh.tile_poly_count[slot] = poly_count
        mesh.tile_edge_count[slot] = edge_count
        mesh.tile_poly[slot] = self.polys.take(poly_count)
        mesh.tile_edge[slot] = self.edges.take(edge_count)
        self.reserve(self.polys.end, self.edges.end)
        bounds = self._fill(slot, tile)
        self._plant_tree(slot, bounds, poly_count)
        self.slots[(tile.tx, tile.tz, tile.layer)] = slot
        self._enter_grid(slot)

    def remove(self, slot: cython.int) -> None:
        """Take the tile out of a slot and free its ranges; its portals must be gone already."""
        mesh: MeshStore = self.mesh
        poly: cython.int
        for poly in range(mesh.tile_poly[slot], mesh.tile_poly[slot] + mesh.tile_poly_count[slot]):
            mesh.poly_size[poly] = 0
            mesh.poly_tile[poly] = -1
        self.polys.give_back(mesh.tile_poly[slot], mesh.tile_poly_count[slot])
        self.edges.give_back(mesh.tile_edge[slot], mesh.tile_edge_count[slot])
        self.nodes.give_back(mesh.tile_node[slot], mesh.tile_node_count[slot])
        self.items.give_back(mesh.tile_item[slot], mesh.tile_poly_count[slot])
        del self.slots[(mesh.tile_x[slot], mesh.tile_z[slot], mesh.tile_layer[slot])]
        mesh.tile_live[slot] = 0
        mesh.tile_poly_count[slot] = mesh.tile_edge_count[slot] = mesh.tile_node_count[slot] = 0
        self._leave_grid(slot)

    def reserve_slots(self, count: cython.int) -> None:
        """Make sure that slots 0..count−1 exist; new ones are free and have never held a tile (salt 0)."""
        mesh: MeshStore = self.mesh
        if count <= mesh.tile_slots:
            return
        mesh.tile_salt_column = grown(mesh.tile_salt_column, count)
        mesh.tile_live_column = grown(mesh.tile_live_column, count)
        mesh.tile_x_column = grown(mesh.tile_x_column, count)
        mesh.tile_z_column = grown(mesh.tile_z_column, count)
        mesh.tile_layer_column = grown(mesh.tile_layer_column, count)
        mesh.tile_poly_column = grown(mesh.tile_poly_column, count)
        mesh.tile_poly_count_column = grown(mesh.tile_poly_count_column, count)
        mesh.tile_edge_column = grown(mesh.tile_edge_column, count)
        mesh.tile_edge_count_column = grown(mesh.tile_edge_count_column, count)
        mesh.tile_node_column = grown(mesh.tile_node_column, count)
        mesh.tile_node_count_column = grown(mesh.tile_node_count_column, count)
        mesh.tile_item_column = grown(mesh.tile_item_column, count)
        mesh.tile_next_column = grown(mesh.tile_next_column, count)
        mesh.tile_slots = count
        mesh.bind()

    def reserve(self, polys: cython.int, edges: cython.int) -> None:
        """Make room for this many polygons and edges in all, so that a build does not overshoot."""
        mesh: MeshStore = self.mesh
        if polys > mesh.poly_capacity:
            mesh.poly_edge_column = grown(mesh.poly_edge_column, polys)
            mesh.poly_size_column = grown(mesh.poly_size_column, polys)
            mesh.poly_area_column = grown(mesh.poly_area_column, polys)
            mesh.poly_flags_column = grown(mesh.poly_flags_column, polys)
            mesh.poly_tile_column = grown(mesh.poly_tile_column, polys, -1)
            mesh.poly_link_column = grown(mesh.poly_link_column, polys, -1)
            mesh.poly_capacity = len(mesh.poly_edge_column)
        if edges > mesh.edge_capacity:
            mesh.neighbour_column = grown(mesh.neighbour_column, edges, -1)
            mesh.edge_capacity = len(mesh.neighbour_column)
            mesh.xyz_column = grown(mesh.xyz_column, 3 * mesh.edge_capacity)
        mesh.bind()

    def trim(self) -> None:
        """Give back what the tree columns have grown too far."""
        mesh: MeshStore = self.mesh
        mesh.node_bounds_column = mesh.node_bounds_column[:6 * self.nodes.end]
        mesh.node_skip_column = mesh.node_skip_column[:self.nodes.end]
        mesh.node_first_column = mesh.node_first_column[:self.nodes.end]
        mesh.item_column = mesh.item_column[:self.items.end]
        mesh.bind()

    @cython.cfunc
    def _fill(self, slot: cython.int, tile):
        """Write polygons, edges and in-tile neighbours; return the polygons' bounds."""
        mesh: MeshStore = self.mesh
        poly_count: cython.int = mesh.tile_poly_count[slot]
        edge_count: cython.int = mesh.tile_edge_count[slot]
        vertex_count: cython.int = tile.vertex_count
        vertices: cython.p_double = double_pointer(tile.vertices)
        indices: cython.p_int = int_pointer(tile.indices)
        sizes: cython.p_uchar = byte_pointer(tile.sizes)
        areas: cython.p_uchar = byte_pointer(tile.areas)
        flags: cython.p_ushort = short_pointer(tile.flags)
        bounds_column = zeros("d", 6 * poly_count)
        bucket_column = zeros("i", vertex_count + 1)
        order_column = zeros("i", edge_count)
        end_column = zeros("i", edge_count)
        owner_column = zeros("i", edge_count)
        bounds: cython.p_double = double_pointer(bounds_column)
        bucket: cython.p_int = int_pointer(bucket_column)
        order: cython.p_int = int_pointer(order_column)
        end: cython.p_int = int_pointer(end_column)
        owner: cython.p_int = int_pointer(owner_column)
        with cython.nogil:
            _fill_polys(mesh, slot, vertices, indices, sizes, areas, flags, bounds, end, owner)
            _join_edges(mesh, slot, indices, vertex_count, edge_count, bucket, order, end, owner)
        return bounds_column

    @cython.cfunc
    def _plant_tree(self, slot: cython.int, bounds, poly_count: cython.int):
        mesh: MeshStore = self.mesh
        if poly_count == 0:
            mesh.tile_node[slot] = mesh.tile_node_count[slot] = mesh.tile_item[slot] = 0
            return
        tree: TreeBuilder = _TreeBuilder(bounds, poly_count)
        count: cython.int = tree.node_count
        node: cython.int = self.nodes.take(count)
        item: cython.int = self.items.take(poly_count)
        mesh.tile_node[slot] = node
        mesh.tile_node_count[slot] = count
        mesh.tile_item[slot] = item
        mesh.node_bounds_column = grown(mesh.node_bounds_column, 6 * self.nodes.end)
        mesh.node_skip_column = grown(mesh.node_skip_column, self.nodes.end)
        mesh.node_first_column = grown(mesh.node_first_column, self.nodes.end)
        mesh.item_column = grown(mesh.item_column, self.items.end)
        mesh.node_bounds_column[6 * node:6 * (node + count)] = tree.node_bounds_column[:6 * count]
        mesh.node_skip_column[node:node + count] = tree.node_skip_column[:count]
        mesh.node_first_column[node:node + count] = tree.node_first_column[:count]
        mesh.item_column[item:item + poly_count] = tree.item_column
        mesh.bind()

    @cython.cfunc
    def _enter_grid(self, slot: cython.int):
        """Chain a new tile into its grid cell by layer; grow or rebuild the grid if its cell is outside."""
        mesh: MeshStore = self.mesh
        column: cython.int = mesh.tile_x[slot] - mesh.grid_x
        row: cython.int = mesh.tile_z[slot] - mesh.grid_z
        if column < 0 or row < 0 or column >= mesh.grid_width or row >= mesh.grid_depth:
            self._rebuild_grid()
            return
        self._chain(row * mesh.grid_width + column, slot)

    @cython.cfunc
    def _chain(self, cell: cython.int, slot: cython.int):
        mesh: MeshStore = self.mesh
        previous: cython.int = -1
        current: cython.int = mesh.grid[cell]
        while current >= 0 and mesh.tile_layer[current] < mesh.tile_layer[slot]:
            previous = current
            current = mesh.tile_next[current]
        mesh.tile_next[slot] = current
        if previous < 0:
            mesh.grid[cell] = slot
        else:
            mesh.tile_next[previous] = slot

    @cython.cfunc
    def _leave_grid(self, slot: cython.int):
        mesh: MeshStore = self.mesh
        if mesh.grid_width == 0:
            return
        cell: cython.int = (mesh.tile_z[slot] - mesh.grid_z) * mesh.grid_width + mesh.tile_x[slot] - mesh.grid_x
        current: cython.int = mesh.grid[cell]
        if current == slot:
            mesh.grid[cell] = mesh.tile_next[slot]
            return
        while mesh.tile_next[current] != slot:
            current = mesh.tile_next[current]
        mesh.tile_next[current] = mesh.tile_next[slot]

    @cython.cfunc
    def _rebuild_grid(self):
        """Lay the grid over all tiles with a margin; leave it empty (width 0) where tiles are too far apart for it."""
        mesh: MeshStore = self.mesh
        low_x = min(key[0] for key in self.slots)
        high_x = max(key[0] for key in self.slots)
        low_z = min(key[1] for key in self.slots)
        high_z = max(key[1] for key in self.slots)
        width = high_x - low_x + 1
        depth = high_z - low_z + 1
        if width * depth > _GRID_CELLS_FREE + _GRID_CELLS_PER_TILE * len(self.slots):
            mesh.grid_width = mesh.grid_depth = 0
            return
        margin_x = width // 2 if len(self.slots) > 1 else 0
        margin_z = depth // 2 if len(self.slots) > 1 else 0
        mesh.grid_x = low_x - margin_x
        mesh.grid_z = low_z - margin_z
        mesh.grid_width = width + 2 * margin_x
        mesh.grid_depth = depth + 2 * margin_z
        mesh.grid_column = filled("i", mesh.grid_width * mesh.grid_depth, -1)
        mesh.bind()
        for (tx, tz, _layer), slot in self.slots.items():
            self._chain((tz - mesh.grid_z) * mesh.grid_width + tx - mesh.grid_x, slot)

    def column_of(self, tx: int, tz: int) -> list[int]:
        """Return the slots of the tiles at (tx, tz), by layer."""
        mesh: MeshStore = self.mesh
        if mesh.grid_width == 0:
            keys = sorted(key for key in self.slots if key[0] == tx and key[1] == tz)
            return [self.slots[key] for key in keys]
        result = []
        if not (mesh.grid_x <= tx < mesh.grid_x + mesh.grid_width
                and mesh.grid_z <= tz < mesh.grid_z + mesh.grid_depth):
            return result
        slot: cython.int = tile_at(mesh, tx, tz)
        while slot >= 0:
            result.append(slot)
            slot = mesh.tile_next[slot]
        return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_polys(mesh: MeshStore, slot: cython.int, vertices: cython.p_double, indices: cython.p_int,
                sizes: cython.p_uchar, areas: cython.p_uchar, flags: cython.p_ushort, bounds: cython.p_double,
                end: cython.p_int, owner: cython.p_int) -> cython.void:
    """Copy a tile's polygons into the columns and note each edge's end vertex, polygon and the polygons' bounds."""
    edge_base: cython.int = mesh.tile_edge[slot]
    poly: cython.int = mesh.tile_poly[slot]
    edge: cython.int = 0
    i: cython.int
    k: cython.int
    axis: cython.int
    for i in range(mesh.tile_poly_count[slot]):
        size: cython.int = sizes[i]
        mesh.poly_edge[poly + i] = edge_base + edge
        mesh.poly_size[poly + i] = sizes[i]
        mesh.poly_area[poly + i] = areas[i]
        mesh.poly_flags[poly + i] = flags[i]
        mesh.poly_tile[poly + i] = slot
        mesh.poly_link[poly + i] = -1
        for k in range(size):
            vertex: cython.int = indices[edge + k]
            owner[edge + k] = i
            end[edge + k] = indices[edge + k + 1] if k + 1 < size else indices[edge]
            mesh.neighbour[edge_base + edge + k] = -1
            for axis in range(3):
                value: cython.double = vertices[3 * vertex + axis]
                mesh.xyz[3 * (edge_base + edge + k) + axis] = value
                if k == 0 or value < bounds[6 * i + axis]:
                    bounds[6 * i + axis] = value
                if k == 0 or value > bounds[6 * i + 3 + axis]:
                    bounds[6 * i + 3 + axis] = value
        edge += size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _join_edges(mesh: MeshStore, slot: cython.int, indices: cython.p_int, vertex_count: cython.int,
                edge_count: cython.int, bucket: cython.p_int, order: cython.p_int, end: cython.p_int,
                owner: cython.p_int) -> cython.void:
    """Make polygons neighbours where an edge a→b of one is the edge b→a of another; the first two on an edge win.

    Edges are sorted by their start vertex (counting sort), so the partner of a→b is looked for among those from b.
    """
    edge_base: cython.int = mesh.tile_edge[slot]
    poly: cython.int = mesh.tile_poly[slot]
    i: cython.int
    for i in range(edge_count):
        bucket[indices[i] + 1] += 1
    for i in range(vertex_count):
        bucket[i + 1] += bucket[i]
    for i in range(edge_count):
        order[bucket[indices[i]]] = i
        bucket[indices[i]] += 1
    # Each bucket[v] has moved on to where bucket v + 1 starts, so bucket v starts at bucket[v − 1].
    for i in range(edge_count):
        if mesh.neighbour[edge_base + i] >= 0:
            continue
        start: cython.int = bucket[end[i] - 1] if end[i] > 0 else 0
        k: cython.int
        for k in range(start, bucket[end[i]]):
            other: cython.int = order[k]
            if end[other] == indices[i] and owner[other] != owner[i] and mesh.neighbour[edge_base + other] < 0:
                mesh.neighbour[edge_base + i] = poly + owner[other]
                mesh.neighbour[edge_base + other] = poly + owner[i]
                break
