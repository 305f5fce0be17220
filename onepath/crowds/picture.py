"""A crowd as lines and triangles: discs, velocities, corridors, ways, walls and half-planes of all its agents."""

import cython

from onepath.buffers import zeros
from onepath.crowds.crowd import Crowd as _Crowd
from onepath.errors import OutOfRangeError
from onepath.navmesh.canvas import Canvas as _Canvas
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import double_pointer, int_pointer
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow
from cython.cimports.onepath.navmesh.canvas import (
    Canvas, choose, has_room, put_arc, put_corner, put_cross, put_disc, put_line,
)
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import MeshStore, poly_of_ref
from cython.cimports.onepath.queries.funnel import find_corners
from cython.cimports.onepath.queries.scratch import QueryScratch

#: What there is to see of an agent.
DISCS, VELOCITIES, CORRIDORS, CORNERS, WALLS, HALF_PLANES = (1 << bit for bit in range(6))
#: Rows of a crowd's palette. The first six are the states, by number; an agent that is MOVING but stands is waiting.
(IDLE, MOVING, CROSSING, ARRIVED, NO_PATH, STUCK, WAITING, VELOCITY, WANTED, WAY, WALL, WALL_PLANE,
 AGENT_PLANE) = range(13)
#: How many of them are colours of what agents do.
STATE_ROWS = 7
#: A MOVING agent slower than this (m/s) waits: for its search, or for others to pass.
WAITING_SPEED = 0.05

_DISCS = cython.declare(cython.int, 1)
_VELOCITIES = cython.declare(cython.int, 2)
_CORRIDORS = cython.declare(cython.int, 4)
_CORNERS = cython.declare(cython.int, 8)
_WALLS = cython.declare(cython.int, 16)
_HALF_PLANES = cython.declare(cython.int, 32)
_MOVING = cython.declare(cython.int, 1)
_CROSSING = cython.declare(cython.int, 2)
_ARRIVED = cython.declare(cython.int, 3)
_WAITING = cython.declare(cython.int, 6)
_STATE_ROWS = cython.declare(cython.int, 7)
_VELOCITY = cython.declare(cython.int, 7)
_WANTED = cython.declare(cython.int, 8)
_WAY = cython.declare(cython.int, 9)
_WALL = cython.declare(cython.int, 10)
_WALL_PLANE = cython.declare(cython.int, 11)
_AGENT_PLANE = cython.declare(cython.int, 12)
_WAITING_SPEED = cython.declare(cython.double, WAITING_SPEED)

# Heights above the ground (m), so that what lies on it is seen and does not flicker.
_ON_CORRIDOR = cython.declare(cython.double, 0.05)
_ON_AGENT = cython.declare(cython.double, 0.07)
_ABOVE = cython.declare(cython.double, 0.12)
# The fill of a disc, as a share of its rim's alpha.
_DISC_FILL = cython.declare(cython.double, 0.35)
# The fill of a corridor, as a share of its colour's alpha: the more agents, the fainter, between two bounds. Its edges
# are so many times as strong.
_FILL = cython.declare(cython.double, 0.35)
_MOST_FILL = cython.declare(cython.double, 0.2)
_LEAST_FILL = cython.declare(cython.double, 0.012)
_EDGES_TO_FILL = cython.declare(cython.double, 4.0)
# Half-planes: half the length of the drawn piece of a border, and of the stroke into it, in m/s shown as m.
_BORDER = cython.declare(cython.double, 1.5)
_STROKE = cython.declare(cython.double, 0.4)


def draw_crowd(crowd, canvas, parts: int, chosen: int = -1) -> None:
    """Draw all agents as they are now; nothing about the crowd changes.

    Args:
        crowd: the :class:`~onepath.crowds.crowd.Crowd`.
        canvas: the :class:`~onepath.navmesh.canvas.Canvas`, with a palette of ``AGENT_PLANE + 1`` rows.
        parts: ``DISCS``, ``VELOCITIES`` (and those wanted), ``CORRIDORS``, ``CORNERS`` (with the destination and a
            crossing under way), ``WALLS`` looked up, ``HALF_PLANES``, added up.
        chosen: id of the agent whose half-planes are drawn; needs ``CrowdOptions.record_constraints``.

    Raises:
        TypeError: ``crowd`` is no crowd.
        OutOfRangeError: ``canvas`` is no canvas.
    """
    if not isinstance(crowd, _Crowd):
        raise TypeError(f"crowd must be a Crowd, not {type(crowd).__name__}")
    if not isinstance(canvas, _Canvas):
        raise OutOfRangeError("canvas", f"must be a Canvas, not {type(canvas).__name__}")
    crowd._fit()
    picked = crowd.get_agent(chosen)
    if parts & CORRIDORS:
        _draw_corridors(crowd._store, crowd._followers, canvas)
    _draw(crowd._store, crowd._workers[0], canvas, parts, -1 if picked is None else picked.slot)


def _draw_corridors(store: CrowdStore, s: FollowerStore, canvas: Canvas):
    """Draw each polygon of any corridor once for each state of those who go there.

    Its shade is that of one layer over the other for each of them, without their cost.
    """
    mesh: MeshStore = store.mesh
    fill: cython.double = min(_MOST_FILL, max(_LEAST_FILL, _FILL / sqrt(max(1, store.agent_count))))
    counts = zeros("i", STATE_ROWS * mesh.poly_capacity)
    found = zeros("i", STATE_ROWS * mesh.poly_capacity)
    fills = _shades(fill, store.agent_count)
    edges = _shades(min(1.0, _EDGES_TO_FILL * fill), store.agent_count)
    count: cython.p_int = int_pointer(counts)
    key: cython.p_int = int_pointer(found)
    fill_of: cython.p_double = double_pointer(fills)
    edge_of: cython.p_double = double_pointer(edges)
    keys: cython.int
    with cython.nogil:
        keys = _count_corridors(store, s, mesh, canvas, count, key)
    canvas.reserve(canvas.asked_points, canvas.asked_corners)
    with cython.nogil:
        _draw_counted(mesh, canvas, keys, key, count, fill_of, edge_of)


def _shades(layer: float, most: int):
    """The alpha of 0, 1, 2, … ``most`` layers over each other, each with the alpha ``layer``."""
    shades = zeros("d", most + 1)
    for number in range(most):
        shades[number + 1] = shades[number] + (1.0 - shades[number]) * layer
    return shades


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_corridors(store: CrowdStore, s: FollowerStore, mesh: MeshStore, canvas: Canvas, count: cython.p_int,
                     key: cython.p_int) -> cython.int:
    """Count how many corridors with a row of the palette go through each polygon.

    Args:
        count: gets the numbers, by ``STATE_ROWS`` · polygon + row.
        key: gets the places in ``count`` that are not 0, in the order in which they were met.

    Returns:
        How many of them there are. The canvas has been asked for the room that they take.
    """
    keys: cython.int = 0
    points: cython.int = 0
    corners: cython.int = 0
    slot: cython.int
    i: cython.int
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
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
def _draw_counted(mesh: MeshStore, canvas: Canvas, keys: cython.int, key: cython.p_int, count: cython.p_int,
                  fill_of: cython.p_double, edge_of: cython.p_double) -> cython.void:
    number: cython.int
    k: cython.int
    for number in range(keys):
        at: cython.int = key[number]
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


def _draw(store: CrowdStore, worker: CrowdWorker, canvas: Canvas, parts: cython.int, chosen: cython.int):
    """Draw slot by slot; where there is no room left, make room and go on."""
    slot: cython.int = 0
    while True:
        with cython.nogil:
            slot = _draw_from(store, worker, canvas, parts, slot, chosen)
        if slot == store.slot_count:
            return
        canvas.reserve(canvas.asked_points, canvas.asked_corners)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_from(store: CrowdStore, worker: CrowdWorker, canvas: Canvas, parts: cython.int, first: cython.int,
               chosen: cython.int) -> cython.int:
    """Draw the agents from a slot on; return the first slot for which there is no room, or the number of slots."""
    slot: cython.int
    bends: cython.int
    for slot in range(first, store.slot_count):
        if store.active[slot] == 0:
            continue
        bends = _pull_string(store.followers, worker.query, slot) if parts & _CORNERS else 0
        if not _fits(store, canvas, parts, slot, bends):
            return slot
        if parts & _CORNERS:
            _draw_way(store.followers, worker.query, canvas, slot, bends, store.radius[slot])
        if parts & _DISCS:
            choose(canvas, _state_row(store.followers, slot), 1.0, _ON_AGENT)
            put_disc(canvas, store.followers.position[3 * slot], store.followers.position[3 * slot + 1],
                     store.followers.position[3 * slot + 2], store.radius[slot], _DISC_FILL)
        if parts & _VELOCITIES:
            _draw_velocities(store.followers, canvas, slot)
        if parts & _WALLS:
            _draw_walls(store, worker, worker.query, canvas, slot)
        if parts & _HALF_PLANES and slot == chosen:
            _draw_half_planes(store, canvas, slot)
    return store.slot_count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pull_string(s: FollowerStore, q: QueryScratch, slot: cython.int) -> cython.int:
    """Leave all corners of a slot's way in the query; return how many, 0 if the corridor does not hold together."""
    if s.count[slot] == 0:
        return 0
    return max(0, find_corners(q, s.surface[3 * slot], s.surface[3 * slot + 1], s.surface[3 * slot + 2],
                               s.target[3 * slot], s.target[3 * slot + 1], s.target[3 * slot + 2], s.refs,
                               slot * s.stride, s.count[slot], q.corner_capacity))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits(store: CrowdStore, canvas: Canvas, parts: cython.int, slot: cython.int, bends: cython.int) -> cython.bint:
    """Tell whether there is room for all that there is to see of an agent but its corridor."""
    points: cython.int = 0
    corners: cython.int = 0
    if parts & _DISCS:
        points += 24
        corners += 36
    if parts & _VELOCITIES:
        points += 4
    if parts & _CORNERS:
        points += 2 * bends + 4 + 24
    if parts & _WALLS:
        points += 2 * store.wall_count[slot]
    if parts & _HALF_PLANES and store.recording:
        points += 4 * store.line_count[slot]
    return has_room(canvas, points, corners)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _state_row(s: FollowerStore, slot: cython.int) -> cython.int:
    """The palette's row for what an agent does."""
    x: cython.double = s.velocity[3 * slot]
    z: cython.double = s.velocity[3 * slot + 2]
    if s.state[slot] == _MOVING and x * x + z * z < _WAITING_SPEED * _WAITING_SPEED:
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
    if s.state[slot] != 0 and s.state[slot] != _ARRIVED:
        put_cross(canvas, s.destination[3 * slot], s.destination[3 * slot + 1], s.destination[3 * slot + 2],
                  size)
    if s.state[slot] == _CROSSING:
        choose(canvas, _CROSSING, 1.0, _ABOVE)
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_walls(store: CrowdStore, worker: CrowdWorker, q: QueryScratch, canvas: Canvas,
                slot: cython.int) -> cython.void:
    """The pieces of walls that an agent keeps, unless they are to be looked up again."""
    if store.wall_stamp[slot] != store.mesh.revision:
        return
    k: cython.int
    narrow(store, worker, slot)
    choose(canvas, _WALL, 1.0, _ABOVE)
    for k in range(slot * store.max_walls, slot * store.max_walls + store.wall_count[slot]):
        if wall_piece(store.mesh, worker.filter, q, store.wall_poly[k], store.wall_edge[k] & 255,
                      store.wall_edge[k] >> 8):
            put_line(canvas, q.piece_ax, q.piece_ay, q.piece_az, q.piece_bx, q.piece_by, q.piece_bz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _draw_half_planes(store: CrowdStore, canvas: Canvas, slot: cython.int) -> cython.void:
    """Borders of the allowed velocities, 1 m/s as 1 m around the agent, with a stroke into the allowed side."""
    if not store.recording:
        return
    first: cython.longlong = 4 * slot * cython.cast(cython.longlong, store.max_lines)
    y: cython.double = store.followers.position[3 * slot + 1]
    k: cython.int
    for k in range(store.line_count[slot]):
        at: cython.longlong = first + 4 * k
        x: cython.double = store.followers.position[3 * slot] + store.line[at]
        z: cython.double = store.followers.position[3 * slot + 2] + store.line[at + 1]
        nx: cython.double = store.line[at + 2]
        nz: cython.double = store.line[at + 3]
        choose(canvas, _WALL_PLANE if k < store.line_walls[slot] else _AGENT_PLANE, 1.0, _ABOVE)
        put_line(canvas, x - _BORDER * nz, y, z + _BORDER * nx, x + _BORDER * nz, y, z - _BORDER * nx)
        put_line(canvas, x, y, z, x + _STROKE * nx, y, z + _STROKE * nz)
