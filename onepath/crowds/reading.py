"""Crowd state from bytes, kind 1: a check that changes nothing, then a load that cannot fail."""

from math import isfinite

import cython

from onepath.corridors.state import FIELDS
from onepath.crowds.settings import FULL_LENGTH, SHORT_LENGTH, unpack_settings
from onepath.crowds.writing import HEADER_SIZE, KIND_CROWD, MAGIC, PIECE_SIZE, VERSION
from onepath.errors import CrowdStateError
from onepath.geometry import COORDINATE_LIMIT
from cython.cimports.libc.math import copysign
from cython.cimports.onepath.buffers import byte_pointer, long_pointer
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.state import check_follower, load_follower
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.crowds.settings import SettingsTable
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import poly_of_ref
from cython.cimports.onepath.packing import get_double, get_int, get_long, get_reference
from cython.cimports.onepath.queries.scratch import QueryScratch

_MOST_IDS = 1 << 62
_MOST_PRIORITY = cython.declare(cython.double, 1e9)
_COORDINATE_LIMIT = cython.declare(cython.double, COORDINATE_LIMIT)
_PIECE_SIZE = cython.declare(cython.longlong, PIECE_SIZE)
_SHORT_LENGTH = cython.declare(cython.longlong, SHORT_LENGTH)
_FULL_LENGTH = cython.declare(cython.longlong, FULL_LENGTH)


def check_header(data, start: int, end: int) -> int:
    """Check magic, version and that the bytes hold them; return the kind.

    Raises:
        CrowdStateError: they are foreign, of another version or too short.
    """
    if end - start < 6:
        raise CrowdStateError("magic", start, "the bytes end early")
    if bytes(data[start:start + 4]) != MAGIC:
        raise CrowdStateError("magic", start, "not a crowd state")
    if data[start + 4] != VERSION:
        raise CrowdStateError("version", start + 4, f"version {data[start + 4]}, not {VERSION}")
    if data[start + 5] not in (1, 2):
        raise CrowdStateError("kind", start + 5, f"kind {data[start + 5]} is neither 1 nor 2")
    return data[start + 5]


def check_state(store: CrowdStore, settings: SettingsTable, worker: CrowdWorker, max_agents: int, column,
                start: int, end: int) -> dict:
    """Check all of a crowd's bytes at ``column[start:end]`` without changing anything.

    Returns:
        For each slot whose agent is new or has other settings than in the crowd: its options.

    Raises:
        CrowdStateError: with the field and its offset.
    """
    data: cython.p_uchar = byte_pointer(column)
    if check_header(column, start, end) != KIND_CROWD:
        raise CrowdStateError("kind", start + 5, "not a state of a crowd alone")
    if end - start < HEADER_SIZE:
        raise CrowdStateError("header", start + 6, "the bytes end early")
    slots: cython.int = get_int(data, start + 6)
    agents: cython.int = get_int(data, start + 10)
    lowest_free: cython.int = get_int(data, start + 14)
    next_id: cython.longlong = get_long(data, start + 18)
    if not 0 <= slots <= max_agents:
        raise CrowdStateError("slot count", start + 6, f"{slots} slots are not within 0..{max_agents}")
    if not 0 <= agents <= slots:
        raise CrowdStateError("agent count", start + 10, f"{agents} agents do not fit into {slots} slots")
    if not 0 <= lowest_free <= slots:
        raise CrowdStateError("lowest free slot", start + 14, f"{lowest_free} is not within 0..{slots}")
    if not agents <= next_id <= _MOST_IDS:
        raise CrowdStateError("next id", start + 18, f"{next_id} is not possible")
    changes: dict = {}
    parsed: dict = {}
    at: cython.longlong = start + HEADER_SIZE
    found: cython.int = 0
    active: cython.int
    slot: cython.int
    for slot in range(slots):
        if at >= end:
            raise CrowdStateError("active", at, "the bytes end early")
        active = data[at]
        if active > 1:
            raise CrowdStateError("active", at, f"a flag is 0 or 1, not {active}")
        if active == 0:
            if slot < lowest_free:
                raise CrowdStateError("active", at, f"slot {slot} is below the lowest free slot {lowest_free}")
            at += 1
            continue
        found += 1
        at = _check_slot(store, settings, worker, column, slot, at + 1, end, next_id, changes, parsed)
    if found != agents:
        raise CrowdStateError("agent count", start + 10, f"{agents} agents announced, {found} found")
    if at != end:
        raise CrowdStateError("trailing bytes", at, f"{end - at} bytes too many")
    if changes:
        _check_ids(column, start, slots)
    return changes


@cython.cfunc
@cython.exceptval(-1)
def _check_slot(store: CrowdStore, settings: SettingsTable, worker: CrowdWorker, column, slot: cython.int,
                at: cython.longlong, end: cython.longlong, next_id: cython.longlong, changes: dict,
                parsed: dict) -> cython.longlong:
    """Check an active slot behind its first byte; return the offset behind it."""
    data: cython.p_uchar = byte_pointer(column)
    scratch: CorridorScratch = worker.scratch
    _expect(end - at >= 16, "id", at)
    id: cython.longlong = get_long(data, at)
    if not 0 <= id < next_id:
        raise CrowdStateError("id", at, f"{id} is not within 0..{next_id - 1}")
    priority: cython.double = get_double(data, at + 8)
    if not 0.0 < priority <= _MOST_PRIORITY:
        raise CrowdStateError("priority", at + 8, f"{priority!r} is not within (0, 1e9]")
    capacity: cython.int
    length: cython.longlong
    same: cython.bint = slot < store.slot_count and store.active[slot] != 0 and store.id[slot] == id
    if same and _same_settings(store, settings, slot, data, at + 16, end):
        capacity = store.followers.capacity[slot]
        length = settings.length[store.options_row[slot]]
    else:
        content = bytes(memoryview(column)[at + 16:min(at + 16 + FULL_LENGTH, end)])
        if content not in parsed:
            parsed[content] = unpack_settings(content, at + 16)
        options, length = parsed[content]
        changes[slot] = options
        capacity = options.to_follower_options().corridor_capacity
    at += 16 + length
    _expect(end - at >= 22, "flags", at)
    _expect_flag(data, "walking", at)
    _expect_flag(data, "crossing", at + 1)
    if not (isfinite(get_double(data, at + 2)) and isfinite(get_double(data, at + 10))):
        raise CrowdStateError("wanted velocity", at + 2, "must be finite")
    length = get_int(data, at + 18)
    if length < 0 or length > end - at - 22:
        raise CrowdStateError("follower length", at + 18, f"{length} bytes are not there")
    at += 22
    behind: cython.longlong = check_follower(data, at, at + length, capacity, scratch)
    if behind < 0:
        field = FIELDS[scratch.error_field]
        raise CrowdStateError(f"follower {field}", scratch.error_offset, "out of range or cut off")
    if behind != at + length:
        raise CrowdStateError("follower length", at - 4, f"the follower takes {behind - at} bytes, not {length}")
    return _check_walls(store, data, behind, end)


@cython.cfunc
@cython.exceptval(-1)
def _check_walls(store: CrowdStore, data: cython.p_uchar, at: cython.longlong, end: cython.longlong) -> cython.longlong:
    """Check a wall cache; return the offset behind it."""
    _expect(end > at, "wall cache", at)
    _expect_flag(data, "wall cache", at)
    at += 1
    if data[at - 1] == 0:
        return at
    _expect(end - at >= 28, "wall cache centre", at)
    _check_coordinates(data, at, 3, "wall cache centre")
    count: cython.int = get_int(data, at + 24)
    if not 0 <= count <= store.max_walls:
        raise CrowdStateError("wall count", at + 24, f"{count} is not within 0..{store.max_walls}")
    at += 28
    if count * _PIECE_SIZE > end - at:
        raise CrowdStateError("wall count", at - 4, f"{count} pieces are not there")
    for _ in range(count):
        if not 0 <= get_int(data, at + 8) <= 255:
            raise CrowdStateError("wall edge", at + 8, "no polygon has such an edge")
        _check_coordinates(data, at + 12, 6, "wall ends")
        at += _PIECE_SIZE
    return at


@cython.cfunc
@cython.exceptval(-1)
def _check_coordinates(data: cython.p_uchar, at: cython.longlong, count: cython.int, field: str) -> cython.int:
    k: cython.int
    value: cython.double
    for k in range(count):
        value = get_double(data, at + 8 * k)
        if not (-_COORDINATE_LIMIT < value and value < _COORDINATE_LIMIT):
            raise CrowdStateError(field, at + 8 * k, f"{value!r} is no coordinate")
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _expect(there: cython.bint, field: str, at: cython.longlong) -> cython.int:
    if not there:
        raise CrowdStateError(field, at, "the bytes end early")
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _expect_flag(data: cython.p_uchar, field: str, at: cython.longlong) -> cython.int:
    flag: cython.int = data[at]
    if flag > 1:
        raise CrowdStateError(field, at, f"a flag is 0 or 1, not {flag}")
    return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_settings(store: CrowdStore, settings: SettingsTable, slot: cython.int, data: cython.p_uchar,
                   at: cython.longlong, end: cython.longlong) -> cython.bint:
    """Tell whether the bytes at ``at`` are the settings of the agent in a slot."""
    row: cython.int = store.options_row[slot]
    length: cython.int = settings.length[row]
    first: cython.longlong = row * cython.cast(cython.longlong, settings.stride)
    k: cython.int
    if end - at < length:
        return False
    for k in range(length):
        if data[at + k] != settings.data[first + k]:
            return False
    return True


def _check_ids(column, start: int, slots: cython.int):
    """Check that no id is used twice in bytes that are otherwise good."""
    data: cython.p_uchar = byte_pointer(column)
    seen = set()
    at: cython.longlong = start + HEADER_SIZE
    for _ in range(slots):
        if data[at] != 0:
            id = get_long(data, at + 1)
            if id in seen:
                raise CrowdStateError("id", at + 1, f"{id} is used twice")
            seen.add(id)
        at = _behind_slot(data, at)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _settings_length(data: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Return how long the settings at ``at`` are."""
    return _FULL_LENGTH if data[at + _SHORT_LENGTH - 1] != 0 else _SHORT_LENGTH


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _behind_slot(data: cython.p_uchar, at: cython.longlong) -> cython.longlong:
    """Return the offset behind a slot of checked bytes."""
    if data[at] == 0:
        return at + 1
    at += 17
    at += _settings_length(data, at) + 18
    at += 4 + get_int(data, at)
    if data[at] == 0:
        return at + 1
    return at + 29 + _PIECE_SIZE * get_int(data, at + 25)


def load_header(store: CrowdStore, column, start: int) -> None:
    """Take over what precedes the slots of checked bytes."""
    data: cython.p_uchar = byte_pointer(column)
    store.slot_count = get_int(data, start + 6)
    store.agent_count = get_int(data, start + 10)
    store.lowest_free = get_int(data, start + 14)
    store.next_id = get_long(data, start + 18)
    store.step_count = get_reference(data, start + 26)


def slot_count_of(column, start: int) -> int:
    """Return how many slots checked bytes hold."""
    return get_int(byte_pointer(column), start + 6)


def read_ids(column, start: int, slots: cython.int, ids) -> None:
    """Write the id of each slot of checked bytes (−1: no agent) into a ``q`` column."""
    data: cython.p_uchar = byte_pointer(column)
    target: cython.p_longlong = long_pointer(ids)
    at: cython.longlong = start + HEADER_SIZE
    slot: cython.int
    with cython.nogil:
        for slot in range(slots):
            target[slot] = get_long(data, at + 1) if data[at] != 0 else -1
            at = _behind_slot(data, at)


def load_slots(store: CrowdStore, worker: CrowdWorker, column, start: int) -> None:
    """Load every active slot of checked bytes; settings are in place already."""
    data: cython.p_uchar = byte_pointer(column)
    followers: FollowerStore = store.followers
    at: cython.longlong = start + HEADER_SIZE
    slot: cython.int
    next: cython.longlong
    with cython.nogil:
        for slot in range(store.slot_count):
            next = _behind_slot(data, at)
            store.line_count[slot] = store.line_walls[slot] = 0
            if data[at] != 0:
                store.priority[slot] = get_double(data, at + 9)
                at += 17
                at += _settings_length(data, at)
                store.walking[slot] = data[at]
                store.crossing[slot] = data[at + 1]
                followers.wanted[2 * slot] = get_double(data, at + 2)
                followers.wanted[2 * slot + 1] = get_double(data, at + 10)
                at = load_follower(followers, slot, data, at + 22)
                _load_walls(store, worker, worker.query, slot, data, at)
            at = next


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _load_walls(
    store: CrowdStore, worker: CrowdWorker, q: QueryScratch, slot: cython.int, data: cython.p_uchar, at: cython.longlong
) -> cython.void:
    """Load a wall cache. One that does not fit the mesh is stale: it is looked up again by the next step."""
    store.wall_stamp[slot] = -1
    store.wall_count[slot] = 0
    narrow(store, worker, slot)
    if data[at] == 0:
        return
    first: cython.int = slot * store.max_walls
    count: cython.int = get_int(data, at + 25)
    k: cython.int
    packed: cython.int
    for k in range(3):
        store.wall_centre[3 * slot + k] = get_double(data, at + 1 + 8 * k)
    at += 29
    for k in range(count):
        packed = _find_piece(store, worker, q, data, at)
        if packed < 0:
            return
        store.wall_poly[first + k] = poly_of_ref(store.mesh, get_reference(data, at))
        store.wall_edge[first + k] = packed
        at += _PIECE_SIZE
    store.wall_count[slot] = count
    store.wall_stamp[slot] = store.mesh.revision


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_written(data: cython.p_uchar, at: cython.longlong, value: cython.double) -> cython.bint:
    """Tell whether the bytes hold exactly this number, the sign of a zero included."""
    return get_double(data, at) == value and (data[at + 7] >= 128) == (copysign(1.0, value) < 0.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_piece(
    store: CrowdStore, worker: CrowdWorker, q: QueryScratch, data: cython.p_uchar, at: cython.longlong
) -> cython.int:
    """Return the packed edge and number of the mesh's wall piece with exactly these ends, or −1."""
    poly: cython.int = poly_of_ref(store.mesh, get_reference(data, at))
    edge: cython.int = get_int(data, at + 8)
    if poly < 0 or edge >= store.mesh.poly_size[poly]:
        return -1
    piece: cython.int = 0
    while wall_piece(store.mesh, worker.filter, q, poly, edge, piece):
        if (_is_written(data, at + 12, q.piece_ax) and _is_written(data, at + 20, q.piece_ay)
                and _is_written(data, at + 28, q.piece_az) and _is_written(data, at + 36, q.piece_bx)
                and _is_written(data, at + 44, q.piece_by) and _is_written(data, at + 52, q.piece_bz)):
            return edge + piece * 256
        piece += 1
    return -1
