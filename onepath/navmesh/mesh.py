"""The navigation mesh: polygons in tiles that can be edited one by one, and off-mesh links between them."""

from array import array
from math import inf

import cython

from onepath.errors import OutOfRangeError
from onepath.geometry import checked_flag, checked_integer, checked_number, checked_position
from onepath.navmesh.assembly import assemble, extract_tile, out_of_tile, repeated_vertex
from onepath.navmesh.build_regions import tiles_from_regions
from onepath.navmesh.build_grid import tiles_from_grid
from onepath.navmesh.build_polygons import tiles_from_polygons
from onepath.navmesh.contents import made, reference, slot_of
from onepath.navmesh.filter import AREA_COUNT
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.links import LinkTable as _LinkTable
from onepath.navmesh.portals import SIDE_STEPS, rebuild_side, release_side
from onepath.navmesh.snapshot import read_mesh, read_snapshot
from onepath.navmesh.store import Edit, MeshStore as _MeshStore, Reading
from onepath.navmesh.tile_check import first_fault
from onepath.navmesh.tile_data import MAX_TILE_POLYS, TileData
from onepath.navmesh.tiles import TileTable as _TileTable
from onepath.uncopied import refuse_copy
from cython.cimports.onepath.navmesh.contents import MeshContents
from cython.cimports.onepath.navmesh.store import MeshStore, poly_of_ref

_MAX_TILE_COORDINATE = 1 << 21
_MAX_TILES = 1 << 24


def _checked_links(links) -> list[OffMeshLink]:
    try:
        checked = list(links)
    except TypeError:
        raise OutOfRangeError("links", "must be a sequence of OffMeshLink objects") from None
    for link in checked:
        if not isinstance(link, OffMeshLink):
            raise OutOfRangeError("links", f"must be OffMeshLink objects, not {type(link).__name__}")
    return checked


@cython.cclass
class TiledNavMesh(MeshContents):
    """A navigation mesh of convex polygons. Made by :meth:`from_polygons`, :meth:`from_grid` or :meth:`from_bytes`.

    Polygons are named by references (unsigned 64-bit): a salt, a tile slot and a polygon number. A reference to a
    polygon whose tile was removed or replaced is stale, until 65535 tiles later the same slot has the same salt again;
    no call raises because of one.

    Threads may put questions to a mesh at once, each with a query object of its own; an edit while a call of another
    thread is under way raises :class:`~onepath.errors.OnePathError`, and so does a question while an edit is, reading
    what is in the mesh and saving it included.

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

    def __reduce_ex__(self, protocol):
        refuse_copy(self, "save_state() and restore_state(), or to_bytes() and from_bytes(), make a second one")

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
        checked_links = _checked_links(links)
        corner = checked_position("origin", origin)
        tiles, report, size = tiles_from_grid(walkable, cell, corner, heights, tile_cells, merge, height_tolerance,
                                              max_climb)
        return cls._from_tiles(tiles, checked_links, (corner[0], corner[2]), size, max_climb, report)

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
            tile_size: side of a tile, world units; default ``None``, one tile. It must not cut the polygons into more
                than 2^16 pieces and 16 for each, counted by the tiles that their bounds touch.
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
        checked_links = _checked_links(links)
        tiles, report = tiles_from_polygons(vertices, polygons, areas, flags, tile_size, origin, max_climb, weld, merge,
                                            height_tolerance)
        return cls._from_tiles(tiles, checked_links, origin, tile_size, max_climb, report)

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
        checked_links = _checked_links(links)
        tiles, report = tiles_from_regions(regions, tile_size, origin, max_climb, weld, merge, height_tolerance)
        return cls._from_tiles(tiles, checked_links, origin, tile_size, max_climb, report)

    @classmethod
    def _from_tiles(cls, tiles, links=(), origin=(0.0, 0.0), tile_size=None, max_climb=0.9, report=None):
        """Assemble a mesh from tiles that are known to be valid."""
        mesh = cls(origin, tile_size, max_climb, report)
        assemble(mesh.store, mesh.table, tiles)
        for link in links:
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
        """Tell that the mesh equals one built afresh from its tiles and links, which are valid: ``True``.

        Raises:
            OnePathError: something differs, which would be a bug of the library.
        """
        from onepath.navmesh.check import check

        with Reading(made(self.store)):
            return check(self)

    def set_poly_area(self, ref, area) -> bool:
        """Give a polygon another area id (0..63). Returns ``False``, and nothing changes, for a stale reference.

        Args:
            ref: a polygon's reference; what is none counts as stale.
            area: the id, 0..63.

        Raises:
            OutOfRangeError: ``area`` is out of range.
        """
        value = checked_integer("area", area, 0, AREA_COUNT - 1)
        poly: cython.int = poly_of_ref(made(self.store), reference(ref))
        if poly < 0:
            return False
        with Edit(self.store):
            self.store.poly_area[poly] = value
        return True

    def set_poly_flags(self, ref, flags) -> bool:
        """Give a polygon other flags (16 bits). Returns ``False``, and nothing changes, for a stale reference.

        Args:
            ref: a polygon's reference; what is none counts as stale.
            flags: 16 bits, 0..65535.

        Raises:
            OutOfRangeError: ``flags`` is out of range.
        """
        value = checked_integer("flags", flags, 0, 0xFFFF)
        poly: cython.int = poly_of_ref(made(self.store), reference(ref))
        if poly < 0:
            return False
        with Edit(self.store):
            self.store.poly_flags[poly] = value
        return True

    def remove_tile(self, tx, tz, layer=0) -> TileData | None:
        """Take a tile out and return it, ready for :meth:`add_tile`; ``None`` where there is no tile.

        Args:
            tx, tz, layer: the tile's place on the grid and its layer (default 0), integers.
        """
        made(self.store)
        slot = slot_of(self.table.slots, (tx, tz, layer))
        if slot < 0:
            return None
        with Edit(self.store):
            data = extract_tile(self.store, slot)
            self._take_out(slot)
            self._rewire(data.tx, data.tz)
        return data

    def add_tile(self, data: TileData) -> None:
        """Put a tile into the lowest free slot.

        Args:
            data: a :class:`~onepath.navmesh.tile_data.TileData`; it is copied.

        Raises:
            OutOfRangeError: the tile is not valid, or there is one at its coordinates and layer already.
        """
        tile = self._checked_tile(data)
        if tile.key in self.table.slots:
            raise OutOfRangeError("data", f"there is a tile at {tile.key} already; use replace_tile")
        with Edit(self.store):
            slot: cython.int = self.table.free_slot()
            salt: cython.int = self.store.tile_salt[slot] if slot < self.store.tile_slots else 0
            self.table.insert(slot, tile, salt if salt > 0 else 1)
            self._rewire(tile.tx, tile.tz)

    def replace_tile(self, data: TileData) -> None:
        """Put a tile in the place of the one at its coordinates and layer, whose references become stale.

        Args:
            data: a :class:`~onepath.navmesh.tile_data.TileData`; it is copied.

        Raises:
            OutOfRangeError: the tile is not valid, or there is none to replace.
        """
        tile = self._checked_tile(data)
        slot: cython.int = self.table.slots.get(tile.key, -1)
        if slot < 0:
            raise OutOfRangeError("data", f"there is no tile at {tile.key}; use add_tile")
        with Edit(self.store):
            self._take_out(slot)
            self.table.insert(slot, tile, self.store.tile_salt[slot])
            self._rewire(tile.tx, tile.tz)

    def _checked_tile(self, data):
        made(self.store)
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
        """Add an off-mesh link, enabled, and return its id (never used again).

        Args:
            link: an :class:`~onepath.navmesh.link_data.OffMeshLink`.

        Raises:
            OutOfRangeError: ``link`` is none.
        """
        if not isinstance(link, OffMeshLink):
            raise OutOfRangeError("link", f"must be an OffMeshLink, not {type(link).__name__}")
        made(self.store)
        link_id = self.link_table.next_id
        with Edit(self.store):
            self.link_table.insert(link_id, link, True)
        return link_id

    def remove_link(self, id) -> bool:
        """Take a link out. Returns ``False``, and nothing changes, when there is none with this id.

        Args:
            id: what :meth:`add_link` returned; anything else names no link.
        """
        made(self.store)
        if slot_of(self.link_table.slots, id) < 0:
            return False
        with Edit(self.store):
            self.link_table.remove(id)
        return True

    def set_link_enabled(self, id, on) -> bool:
        """Switch a link on or off. Returns ``False``, and nothing changes, when there is none with this id.

        Args:
            id: what :meth:`add_link` returned; anything else names no link.
            on: whether it is to be on.

        Raises:
            OutOfRangeError: ``on`` is neither true nor false.
        """
        enabled = checked_flag("on", on)
        made(self.store)
        if slot_of(self.link_table.slots, id) < 0:
            return False
        with Edit(self.store):
            self.link_table.set_enabled(id, enabled)
        return True

    @classmethod
    def from_bytes(cls, data):
        """Return the mesh in ``data``, bytes (any buffer) made by :meth:`to_bytes`.

        Raises:
            NavMeshFormatError: the bytes are damaged or foreign; says which field, at which offset.
            TypeError: ``data`` is not bytes-like.
        """
        return read_mesh(cls, data)

    def restore_state(self, data, tiles=None) -> None:
        """Make this mesh the one that was saved: same references, edit count, query results and bytes.

        Args:
            data: bytes made by :meth:`save_state`, any buffer.
            tiles: for referenced snapshots, geometry from :meth:`tile_bytes` that this mesh may not have any more:
                a dict with any keys.

        Raises:
            NavMeshFormatError: the bytes are damaged or a tile is missing; nothing has changed.
            TypeError: ``data`` or what ``tiles`` holds is not bytes-like, or ``tiles`` is no dict; nothing has changed.
        """
        restored: TiledNavMesh
        with Reading(made(self.store)):
            restored, edit_count = read_snapshot(self, data, tiles, TiledNavMesh)
        with Edit(self.store):
            self.store.adopt(restored.store)
            self.table = restored.table
            self.table.mesh = self.store
            self.link_table = restored.link_table
            self.link_table.mesh = self.store
        self.store.edit_count = edit_count
