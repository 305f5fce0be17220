"""The mesh boundary as obstacles: each agent's cache of wall pieces, and the half-planes they give it."""

import cython

from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker
from cython.cimports.onepath.geometry import segment_parameter_xz
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import poly_of_ref, ref_of_poly
from cython.cimports.onepath.orca.constraints import add_boundary_line
from cython.cimports.onepath.queries.walls import find_walls

#: A piece is on the agent's floor if its height differs by at most this and 1.5 times its distance.
_FLOOR_TOLERANCE = cython.declare(cython.double, 1.0)
_FLOOR_SLOPE = cython.declare(cython.double, 1.5)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def refresh_walls(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Look the agent's walls up again if it has moved far enough, the mesh was edited or the last lookup failed."""
    x: cython.double = store.followers.position[3 * slot]
    y: cython.double = store.followers.position[3 * slot + 1]
    z: cython.double = store.followers.position[3 * slot + 2]
    dx: cython.double = x - store.wall_centre[3 * slot]
    dy: cython.double = y - store.wall_centre[3 * slot + 1]
    dz: cython.double = z - store.wall_centre[3 * slot + 2]
    if (store.wall_stamp[slot] == store.mesh.revision
            and dx * dx + dy * dy + dz * dz <= store.refresh_distance * store.refresh_distance):
        return
    store.wall_stamp[slot] = -1
    store.wall_count[slot] = 0
    poly: cython.int = -1
    if store.followers.count[slot] > 0:
        poly = poly_of_ref(store.mesh, store.followers.refs[slot * store.followers.stride])
    if poly < 0:
        return
    count: cython.int = find_walls(
        worker.query, worker.filter, poly, x, z, store.wall_reach[slot] + store.refresh_distance, store.max_walls)
    first: cython.int = slot * store.max_walls
    k: cython.int
    for k in range(count):
        store.wall_poly[first + k] = worker.query.wall_poly[k]
        store.wall_edge[first + k] = worker.query.wall_edge[k] + worker.query.wall_piece[k] * 256
    store.wall_count[slot] = count
    store.wall_stamp[slot] = store.mesh.revision
    store.wall_centre[3 * slot] = x
    store.wall_centre[3 * slot + 1] = y
    store.wall_centre[3 * slot + 2] = z


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_wall_lines(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Append the half-planes of the nearest cached pieces that face the agent; their distances stay in the worker."""
    worker.wall_count = 0
    if store.wall_stamp[slot] != store.mesh.revision or store.max_walls_avoided == 0:
        return
    x: cython.double = store.followers.position[3 * slot]
    y: cython.double = store.followers.position[3 * slot + 1]
    z: cython.double = store.followers.position[3 * slot + 2]
    clearance: cython.double = store.wall_clearance[slot]
    horizon: cython.double = store.wall_horizon * store.horizon[slot]
    first: cython.int = slot * store.max_walls
    k: cython.int
    for k in range(first, first + store.wall_count[slot]):
        _consider_piece(store, worker, slot, store.wall_poly[k], store.wall_edge[k], x, y, z, clearance)
    ends: cython.p_double = worker.wall_ends
    for k in range(worker.wall_count):
        add_boundary_line(
            worker.lines, x, z, ends[4 * k], ends[4 * k + 1], ends[4 * k + 2], ends[4 * k + 3], clearance, horizon)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _consider_piece(
    store: CrowdStore, worker: CrowdWorker, slot: cython.int, poly: cython.int, packed: cython.int,
    x: cython.double, y: cython.double, z: cython.double, clearance: cython.double,
) -> cython.void:
    """Sort one cached piece into the worker's list if it is within reach, on the agent's floor and faces the agent."""
    xyz: cython.p_double = store.mesh.xyz
    edge: cython.int = packed & 255
    start: cython.int = store.mesh.poly_edge[poly] + edge
    end: cython.int = start + 1
    if edge + 1 == store.mesh.poly_size[poly]:
        end = store.mesh.poly_edge[poly]
    ax: cython.double = xyz[3 * start]
    ay: cython.double = xyz[3 * start + 1]
    az: cython.double = xyz[3 * start + 2]
    bx: cython.double = xyz[3 * end]
    by: cython.double = xyz[3 * end + 1]
    bz: cython.double = xyz[3 * end + 2]
    if store.mesh.neighbour[start] <= -2:
        if not wall_piece(store.mesh, worker.filter, worker.query, poly, edge, packed >> 8):
            return
        ax = worker.query.piece_ax
        ay = worker.query.piece_ay
        az = worker.query.piece_az
        bx = worker.query.piece_bx
        by = worker.query.piece_by
        bz = worker.query.piece_bz
    t: cython.double = segment_parameter_xz(ax, az, bx, bz, x, z)
    dx: cython.double = ax + t * (bx - ax) - x
    dz: cython.double = az + t * (bz - az) - z
    distance2: cython.double = dx * dx + dz * dz
    reach: cython.double = store.wall_reach[slot]
    if distance2 > reach * reach:
        return
    rise: cython.double = ay + t * (by - ay) - y
    if rise < 0.0:
        rise = -rise
    rise -= _FLOOR_TOLERANCE
    if rise > 0.0 and rise * rise > _FLOOR_SLOPE * _FLOOR_SLOPE * distance2:
        return
    before: cython.int = worker.lines.count
    if not add_boundary_line(worker.lines, x, z, ax, az, bx, bz, clearance, 1.0):
        return
    worker.lines.count = before
    _keep_piece(store, worker, poly, packed, distance2, ax, az, bx, bz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_piece(
    store: CrowdStore, worker: CrowdWorker, poly: cython.int, packed: cython.int, distance2: cython.double,
    ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double,
) -> cython.void:
    """Insert a piece into the worker's list, nearest first, and drop the last if the list is longer than allowed."""
    ends: cython.p_double = worker.wall_ends
    place: cython.int = worker.wall_count
    k: cython.int
    while place > 0 and _nearer(store, worker, poly, packed, distance2, ax, az, place - 1):
        if place < store.max_walls_avoided:
            worker.wall_poly[place] = worker.wall_poly[place - 1]
            worker.wall_edge[place] = worker.wall_edge[place - 1]
            worker.wall_distance2[place] = worker.wall_distance2[place - 1]
            for k in range(4):
                ends[4 * place + k] = ends[4 * place + k - 4]
        place -= 1
    if place >= store.max_walls_avoided:
        return
    worker.wall_poly[place] = poly
    worker.wall_edge[place] = packed
    worker.wall_distance2[place] = distance2
    ends[4 * place] = ax
    ends[4 * place + 1] = az
    ends[4 * place + 2] = bx
    ends[4 * place + 3] = bz
    if worker.wall_count < store.max_walls_avoided:
        worker.wall_count += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _nearer(
    store: CrowdStore, worker: CrowdWorker, poly: cython.int, packed: cython.int, distance2: cython.double,
    ax: cython.double, az: cython.double, other: cython.int,
) -> cython.bint:
    """Tell whether a piece comes before a listed one: by distance, reference, edge, and its first end's X and Z."""
    if distance2 != worker.wall_distance2[other]:
        return distance2 < worker.wall_distance2[other]
    if poly != worker.wall_poly[other]:
        return ref_of_poly(store.mesh, poly) < ref_of_poly(store.mesh, worker.wall_poly[other])
    if packed & 255 != worker.wall_edge[other] & 255:
        return packed & 255 < worker.wall_edge[other] & 255
    if ax != worker.wall_ends[4 * other]:
        return ax < worker.wall_ends[4 * other]
    return az < worker.wall_ends[4 * other + 1]
