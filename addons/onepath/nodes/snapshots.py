"""Saving and restoring a crowd with its nodes.

The data of a CrowdSnapshot: ``OPNS``, the length of the core's state as i32, the duration of the last step as f64, that
state (kind 1, or 2 with the mesh), then for each agent in slot order id i64, pivot height f64, awaiting u8, target
f64 × 3, where it was led to last f64 × 3, then a checksum u64: FNV-1a of all before the state, the snapshot's ``hash``
in ASCII and all rows. (Crowd and mesh within the state have hashes of their own.) Little-endian.
"""

from __future__ import annotations

import struct
from array import array
from math import isfinite

import godot

import onepath

from .crowd_snapshot import VERSION
from .ground import DEEPEST_PIVOT, HIGHEST_PIVOT
from .tuning import is_place

# Values of the engine's Error.
OK, UNCONFIGURED, FILE_UNRECOGNIZED, FILE_CORRUPT, INVALID_DATA = 0, 3, 15, 16, 30
NO_MESH, REFERENCED, FULL = range(3)
_MAGIC = b"OPNS"
_START = struct.Struct("<4sid")
_AGENT = struct.Struct("<qdB6d")
_CHECKSUM = struct.Struct("<Q")
_KIND_2_HEADER = 6


class _Damaged(Exception):
    def __init__(self, error: int, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.error = error


def save(runtime, mesh_mode: int):
    """A CrowdSnapshot of a crowd that is there."""
    crowd = runtime.crowd
    state = crowd.save_state() if mesh_mode == NO_MESH else crowd.save_state_with_mesh(mesh_mode == REFERENCED)
    rows, paths = [], {}
    lifts, previous = runtime.host.columns["lift"], runtime.host.columns["previous"]
    for member in crowd:
        slot, agent = member.slot, runtime.agents[member.slot]
        target = agent.target_position if agent is not None else runtime.targets.get(member.id, (0.0, 0.0, 0.0))
        led_to = previous[3 * slot:3 * slot + 3]
        rows.append(_AGENT.pack(member.id, lifts[slot], runtime.awaiting[slot], *target, *led_to))
        if agent is not None:
            paths[member.id] = godot.NodePath(str(runtime.node.get_path_to(agent)))
    made = godot.new("CrowdSnapshot")
    made.version = VERSION
    made.mesh_mode = mesh_mode
    made.hash = f"{crowd.state_hash():016x}"
    made.agents = paths
    start, table = _START.pack(_MAGIC, len(state), runtime.last_dt), b"".join(rows)
    made.data = b"".join((start, state, table, _CHECKSUM.pack(_checksum(start, made.hash, table))))
    return made


def restore(runtime, snapshot) -> int:
    """Bring a crowd to a saved state; an engine Error, and nothing changed, if that cannot be."""
    try:
        state, last_dt, rows = _parts(snapshot)
        if snapshot.mesh_mode == NO_MESH:
            runtime.crowd.restore_state(state)
        else:
            runtime.crowd.restore_state_with_mesh(state)
            if runtime.source is not None:
                runtime.source.unsure = True
    except _Damaged as problem:
        godot.error(f"{runtime.node.get_path()}: the snapshot cannot be restored: {problem}")
        return problem.error
    except (onepath.CrowdStateError, onepath.NavMeshFormatError) as problem:
        godot.error(f"{runtime.node.get_path()}: the snapshot cannot be restored: data: {problem}")
        return FILE_CORRUPT
    runtime.last_dt = last_dt
    _bind_nodes(runtime, snapshot, rows)
    return OK


def _parts(snapshot) -> tuple[bytes, float, dict]:
    """The core's state, the duration of the last step, and the rows of the agents by id; all of it checked."""
    if snapshot.version != VERSION:
        advice = "; save the crowd again with this addon" if 0 < snapshot.version < VERSION else ""
        text = f"it is {snapshot.version}, and this addon reads {VERSION}{advice}"
        raise _Damaged(FILE_UNRECOGNIZED, "version", text)
    data = bytes(snapshot.data)
    if len(data) < _START.size or data[:4] != _MAGIC:
        raise _Damaged(FILE_UNRECOGNIZED, "data", "it is not the state of a crowd")
    _magic, length, last_dt = _START.unpack_from(data)
    begin, end = _START.size + length, len(data) - _CHECKSUM.size
    if length < 0 or begin > end or (end - begin) % _AGENT.size:
        raise _Damaged(FILE_CORRUPT, "data", f"it has {len(data)} bytes, which does not fit a state of {length}")
    state = data[_START.size:begin]
    _check_hash(snapshot, state)
    if _CHECKSUM.unpack_from(data, end) != (_checksum(data[:_START.size], snapshot.hash, data[begin:end]),):
        raise _Damaged(FILE_CORRUPT, "data", "its checksum is wrong")
    if not (isfinite(last_dt) and last_dt >= 0.0):
        raise _Damaged(FILE_CORRUPT, "data", f"its last step took {last_dt} s")
    rows: dict = {}
    for agent_id, lift, awaiting, *places in _AGENT.iter_unpack(data[begin:end]):
        _check_row(agent_id, lift, awaiting, places, rows)
        rows[agent_id] = (lift, awaiting, tuple(places[:3]), array("d", places[3:]))
    for agent_id, path in snapshot.agents.items():
        if not isinstance(agent_id, int) or not isinstance(path, str):
            raise _Damaged(INVALID_DATA, "agents", f"{agent_id!r}: {path!r} is no id and path")
    return state, last_dt, rows


def _checksum(start: bytes, state_hash: str, table: bytes) -> int:
    return onepath.fnv1a_64(b"".join((start, state_hash.encode("ascii", "replace"), table)))


def _check_row(agent_id: int, lift: float, awaiting: int, places, rows: dict) -> None:
    problem = ""
    if agent_id in rows:
        problem = "is there twice"
    elif not -DEEPEST_PIVOT <= lift <= HIGHEST_PIVOT:
        problem = f"has the pivot height {lift}"
    elif awaiting > 1:
        problem = f"has awaiting {awaiting}"
    elif not is_place(places):
        problem = f"has places that are none: {places}"
    if problem:
        raise _Damaged(FILE_CORRUPT, "data", f"the row of agent {agent_id} {problem}")


def _check_hash(snapshot, state: bytes) -> None:
    crowd_state = state
    if snapshot.mesh_mode != NO_MESH:
        mesh_end = _KIND_2_HEADER + 4 + int.from_bytes(state[_KIND_2_HEADER:_KIND_2_HEADER + 4], "little")
        crowd_state = state[mesh_end + 4:]
    found = f"{onepath.fnv1a_64(crowd_state):016x}"
    if found != snapshot.hash:
        raise _Damaged(FILE_CORRUPT, "hash", f"it is {snapshot.hash!r}, but the data has {found}")


def _bind_nodes(runtime, snapshot, rows: dict) -> None:
    """Match the agents of the restored crowd to nodes; nodes that have none are added anew."""
    node = runtime.node
    former = [agent for agent in (*runtime.agents, *runtime.pending, *runtime.leaving) if agent]
    runtime.clear_members()
    for agent in former:
        agent.loosen()
    lost = []
    for member in runtime.crowd:
        lift, awaiting, target, _previous = rows.get(member.id) or (0.0, 0, (0.0, 0.0, 0.0), None)
        slot = runtime.seat(member)
        path = snapshot.agents.get(member.id)
        agent = node.get_node_or_null(path) if path is not None else None
        agent = agent if agent is not None and agent in former else None
        if path is not None and agent is None:
            lost.append(f"{member.id} ({path})")
        runtime.host.enter(slot, lift, 0)
        if agent is not None:
            former.remove(agent)
            runtime.bind(slot, agent)
            agent.remember(bool(awaiting), godot.Vector3(*target))
        elif any(target):
            runtime.targets[member.id] = godot.Vector3(*target)
        runtime.awaiting[slot] = awaiting
        if not awaiting and any(target) and not member.reached_target:
            runtime.short[slot] = runtime.mesh.edit_count
    runtime.pending = [agent for agent in former if agent.is_inside_tree()]
    runtime.edits = runtime.mesh.edit_count
    runtime.show_all()
    for member in runtime.crowd:
        if member.id in rows:
            runtime.host.columns["previous"][3 * member.slot:3 * member.slot + 3] = rows[member.id][3]
    if lost:
        godot.warn(f"{node.get_path()}: these agents of the snapshot have no NavAgent any more and go on without a "
                   f"node: {', '.join(lost)}")
