"""The legend of the overlay in a running game: a panel in the lower right corner that explains the colours."""

from __future__ import annotations

import godot

from . import overlay

_LAYER = 64
_BOTTOM_RIGHT, _LEAST_SIZE = 3, 0
_TOWARDS_LEFT = _UPWARDS = 0
_IGNORE_MOUSE = 2
_CENTRED = 4
_MARGIN = 16
_PATCH, _FONT = 14.0, 13
_INTERNAL_BACK = 2

_shown: list = []  # the legend that there is in the whole game, if there is one


class OverlayLegend:
    """Explains the colours of what one node shows. Of several nodes in a game only the first has one.

    Args:
        node: a NavCrowd or CorridorFollower; see :mod:`.seeing`.
    """

    def __init__(self, node) -> None:
        self.node = node
        self.flags = 0
        self.layer = None

    def update(self) -> None:
        """Show what is wanted now, unless another node's legend is there."""
        if _shown and _shown[0] is not self:
            if _shown[0].node:
                return
            _shown.clear()  # its node was freed
        flags = self.node.debug_draw
        if flags == self.flags:
            return
        self.dispose()
        _shown.append(self)
        self.flags = flags
        self.layer = godot.new("CanvasLayer")
        self.layer.layer = _LAYER
        self.node.add_child(self.layer, False, _INTERNAL_BACK)
        panel = _panel(overlay.legend(flags))
        self.layer.add_child(panel)
        panel.set_anchors_and_offsets_preset(_BOTTOM_RIGHT, _LEAST_SIZE, _MARGIN)

    def dispose(self) -> None:
        """Take the panel away."""
        self.flags = 0
        if self in _shown:
            _shown.remove(self)
        if self.layer:
            self.layer.queue_free()
        self.layer = None


def _panel(colours: dict):
    """The panel with a patch and a word for each colour."""
    panel, rows = godot.new("PanelContainer"), godot.new("GridContainer")
    style = godot.new("StyleBoxFlat")
    style.bg_color = godot.Color(0.07, 0.09, 0.12, 0.8)
    style.set_corner_radius_all(6)
    style.set_content_margin_all(10.0)
    panel.add_theme_stylebox_override("panel", style)
    panel.mouse_filter = _IGNORE_MOUSE
    rows.columns = 2
    for name, colour in colours.items():
        patch, word = godot.new("ColorRect"), godot.new("Label")
        patch.color = colour
        patch.custom_minimum_size = godot.Vector2(_PATCH, _PATCH)
        patch.size_flags_vertical = _CENTRED
        word.text = name
        word.add_theme_font_size_override("font_size", _FONT)
        for part in (patch, word):
            part.mouse_filter = _IGNORE_MOUSE
            rows.add_child(part)
    rows.add_theme_constant_override("v_separation", 0)
    panel.add_child(rows)
    panel.grow_horizontal, panel.grow_vertical = _TOWARDS_LEFT, _UPWARDS
    return panel
