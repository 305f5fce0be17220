"""A crowd as lines and triangles: what there is to see of each follower, and walls and half-planes."""

import cython

from onepath.corridors.picture import CORRIDORS
from onepath.crowds.crowd import Crowd as _Crowd
from onepath.errors import OutOfRangeError
from onepath.navmesh.canvas import Canvas as _Canvas
from cython.cimports.onepath.corridors.picture import corners_of, draw_corridors, draw_slot, points_of, pull_string
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow
from cython.cimports.onepath.navmesh.canvas import Canvas, choose, has_room, put_line
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.queries.scratch import QueryScratch

#: What there is to see of an agent besides the parts of a follower (:mod:`onepath.corridors.picture`).
WALLS, HALF_PLANES = 16, 32
#: Rows of a crowd's palette after those of a follower's.
WALL, WALL_PLANE, AGENT_PLANE = range(10, 13)

_CORNERS = cython.declare(cython.int, 8)
_WALLS = cython.declare(cython.int, 16)
_HALF_PLANES = cython.declare(cython.int, 32)
_WALL = cython.declare(cython.int, 10)
_WALL_PLANE = cython.declare(cython.int, 11)
_AGENT_PLANE = cython.declare(cython.int, 12)

# Height above the ground (m), so that what lies on it is seen and does not flicker.
_ABOVE = cython.declare(cython.double, 0.12)
# Half-planes: half the length of the drawn piece of a border, and of the stroke into it, in m/s shown as m.
_BORDER = cython.declare(cython.double, 1.5)
_STROKE = cython.declare(cython.double, 0.4)


def draw_crowd(crowd, canvas, parts: int, chosen: int = -1) -> None:
    """Draw all agents as they are now; nothing about the crowd changes.

    Args:
        crowd: the :class:`~onepath.crowds.crowd.Crowd`.
        canvas: the :class:`~onepath.navmesh.canvas.Canvas`, with a palette of ``AGENT_PLANE + 1`` rows.
        parts: those of :func:`~onepath.corridors.picture.draw_follower`, ``WALLS`` looked up, ``HALF_PLANES``,
            added up.
        chosen: id of the agent whose half-planes are drawn; needs ``CrowdOptions.record_constraints``.

    Raises:
        TypeError: ``crowd`` is no crowd.
        OutOfRangeError: ``canvas`` is no canvas.
        OnePathError: another thread is editing the mesh or using the crowd.
    """
    if not isinstance(crowd, _Crowd):
        raise TypeError(f"crowd must be a Crowd, not {type(crowd).__name__}")
    if not isinstance(canvas, _Canvas):
        raise OutOfRangeError("canvas", f"must be a Canvas, not {type(canvas).__name__}")
    with crowd._turn:
        crowd._fit()
        picked = crowd.get_agent(chosen)
        if parts & CORRIDORS:
            store = crowd._store
            draw_corridors(store.mesh, crowd._followers, store.columns["active"], store.slot_count, store.agent_count,
                           canvas)
        _draw(crowd._store, crowd._workers[0], canvas, parts, -1 if picked is None else picked.slot)


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
        bends = pull_string(worker.query, store.followers, slot) if parts & _CORNERS else 0
        if not _fits(store, canvas, parts, slot, bends):
            return slot
        draw_slot(worker.query, store.followers, canvas, parts, slot, bends, store.radius[slot])
        if parts & _WALLS:
            _draw_walls(store, worker, worker.query, canvas, slot)
        if parts & _HALF_PLANES and slot == chosen:
            _draw_half_planes(store, canvas, slot)
    return store.slot_count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fits(store: CrowdStore, canvas: Canvas, parts: cython.int, slot: cython.int, bends: cython.int) -> cython.bint:
    """Tell whether there is room for all that there is to see of an agent but its corridor."""
    points: cython.int = points_of(parts, bends)
    if parts & _WALLS:
        points += 2 * store.wall_count[slot]
    if parts & _HALF_PLANES and store.recording:
        points += 4 * store.line_count[slot]
    return has_room(canvas, points, corners_of(parts))


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
