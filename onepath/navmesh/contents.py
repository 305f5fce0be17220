"""What is in a mesh: its polygons, tiles and links, for anybody who asks."""

from math import inf
from operator import index

import cython

from onepath.errors import OnePathError
from onepath.geometry import checked_flag
from onepath.navmesh.assembly import extract_tile, memory_size
from onepath.navmesh.bytes import geometry_bytes
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.snapshot import mesh_bytes, save_snapshot
from onepath.navmesh.tile_data import TileData
from onepath.navmesh.store import Reading
from cython.cimports.onepath.navmesh.store import MeshStore, link_target, poly_of_ref, ref_of_poly


def reference(value) -> int:
    """Return ``value`` as a reference; anything that cannot be one becomes 0, the invalid reference."""
    try:
        number = index(value)
    except TypeError:
        return 0
    return number if 0 <= number < 1 << 64 else 0


def slot_of(slots: dict, key) -> int:
    """Return what a table has under a key of any kind, −1 where it has nothing."""
    try:
        return slots.get(key, -1)
    except TypeError:  # what cannot be a key is none that is known
        return -1


def made(store):
    """Return the columns of a mesh; kernels must not run without any.

    Raises:
        OnePathError: there are none, as the mesh was made without its ``__init__``.
    """
    if store is None:
        raise OnePathError("this mesh was made without TiledNavMesh.__init__")
    return store


def unchanging(store):
    """Return the columns of a mesh, as :func:`made` does, for a look that no other thread can come in between of.

    Raises:
        OnePathError: there are none, or another thread is editing.
    """
    made(store).check_unchanging()
    return store


@cython.cclass
class MeshContents:
    """The reading half of :class:`~onepath.navmesh.mesh.TiledNavMesh`, which makes and changes what this shows.

    While another thread edits the mesh a look at more than one number of it raises
    :class:`~onepath.errors.OnePathError`.
    """

    @property
    def memory_bytes(self) -> int:
        """Bytes that the columns of the mesh take."""
        return memory_size(unchanging(self.store))

    @property
    def edit_count(self) -> int:
        """How many edits have succeeded so far."""
        return made(self.store).edit_count

    @property
    def poly_count(self) -> int:
        """Number of polygons in all tiles."""
        store: MeshStore = unchanging(self.store)
        slot: cython.int
        total: cython.int = 0
        for slot in range(store.tile_slots):
            total += store.tile_poly_count[slot]
        return total

    @property
    def origin(self) -> tuple[float, float]:
        """x and z of the corner of tile (0, 0)."""
        store: MeshStore = made(self.store)
        return (store.origin_x, store.origin_z)

    @property
    def tile_size(self) -> float | None:
        """Side of a tile in world units, or ``None`` for a mesh that is one tile."""
        store: MeshStore = made(self.store)
        return None if store.tile_size == inf else store.tile_size

    @property
    def max_climb(self) -> float:
        """Largest step in height that a tile border or a link end bridges, world units."""
        store: MeshStore = made(self.store)
        return store.max_climb

    def tiles(self) -> list[tuple[int, int, int]]:
        """Return (tx, tz, layer) of every tile, in order of slot."""
        with Reading(made(self.store)):
            return [key for key, _slot in sorted(self.table.slots.items(), key=lambda entry: entry[1])]

    def is_valid_ref(self, ref) -> bool:
        """Tell whether a reference names a polygon that exists now.

        Args:
            ref: a polygon's reference; what is none counts as stale.
        """
        return poly_of_ref(unchanging(self.store), reference(ref)) >= 0

    def poly_vertices(self, ref) -> list[tuple[float, float, float]] | None:
        """Return a polygon's corners in order, or ``None`` for a stale reference.

        Args:
            ref: a polygon's reference; what is none counts as stale.
        """
        store: MeshStore = made(self.store)
        number: cython.ulonglong = reference(ref)
        edge: cython.int
        with Reading(store):
            poly: cython.int = poly_of_ref(store, number)
            if poly < 0:
                return None
            first: cython.int = store.poly_edge[poly]
            return [(store.xyz[3 * edge], store.xyz[3 * edge + 1], store.xyz[3 * edge + 2])
                    for edge in range(first, first + store.poly_size[poly])]

    def poly_area(self, ref) -> int | None:
        """Return a polygon's area id (0..63), or ``None`` for a stale reference.

        Args:
            ref: a polygon's reference; what is none counts as stale.
        """
        store: MeshStore = unchanging(self.store)
        poly: cython.int = poly_of_ref(store, reference(ref))
        return store.poly_area[poly] if poly >= 0 else None

    def poly_flags(self, ref) -> int | None:
        """Return a polygon's 16 flag bits, or ``None`` for a stale reference.

        Args:
            ref: a polygon's reference; what is none counts as stale.
        """
        store: MeshStore = unchanging(self.store)
        poly: cython.int = poly_of_ref(store, reference(ref))
        return store.poly_flags[poly] if poly >= 0 else None

    def neighbours(self, ref) -> list[tuple[int, str]]:
        """Return what a polygon leads to: (reference, ``"edge"``, ``"portal"`` or ``"link"``), in search order.

        Links count while they are enabled, attached at both ends and walkable in that direction. A stale reference
        leads nowhere (``[]``).

        Args:
            ref: a polygon's reference; what is none counts as stale.
        """
        store: MeshStore = made(self.store)
        number: cython.ulonglong = reference(ref)
        edge: cython.int
        found = []
        with Reading(store):
            poly: cython.int = poly_of_ref(store, number)
            if poly < 0:
                return found
            for edge in range(store.poly_edge[poly], store.poly_edge[poly] + store.poly_size[poly]):
                behind: cython.int = store.neighbour[edge]
                if behind >= 0:
                    found.append((ref_of_poly(store, behind), "edge"))
                portal: cython.int = -2 - behind
                while portal >= 0:
                    found.append((ref_of_poly(store, store.portal_target[portal]), "portal"))
                    portal = store.portal_next[portal]
            end: cython.int = store.poly_link[poly]
            while end >= 0:
                state: cython.int = store.link_state[end >> 1]
                target: cython.int = link_target(store, end)
                if (state & 1) and ((end & 1) == 0 or (state & 2)) and target >= 0:
                    found.append((ref_of_poly(store, target), "link"))
                end = store.link_next[end]
            return found

    def tile_polygons(self, tx, tz, layer=0) -> list[int]:
        """Return the references of a tile's polygons; ``[]`` where there is no tile.

        Args:
            tx, tz, layer: the tile's place on the grid and its layer (default 0), integers.
        """
        store: MeshStore = made(self.store)
        poly: cython.int
        with Reading(store):
            slot: cython.int = slot_of(self.table.slots, (tx, tz, layer))
            if slot < 0:
                return []
            return [ref_of_poly(store, poly)
                    for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot])]

    def tile_data(self, tx, tz, layer=0) -> TileData | None:
        """Return a copy of a tile's polygons, with their areas and flags as they are now; ``None`` without a tile.

        Args:
            tx, tz, layer: the tile's place on the grid and its layer (default 0), integers.
        """
        with Reading(made(self.store)):
            slot = slot_of(self.table.slots, (tx, tz, layer))
            return None if slot < 0 else extract_tile(self.store, slot)

    def links(self) -> list[tuple[int, OffMeshLink]]:
        """Return (id, link) of every off-mesh link, in order of id."""
        with Reading(made(self.store)):
            return sorted(self.link_table.links.items())

    def is_link_enabled(self, id) -> bool:
        """Tell whether a link exists and is switched on (it may still be dormant).

        Args:
            id: what :meth:`~onepath.navmesh.mesh.TiledNavMesh.add_link` returned; anything else names no link.
        """
        with Reading(made(self.store)):
            return slot_of(self.link_table.slots, id) >= 0 and self.link_table.is_enabled(id)

    def link_refs(self, id) -> tuple[int, int] | None:
        """Return the references that a link's start and end are attached to (0: dormant); ``None`` without a link.

        Args:
            id: what :meth:`~onepath.navmesh.mesh.TiledNavMesh.add_link` returned; anything else names no link.
        """
        with Reading(made(self.store)):
            if slot_of(self.link_table.slots, id) < 0:
                return None
            start, end, _start_point, _end_point = self.link_table.ends(id)
            return (ref_of_poly(self.store, start), ref_of_poly(self.store, end))

    def to_bytes(self) -> bytes:
        """Return the mesh as bytes: tiles, areas, flags and links. References and the edit count are not kept."""
        with Reading(made(self.store)):
            return mesh_bytes(self)

    def tile_bytes(self, tx, tz, layer=0) -> bytes | None:
        """Return a tile's geometry as bytes, for the dict of ``restore_state``; ``None`` without a tile.

        Args:
            tx, tz, layer: the tile's place on the grid and its layer (default 0), integers.
        """
        tile = self.tile_data(tx, tz, layer)
        return None if tile is None else geometry_bytes(tile)

    def save_state(self, referenced=False) -> bytes:
        """Return a snapshot: all that ``restore_state`` needs to bring back the same references and results.

        Args:
            referenced: hold a hash of each tile's geometry instead of the geometry itself; restoring then needs the
                tiles, in a mesh or from the host. Default ``False``.
        """
        chosen = checked_flag("referenced", referenced)
        with Reading(made(self.store)):
            return save_snapshot(self, chosen)
