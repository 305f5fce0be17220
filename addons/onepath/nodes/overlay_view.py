"""The overlay in a running game: the ground and the agents as a mesh each under the node, and a legend."""

from __future__ import annotations

import godot

from .overlay_legend import OverlayLegend

_VERTEX, _COLOR, _COLUMNS = 0, 3, 13
_LINES, _TRIANGLES = 1, 3
_INTERNAL_BACK = 2
_UNSHADED, _ALPHA, _BOTH_SIDES = 0, 1, 2


class OverlayView:
    """Draws the overlay of one NavCrowd or CorridorFollower; made when that is asked for, and gone with `dispose`."""

    def __init__(self, node) -> None:
        self.node = node
        self.version = -1
        material = godot.new("StandardMaterial3D")
        material.shading_mode = _UNSHADED
        material.transparency = _ALPHA
        material.cull_mode = _BOTH_SIDES
        material.vertex_color_use_as_albedo = True
        self.material = material
        self.ground, self.agents = (self._part(name) for name in ("OverlayMesh", "OverlayAgents"))
        self.legend = OverlayLegend(node)

    def _part(self, name: str):
        part = godot.new("MeshInstance3D")
        part.name = name
        part.top_level = True  # what is drawn is in global space
        part.cast_shadow = 0
        part.mesh = godot.new("ArrayMesh")
        part.material_override = self.material
        self.node.add_child(part, False, _INTERNAL_BACK)
        return part

    def update(self) -> None:
        """Draw what is there now; the ground only when it has changed."""
        if not self.agents:
            return  # freed with the node, inside of a handler: the node itself goes at the end of the frame
        shown = self.node.overlay.geometry(self.node.debug_draw)
        if shown["mesh_version"] != self.version:
            self.version = shown["mesh_version"]
            _fill(self.ground.mesh, shown, "mesh_")
        _fill(self.agents.mesh, shown, "agent_")
        self.legend.update()

    def dispose(self) -> None:
        self.legend.dispose()
        for part in (self.ground, self.agents):
            if part:
                part.queue_free()


def _fill(mesh, shown: dict, prefix: str) -> None:
    mesh.clear_surfaces()
    for kind, points, colors in ((_TRIANGLES, "triangles", "triangle_colors"), (_LINES, "lines", "line_colors")):
        if len(shown[prefix + points]):
            columns: list = [None] * _COLUMNS
            columns[_VERTEX], columns[_COLOR] = shown[prefix + points], shown[prefix + colors]
            mesh.add_surface_from_arrays(kind, columns)
