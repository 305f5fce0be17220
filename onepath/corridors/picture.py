"""Followers as lines and triangles: their discs, velocities, corridors and ways, for one or for all of a crowd."""

import cython

from onepath.buffers import filled, zeros
from onepath.corridors.path_corridor import lend
from onepath.corridors.path_follower import PathFollower as _PathFollower
from onepath.corridors.scratch import CorridorScratch as _CorridorScratch
from onepath.errors import OutOfRangeError
from onepath.geometry import checked_number
from onepath.navmesh.canvas import Canvas as _Canvas
from onepath.navmesh.store import Reading
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import byte_pointer, double_pointer
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.states import FollowerState
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.canvas import (
    Canvas, choose, has_room, put_arc, put_corner, put_cross, put_disc, put_line,
)
from cython.cimports.onepath.navmesh.store import MeshStore, poly_of_ref
from cython.cimports.onepath.queries.funnel import find_corners_filtered
from cython.cimports.onepath.queries.scratch import QueryScratch

#: What there is to see of a follower.
DISCS, VELOCITIES, CORRIDORS, CORNERS = (1 << bit for bit in range(4))
#: Rows of a follower's palette. The first six are the states, by number; one that is MOVING but stands is waiting.
IDLE, MOVING, CROSSING, ARRIVED, NO_PATH, STUCK, WAITING, VELOCITY, WANTED, WAY = range(10)
#: How many of them are colours of what followers do.
STATE_ROWS = 7
#: One that is MOVING slower than this (m/s) waits: for its search, or for others to pass.
WAITING_SPEED = 0.05

_DISCS = cython.declare(cython.int, DISCS)
_VELOCITIES = cython.declare(cython.int, VELOCITIES)
_CORNERS = cython.declare(cython.int, CORNERS)
_WAITING = cython.declare(cython.int, WAITING)
_STATE_ROWS = cython.declare(cython.int, STATE_ROWS)
_VELOCITY = cython.declare(cython.int, VELOCITY)
_WANTED = cython.declare(cython.int, WANTED)
_WAY = cython.declare(cython.int, WAY)
_WAITING_SPEED = cython.declare(cython.double, WAITING_SPEED)
_LARGEST = 1.7976931348623157e308

# Heights above the ground (m), so that what lies on it is seen and does not flicker.
_ON_CORRIDOR = cython.declare(cython.double, 0.05)
_ON_AGENT = cython.declare(cython.double, 0.07)
_ABOVE = cython.declare(cython.double, 0.12)
# The fill of a disc, as a share of its rim's alpha.
_DISC_FILL = cython.declare(cython.double, 0.35)
# The fill of a corridor, as a share of its colour's alpha: the more followers, the fainter, between two bounds. Its
# edges are so many times as strong.
_FILL = cython.declare(cython.double, 0.35)
_MOST_FILL = cython.declare(cython.double, 0.2)
_LEAST_FILL = cython.declare(cython.double, 0.012)
_EDGES_TO_FILL = cython.declare(cython.double, 4.0)


def draw_follower(follower, query, canvas, parts: int, radius: float) -> None:
    """Draw one follower as it is now, as a crowd of one would be drawn; nothing about it changes.

    Args:
        follower: the :class:`~onepath.corridors.path_follower.PathFollower`.
        query: a query of the mesh that it walks on.
        canvas: the :class:`~onepath.navmesh.canvas.Canvas`, with a palette of ``WAY + 1`` rows at least.
        parts: ``DISCS``, ``VELOCITIES`` (and those wanted, in a crowd), ``CORRIDORS``, ``CORNERS`` (with the
            destination and a crossing under way), added up.
        radius: of the disc (m), positive and finite.

    Raises:
        TypeError: ``follower`` or ``query`` is none.
        OutOfRangeError: ``canvas`` is no canvas, ``radius`` is out of range.
        OnePathError: another thread is editing the mesh or using the query.
    """
    if not isinstance(follower, _PathFollower):
        raise TypeError(f"follower must be a PathFollower, not {type(follower).__name__}")
    if not isinstance(canvas, _Canvas):
        raise OutOfRangeError("canvas", f"must be a Canvas, not {type(canvas).__name__}")
    size: cython.double = checked_number("radius", radius, 0.0, _LARGEST, low_open=True)
    scratch: CorridorScratch = _CorridorScratch()
    with lend(scratch, query), Reading(query.mesh.store):
        if parts & CORRIDORS:
            draw_corridors(_mesh_of(scratch.query), follower._store, filled("B", 1, 1), 1, 1, canvas)
        _draw_one(follower._store, scratch.query, canvas, parts, size)


@cython.cfunc
def _mesh_of(q: QueryScratch) -> MeshStore:
    return q.mesh


def _draw_one(s: FollowerStore, q: QueryScratch, canvas: Canvas, parts: cython.int, radius: cython.double):
    bends: cython.int = pull_string(q, s, 0) if parts & _CORNERS else 0
    canvas.reserve(points_of(parts, bends), corners_of(parts))
    draw_slot(q, s, canvas, parts, 0, bends, radius)


@cython.cfunc
def draw_corridors(mesh: MeshStore, s: FollowerStore, active, slots: cython.int, followers: cython.int,
                   canvas: Canvas):
    """Draw each polygon of any corridor once for each state of those who go there.

    Its shade is that of one layer over the other for each of them, without their cost.

    Args:
        mesh: the mesh of the corridors.
        s: the followers.
        active: a byte column: which slots have one.
        slots: how many slots there are.
        followers: how many of them have one.
        canvas: what is drawn on.
    """
    fill: cython.double = min(_MOST_FILL, max(_LEAST_FILL, _FILL / sqrt(max(1, followers))))
    fills = _shades(fill, followers)
    edges = _shades(min(1.0, _EDGES_TO_FILL * fill), followers)
    is_active: cython.p_uchar = byte_pointer(active)
    fill_of: cython.p_double = double_pointer(fills)
    edge_of: cython.p_double = double_pointer(edges)
    canvas.reserve_counts(_STATE_ROWS * mesh.poly_capacity, _corridor_length(s, is_active, slots))
    keys: cython.int
    with cython.nogil:
        keys = _count_corridors(s, is_active, slots, mesh, canvas)
    canvas.reserve(canvas.asked_points, canvas.asked_corners)
    with cython.nogil:
        _draw_counted(mesh, canvas, keys, fill_of, edge_of)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _corridor_length(s: FollowerStore, active: cython.p_uchar, slots: cython.int) -> cython.int:
    """How many polygons all corridors have together."""
    length: cython.int = 0
    slot: cython.int
    for slot in range(slots):
        if active[slot] != 0:
            length += s.count[slot]
    return length


def _shades(layer: float, most: int):
    """The alpha of 0, 1, 2, … ``most`` layers over each other, each with the alpha ``layer``."""
    shades = zeros("d", most + 1)
    for number in range(most):
        shades[number + 1] = shades[number] + (1.0 - shades[number]) * layer
    return shades


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_corridors(s: FollowerStore, active: cython.p_uchar, slots: cython.int, mesh: MeshStore,
                     canvas: Canvas) -> cython.int:
    """Count how many corridors with a row of the palette go through each polygon.

    The canvas gets the numbers, by ``STATE_ROWS`` · polygon + row, and which of them are not 0, in the order in which
    they were met; and it is asked for the room that they take.

    Returns:
        How many of them there are.
    """
    count: cython.p_int = canvas.counts
    key: cython.p_int = canvas.counted
    keys: cython.int = 0
    points: cython.int = 0
    corners: cython.int = 0
    slot: cython.int
    i: cython.int
    for slot in range(slots):
        if active[slot] == 0:
            continue
        row: cython.int = _state_row(s, slot)
        for i in range(s.count[slot]):
            poly: cython.int = poly_of_ref(mesh, s.refs[slot * s.stride + i])
            if poly < 0:
                continue
            at: cython.int = _STATE_ROWS * poly + row
            if count[at] == 0:
                key[keys] = at
                keys += 1
                points += 2 * mesh.poly_size[poly]
                corners += 3 * (mesh.poly_size[poly] - 2)
            count[at] += 1
    has_room(canvas, points, corners)
    return keys


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_counted(mesh: MeshStore, canvas: Canvas, keys: cython.int, fill_of: cython.p_double,
                  edge_of: cython.p_double) -> cython.void:
    """Draw what was counted, and leave the counts at 0 again."""
    count: cython.p_int = canvas.counts
    number: cython.int
    k: cython.int
    for number in range(keys):
        at: cython.int = canvas.counted[number]
        poly: cython.int = at // _STATE_ROWS
        first: cython.int = mesh.poly_edge[poly]
        size: cython.int = mesh.poly_size[poly]
        choose(canvas, at % _STATE_ROWS, fill_of[count[at]], _ON_CORRIDOR)
        for k in range(first + 1, first + size - 1):
            put_corner(canvas, mesh.xyz[3 * first], mesh.xyz[3 * first + 1], mesh.xyz[3 * first + 2])
            put_corner(canvas, mesh.xyz[3 * k], mesh.xyz[3 * k + 1], mesh.xyz[3 * k + 2])
            put_corner(canvas, mesh.xyz[3 * k + 3], mesh.xyz[3 * k + 4], mesh.xyz[3 * k + 5])
        choose(canvas, at % _STATE_ROWS, edge_of[count[at]], _ON_CORRIDOR)
        for k in range(size):
            a: cython.int = first + k
            b: cython.int = first + (k + 1 if k + 1 < size else 0)
            put_line(canvas, mesh.xyz[3 * a], mesh.xyz[3 * a + 1], mesh.xyz[3 * a + 2],
                     mesh.xyz[3 * b], mesh.xyz[3 * b + 1], mesh.xyz[3 * b + 2])
        count[at] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pull_string(q: QueryScratch, s: FollowerStore, slot: cython.int) -> cython.int:
    """Leave all corners of a slot's way in the query; return how many, 0 if the corridor does not hold together."""
    if s.count[slot] == 0:
        return 0
    return max(0, find_corners_filtered(
        q, q.any_filter, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2], s.target[3 * slot],
        s.target[3 * slot + 1], s.target[3 * slot + 2], s.refs, slot * s.stride, s.count[slot], q.corner_capacity))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def points_of(parts: cython.int, bends: cython.int) -> cython.int:
    """Line ends that a follower's picture without its corridor takes at most; ``bends``: what the string has."""
    points: cython.int = 0
    if parts & _DISCS:
        points += 24
    if parts & _VELOCITIES:
        points += 4
    if parts & _CORNERS:
        points += 2 * bends + 4 + 24
    return points


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def corners_of(parts: cython.int) -> cython.int:
    """Corners of triangles that it takes."""
    return 36 if parts & _DISCS else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def draw_slot(q: QueryScratch, s: FollowerStore, canvas: Canvas, parts: cython.int, slot: cython.int,
              bends: cython.int, radius: cython.double) -> cython.void:
    """Draw a follower without its corridor; there is room for it, and its string is in the query."""
    if parts & _CORNERS:
        _draw_way(s, q, canvas, slot, bends, radius)
    if parts & _DISCS:
        choose(canvas, _state_row(s, slot), 1.0, _ON_AGENT)
        put_disc(canvas, s.position[3 * slot], s.position[3 * slot + 1], s.position[3 * slot + 2], radius, _DISC_FILL)
    if parts & _VELOCITIES:
        _draw_velocities(s, canvas, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _state_row(s: FollowerStore, slot: cython.int) -> cython.int:
    """The palette's row for what an agent does."""
    x: cython.double = s.velocity[3 * slot]
    z: cython.double = s.velocity[3 * slot + 2]
    if s.state[slot] == FollowerState.MOVING and x * x + z * z < _WAITING_SPEED * _WAITING_SPEED:
        return _WAITING
    return s.state[slot]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_way(s: FollowerStore, q: QueryScratch, canvas: Canvas, slot: cython.int, bends: cython.int,
              size: cython.double) -> cython.void:
    """The line from corner to corner, a cross at the destination, and the link that is being crossed."""
    i: cython.int
    choose(canvas, _WAY, 1.0, _ON_AGENT)
    for i in range(3, 3 * bends, 3):
        put_line(canvas, q.corner_xyz[i - 3], q.corner_xyz[i - 2], q.corner_xyz[i - 1],
                 q.corner_xyz[i], q.corner_xyz[i + 1], q.corner_xyz[i + 2])
    if s.state[slot] != FollowerState.IDLE and s.state[slot] != FollowerState.ARRIVED:
        put_cross(canvas, s.destination[3 * slot], s.destination[3 * slot + 1], s.destination[3 * slot + 2],
                  size)
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        choose(canvas, FollowerState.OFF_MESH_LINK, 1.0, _ABOVE)
        put_arc(canvas, s.link_start[3 * slot], s.link_start[3 * slot + 1], s.link_start[3 * slot + 2],
                s.link_end[3 * slot], s.link_end[3 * slot + 1], s.link_end[3 * slot + 2], 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_velocities(s: FollowerStore, canvas: Canvas, slot: cython.int) -> cython.void:
    """What is wanted, then what is, from where the agent stands; 1 m/s is shown as 1 m."""
    x: cython.double = s.position[3 * slot]
    y: cython.double = s.position[3 * slot + 1]
    z: cython.double = s.position[3 * slot + 2]
    if s.wanted[2 * slot] != 0.0 or s.wanted[2 * slot + 1] != 0.0:
        choose(canvas, _WANTED, 1.0, _ABOVE)
        put_line(canvas, x, y, z, x + s.wanted[2 * slot], y, z + s.wanted[2 * slot + 1])
    if s.velocity[3 * slot] != 0.0 or s.velocity[3 * slot + 1] != 0.0 or s.velocity[3 * slot + 2] != 0.0:
        choose(canvas, _VELOCITY, 1.0, _ABOVE)
        put_line(canvas, x, y, z, x + s.velocity[3 * slot], y + s.velocity[3 * slot + 1], z + s.velocity[3 * slot + 2])
