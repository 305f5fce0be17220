"""Lines and triangles with colours, as the engine's packed arrays, and the colours that the overlay uses."""

from __future__ import annotations

from array import array
from itertools import pairwise
from math import cos, pi, sin, sqrt

import godot

from onepath.corridors.states import FollowerState

_SIDES = 12
_CIRCLE = [(cos(2.0 * pi * k / _SIDES), sin(2.0 * pi * k / _SIDES)) for k in range(_SIDES + 1)]
_ARC_PARTS = 12

#: A MOVING agent slower than this (m/s) waits: for its search, or for others to pass.
WAITING_SPEED = 0.05

#: What each colour means, in the order of the legend.
LEGEND = {
    "Moving": (0.20, 0.85, 0.35, 1.0),
    "Waiting": (1.00, 0.80, 0.15, 1.0),
    "Crossing a link": (0.75, 0.40, 1.00, 1.0),
    "Arrived": (0.25, 0.60, 1.00, 1.0),
    "No target": (0.75, 0.75, 0.75, 1.0),
    "Stuck": (1.00, 0.20, 0.15, 1.0),
    "No path": (1.00, 0.45, 0.05, 1.0),
    "Velocity": (1.00, 1.00, 1.00, 1.0),
    "Wanted velocity": (1.00, 0.95, 0.40, 1.0),
    "Corners and destination": (0.10, 1.00, 1.00, 1.0),
    "Walls looked up": (1.00, 0.30, 0.55, 1.0),
    "Half-plane of a wall": (1.00, 0.30, 0.55, 0.9),
    "Half-plane of an agent": (1.00, 0.85, 0.30, 0.9),
    "Edge of the mesh": (0.05, 0.30, 0.55, 1.0),
    "Portal between tiles": (0.95, 0.55, 0.10, 1.0),
    "Link": (0.75, 0.40, 1.00, 1.0),
    "Link switched off": (0.55, 0.35, 0.35, 1.0),
    "Dormant link": (1.00, 0.20, 0.15, 1.0),
}
_STATES = {
    FollowerState.IDLE: "No target",
    FollowerState.OFF_MESH_LINK: "Crossing a link",
    FollowerState.ARRIVED: "Arrived",
    FollowerState.NO_PATH: "No path",
    FollowerState.STUCK: "Stuck",
}


def state_colour(state, velocity) -> tuple:
    """The colour of an agent that does this."""
    if state != FollowerState.MOVING:
        return LEGEND[_STATES[state]]
    slow = velocity[0] * velocity[0] + velocity[2] * velocity[2] < WAITING_SPEED * WAITING_SPEED
    return LEGEND["Waiting" if slow else "Moving"]


def area_colour(area: int) -> tuple:
    """The colour of an area id: neighbours in number are far apart in hue."""
    hue = (0.55 + 0.381966 * area) % 1.0 * 6.0
    red, green, blue = (min(1.0, max(0.0, abs((hue + shift) % 6.0 - 3.0) - 1.0)) for shift in (0.0, 4.0, 2.0))
    return (0.25 + 0.6 * red, 0.25 + 0.6 * green, 0.25 + 0.6 * blue, 0.35)


def faint(colour: tuple, alpha: float) -> tuple:
    return (*colour[:3], alpha)


class Shapes:
    """Collects lines and triangles: x, y, z of each end or corner, and four numbers of colour for each."""

    def __init__(self) -> None:
        self.lines, self.line_colors = array("f"), array("f")
        self.triangles, self.triangle_colors = array("f"), array("f")

    def line(self, a, b, colour: tuple, lift: float = 0.0) -> None:
        self.lines.extend((a[0], a[1] + lift, a[2], b[0], b[1] + lift, b[2]))
        self.line_colors.extend(colour * 2)

    def polyline(self, points, colour: tuple, lift: float = 0.0) -> None:
        for a, b in pairwise(points):
            self.line(a, b, colour, lift)

    def fan(self, points, colour: tuple, lift: float = 0.0) -> None:
        """A convex polygon, filled."""
        if len(points) < 3:
            return
        x, y, z = points[0]
        for b, c in pairwise(points[1:]):
            self.triangles.extend((x, y + lift, z, b[0], b[1] + lift, b[2], c[0], c[1] + lift, c[2]))
        self.triangle_colors.extend(colour * (3 * (len(points) - 2)))

    def disc(self, centre, radius: float, colour: tuple, lift: float) -> None:
        """A filled circle with its rim: twelve triangles and lines, written at once because agents are many."""
        x, y, z = centre[0], centre[1] + lift, centre[2]
        rim = [(x + radius * across, y, z + radius * along) for across, along in _CIRCLE]
        for a, b in pairwise(rim):
            self.lines.extend(a + b)
            self.triangles.extend((x, y, z, *a, *b))
        self.line_colors.extend(colour * (2 * _SIDES))
        self.triangle_colors.extend(faint(colour, 0.35) * (3 * _SIDES))

    def arrow(self, at, towards, size: float, colour: tuple, lift: float = 0.0) -> None:
        """An arrow head with its tip at a point, coming from `towards`."""
        dx, dz = towards[0] - at[0], towards[2] - at[2]
        length = sqrt(dx * dx + dz * dz)
        if length < 1e-9:
            return
        dx, dz = dx / length * size, dz / length * size
        height = at[1] + 0.5 * size
        for side in (0.5, -0.5):
            self.line(at, (at[0] + dx - side * dz, height, at[2] + dz + side * dx), colour, lift)

    def arc(self, a, b, colour: tuple, lift: float, dashed: bool) -> list:
        """An arc over the ground from one point to another; returns its points."""
        rise = 0.3 + 0.2 * sqrt(sum((p - q) ** 2 for p, q in zip(a, b)))
        points = []
        for k in range(_ARC_PARTS + 1):
            part = k / _ARC_PARTS
            x, y, z = (p + (q - p) * part for p, q in zip(a, b))
            points.append((x, y + 4.0 * rise * part * (1.0 - part), z))
        for k in range(0, _ARC_PARTS, 2 if dashed else 1):
            self.line(points[k], points[k + 1], colour, lift)
        return points

    def cross(self, at, size: float, colour: tuple, lift: float = 0.0) -> None:
        x, y, z = at
        for dx, dz in ((size, size), (size, -size)):
            self.line((x - dx, y, z - dz), (x + dx, y, z + dz), colour, lift)

    def packed(self, prefix: str) -> dict:
        """The four columns as packed arrays, their names with a prefix."""
        kinds = {"lines": "PackedVector3Array", "line_colors": "PackedColorArray",
                 "triangles": "PackedVector3Array", "triangle_colors": "PackedColorArray"}
        return {prefix + name: godot.packed(kind, getattr(self, name)) for name, kind in kinds.items()}
