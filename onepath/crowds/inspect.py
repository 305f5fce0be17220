"""Reading wall caches and recorded half-planes out of a crowd's columns."""

import cython

from onepath.orca.constraints import HalfPlane
from onepath.queries.results import Wall
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import ref_of_poly
from cython.cimports.onepath.queries.scratch import QueryScratch


def cached_walls(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> list:
    """Return the pieces that an agent keeps, in cache order; empty if its cache is stale."""
    walls: list = []
    if store.wall_stamp[slot] != store.mesh.revision:
        return walls
    q: QueryScratch = worker.query
    narrow(store, worker, slot)
    first: cython.int = slot * store.max_walls
    k: cython.int
    for k in range(first, first + store.wall_count[slot]):
        poly: cython.int = store.wall_poly[k]
        edge: cython.int = store.wall_edge[k] & 255
        if wall_piece(store.mesh, worker.filter, q, poly, edge, store.wall_edge[k] >> 8):
            walls.append(Wall((q.piece_ax, q.piece_ay, q.piece_az), (q.piece_bx, q.piece_by, q.piece_bz),
                              ref_of_poly(store.mesh, poly), edge))
    return walls


def recorded_lines(store: CrowdStore, slot: cython.int) -> tuple:
    """Return the half-planes of the last step and how many of them are walls."""
    lines: list = []
    if not store.recording:
        return lines, 0
    first: cython.longlong = 4 * slot * cython.cast(cython.longlong, store.max_lines)
    k: cython.int
    for k in range(store.line_count[slot]):
        at: cython.longlong = first + 4 * k
        lines.append(HalfPlane((store.line[at], store.line[at + 1]), (store.line[at + 2], store.line[at + 3])))
    return lines, store.line_walls[slot]
