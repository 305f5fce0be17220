"""The navigation mesh: polygons in tiles that can be edited one by one, and off-mesh links between them."""

from array import array
from math import inf

import cython

from onepath.errors import OutOfRangeError
from onepath.geometry import checked_integer, checked_number
from onepath.navmesh.assembly import assemble, extract_tile, memory_size, out_of_tile, repeated_vertex
from onepath.navmesh.build_regions import tiles_from_regions
from onepath.navmesh.build_grid import tiles_from_grid
from onepath.navmesh.build_polygons import tiles_from_polygons
from onepath.navmesh.filter import AREA_COUNT
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.links import LinkTable as _LinkTable
from onepath.navmesh.portals import SIDE_STEPS, rebuild_side, release_side
from onepath.navmesh.store import MeshStore as _MeshStore
from onepath.navmesh.tile_check import first_fault
from onepath.navmesh.tile_data import MAX_TILE_POLYS, TileData
from onepath.navmesh.tiles import TileTable as _TileTable
from cython.cimports.onepath.navmesh.store import MeshStore, link_target, poly_of_ref, ref_of_poly

_MAX_TILE_COORDINATE = 1 << 21
_MAX_TILES = 1 << 24


def reference(value) -> int:
    """Return ``value`` as a reference; anything that cannot be one becomes 0, the invalid reference."""
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        return 0
    return number if 0 <= number < 1 << 64 else 0


@cython.cclass
class TiledNavMesh:
    """A navigation mesh of convex polygons. Made by :meth:`from_polygons`, :meth:`from_grid` or :meth:`from_bytes`.

    Polygons are named by references (unsigned 64-bit): a salt, a tile slot and a polygon number. A reference to a
    polygon whose tile was removed or replaced is stale for ever; no call raises because of one.

    Called directly it makes an empty mesh to which tiles are added.

    Args:
        origin: x and z of the corner of tile (0, 0), world units. Default (0, 0).
        tile_size: side of a tile, world units; ``None`` (default) for a mesh that is one tile.
        max_climb: largest step in height that a tile border or a link end may bridge, world units. Default 0.9.

    Raises:
        OutOfRangeError: an argument is out of range.
    """

    def __init__(self, origin=(0.0, 0.0), tile_size=None, max_climb=0.9, report=None):
        try:
            x, z = origin
        except (TypeError, ValueError):
            raise OutOfRangeError("origin", "must be a pair of numbers") from None
        limit = float(_MAX_TILE_COORDINATE)
        size = inf if tile_size is None else checked_number("tile_size", tile_size, 1e-3, limit)
        self.store = _MeshStore(checked_number("origin", x, -limit, limit), checked_number("origin", z, -limit, limit),
                                size, checked_number("max_climb", max_climb, 0.0, limit))
        self.table = _TileTable(self.store)
        self.link_table = _LinkTable(self.store)
        self.report = report

    @classmethod
    def from_grid(cls, walkable, cell=2.0, *, origin=(0.0, 0.0, 0.0), heights=None, tile_cells=32, merge=False,
                  links=(), max_climb=0.9, height_tolerance=0.05):
        """Make a mesh with one quad per free cell of a grid.

        Args:
            walkable: rows of truth values, ``walkable[row][column]``; rows run along +Z, columns along +X.
            cell: side of a cell, world units, above 0. Default 2.
            origin: x, y, z of the outer corner of cell (0, 0). Default (0, 0, 0).
            heights: heights above the origin's y: (rows + 1) × (columns + 1) of the corners, or rows × columns of the
                cells (those at most ``max_climb`` apart then meet halfway); default all 0.
            tile_cells: cells along the side of a tile, 1..2^20. Default 32.
            merge: join quads of a tile into larger convex polygons. Default ``False``.
            links: :class:`OffMeshLink` objects, which get the ids 0, 1, …
            max_climb: see the class. Default 0.9.
            height_tolerance: how far merging may move the surface, world units. Default 0.05.

        Returns:
            the mesh; its ``report`` counts what was made.

        Raises:
            OutOfRangeError: an argument is out of range; the message names it.
        """
        tiles, report, size = tiles_from_grid(walkable, cell, origin, heights, tile_cells, merge, height_tolerance,
                                              max_climb)
        return cls._from_tiles(tiles, links, (origin[0], origin[2]), size, max_climb, report)

    @classmethod
    def from_polygons(cls, vertices, polygons, *, areas=None, flags=None, links=(), tile_size=None, origin=(0, 0),
                      max_climb=0.9, weld=None, merge=False, height_tolerance=0.05):
        """Make a mesh from polygons as they come: any winding, concave, not quite touching.

        What has to be repaired or dropped is said in the mesh's ``report``.

        Args:
            vertices: (V, 3) numbers, world units.
            polygons: sequences of three or more vertex indices.
            areas: an area id (0..63) per polygon; default all 0.
            flags: 16 bits per polygon; default all 1.
            links: :class:`OffMeshLink` objects, which get the ids 0, 1, …
            tile_size: side of a tile, world units; default ``None``, one tile.
            origin: x and z of the corner of tile (0, 0). Default (0, 0).
            max_climb: see the class. Default 0.9.
            weld: vertices closer than this become one, world units; default 1e-4 of the largest extent, at least 1e-5.
            merge: join polygons into larger convex ones where the surface allows. Default ``False``.
            height_tolerance: how far merging may move the surface, world units. Default 0.05.

        Returns:
            the mesh; its ``report`` says what was repaired or dropped.

        Raises:
            OutOfRangeError: an argument is out of range; the message names it.
        """
        tiles, report = tiles_from_polygons(vertices, polygons, areas, flags, tile_size, origin, max_climb, weld, merge,
                                            height_tolerance)
        return cls._from_tiles(tiles, links, origin, tile_size, max_climb, report)

    @classmethod
    def from_godot(cls, regions, *, links=(), tile_size=None, origin=(0, 0), max_climb=0.9, weld=None, merge=False,
                   height_tolerance=0.05):
        """Make one mesh from the vertices and polygons of Godot navigation meshes.

        Args:
            regions: a :class:`~onepath.navmesh.build_regions.MeshRegion` or a sequence of them, welded into one mesh.
            links, tile_size, origin, max_climb, weld, merge, height_tolerance: as in :meth:`from_polygons`.

        Returns:
            the mesh; its ``report`` counts vertices and polygons through all regions in order.

        Raises:
            OutOfRangeError: an argument is out of range; the message names it.
        """
        tiles, report = tiles_from_regions(regions, tile_size, origin, max_climb, weld, merge, height_tolerance)
        return cls._from_tiles(tiles, links, origin, tile_size, max_climb, report)

    @classmethod
    def _from_tiles(cls, tiles, links=(), origin=(0.0, 0.0), tile_size=None, max_climb=0.9, report=None):
        """Assemble a mesh from tiles that are known to be valid."""
        mesh = cls(origin, tile_size, max_climb, report)
        assemble(mesh.store, mesh.table, tiles)
        for link in links:
            if not isinstance(link, OffMeshLink):
                raise OutOfRangeError("links", f"must be OffMeshLink objects, not {type(link).__name__}")
            mesh.link_table.insert(mesh.link_table.next_id, link, True)
        return mesh

    def _rebuilt(self):
        """Return a mesh built afresh from this one's tiles and links."""
        mesh = TiledNavMesh(self.origin, self.tile_size, self.max_climb)
        assemble(mesh.store, mesh.table, [extract_tile(self.store, slot) for slot in sorted(self.table.slots.values())])
        for link_id, link in sorted(self.link_table.links.items()):
            mesh.link_table.insert(link_id, link, self.link_table.is_enabled(link_id))
        return mesh

    def check(self) -> bool:
        """Tell that the mesh equals one built afresh from its tiles and links: ``True``.

        Raises:
            OnePathError: something differs, which would be a bug of the library.
        """
        from onepath.navmesh.check import check

        return check(self)

    @property
    def memory_bytes(self) -> int:
        """Bytes that the columns of the mesh take."""
        return memory_size(self.store)

    @property
    def edit_count(self) -> int:
        """How many edits have succeeded so far."""
        return self.store.edit_count

    @property
    def poly_count(self) -> int:
        """Number of polygons in all tiles."""
        store: MeshStore = self.store
        slot: cython.int
        total: cython.int = 0
        for slot in range(store.tile_slots):
            total += store.tile_poly_count[slot]
        return total

    @property
    def origin(self) -> tuple[float, float]:
        """x and z of the corner of tile (0, 0)."""
        return (self.store.origin_x, self.store.origin_z)

    @property
    def tile_size(self) -> float | None:
        """Side of a tile in world units, or ``None`` for a mesh that is one tile."""
        return None if self.store.tile_size == inf else self.store.tile_size

    @property
    def max_climb(self) -> float:
        """Largest step in height that a tile border or a link end bridges, world units."""
        return self.store.max_climb

    def tiles(self) -> list[tuple[int, int, int]]:
        """Return (tx, tz, layer) of every tile, in order of slot."""
        return [key for key, _slot in sorted(self.table.slots.items(), key=lambda entry: entry[1])]

    def is_valid_ref(self, ref) -> bool:
        """Tell whether a reference names a polygon that exists now."""
        return poly_of_ref(self.store, reference(ref)) >= 0

    def poly_vertices(self, ref) -> list[tuple[float, float, float]] | None:
        """Return a polygon's corners in order, or ``None`` for a stale reference."""
        store: MeshStore = self.store
        poly: cython.int = poly_of_ref(store, reference(ref))
        if poly < 0:
            return None
        first: cython.int = store.poly_edge[poly]
        edge: cython.int
        return [(store.xyz[3 * edge], store.xyz[3 * edge + 1], store.xyz[3 * edge + 2])
                for edge in range(first, first + store.poly_size[poly])]

    def poly_area(self, ref) -> int | None:
        """Return a polygon's area id (0..63), or ``None`` for a stale reference."""
        poly: cython.int = poly_of_ref(self.store, reference(ref))
        return self.store.poly_area[poly] if poly >= 0 else None

    def poly_flags(self, ref) -> int | None:
        """Return a polygon's 16 flag bits, or ``None`` for a stale reference."""
        poly: cython.int = poly_of_ref(self.store, reference(ref))
        return self.store.poly_flags[poly] if poly >= 0 else None

    def neighbours(self, ref) -> list[tuple[int, str]]:
        """Return what a polygon leads to: (reference, ``"edge"``, ``"portal"`` or ``"link"``), in search order.

        Links count while they are enabled, attached at both ends and walkable in that direction. A stale reference
        leads nowhere (``[]``).
        """
        store: MeshStore = self.store
        poly: cython.int = poly_of_ref(store, reference(ref))
        found = []
        if poly < 0:
            return found
        edge: cython.int
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

    def set_poly_area(self, ref, area) -> bool:
        """Give a polygon another area id (0..63). Returns ``False``, and nothing changes, for a stale reference."""
        value = checked_integer("area", area, 0, AREA_COUNT - 1)
        poly: cython.int = poly_of_ref(self.store, reference(ref))
        if poly < 0:
            return False
        self.store.poly_area[poly] = value
        self.store.edit_count += 1
        return True

    def set_poly_flags(self, ref, flags) -> bool:
        """Give a polygon other flags (16 bits). Returns ``False``, and nothing changes, for a stale reference."""
        value = checked_integer("flags", flags, 0, 0xFFFF)
        poly: cython.int = poly_of_ref(self.store, reference(ref))
        if poly < 0:
            return False
        self.store.poly_flags[poly] = value
        self.store.edit_count += 1
        return True

    def tile_polygons(self, tx, tz, layer=0) -> list[int]:
        """Return the references of a tile's polygons; ``[]`` where there is no tile."""
        store: MeshStore = self.store
        slot: cython.int = self.table.slots.get((tx, tz, layer), -1)
        if slot < 0:
            return []
        poly: cython.int
        return [ref_of_poly(store, poly)
                for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot])]

    def tile_data(self, tx, tz, layer=0) -> TileData | None:
        """Return a copy of a tile's polygons, with their areas and flags as they are now; ``None`` without a tile."""
        slot = self.table.slots.get((tx, tz, layer))
        return None if slot is None else extract_tile(self.store, slot)

    def remove_tile(self, tx, tz, layer=0) -> TileData | None:
        """Take a tile out and return it, ready for :meth:`add_tile`; ``None`` where there is no tile."""
        slot = self.table.slots.get((tx, tz, layer))
        if slot is None:
            return None
        data = extract_tile(self.store, slot)
        self._take_out(slot)
        self._rewire(data.tx, data.tz)
        self.store.edit_count += 1
        return data

    def add_tile(self, data: TileData) -> None:
        """Put a tile into the lowest free slot.

        Raises:
            OutOfRangeError: the tile is not valid, or there is one at its coordinates and layer already.
        """
        tile = self._checked_tile(data)
        if tile.key in self.table.slots:
            raise OutOfRangeError("data", f"there is a tile at {tile.key} already; use replace_tile")
        slot: cython.int = self.table.free_slot()
        salt: cython.int = self.store.tile_salt[slot] if slot < self.store.tile_slots else 0
        self.table.insert(slot, tile, salt if salt > 0 else 1)
        self._rewire(tile.tx, tile.tz)
        self.store.edit_count += 1

    def replace_tile(self, data: TileData) -> None:
        """Put a tile in the place of the one at its coordinates and layer, whose references become stale.

        Raises:
            OutOfRangeError: the tile is not valid, or there is none to replace.
        """
        tile = self._checked_tile(data)
        slot: cython.int = self.table.slots.get(tile.key, -1)
        if slot < 0:
            raise OutOfRangeError("data", f"there is no tile at {tile.key}; use add_tile")
        self._take_out(slot)
        self.table.insert(slot, tile, self.store.tile_salt[slot])
        self._rewire(tile.tx, tile.tz)
        self.store.edit_count += 1

    def _checked_tile(self, data):
        if not isinstance(data, TileData):
            raise OutOfRangeError("data", f"must be a TileData, not {type(data).__name__}")
        limit = _MAX_TILE_COORDINATE if self.tile_size is not None else 0
        checked_integer("data.tx", data.tx, -limit, limit)
        checked_integer("data.tz", data.tz, -limit, limit)
        checked_integer("data.layer", data.layer, 0, (1 << 15) - 1)
        for name, typecode in (("vertices", "d"), ("sizes", "B"), ("indices", "i"), ("areas", "B"), ("flags", "H")):
            column = getattr(data, name)
            if not isinstance(column, array) or column.typecode != typecode:
                raise OutOfRangeError(f"data.{name}", f"must be an array of type {typecode!r}")
        if len(data.sizes) >= MAX_TILE_POLYS or len(self.table.slots) >= _MAX_TILES:
            raise OutOfRangeError("data", "too many polygons or tiles")
        fault = first_fault(data) or repeated_vertex(data) or out_of_tile(self.store, data)
        if fault is not None:
            raise OutOfRangeError(f"data.{fault[0]}", f"entry {fault[1]}: {fault[2]}")
        return data

    def _take_out(self, slot: cython.int):
        """Free a slot's tile with its portals and link ends, and bump the slot's salt."""
        store: MeshStore = self.store
        self.link_table.detach_tile(slot)
        if store.tile_size != inf:
            for side in range(4):
                release_side(store, slot, side)
        self.table.remove(slot)
        store.tile_salt[slot] = store.tile_salt[slot] + 1 if store.tile_salt[slot] < 0xFFFF else 1

    def _rewire(self, tx: int, tz: int):
        """Rebuild what depends on the tiles at (tx, tz): their portals, the facing ones, and link ends near them."""
        if self.tile_size is not None:
            own = self.table.column_of(tx, tz)
            for side, (step_x, step_z) in enumerate(SIDE_STEPS):
                facing = self.table.column_of(tx + step_x, tz + step_z)
                for slot in own:
                    rebuild_side(self.store, slot, side, facing)
                for slot in facing:
                    rebuild_side(self.store, slot, side ^ 1, own)
        self.link_table.reattach_near(tx, tz)

    def add_link(self, link: OffMeshLink) -> int:
        """Add an off-mesh link, enabled, and return its id (never used again)."""
        if not isinstance(link, OffMeshLink):
            raise OutOfRangeError("link", f"must be an OffMeshLink, not {type(link).__name__}")
        link_id = self.link_table.next_id
        self.link_table.insert(link_id, link, True)
        self.store.edit_count += 1
        return link_id

    def remove_link(self, id) -> bool:
        """Take a link out. Returns ``False``, and nothing changes, when there is none with this id."""
        if id not in self.link_table.slots:
            return False
        self.link_table.remove(id)
        self.store.edit_count += 1
        return True

    def set_link_enabled(self, id, on) -> bool:
        """Switch a link on or off. Returns ``False``, and nothing changes, when there is none with this id."""
        if id not in self.link_table.slots:
            return False
        self.link_table.set_enabled(id, bool(on))
        self.store.edit_count += 1
        return True

    def links(self) -> list[tuple[int, OffMeshLink]]:
        """Return (id, link) of every off-mesh link, in order of id."""
        return sorted(self.link_table.links.items())

    def is_link_enabled(self, id) -> bool:
        """Tell whether a link exists and is switched on (it may still be dormant)."""
        return id in self.link_table.slots and self.link_table.is_enabled(id)

    def link_refs(self, id) -> tuple[int, int] | None:
        """Return the references that a link's start and end are attached to (0: dormant); ``None`` without a link."""
        if id not in self.link_table.slots:
            return None
        start, end, _start_point, _end_point = self.link_table.ends(id)
        return (ref_of_poly(self.store, start), ref_of_poly(self.store, end))
