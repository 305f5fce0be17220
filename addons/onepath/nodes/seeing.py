"""What NavCrowd and CorridorFollower have for being seen: the same properties and methods, put into each class.

Such a node has ``overlay`` (:class:`~.overlay.Overlay`) and ``view`` (the OverlayView while there is one), and tells
what there is:

- ``settle_in()``: make the mesh and walk on it, if that can be done; in a running game only.
- ``shown_mesh()``: the mesh that is walked on, or None while nothing walks.
- ``shown_source()``: a new MeshSource of what would be walked on, or None without a place for it.
- ``draw_walkers(canvas, parts)``: draw who walks there.
"""

from __future__ import annotations

import godot
from godot import method, prop

from . import overlay
from .overlay_view import OverlayView


def enabled_property(doc: str) -> prop:
    """The property ``debug_enabled``, the first one of its group."""
    made = prop(bool, False, doc, group="Debug")
    made.changed(update_view)
    return made


def draw_property(parts: int) -> prop:
    """The property ``debug_draw``, of the bits that the node has something to show for."""
    names = overlay.NAMES.split(",")[:parts.bit_length()]
    made = prop(int, overlay.USUAL, "What is shown.", hint="FLAGS", hint_string=",".join(names))
    made.checked(lambda _node, value: value & parts)
    return made


def update_view(node) -> None:
    """Show the overlay in the running game, or take it away, as ``debug_enabled`` says."""
    wanted = node.debug_enabled and node.is_node_ready() and not godot.is_editor()
    if wanted and node.view is None:
        node.view = OverlayView(node)
        node.settle_in()
        node.view.update()
    elif not wanted and node.view is not None:
        node.view.dispose()
        node.view = None


@method
def get_debug_geometry(self, flags: int = -1) -> dict:
    """Returns what there is to see, in global space, as packed arrays for drawing it.

    [code]mesh_lines[/code], [code]mesh_triangles[/code] and the same with agent hold ends and corners,
    [code]mesh_line_colors[/code] and so on a colour for each; [code]mesh_version[/code] changes with the mesh's part.
    [param flags]: bits of [member debug_draw], −1 for those.
    """
    if not godot.is_editor():
        self.settle_in()
    return self.overlay.geometry(self.debug_draw if flags < 0 else flags)


@method
def prepare_debug_mesh(self, seconds: float) -> float:
    """Builds for so long what [method get_debug_geometry] shows of the mesh while nothing walks.

    Returns how much of it is there, from 0 to 1; so that the editor goes on while a large mesh is built.
    """
    return self.overlay.prepare(seconds)


@method
def get_debug_version(self) -> int:
    """Returns the [code]mesh_version[/code] that [method get_debug_geometry] would give, without drawing."""
    return self.overlay.mesh_version(self.debug_draw)


@method
def get_debug_legend(self) -> dict:
    """Returns the colours of the overlay by what they mean, in the order of a legend."""
    return overlay.legend()
