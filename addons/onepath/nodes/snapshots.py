"""Saving and restoring a crowd with its nodes.

The data of a CrowdSnapshot: ``OPNS``, the length of the core's state as i32, the duration of the last step as f64, that
state (kind 1, or 2 with the mesh), then for each agent in slot order id i64, pivot height f64, awaiting u8, target
f64 × 3, where it was led to last f64 × 3. Little-endian.
"""

from __future__ import annotations

import struct
from array import array
from math import isfinite

import godot

import onepath

from .crowd_snapshot import VERSION

# Values of the engine's Error.
OK, UNCONFIGURED, FILE_UNRECOGNIZED, FILE_CORRUPT, INVALID_DATA = 0, 3, 15, 16, 30
NO_MESH, REFERENCED, FULL = range(3)
_MAGIC = b"OPNS"
_START = struct.Struct("<4sid")
_AGENT = struct.Struct("<qdB6d")
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
    made.data = b"".join((_START.pack(_MAGIC, len(state), runtime.last_dt), state, *rows))
    return made


def restore(runtime, snapshot) -> int:
    """Bring a crowd to a saved state; an engine Error, and nothing changed, if that cannot be."""
    try:
        state, last_dt, rows = _parts(snapshot)
        _check_hash(snapshot, state)
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
    """The core's state, the duration of the last step, and the rows of the agents by id."""
    if snapshot.version != VERSION:
        raise _Damaged(FILE_UNRECOGNIZED, "version", f"it is {snapshot.version}, and this addon reads {VERSION}")
    data = bytes(snapshot.data)
    if len(data) < _START.size or data[:4] != _MAGIC:
        raise _Damaged(FILE_UNRECOGNIZED, "data", "it is not the state of a crowd")
    _magic, length, last_dt = _START.unpack_from(data)
    end = _START.size + length
    if length < 0 or end > len(data) or (len(data) - end) % _AGENT.size:
        raise _Damaged(FILE_CORRUPT, "data", f"it has {len(data)} bytes, which does not fit a state of {length}")
    if not (isfinite(last_dt) and last_dt >= 0.0):
        raise _Damaged(FILE_CORRUPT, "data", f"its last step took {last_dt} s")
    rows = {}
    for agent_id, lift, awaiting, *places in _AGENT.iter_unpack(data[end:]):
        if awaiting > 1 or not all(isfinite(number) for number in (lift, *places)):
            raise _Damaged(FILE_CORRUPT, "data", f"the row of agent {agent_id} is damaged")
        rows[agent_id] = (lift, awaiting, tuple(places[:3]), array("d", places[3:]))
    for agent_id, path in snapshot.agents.items():
        if not isinstance(agent_id, int) or not isinstance(path, str):
            raise _Damaged(INVALID_DATA, "agents", f"{agent_id!r}: {path!r} is no id and path")
    return data[_START.size:end], last_dt, rows


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
            agent.take_over(bool(awaiting), godot.Vector3(*target))
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
