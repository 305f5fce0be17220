"""What there is to see of a node that walks: its mesh and its agents as lines and triangles with colours."""

from __future__ import annotations

from math import inf
from time import perf_counter

import godot

from onepath.navmesh.canvas import Canvas
from onepath.navmesh.picture import draw_mesh

from .overlay_colours import (
    AGENTS,
    CORNERS,
    CORRIDORS,
    ENTRIES,
    LINKS,
    MESH,
    MESH_BITS,
    PORTALS,
    VELOCITIES,
    crowd_palette,
    mesh_palette,
)

NAMES = "Mesh,Portals,Links,Agents,Velocities,Corridors,Corners,Walls,Half-planes"
EVERYTHING = (1 << NAMES.count(",") + 1) - 1
USUAL = MESH | PORTALS | LINKS | AGENTS | VELOCITIES | CORRIDORS | CORNERS
_MESH_PART = (1 << MESH_BITS) - 1
_KINDS = {"lines": "PackedVector3Array", "line_colors": "PackedColorArray",
          "triangles": "PackedVector3Array", "triangle_colors": "PackedColorArray"}


class Overlay:
    """Collects the picture of one node. The mesh's part is kept until the mesh or the choice changes.

    Args:
        node: a NavCrowd or CorridorFollower; see :mod:`.seeing`.
    """

    def __init__(self, node) -> None:
        self.node = node
        self.version = 0
        self._key: tuple = ()
        self._mesh_part: dict = {}
        self._canvas = None
        self.source = None  # the MeshSource of a mesh that nothing walks on yet
        self._mesh = self._data = self._steps = None

    def dispose(self) -> None:
        """Let go of the scene."""
        if self.source is not None:
            self.source.dispose()
        self.source = self._mesh = self._data = self._steps = None

    def mesh(self):
        """The mesh to show: the one that is walked on, or in the editor the one that would be; None without one."""
        node, walked = self.node, self.node.shown_mesh()
        if walked is not None:
            self.dispose()
            return walked
        if not node.is_inside_tree():
            return None
        if node.nav_mesh is not None:
            data = node.nav_mesh.data
            if self._mesh is None or self.source is not None or data != self._data:
                self.dispose()
                self._data, self._mesh = data, node.nav_mesh.load()
        else:
            self.prepare(inf)
            if self.source is not None:
                self.source.poll(self._mesh)
        return self._mesh

    def prepare(self, seconds: float) -> float:
        """Build the mesh to show for a while, where that takes a build; return how much of it is there, from 0 to 1."""
        node = self.node
        if node.shown_mesh() is not None or node.nav_mesh is not None or not node.is_inside_tree():
            return 1.0
        if self.source is None:
            self.dispose()
            self.source = node.shown_source()
            if self.source is None:
                return 1.0
            self._mesh = self.source.begin()
            self._steps = self.source.sync_steps(self._mesh)
        end = perf_counter() + seconds
        while self._steps is not None:
            share = next(self._steps, None)
            if share is None:
                self._steps = None
            elif perf_counter() >= end:
                return share
        return 1.0

    def mesh_version(self, flags: int) -> int:
        """Another number when the part of the mesh that these bits show is not what it was."""
        mesh = self.mesh()
        key = (mesh, mesh.store.revision if mesh is not None else 0, flags & _MESH_PART)
        if self._key != key:
            self._key = key
            self.version += 1
            self._mesh_part = {}
        return self.version

    def geometry(self, flags: int) -> dict:
        """The picture as packed arrays; see :func:`.seeing.get_debug_geometry`."""
        version = self.mesh_version(flags)
        if not self._mesh_part:
            canvas, mesh = Canvas(mesh_palette()), self._key[0]
            if mesh is not None and flags & _MESH_PART:
                draw_mesh(mesh, canvas, flags & _MESH_PART)
            self._mesh_part = _packed(canvas, "mesh_")
        return {"mesh_version": version, **self._mesh_part, **self.agents(flags)}

    def agents(self, flags: int) -> dict:
        """What there is to see of the agents, as packed arrays."""
        if self._canvas is None:
            self._canvas = Canvas(crowd_palette())
        canvas = self._canvas
        canvas.clear()
        if flags >> MESH_BITS:
            self.node.draw_walkers(canvas, flags >> MESH_BITS)
        return _packed(canvas, "agent_")


def _packed(canvas: Canvas, prefix: str) -> dict:
    """The four columns as packed arrays, their names with a prefix."""
    return {prefix + name: godot.packed(kind, canvas.take(name)) for name, kind in _KINDS.items()}


def legend(flags: int = -1) -> dict:
    """Names and colours of what these bits show, in the order in which they are to be listed."""
    return {name: godot.Color(*colour) for name, (parts, colour) in ENTRIES.items() if flags & parts}
