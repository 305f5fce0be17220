"""A description of a mesh that does not depend on its history, and the check built on it."""

import cython

from onepath.errors import OnePathError
from onepath.navmesh.assembly import extract_tile
from onepath.navmesh.tile_check import first_fault
from cython.cimports.onepath.navmesh.mesh import TiledNavMesh
from cython.cimports.onepath.navmesh.store import MeshStore


def place_of(store: MeshStore, poly: cython.int):
    """Return (tx, tz, layer, number) of a polygon; ``None`` for −1."""
    if poly < 0:
        return None
    slot: cython.int = store.poly_tile[poly]
    return (store.tile_x[slot], store.tile_z[slot], store.tile_layer[slot], poly - store.tile_poly[slot])


def describe(mesh: TiledNavMesh) -> dict:
    """Return everything that queries depend on, with polygons named by tile and number.

    Returns:
        a dict with ``tiles`` (key → TileData), ``edges`` ((polygon, edge) → what is behind it: a polygon, a list of
        portals with their parameters and end points, or ``None``), ``exits`` (polygon → (link id, end) that leave
        it) and ``links`` (id → link, enabled, attached polygons and points).
    """
    store: MeshStore = mesh.store
    tiles = {key: extract_tile(store, slot) for key, slot in mesh.table.slots.items()}
    edges = {}
    exits = {}
    slot: cython.int
    poly: cython.int
    edge: cython.int
    for slot in mesh.table.slots.values():
        for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot]):
            place = place_of(store, poly)
            for edge in range(store.poly_size[poly]):
                edges[place, edge] = _behind(store, store.poly_edge[poly] + edge)
            exits[place] = _exits(mesh, poly)
    links = {}
    for link_id, link in mesh.link_table.links.items():
        start, end, start_point, end_point = mesh.link_table.ends(link_id)
        links[link_id] = (link, mesh.link_table.is_enabled(link_id), place_of(store, start), place_of(store, end),
                          start_point, end_point)
    return {"tiles": tiles, "edges": edges, "exits": exits, "links": links}


@cython.cfunc
def _behind(store: MeshStore, edge: cython.int):
    behind: cython.int = store.neighbour[edge]
    if behind >= -1:
        return place_of(store, behind)
    portals = []
    portal: cython.int = -2 - behind
    i: cython.int
    while portal >= 0:
        portals.append((place_of(store, store.portal_target[portal]),
                        store.portal_t[2 * portal], store.portal_t[2 * portal + 1],
                        tuple([store.portal_xyz[6 * portal + i] for i in range(6)])))
        portal = store.portal_next[portal]
    return portals


@cython.cfunc
def _exits(mesh: TiledNavMesh, poly: cython.int):
    store: MeshStore = mesh.store
    found = []
    end: cython.int = store.poly_link[poly]
    while end >= 0:
        found.append((mesh.link_table.id_of_slot(end >> 1), end & 1))
        end = store.link_next[end]
    return found


def check(mesh) -> bool:
    """Tell that a mesh equals one built afresh from its tiles and links, and that these tiles are valid.

    Returns:
        ``True``.

    Raises:
        OnePathError: something differs; the message says what. That would be a bug of the library.
    """
    fresh = mesh._rebuilt()
    have, want = describe(mesh), describe(fresh)
    for part in ("tiles", "edges", "exits", "links"):
        if have[part] != want[part]:
            different = [key for key in want[part] if have[part].get(key) != want[part][key]]
            raise OnePathError(f"mesh check: {part} differ from a fresh build, first at {different[:1]}")
    for key, tile in have["tiles"].items():
        fault = first_fault(tile)
        if fault is not None:
            raise OnePathError(f"mesh check: {fault[0]} of tile {key}: {fault[2]}")
    for (place, edge), behind in have["edges"].items():
        if isinstance(behind, tuple) and place not in [have["edges"].get((behind, k)) for k in range(16)]:
            raise OnePathError(f"mesh check: edge {edge} of {place} leads to {behind}, which does not lead back")
    return True
