"""Where a crowd's mesh comes from: navigation regions and links of the scene, and keeping up with their changes.

A change of a region rebuilds the tiles that it touched or touches, from the regions that reach into them, and edits
only those that came out different. So agents elsewhere keep their polygons, and a region replaced by an equal one
changes nothing at all.
"""

import math

import godot

import onepath
from onepath.navmesh.build_regions import MeshRegion, tiles_from_regions

#: Regions and tiles closer than this to each other (metres) are looked at together.
_MARGIN = 0.01
#: Bits of a region's or link's navigation layers that become polygon flags.
_FLAG_BITS = 0xFFFF


class _Region:
    """A NavigationRegion3D as it was when last looked at."""

    def __init__(self, node):
        self.node = node
        self.look = None
        self.shape = None
        self.bounds = None
        self.dirty = True
        self.marker = self.mark  # one object, so that it can be disconnected
        node.connect("navigation_mesh_changed", self.marker)
        node.connect("bake_finished", self.marker)

    def mark(self):
        self.dirty = True

    def refresh(self) -> bool:
        """Look again; tell whether anything is different."""
        look = None
        if self.node and self.node.is_inside_tree() and self.node.is_enabled():
            look = (self.node.global_transform, self.node.navigation_layers & _FLAG_BITS)
        if not self.dirty and look == self.look:
            return False
        self.dirty = False
        self.look = look
        self.shape = self.bounds = None
        mesh = self.node.navigation_mesh if look is not None else None
        if mesh is not None:
            self._take(mesh, *look)
        return True

    def _take(self, mesh, transform, layers) -> None:
        vertices = [tuple(vertex) for vertex in mesh.get_vertices()]
        polygons = [list(mesh.get_polygon(number)) for number in range(mesh.get_polygon_count())]
        polygons = [polygon for polygon in polygons if len(polygon) >= 3]
        if not vertices or not polygons:
            return
        (x, y, z), origin = transform
        rows = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
        area = int(self.node.get_meta("onepath_area", 0)) if self.node.has_meta("onepath_area") else 0
        self.shape = MeshRegion(vertices, polygons, (*rows, *origin), area, layers)
        across = [rows[0] * vx + rows[1] * vy + rows[2] * vz + origin[0] for vx, vy, vz in vertices]
        along = [rows[6] * vx + rows[7] * vy + rows[8] * vz + origin[2] for vx, vy, vz in vertices]
        self.bounds = (min(across), min(along), max(across), max(along))

    def dispose(self) -> None:
        if self.node:
            self.node.disconnect("navigation_mesh_changed", self.marker)
            self.node.disconnect("bake_finished", self.marker)


class _Link:
    """A NavigationLink3D as it was when last looked at, and the id of the off-mesh link made of it."""

    def __init__(self, node):
        self.node = node
        self.look = None
        self.link_id = None

    def refresh(self):
        """Return ``None`` when nothing is different, else (link or ``None``, enabled)."""
        look = None
        if self.node and self.node.is_inside_tree():
            node = self.node
            look = (node.get_global_start_position(), node.get_global_end_position(), node.is_bidirectional(),
                    node.navigation_layers & _FLAG_BITS, node.is_enabled())
        if look == self.look:
            return None
        self.look = look
        if look is None:
            return (None, False)
        start, end, both, layers, enabled = look
        area = int(self.node.get_meta("onepath_area", 0)) if self.node.has_meta("onepath_area") else 0
        user_id = godot.instance_id(self.node) & 0x7FFFFFFF
        return (onepath.OffMeshLink(start, end, radius=1.0, bidirectional=both, area=area, flags=layers,
                                    user_id=user_id), enabled)


class MeshSource:
    """Builds a crowd's mesh from the regions and links under its ``navigation_source``, and follows their changes.

    Args:
        crowd: the node whose ``navigation_source``, ``tile_size``, ``merge_polygons`` and ``max_climb`` say what to
            build.
    """

    def __init__(self, crowd):
        self.crowd = crowd
        self.regions = {}
        self.links = {}
        self.tree = None
        self.stale_scan = True
        self.tile_size = None
        self.weld = None

    def root(self):
        """Return the node under which regions and links are looked for: the parent unless told; ``None`` if gone."""
        path = str(self.crowd.navigation_source)
        return self.crowd.get_node_or_null(path) if path else self.crowd.get_parent()

    def build(self) -> onepath.TiledNavMesh:
        """Return a mesh of everything that is there now."""
        self._watch_tree()
        self._scan()
        size = self.crowd.tile_size
        self.tile_size = size if size > 0.0 else None
        shapes = self._shapes(lambda bounds: True)
        self.weld = self._weld()
        mesh = onepath.TiledNavMesh.from_godot(
            shapes, tile_size=self.tile_size, max_climb=self.crowd.max_climb, weld=self.weld,
            merge=self.crowd.merge_polygons)
        for link in self.links.values():
            self._update_link(mesh, link)
        return mesh

    def poll(self, mesh: onepath.TiledNavMesh) -> bool:
        """Bring the mesh up to date with the scene; tell whether it was edited. To be called before each step."""
        before = mesh.edit_count
        if self.stale_scan:
            touched = self._scan()
        else:
            touched = self._changed_bounds()
        if touched:
            self._rebuild(mesh, touched)
        for link in list(self.links.values()):
            self._update_link(mesh, link)
            if not link.node:
                del self.links[next(key for key, value in self.links.items() if value is link)]
        return mesh.edit_count != before

    def warnings(self) -> list[str]:
        """Return what keeps the scene from giving a mesh, as sentences that say what to do."""
        root = self.root()
        if root is None:
            return ["The node that navigation_source names does not exist: choose another one, or clear it to use the "
                    "parent."]
        if not self._find(root, "NavigationRegion3D"):
            return [f"There is no NavigationRegion3D under {root.name}: add one and bake it, or set nav_mesh."]
        return []

    def dispose(self) -> None:
        """Stop listening to the scene."""
        for region in self.regions.values():
            region.dispose()
        if self.tree:
            self.tree.disconnect("node_added", self.on_added)
        self.tree = None
        self.regions = {}
        self.links = {}

    def _watch_tree(self) -> None:
        if self.tree is None:
            self.tree = self.crowd.get_tree()
            self.on_added = self._node_added
            self.tree.connect("node_added", self.on_added)

    def _node_added(self, node) -> None:
        if node.is_class("NavigationRegion3D") or node.is_class("NavigationLink3D"):
            self.stale_scan = True

    def _find(self, root, kind: str) -> list:
        """Return the nodes of a class at and under a node, in tree order."""
        found = [root] if root.is_class(kind) else []
        return found + list(root.find_children("*", kind, True, False))

    def _scan(self) -> list:
        """Take in regions and links that are new; return the bounds that any change touched."""
        self.stale_scan = False
        root = self.root()
        for node in self._find(root, "NavigationRegion3D") if root is not None else []:
            key = godot.instance_id(node)
            if key not in self.regions:
                self.regions[key] = _Region(node)
        for node in self._find(root, "NavigationLink3D") if root is not None else []:
            key = godot.instance_id(node)
            if key not in self.links:
                self.links[key] = _Link(node)
        return self._changed_bounds()

    def _changed_bounds(self) -> list:
        """Look at every region again; return the bounds that those which changed had and have."""
        touched = []
        for key, region in list(self.regions.items()):
            before = region.bounds
            if region.refresh():
                touched += [bounds for bounds in (before, region.bounds) if bounds is not None]
            if not region.node:
                del self.regions[key]
        return touched

    def _weld(self) -> float | None:
        """Return the welding distance for the whole level: the core's default for its extent, at most 5 cm."""
        bounds = [region.bounds for region in self.regions.values() if region.bounds is not None]
        if not bounds:
            return None
        extent = max(max(b[2] for b in bounds) - min(b[0] for b in bounds),
                     max(b[3] for b in bounds) - min(b[1] for b in bounds))
        return min(max(1e-4 * extent, 1e-5), 0.05)

    def _shapes(self, wanted) -> list[MeshRegion]:
        """Return the shapes of the regions whose bounds are wanted, in the order the scene lists them."""
        return [region.shape for region in self.regions.values()
                if region.shape is not None and wanted(region.bounds)]

    def _rebuild(self, mesh, touched) -> None:
        """Make the touched tiles afresh and edit those that came out different."""
        if self.weld is None:
            self.weld = self._weld()
        keys, areas = self._touched_tiles(mesh, touched)
        shapes = self._shapes(lambda bounds: any(_overlap(bounds, area) for area in areas))
        tiles, _report = tiles_from_regions(shapes, self.tile_size, (0.0, 0.0), self.crowd.max_climb, self.weld,
                                            self.crowd.merge_polygons)
        fresh = {tile.key: tile for tile in tiles if tile.key in keys}
        for key in sorted(keys):
            present = mesh.tile_data(*key)
            if key not in fresh:
                if present is not None:
                    mesh.remove_tile(*key)
            elif present is None:
                mesh.add_tile(fresh[key])
            elif _outlines(present) != _outlines(fresh[key]):
                mesh.replace_tile(fresh[key])
            else:
                _copy_attributes(mesh, present, fresh[key])

    def _touched_tiles(self, mesh, touched):
        """Return the keys of the tiles that bounds reach into, and the bounds of those tiles with a margin."""
        if self.tile_size is None:
            everything = (-math.inf, -math.inf, math.inf, math.inf)
            return {(0, 0, 0)}, [everything]
        keys = set()
        for low_x, low_z, high_x, high_z in touched:
            for tx in range(self._tile_of(low_x - _MARGIN), self._tile_of(high_x + _MARGIN) + 1):
                for tz in range(self._tile_of(low_z - _MARGIN), self._tile_of(high_z + _MARGIN) + 1):
                    keys.add((tx, tz, 0))
        size = self.tile_size
        areas = [(tx * size - _MARGIN, tz * size - _MARGIN, (tx + 1) * size + _MARGIN, (tz + 1) * size + _MARGIN)
                 for tx, tz, _layer in keys]
        return keys, areas

    def _tile_of(self, coordinate: float) -> int:
        return math.floor(coordinate / self.tile_size)

    def _update_link(self, mesh, link: _Link) -> None:
        change = link.refresh()
        if change is None:
            return
        made, enabled = change
        if link.link_id is not None and (made is None or dict(mesh.links()).get(link.link_id) != made):
            mesh.remove_link(link.link_id)
            link.link_id = None
        if made is None:
            return
        if link.link_id is None:
            link.link_id = mesh.add_link(made)
        if mesh.is_link_enabled(link.link_id) != enabled:
            mesh.set_link_enabled(link.link_id, enabled)


def _overlap(a, b) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def _outlines(tile):
    """Return a tile's polygons by the places of their corners, which do not depend on how vertices are numbered."""
    values = tile.vertices
    return tile.sizes, [(values[3 * i], values[3 * i + 1], values[3 * i + 2]) for i in tile.indices]


def _copy_attributes(mesh, present, fresh) -> None:
    """Give polygons of a tile the areas and flags that they should have."""
    if present.areas == fresh.areas and present.flags == fresh.flags:
        return
    for number, ref in enumerate(mesh.tile_polygons(*present.key)):
        if present.areas[number] != fresh.areas[number]:
            mesh.set_poly_area(ref, fresh.areas[number])
        if present.flags[number] != fresh.flags[number]:
            mesh.set_poly_flags(ref, fresh.flags[number])
