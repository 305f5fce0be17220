"""Where a crowd's mesh comes from: navigation regions and links of the scene, and keeping up with their changes.

A change of a region makes the tiles that it touched or touches afresh, and edits only those that came out different.
So agents elsewhere keep their polygons, and a region replaced by an equal one changes nothing at all.
"""

from __future__ import annotations

import math
from array import array

import godot

import onepath

from .region_joints import strips
from .region_pieces import WELD, Grid, Placed, make_tile, put_tile
from .scene_regions import FLAG_BITS, LINK_QUESTIONS, REGION_QUESTIONS, SceneLink, SceneRegion, warn_once

#: Area ids that regions with a travel cost of their own get, from this one downwards.
_LAST_AREA = 63
#: The least cost that a filter takes.
_LEAST_COST = 0.001
#: The largest one.
_MOST_COST = 1e9
#: Regions of the scene whose bounds are this near to each other (m) are looked at for contacts, at least.
_NEAR = 2.0 * WELD


class MeshSource:
    """Builds a crowd's mesh from the regions and links under its ``navigation_source``, and follows their changes.

    Regions whose edges meet are welded. Edges of different regions that face each other across a gap of at most the
    project setting ``navigation/3d/default_edge_connection_margin`` are joined by a strip of ground, as the engine
    connects them, unless ``use_edge_connections`` is off there or in one of the two. Regions that overlap are not
    joined by that.

    Args:
        crowd: the node whose ``navigation_source``, ``tile_size``, ``merge_polygons`` and ``max_climb`` say what to
            build.
    """

    def __init__(self, crowd) -> None:
        self.crowd = crowd
        self.regions: dict[int, SceneRegion] = {}
        self.links: dict[int, SceneLink] = {}
        self.joints: dict[tuple[int, int], Placed] = {}
        self.cost_areas: dict[float, int] = {}
        self.added: list = []
        self.marked: set[int] = set()  # regions and links to be looked at whatever they answer
        self.region_watch = (array("Q"), array("Q"))
        self.link_watch = (array("Q"), array("Q"))
        self.tree = self.grid = None
        self.margin = self.link_radius = 0.0
        self.link_count = 0
        self.unsure = False  # the mesh was restored: it may be another than the scene's
        self.listener = self._node_added  # one object, so that it can be disconnected

    # --- Building and following ---
    def root(self):
        """Return the node under which regions and links are looked for: the parent unless told; ``None`` if gone."""
        path = str(self.crowd.navigation_source)
        return self.crowd.get_node_or_null(path) if path else self.crowd.get_parent()

    def build(self) -> onepath.TiledNavMesh:
        """Return a mesh of everything that is there now. The crowd must be in the tree."""
        mesh = self.begin()
        self.resync(mesh)
        return mesh

    def begin(self) -> onepath.TiledNavMesh:
        """Return an empty mesh, into which :meth:`sync_steps` is to build what is there now."""
        self.dispose()
        size = self.crowd.tile_size
        self.grid = Grid(size if size > 0.0 else None, self.crowd.max_climb, self.crowd.merge_polygons)
        self._read_settings()
        self.tree = self.crowd.get_tree()
        self.tree.connect("node_added", self.listener)
        root = self.root()
        for kind in ("NavigationRegion3D", "NavigationLink3D") if root is not None else ():
            for node in _find(root, kind):
                self._take(node)
        return onepath.TiledNavMesh(tile_size=self.grid.tile_size, max_climb=self.grid.max_climb)

    def resync(self, mesh: onepath.TiledNavMesh) -> None:
        """Make a mesh what the scene says whatever it was before, as after restoring another one's state.

        Links are recognised by their ``user_id``. Only what differs is edited.
        """
        for _share in self.sync_steps(mesh):
            pass

    def sync_steps(self, mesh: onepath.TiledNavMesh):
        """Do the same region by region and tile by tile; yield after each how much is done, below 1."""
        for number, region in enumerate(list(self.regions.values())):
            region.refresh(self)
            yield 0.7 * (number + 1) / (len(self.regions) + 1)
        self._update_joints(set(self.regions))
        pieces = self._pieces(None)
        keys = sorted({*pieces, *((tx, tz) for tx, tz, _layer in mesh.tiles())})
        for number, key in enumerate(keys):
            put_tile(mesh, (*key, 0), make_tile(key, pieces.get(key, ()), self.grid))
            yield 0.7 + 0.3 * (number + 1) / (len(keys) + 1)
        known = {link.user_id: link for link in self.links.values()}
        for link in self.links.values():
            link.link_id = link.look = None
        for link_id, made in mesh.links():
            if made.user_id in known:
                known[made.user_id].link_id = link_id
            else:
                mesh.remove_link(link_id)
        self._update_links(mesh, list(self.links))

    def poll(self, mesh: onepath.TiledNavMesh) -> bool:
        """Bring the mesh up to date with the scene; tell whether it was edited. To be called before each step."""
        before = mesh.edit_count
        if self.added:
            self._take_added()
        if self.unsure:
            self.unsure = False
            self.resync(mesh)
        changed, touched = set(), []
        for key in self._noticed(self.region_watch, self.regions, REGION_QUESTIONS):
            region = self.regions[key]
            bounds = region.refresh(self)
            if bounds:
                changed.add(key)
                touched += bounds
            if not region.node or region.left:
                region.dispose()
                del self.regions[key]
        if changed:
            self._update_joints(changed)
            keys = self._tiles_in(touched)
            pieces = self._pieces(keys)
            for key in sorted(keys):
                put_tile(mesh, (*key, 0), make_tile(key, pieces.get(key, ()), self.grid))
        self._update_links(mesh, self._noticed(self.link_watch, self.links, LINK_QUESTIONS))
        self.marked.clear()
        return mesh.edit_count != before

    def _noticed(self, watch, known: dict, questions) -> list[int]:
        """Return the keys of the regions or links that may have changed since this was asked last, in order."""
        keys, seen = watch
        if len(keys) != len(known) or list(known) != keys.tolist():
            former = dict(zip(keys, seen))
            keys[:] = array("Q", known)
            seen[:] = array("Q", [former.get(key, 0) for key in known])
        indices = godot.notice_changes(keys, questions, seen) if keys else None
        if indices is None and not self.marked:
            return []
        found = {keys[index] for index in indices or ()} | self.marked
        return [key for key in known if key in found]

    def dispose(self) -> None:
        """Stop listening to the scene and forget it."""
        for region in self.regions.values():
            region.dispose()
        if self.tree:
            self.tree.disconnect("node_added", self.listener)
        self.tree = None
        for known in (self.regions, self.links, self.joints, self.cost_areas, self.added, self.marked):
            known.clear()
        for column in (*self.region_watch, *self.link_watch):
            del column[:]
        self.link_count = 0

    # --- What others ask ---
    def area_costs(self) -> dict[int, float]:
        """Return the cost of each area id that a region's or link's own travel cost was given."""
        return {area: max(cost, _LEAST_COST) for cost, area in self.cost_areas.items()}

    def area_of(self, node) -> int:
        """Return the area id of a region or link: its metadata ``onepath_area``, else one for its travel cost."""
        if node.has_meta("onepath_area"):
            area = node.get_meta("onepath_area")
            if isinstance(area, int) and 0 <= area <= _LAST_AREA:
                return area
            godot.warn(f"{node.get_path()}: the metadata onepath_area must be a whole number from 0 to 63, not {area}.")
            return 0
        cost = node.get_travel_cost()
        if not cost <= _MOST_COST:
            text = f"{node.get_path()}: travel_cost must be at most {_MOST_COST:g}, not {cost}; it counts as 1."
            warn_once(node, text)
            return 0
        if cost == 1.0:
            return 0
        if cost not in self.cost_areas:
            if len(self.cost_areas) >= _LAST_AREA:
                godot.warn(f"{node.get_path()}: there are more than 63 different travel costs; this one counts as 1.")
                return 0
            self.cost_areas[cost] = _LAST_AREA - len(self.cost_areas)
        return self.cost_areas[cost]

    def link_between(self, mesh: onepath.TiledNavMesh, start, end):
        """Return the NavigationLink3D whose crossing begins and ends at these places of the mesh, else ``None``."""
        for link in self.links.values():
            if link.node and link.link_id is not None:
                _from_poly, _to_poly, a, b = mesh.link_table.ends(link.link_id)
                if (start, end) in ((a, b), (b, a)):
                    return link.node
        return None

    def warnings(self, mesh: onepath.TiledNavMesh | None = None) -> list[str]:
        """Return what keeps the scene from giving a (whole) mesh, as sentences that say what to do.

        Args:
            mesh: the mesh as built, if there is one: links that do not reach it are told, too.
        """
        root = self.root()
        if root is None:
            return ["The node that navigation_source names does not exist: choose another one, or clear it to use the "
                    "parent."]
        nodes = _find(root, "NavigationRegion3D")
        if not nodes:
            return [f"There is no NavigationRegion3D under {root.name}: add one and bake it, or set nav_mesh."]
        found = []
        for node in nodes:
            baked = node.navigation_mesh
            if baked is None or baked.get_polygon_count() == 0:
                found.append(f"{node.name} has no baked navigation mesh: select it and bake one.")
            elif any(len(row) < 3 for row in baked.get("polygons")):
                found.append(f"{node.name} has polygons of fewer than three corners, which do not count: bake it.")
            if node.navigation_layers & FLAG_BITS == 0:
                found.append(f"{node.name} is in none of the navigation layers 1 to 16, so that nobody walks on it: "
                             "choose one.")
        found += [f"{node.name} has an enter_cost, which does not count: set it to 0, raise travel_cost instead."
                  for node in (*nodes, *_find(root, "NavigationLink3D")) if node.get_enter_cost() != 0.0]
        found += [f"{region.node.name}: {region.problem}" for region in self.regions.values()
                  if region.node and region.problem]
        if mesh is not None:
            found += [text for link in self.links.values() if (text := link.complaint(mesh))]
        return found

    # --- Nodes that come and go ---
    def _read_settings(self) -> None:
        """Read from the project how far the engine connects edges and link ends; its map is told of that too late."""
        settings = godot.singleton("ProjectSettings")
        use, margin, radius = (settings.get_setting_with_override(f"navigation/3d/{name}") for name in (
            "use_edge_connections", "default_edge_connection_margin", "default_link_connection_radius"))
        self.margin = max(margin, 0.0) if use else 0.0
        self.link_radius = max(radius, 0.01)

    def _node_added(self, node) -> None:
        if node.is_class("NavigationRegion3D") or node.is_class("NavigationLink3D"):
            self.added.append(node)

    def _take_added(self) -> None:
        """Take in what came under the root, and let go of what was moved out of it."""
        nodes, self.added = self.added, []
        root = self.root()
        for node in nodes:
            if not node or not node.is_inside_tree():
                continue
            key = godot.instance_id(node)
            if root is not None and (node == root or root.is_ancestor_of(node)):
                self._take(node)
            elif key in self.regions:
                self.regions[key].left = True
            elif key in self.links:
                self.links[key].left = True
            self.marked.add(key)

    def _take(self, node) -> None:
        key = godot.instance_id(node)
        self.marked.add(key)
        if node.is_class("NavigationRegion3D"):
            if key not in self.regions:
                self.regions[key] = SceneRegion(node, self.marked)
            self.regions[key].left = False
        else:
            if key not in self.links:
                self.link_count += 1
                self.links[key] = SceneLink(node, self.link_count)
            self.links[key].left = False

    def _update_links(self, mesh, keys) -> None:
        for key in keys:
            link = self.links[key]
            link.refresh(self, mesh)
            if not link.node or link.left:
                del self.links[key]

    # --- Tiles ---
    def _tiles_in(self, touched) -> set[tuple[int, int]]:
        """Return the grid coordinates of the tiles that any of the bounds reaches, with its joints."""
        size = self.grid.tile_size
        if size is None:
            return {(0, 0)}
        reach = self.margin + _NEAR
        return {(tx, tz)
                for low_x, low_z, high_x, high_z in touched
                for tx in range(math.floor((low_x - reach) / size), math.floor((high_x + reach) / size) + 1)
                for tz in range(math.floor((low_z - reach) / size), math.floor((high_z + reach) / size) + 1)}

    def _pieces(self, keys) -> dict[tuple[int, int], list]:
        """Return what lies in each of some tiles (``None``: in all): (:class:`Placed`, area, flags) of it."""
        found: dict[tuple[int, int], list] = {}
        for placed, area, flags in self._parts():
            inside = placed.tiles if keys is None else keys & placed.tiles.keys()
            for key in inside:
                found.setdefault(key, []).append((placed, area, flags))
        return found

    def _parts(self):
        for region in self.regions.values():
            if region.active:
                yield region.placed, region.area, region.flags
        for (first, second), placed in self.joints.items():
            a, b = self.regions[first], self.regions[second]
            yield placed, min(a.area, b.area), a.flags | b.flags

    def _update_joints(self, changed: set[int]) -> None:
        """Make the joints of regions that changed afresh."""
        for pair in [pair for pair in self.joints if pair[0] in changed or pair[1] in changed]:
            del self.joints[pair]
        if self.margin <= 0.0:
            return
        open_ones = sorted((key for key, region in self.regions.items() if region.active and region.joins),
                           key=lambda key: self.regions[key].placed.bounds[0])
        fresh = [key for key in open_ones if key in changed]
        for pair in self._near_pairs(open_ones) if 4 * len(fresh) > len(open_ones) else (
                (one, other) for one in fresh for other in open_ones):
            first, second = min(pair), max(pair)
            if first != second and (first in changed or second in changed) and (first, second) not in self.joints:
                self._join(first, second)

    def _near_pairs(self, keys):
        """Yield the pairs of regions, given in order of their least x, that are near each other in x."""
        for number, one in enumerate(keys):
            reach = self.regions[one].placed.bounds[2] + self.margin
            for other in keys[number + 1:]:
                if self.regions[other].placed.bounds[0] > reach:
                    break
                yield one, other

    def _join(self, first: int, second: int) -> None:
        a, b = self.regions[first], self.regions[second]
        if not _near(a.placed.bounds, b.placed.bounds, self.margin):
            return
        vertices, quads = strips(a.edges_near(b.placed.bounds, self.margin), b.edges_near(a.placed.bounds, self.margin),
                                 self.margin, self.grid.max_climb)
        if quads:
            placed = Placed.still(vertices, quads, self.grid)
            if placed.tiles:
                self.joints[(first, second)] = placed


def _find(root, kind: str) -> list:
    """Return the nodes of a class at and under a node, in tree order."""
    found = [root] if root.is_class(kind) else []
    return found + list(root.find_children("*", kind, True, False))


def _near(a, b, margin: float) -> bool:
    return a[0] <= b[2] + margin and b[0] <= a[2] + margin and a[1] <= b[3] + margin and b[1] <= a[3] + margin
