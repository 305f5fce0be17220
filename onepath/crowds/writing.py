"""Crowd state to bytes, kind 1, version 1 (the table is in the documentation): size, bytes and hash share this code."""

import cython

from onepath.buffers import zeros
from onepath.packing import FNV_BASIS
from cython.cimports.onepath.buffers import byte_pointer
from cython.cimports.onepath.corridors.state import follower_size, write_follower
from cython.cimports.onepath.crowds.settings import SettingsTable
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import ref_of_poly
from cython.cimports.onepath.packing import (
    fnv1a_update, put_byte, put_double, put_int, put_long, put_reference,
)
from cython.cimports.onepath.queries.scratch import QueryScratch

#: First bytes of every crowd state, the version, and the kinds.
MAGIC = b"OPCS"
VERSION = 1
KIND_CROWD = 1
KIND_MESH_AND_CROWD = 2
#: Bytes before the first slot of kind 1.
HEADER_SIZE = 34
#: Bytes of a piece in a wall cache.
PIECE_SIZE = 8 + 4 + 48

_HEADER_SIZE = cython.declare(cython.int, HEADER_SIZE)
#: Bytes of an active slot besides its settings, its follower and its wall cache; of a valid cache; of a piece in it.
_FIXED_SIZE = cython.declare(cython.int, 1 + 8 + 8 + 2 + 16 + 4 + 1)
_CACHE_SIZE = cython.declare(cython.int, 24 + 4)
_PIECE_SIZE = cython.declare(cython.int, PIECE_SIZE)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def slot_size(store: CrowdStore, settings: SettingsTable, slot: cython.int) -> cython.longlong:
    """Return how many bytes a slot takes."""
    if store.active[slot] == 0:
        return 1
    size: cython.longlong = (
        _FIXED_SIZE + settings.length[store.options_row[slot]] + follower_size(store.followers, slot))
    if store.wall_stamp[slot] == store.mesh.revision:
        size += _CACHE_SIZE + store.wall_count[slot] * _PIECE_SIZE
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_header(store: CrowdStore, data: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Write all that precedes the slots."""
    at = put_byte(data, at, 79)
    at = put_byte(data, at, 80)
    at = put_byte(data, at, 67)
    at = put_byte(data, at, 83)
    at = put_byte(data, at, 1)
    at = put_byte(data, at, 1)
    at = put_int(data, at, store.slot_count)
    at = put_int(data, at, store.agent_count)
    at = put_int(data, at, store.lowest_free)
    at = put_long(data, at, store.next_id)
    return put_reference(data, at, store.step_count)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_slot(
    store: CrowdStore, settings: SettingsTable, worker: CrowdWorker, slot: cython.int, data: cython.p_uchar,
    at: cython.longlong,
) -> cython.longlong:
    """Write one slot; the worker's query is used to look up the ends of wall pieces."""
    if store.active[slot] == 0:
        return put_byte(data, at, 0)
    at = put_byte(data, at, 1)
    at = put_long(data, at, store.id[slot])
    at = put_double(data, at, store.priority[slot])
    row: cython.int = store.options_row[slot]
    first: cython.longlong = row * cython.cast(cython.longlong, settings.stride)
    k: cython.int
    for k in range(settings.length[row]):
        data[at + k] = settings.data[first + k]
    at += settings.length[row]
    at = put_byte(data, at, store.walking[slot])
    at = put_byte(data, at, store.crossing[slot])
    at = put_double(data, at, store.followers.wanted[2 * slot])
    at = put_double(data, at, store.followers.wanted[2 * slot + 1])
    at = put_int(data, at, cython.cast(cython.int, follower_size(store.followers, slot)))
    at = write_follower(store.followers, slot, data, at)
    return _write_walls(store, worker, worker.query, slot, data, at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_walls(
    store: CrowdStore, worker: CrowdWorker, q: QueryScratch, slot: cython.int, data: cython.p_uchar, at: cython.longlong
) -> cython.longlong:
    if store.wall_stamp[slot] != store.mesh.revision:
        return put_byte(data, at, 0)
    at = put_byte(data, at, 1)
    k: cython.int
    for k in range(3):
        at = put_double(data, at, store.wall_centre[3 * slot + k])
    count: cython.int = store.wall_count[slot]
    at = put_int(data, at, count)
    first: cython.int = slot * store.max_walls
    poly: cython.int
    packed: cython.int
    narrow(store, worker, slot)
    for k in range(first, first + count):
        poly = store.wall_poly[k]
        packed = store.wall_edge[k]
        wall_piece(store.mesh, worker.filter, q, poly, packed & 255, packed >> 8)
        at = put_reference(data, at, ref_of_poly(store.mesh, poly))
        at = put_int(data, at, packed & 255)
        at = put_double(data, at, q.piece_ax)
        at = put_double(data, at, q.piece_ay)
        at = put_double(data, at, q.piece_az)
        at = put_double(data, at, q.piece_bx)
        at = put_double(data, at, q.piece_by)
        at = put_double(data, at, q.piece_bz)
    return at


def state_size(store: CrowdStore, settings: SettingsTable) -> int:
    """Return the length of the crowd's bytes."""
    size: cython.longlong = _HEADER_SIZE
    slot: cython.int
    with cython.nogil:
        for slot in range(store.slot_count):
            size += slot_size(store, settings, slot)
    return size


def write_state(store: CrowdStore, settings: SettingsTable, worker: CrowdWorker, column) -> int:
    """Write the crowd's bytes to the start of a byte column that is long enough; return their number."""
    data: cython.p_uchar = byte_pointer(column)
    at: cython.longlong = 0
    slot: cython.int
    with cython.nogil:
        at = write_header(store, data, 0)
        for slot in range(store.slot_count):
            at = write_slot(store, settings, worker, slot, data, at)
    return at


def hash_state(store: CrowdStore, settings: SettingsTable, worker: CrowdWorker, column) -> int:
    """Return the hash of the crowd's bytes; the column holds one slot (or the header) at a time."""
    data: cython.p_uchar = byte_pointer(column)
    value: cython.ulonglong = FNV_BASIS
    slot: cython.int
    with cython.nogil:
        value = fnv1a_update(value, data, 0, write_header(store, data, 0))
        for slot in range(store.slot_count):
            value = fnv1a_update(value, data, 0, write_slot(store, settings, worker, slot, data, 0))
    return value


def longest_slot(store: CrowdStore, settings: SettingsTable) -> int:
    """Return how long a column :func:`hash_state` needs."""
    size: cython.longlong = _HEADER_SIZE
    slot: cython.int
    with cython.nogil:
        for slot in range(store.slot_count):
            size = max(size, slot_size(store, settings, slot))
    return size


def fitted(column, size: int):
    """Return a byte column of at least ``size`` bytes: ``column`` itself if it is that long."""
    return column if len(column) >= size else zeros("B", size + size // 8)
