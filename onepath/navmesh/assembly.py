"""Whole tiles at once: putting many in, getting one back out, and the checks that need to see all of one."""

from array import array
from math import inf

import cython

from onepath.navmesh.portals import SIDE_STEPS, rebuild_side
from onepath.navmesh.tile_data import TileData
from cython.cimports.onepath.navmesh.store import MeshStore

#: How far, in world units, a polygon may reach over the bounds of its tile.
_TILE_BOUNDS_TOLERANCE = 1e-3


def assemble(store: MeshStore, table, tiles, salts=None) -> None:
    """Put valid tiles into an empty mesh, slot by slot, and make their portals.

    Args:
        store: the columns of the mesh.
        table: its tile table.
        tiles: :class:`~onepath.navmesh.tile_data.TileData` objects with distinct keys; ``None`` leaves a slot free.
        salts: the slots' salts; default all 1.
    """
    present = [tile for tile in tiles if tile is not None]
    table.reserve_slots(len(tiles))
    table.reserve(sum(tile.poly_count for tile in present), sum(len(tile.indices) for tile in present))
    slot: cython.int
    for slot, tile in enumerate(tiles):
        salt = 1 if salts is None else salts[slot]
        if tile is None:
            store.tile_salt[slot] = salt
        else:
            table.insert(slot, tile, salt)
    table.trim()
    if store.tile_size == inf:
        return
    for slot, tile in enumerate(tiles):
        if tile is None:
            continue
        for side, (step_x, step_z) in enumerate(SIDE_STEPS):
            facing = table.column_of(tile.tx + step_x, tile.tz + step_z)
            if facing:
                rebuild_side(store, slot, side, facing)


def slot_salts(store: MeshStore) -> list[int]:
    """Return the salt of every tile slot there has been (0: never used)."""
    return list(store.tile_salt_column[:store.tile_slots])


def extract_tile(store: MeshStore, slot: cython.int) -> TileData:
    """Return the tile in a slot with its present areas and flags; vertices come in order of first use."""
    data = TileData(store.tile_x[slot], store.tile_z[slot], store.tile_layer[slot])
    numbers = {}
    first: cython.int = store.tile_poly[slot]
    poly: cython.int
    edge: cython.int
    for poly in range(first, first + store.tile_poly_count[slot]):
        data.sizes.append(store.poly_size[poly])
        data.areas.append(store.poly_area[poly])
        data.flags.append(store.poly_flags[poly])
        for edge in range(store.poly_edge[poly], store.poly_edge[poly] + store.poly_size[poly]):
            vertex = (store.xyz[3 * edge], store.xyz[3 * edge + 1], store.xyz[3 * edge + 2])
            number = numbers.setdefault(vertex, len(numbers))
            if 3 * number == len(data.vertices):
                data.vertices.extend(vertex)
            data.indices.append(number)
    return data


def repeated_vertex(tile: TileData):
    """Look for two vertices at one place, which would hide that their polygons touch.

    Returns:
        ``None``, or (field, index, message) of the second one.
    """
    seen = {}
    values: array = tile.vertices
    number: cython.int
    for number in range(len(values) // 3):
        vertex = (values[3 * number], values[3 * number + 1], values[3 * number + 2])
        if seen.setdefault(vertex, number) != number:
            return ("vertices", 3 * number, "two vertices are at the same place")
    return None


def out_of_tile(store: MeshStore, tile: TileData):
    """Look for a vertex outside the bounds of its tile.

    Returns:
        ``None``, or (field, index, message) of the first one.
    """
    if store.tile_size == inf:
        return None
    size = store.tile_size
    for axis, low in ((0, store.origin_x + tile.tx * size), (2, store.origin_z + tile.tz * size)):
        for number, value in enumerate(tile.vertices[axis::3]):
            if not low - _TILE_BOUNDS_TOLERANCE <= value <= low + size + _TILE_BOUNDS_TOLERANCE:
                return ("vertices", 3 * number + axis, f"must lie within tile ({tile.tx}, {tile.tz})")
    return None


def memory_size(store: MeshStore) -> int:
    """Return the bytes that all columns of a mesh take."""
    columns = (
        store.tile_salt_column, store.tile_live_column, store.tile_x_column, store.tile_z_column,
        store.tile_layer_column, store.tile_poly_column, store.tile_poly_count_column, store.tile_edge_column,
        store.tile_edge_count_column, store.tile_node_column, store.tile_node_count_column, store.tile_item_column,
        store.tile_next_column, store.grid_column, store.poly_edge_column, store.poly_size_column,
        store.poly_area_column, store.poly_flags_column, store.poly_tile_column, store.poly_link_column,
        store.xyz_column, store.neighbour_column, store.portal_target_column, store.portal_edge_column,
        store.portal_next_column, store.portal_t_column, store.portal_xyz_column, store.link_state_column,
        store.link_poly_column, store.link_next_column, store.link_area_column, store.link_flags_column,
        store.link_xyz_column, store.node_bounds_column, store.node_skip_column, store.node_first_column,
        store.item_column,
    )
    return sum(len(column) * column.itemsize for column in columns)
