"""A navigation region and a navigation link of the scene as they were when last looked at."""

from __future__ import annotations

from array import array
from math import isfinite

import godot

import onepath

from .region_joints import open_edges, place_edges
from .region_pieces import Placed

#: What is asked of every region and link in each tick, up to the first that is false.
REGION_QUESTIONS = ("is_inside_tree", "is_enabled", "get_global_transform", "get_navigation_layers", "get_travel_cost",
                    "get_use_edge_connections")
LINK_QUESTIONS = ("is_inside_tree", "get_global_start_position", "get_global_end_position", "get_navigation_layers",
                  "get_travel_cost", "is_enabled", "is_bidirectional")
#: Bits of a region's or link's navigation layers that become polygon flags.
FLAG_BITS = 0xFFFF


_warned: set[tuple[int, str]] = set()


def warn_once(node, text: str) -> None:
    """Print a warning about a node, once in this process however many crowds, pictures and bakes look at the node."""
    told = (godot.instance_id(node), text)
    if told not in _warned:
        _warned.add(told)
        godot.warn(text)


class SceneRegion:
    """One NavigationRegion3D: what is read from it, and its polygons in the world, cut into tiles.

    Attributes:
        active: whether it contributes polygons now: in the tree, enabled, and with a mesh that can be used.
        placed, area, flags: what it contributes.
        joins: whether its edges may be joined with other regions'.
        problem: why its mesh cannot be used; empty otherwise.
        left: it was moved out of the source.

    Args:
        node: the NavigationRegion3D.
        marked: gets the node's instance id whenever its mesh may have changed.
    """

    def __init__(self, node, marked: set) -> None:
        self.node = node
        self.key = godot.instance_id(node)
        self.marked = marked
        self.left = self.active = False
        self.joins = True
        self.area = self.flags = 0
        self.problem = ""
        self.dirty = True
        self.look = self.placed = self.transform = None
        self.vertices = array("d")
        self.polygons: list = []
        self.local_edges = self.world_edges = None
        self.marker = self._mark  # one object, so that it can be disconnected
        node.connect("navigation_mesh_changed", self.marker)
        node.connect("bake_finished", self.marker)

    def _mark(self) -> None:
        self.dirty = True
        self.marked.add(self.key)

    def refresh(self, source) -> list:
        """Look again; return the bounds (x, z, x, z) that it had and has if anything is different, else ``[]``."""
        node = self.node
        look = None
        if node and not self.left and node.is_inside_tree() and node.is_enabled():
            look = (node.get_global_transform(), node.get_navigation_layers(), node.get_travel_cost(),
                    node.get_use_edge_connections())
        if look == self.look and not self.dirty:
            return []
        before = self._state()
        same_place = look is not None and self.transform == look[0]
        reread = self.dirty and look is not None and self._read()
        self.look = look
        if look is None:
            self.active = False
        else:
            self.dirty = False
            self.joins = look[3]
            self.area = source.area_of(node)
            self.flags = look[1] & FLAG_BITS
            if reread or not same_place:
                self._place(look[0], source.grid)
            self.active = self.placed is not None
        after = self._state()
        return [] if _same(before, after) else [state[0].bounds for state in (before, after) if state is not None]

    def _state(self):
        return (self.placed, self.area, self.flags, self.joins) if self.active else None

    def _read(self) -> bool:
        """Read the region's mesh; tell whether it is another one than before."""
        mesh = self.node.get_navigation_mesh()
        vertices, polygons = mesh_arrays(mesh) if mesh is not None else (array("d"), [])
        if vertices == self.vertices and polygons == self.polygons:
            return False
        self.vertices, self.polygons = vertices, polygons
        self.local_edges = None
        return True

    def _place(self, transform, grid) -> None:
        before, self.placed, self.world_edges = self.placed, None, None
        self.problem = ""
        self.transform = transform
        if not self.polygons:
            return
        try:
            placed = Placed(self.vertices, self.polygons, rows_of(transform), grid)
        except onepath.OutOfRangeError as fault:
            self.problem = f"its navigation mesh cannot be used ({fault})."
            warn_once(self.node, f"{self.node.get_path()}: {self.problem}")
            return
        if not placed.tiles:
            self.problem = ("its navigation mesh covers no ground, being upright, without area or scaled to nothing: "
                            "bake it again, or reset its scale.")
            warn_once(self.node, f"{self.node.get_path()}: {self.problem}")
        else:
            self.placed = before if before is not None and placed.tiles == before.tiles else placed

    def edges_near(self, bounds, margin: float) -> list:
        """Return the region's outer edges in the world that are within a margin of bounds."""
        if self.world_edges is None:
            if self.local_edges is None:
                self.local_edges = open_edges(self.polygons)
            self.world_edges = place_edges(self.local_edges, self.vertices, self.polygons, self.placed.transform)
        low_x, low_z, high_x, high_z = (bounds[0] - margin, bounds[1] - margin, bounds[2] + margin, bounds[3] + margin)
        return [edge for edge in self.world_edges
                if min(edge[0], edge[3]) <= high_x and max(edge[0], edge[3]) >= low_x
                and min(edge[2], edge[5]) <= high_z and max(edge[2], edge[5]) >= low_z]

    def dispose(self) -> None:
        """Stop listening to the node."""
        if self.node:
            self.node.disconnect("navigation_mesh_changed", self.marker)
            self.node.disconnect("bake_finished", self.marker)


def _same(before, after) -> bool:
    if before is None or after is None:
        return before is after
    return before[0] is after[0] and before[1:] == after[1:]


def mesh_arrays(mesh) -> tuple[array, list]:
    """Return the vertices (flat ``d`` column) and polygons (lists of indices) of the engine's NavigationMesh."""
    vertices = array("d")
    packed = mesh.get_vertices()
    if len(packed):
        vertices = array("d", memoryview(packed).cast("B").cast("f"))
    polygons = [polygon for row in mesh.get("polygons") if len(polygon := list(row)) >= 3]
    return vertices, polygons


def rows_of(transform) -> tuple[float, ...]:
    """Return a Transform3D as 12 numbers: the basis row by row, then the origin."""
    (x, y, z), origin = transform
    return (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], *origin)


class SceneLink:
    """One NavigationLink3D, and the id of the off-mesh link made of it (``None``: none).

    Attributes:
        user_id: number of the link in its source, from 1, which the off-mesh link bears.
        left: it was moved out of the source.
    """

    def __init__(self, node, user_id: int) -> None:
        self.node = node
        self.user_id = user_id
        self.left = False
        self.look = self.link_id = None

    def refresh(self, source, mesh) -> None:
        """Look again, and make the mesh's link what the node says; warn once if an end of it finds no ground."""
        node = self.node
        look = ()
        if node and not self.left and node.is_inside_tree():
            look = (node.is_enabled(), node.get_global_start_position(), node.get_global_end_position(),
                    node.is_bidirectional(), node.get_navigation_layers(), node.get_travel_cost())
        if look == self.look:
            return
        self.look = look
        made = self._made(source) if look else None
        if self.link_id is not None and dict(mesh.links()).get(self.link_id) != made:
            mesh.remove_link(self.link_id)
            self.link_id = None
        if made is None:
            return
        if self.link_id is None:
            self.link_id = mesh.add_link(made)
        if mesh.is_link_enabled(self.link_id) != look[0]:
            mesh.set_link_enabled(self.link_id, look[0])
        if text := self.complaint(mesh):
            warn_once(node, text)

    def _made(self, source):
        _enabled, start, end, both, layers, _cost = self.look
        if not all(map(isfinite, (*start, *end))):
            warn_once(self.node, f"{self.node.get_path()}: the link cannot be used (its ends must be finite).")
            return None
        try:
            return onepath.OffMeshLink(start, end, radius=source.link_radius, bidirectional=both,
                                       area=source.area_of(self.node), flags=layers & FLAG_BITS, user_id=self.user_id)
        except onepath.OutOfRangeError as fault:
            warn_once(self.node, f"{self.node.get_path()}: the link cannot be used ({fault}).")
            return None

    def complaint(self, mesh) -> str:
        """Say which end finds no ground and what to do; empty for a link that is all right or switched off."""
        if not self.node or self.link_id is None or not mesh.is_link_enabled(self.link_id):
            return ""
        ends = [name for name, ref in zip(("start", "end"), mesh.link_refs(self.link_id)) if not ref]
        if not ends:
            return ""
        radius = dict(mesh.links())[self.link_id].radius
        return (f"{self.node.get_path()} cannot be used: no region is within {radius:g} m of its "
                f"{' and its '.join(ends)} and within {mesh.max_climb:g} m in height. Move the end onto a region.")
