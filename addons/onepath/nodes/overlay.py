"""What there is to see of a crowd: its mesh and its agents as lines and triangles with colours."""

from __future__ import annotations

from array import array

import godot

from onepath.corridors.states import FollowerState
from onepath.crowds.debug import CrowdDebug
from onepath.navmesh.debug import LINK_BIDIRECTIONAL, LINK_DORMANT, LINK_ENABLED, MeshDebug

from .mesh_source import MeshSource
from .overlay_shapes import LEGEND, Shapes, area_colour, faint, state_colour

#: Bits of NavCrowd.debug_draw.
MESH, PORTALS, LINKS, AGENTS, VELOCITIES, CORRIDORS, CORNERS, WALLS, HALF_PLANES = (1 << bit for bit in range(9))
NAMES = "Mesh,Portals,Links,Agents,Velocities,Corridors,Corners,Walls,Half-planes"
USUAL = MESH | PORTALS | LINKS | AGENTS | VELOCITIES | CORRIDORS | CORNERS
_MESH_PART = MESH | PORTALS | LINKS
_DETAILS = CORRIDORS | CORNERS | WALLS | HALF_PLANES

# Heights above the ground (m), so that what lies on it is seen and does not flicker.
_ON_MESH, _ON_CORRIDOR, _ON_AGENT, _ABOVE = 0.03, 0.05, 0.07, 0.12
_LINK_HEAD = 0.35
#: Half the length of the drawn piece of a half-plane's border, in m/s shown as m.
_BORDER = 1.5


class Overlay:
    """Collects the picture of one crowd. The mesh's part is kept until the mesh or the choice changes.

    Args:
        node: the NavCrowd.
    """

    def __init__(self, node) -> None:
        self.node = node
        self.version = 0
        self._key: tuple = ()
        self._mesh_part: dict = {}
        self._source = self._mesh = self._data = None

    def dispose(self) -> None:
        """Let go of the scene."""
        if self._source is not None:
            self._source.dispose()
        self._source = self._mesh = self._data = None

    def mesh(self):
        """The mesh to show: the running crowd's, or in the editor the one that it would have; None without one."""
        node = self.node
        if node.runtime.crowd is not None:
            self.dispose()
            return node.runtime.mesh
        if not node.is_inside_tree():
            return None
        if node.nav_mesh is not None:
            data = node.nav_mesh.data
            if self._mesh is None or self._source is not None or data != self._data:
                self.dispose()
                self._data, self._mesh = data, node.nav_mesh.load()
        elif self._source is None:
            self._source = MeshSource(node)
            self._mesh = self._source.build()
        else:
            self._source.poll(self._mesh)
        return self._mesh

    def geometry(self, flags: int) -> dict:
        """The picture as packed arrays; see NavCrowd.get_debug_geometry."""
        mesh = self.mesh()
        key = (mesh, mesh.store.revision if mesh is not None else 0, flags & _MESH_PART)
        if self._key != key:
            self._key = key
            self.version += 1
            shapes = Shapes()
            if mesh is not None and flags & _MESH_PART:
                _draw_mesh(shapes, mesh, flags)
            self._mesh_part = shapes.packed("mesh_")
        return {"mesh_version": self.version, **self._mesh_part, **self.agents(flags).packed("agent_")}

    def agents(self, flags: int) -> Shapes:
        """What there is to see of the agents."""
        shapes, crowd = Shapes(), self.node.runtime.crowd
        if crowd is None:
            return shapes
        for agent in crowd if flags & (AGENTS | VELOCITIES) else ():
            _draw_agent(shapes, agent, flags)
        for details in CrowdDebug.collect(crowd) if flags & _DETAILS else ():
            _draw_details(shapes, details, flags)
            if flags & HALF_PLANES and details.id == self.node.debug_agent:
                _draw_half_planes(shapes, details)
        return shapes


def _draw_mesh(shapes: Shapes, mesh, flags: int) -> None:
    data = MeshDebug.collect(mesh)
    if flags & MESH:
        _draw_polygons(shapes, data)
        _draw_pieces(shapes, data.walls, LEGEND["Edge of the mesh"])
    if flags & PORTALS:
        _draw_pieces(shapes, data.portals, LEGEND["Portal between tiles"])
    if flags & LINKS:
        for number, state in enumerate(data.link_states):
            ends = data.links[6 * number:6 * number + 6]
            _draw_link(shapes, tuple(ends[:3]), tuple(ends[3:]), state)


def _lifted(points) -> array:
    """Points in single precision, a little above the ground."""
    moved = array("f", points)
    moved[1::3] = array("f", [height + _ON_MESH for height in moved[1::3]])
    return moved


def _draw_polygons(shapes: Shapes, data) -> None:
    """All polygons: filled as fans, and the edges between them. Slices of bytes: there may be very many."""
    corners = memoryview(_lifted(data.corners)).cast("B")
    fills = {area: array("f", area_colour(area)).tobytes() for area in set(data.areas)}
    edges = {area: array("f", faint(area_colour(area), 0.5)).tobytes() for area in fills}
    triangles, triangle_colors, lines, line_colors = [], [], [], []
    starts = data.starts
    for number, area in enumerate(data.areas):
        first, end = 12 * starts[number], 12 * starts[number + 1]
        apex = corners[first:first + 12]
        for at in range(first + 12, end - 12, 12):
            triangles += (apex, corners[at:at + 24])
        for at in range(first, end - 12, 12):
            lines.append(corners[at:at + 24])
        lines += (corners[end - 12:end], apex)
        size = (end - first) // 12
        triangle_colors.append(fills[area] * (3 * (size - 2)))
        line_colors.append(edges[area] * (2 * size))
    for column, parts in ((shapes.triangles, triangles), (shapes.triangle_colors, triangle_colors),
                          (shapes.lines, lines), (shapes.line_colors, line_colors)):
        column.frombytes(b"".join(parts))


def _draw_pieces(shapes: Shapes, pieces, colour: tuple) -> None:
    shapes.lines.extend(_lifted(pieces))
    shapes.line_colors.frombytes(array("f", colour).tobytes() * (len(pieces) // 3))


def _draw_link(shapes: Shapes, start: tuple, end: tuple, state: int) -> None:
    dormant, enabled = state & LINK_DORMANT, state & LINK_ENABLED
    colour = LEGEND["Dormant link" if dormant else "Link" if enabled else "Link switched off"]
    points = shapes.arc(start, end, colour, _ON_MESH, bool(dormant or not enabled))
    shapes.arrow(points[-1], points[-3], _LINK_HEAD, colour, _ON_MESH)
    if state & LINK_BIDIRECTIONAL:
        shapes.arrow(points[0], points[2], _LINK_HEAD, colour, _ON_MESH)
    if dormant:
        shapes.cross(points[len(points) // 2], _LINK_HEAD, colour, _ON_MESH)


def _draw_agent(shapes: Shapes, agent, flags: int) -> None:
    place, velocity = agent.position, agent.velocity
    if flags & AGENTS:
        shapes.disc(place, agent.options.radius, state_colour(agent.state, velocity), _ON_AGENT)
    if flags & VELOCITIES:
        for speed, name in ((agent.wanted_velocity, "Wanted velocity"), (velocity, "Velocity")):
            if any(speed):
                shapes.line(place, tuple(p + v for p, v in zip(place, speed)), LEGEND[name], _ABOVE)


def _draw_details(shapes: Shapes, details, flags: int) -> None:
    follower = details.follower
    way = LEGEND["Corners and destination"]
    if flags & CORRIDORS:
        colour = state_colour(follower.state, follower.velocity)
        for outline in follower.outlines:
            shapes.fan(outline, faint(colour, 0.12), _ON_CORRIDOR)
            shapes.polyline([*outline, outline[0]], faint(colour, 0.5), _ON_CORRIDOR)
    if flags & CORNERS:
        shapes.polyline([corner.point for corner in follower.corners], way, _ON_AGENT)
        if follower.state not in (FollowerState.IDLE, FollowerState.ARRIVED):
            shapes.cross(follower.destination, details.radius, way, _ON_AGENT)
        if follower.crossing is not None:
            shapes.arc(follower.crossing.start, follower.crossing.end, LEGEND["Crossing a link"], _ABOVE, False)
    if flags & WALLS:
        for wall in details.walls:
            shapes.line(wall.a, wall.b, LEGEND["Walls looked up"], _ABOVE)


def _draw_half_planes(shapes: Shapes, details) -> None:
    """Borders of the allowed velocities, 1 m/s as 1 m around the agent, with a stroke into the allowed side."""
    x, y, z = details.follower.position
    for number, plane in enumerate(details.half_planes):
        name = "Half-plane of a wall" if number < details.wall_count else "Half-plane of an agent"
        (px, pz), (nx, nz) = plane
        middle = (x + px, y, z + pz)
        ends = [(middle[0] + side * nz, y, middle[2] - side * nx) for side in (-_BORDER, _BORDER)]
        shapes.line(*ends, LEGEND[name], _ABOVE)
        shapes.line(middle, (middle[0] + 0.4 * nx, y, middle[2] + 0.4 * nz), LEGEND[name], _ABOVE)


def legend() -> dict:
    """Names and colours, in the order in which they are to be listed."""
    return {name: godot.Color(*colour) for name, colour in LEGEND.items()}
