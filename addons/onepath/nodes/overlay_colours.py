"""The colours of the overlay, what they mean, and which bits of debug_draw show them."""

from __future__ import annotations

from onepath.corridors import picture as follower_picture
from onepath.crowds import picture as crowd_picture
from onepath.navmesh import picture as mesh_picture

#: Bits of NavCrowd.debug_draw, first those of the mesh, then those of the agents.
MESH, PORTALS, LINKS, AGENTS, VELOCITIES, CORRIDORS, CORNERS, WALLS, HALF_PLANES = (1 << bit for bit in range(9))
MESH_BITS = 3
_STATES = AGENTS | CORRIDORS

#: In the order of the legend: what a colour means, the bits that show it, and red, green, blue, alpha.
ENTRIES = {
    "Moving": (_STATES, (0.21, 0.77, 0.42, 1.0)),
    "Waiting": (_STATES, (0.98, 0.79, 0.18, 1.0)),
    "Crossing a link": (_STATES | CORNERS, (0.71, 0.48, 0.93, 1.0)),
    "Arrived": (_STATES, (0.24, 0.61, 0.91, 1.0)),
    "No target": (_STATES, (0.66, 0.71, 0.76, 1.0)),
    "Stuck": (_STATES, (0.90, 0.22, 0.29, 1.0)),
    "No path": (_STATES, (0.94, 0.53, 0.24, 1.0)),
    "Velocity": (VELOCITIES, (1.0, 1.0, 1.0, 1.0)),
    "Wanted velocity": (VELOCITIES, (1.0, 0.93, 0.40, 1.0)),
    "Corners and destination": (CORNERS, (0.10, 1.0, 1.0, 1.0)),
    "Walls looked up": (WALLS, (1.0, 0.30, 0.55, 1.0)),
    "Half-plane of a wall": (HALF_PLANES, (1.0, 0.45, 0.65, 0.9)),
    "Half-plane of an agent": (HALF_PLANES, (1.0, 0.72, 0.30, 0.9)),
    "Edge of the mesh": (MESH, (0.12, 0.42, 0.72, 1.0)),
    "Portal between tiles": (PORTALS, (0.95, 0.60, 0.15, 1.0)),
    "Link": (LINKS, (0.71, 0.48, 0.93, 1.0)),
    "Link switched off": (LINKS, (0.60, 0.42, 0.42, 1.0)),
    "Dormant link": (LINKS, (0.90, 0.22, 0.29, 1.0)),
}

_CROWD_ROWS = {
    follower_picture.IDLE: "No target",
    follower_picture.MOVING: "Moving",
    follower_picture.CROSSING: "Crossing a link",
    follower_picture.ARRIVED: "Arrived",
    follower_picture.NO_PATH: "No path",
    follower_picture.STUCK: "Stuck",
    follower_picture.WAITING: "Waiting",
    follower_picture.VELOCITY: "Velocity",
    follower_picture.WANTED: "Wanted velocity",
    follower_picture.WAY: "Corners and destination",
    crowd_picture.WALL: "Walls looked up",
    crowd_picture.WALL_PLANE: "Half-plane of a wall",
    crowd_picture.AGENT_PLANE: "Half-plane of an agent",
}
_MESH_ROWS = {
    mesh_picture.WALL: "Edge of the mesh",
    mesh_picture.PORTAL: "Portal between tiles",
    mesh_picture.LINK: "Link",
    mesh_picture.LINK_OFF: "Link switched off",
    mesh_picture.LINK_DORMANT: "Dormant link",
}


def crowd_palette() -> list[tuple]:
    """The palette for the core's picture of a crowd."""
    return [ENTRIES[_CROWD_ROWS[row]][1] for row in range(len(_CROWD_ROWS))]


def mesh_palette() -> list[tuple]:
    """The palette for the core's picture of a mesh."""
    named = [ENTRIES[_MESH_ROWS[row]][1] for row in range(len(_MESH_ROWS))]
    return named + [_area_colour(area) for area in range(mesh_picture.AREAS)]


def _area_colour(area: int) -> tuple:
    """The colour of an area id: neighbours in number are far apart in hue."""
    hue = (0.55 + 0.381966 * area) % 1.0 * 6.0
    red, green, blue = (min(1.0, max(0.0, abs((hue + shift) % 6.0 - 3.0) - 1.0)) for shift in (0.0, 4.0, 2.0))
    return (0.25 + 0.6 * red, 0.25 + 0.6 * green, 0.25 + 0.6 * blue, 0.35)
