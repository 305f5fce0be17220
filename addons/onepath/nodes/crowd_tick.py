"""One tick of a crowd in the engine: where nodes were moved to, the step, all transforms, then the signals."""

from __future__ import annotations

from time import perf_counter

import godot

from onepath.corridors.states import FollowerState
from onepath.crowds.hosting import CHANGE_CORNER, CHANGE_PATH, CHANGE_STATE

from . import routes
from .ground import HIGHEST_PIVOT, floor_under

_ENDS = (FollowerState.ARRIVED, FollowerState.NO_PATH, FollowerState.STUCK)
#: A node this far (m, on an axis) from where the crowd put it was moved by the game.
MOVED = 0.002
#: A body this near (m) to another floor than its agent's stands on that one.
_ON_FLOOR = 1.0


def tick(runtime, dt: float) -> None:
    """Step the crowd once and bring nodes, MultiMesh and listeners up to date."""
    node = runtime.node
    follow_mesh(runtime)
    runtime.count_modes()
    if runtime.crowd is not None:
        _read_nodes(runtime)
    if not runtime.flush():
        return
    runtime.count_modes()
    if runtime.bodies:
        _follow_bodies(runtime)
    host = runtime.host
    host.before_step()
    start = perf_counter()
    runtime.crowd.step(dt)
    runtime.step_seconds = perf_counter() - start
    runtime.replans = 0
    runtime.last_dt = dt
    count = host.after_step(dt)
    if runtime.bodies:
        host.follow(runtime.found, 0.0)  # they have not moved yet: the way is asked for from where they are
    _write_nodes(runtime)
    if count:
        _report(runtime, count)
    if runtime.told and runtime.crowd is not None:
        godot.emit_vectors(runtime.told_ids, "velocity_computed", host.velocities)
    if runtime.crowd is not None and node.multimesh is not None:
        fill_multimesh(runtime, node.multimesh)
    if node.view is not None:
        node.view.update()
    node.stepped.emit(dt)


def follow_mesh(runtime) -> None:
    """Take over changes of regions, links and the mesh itself; agents that had given up try again."""
    if runtime.crowd is None:
        return
    if runtime.source is not None:
        costs = len(runtime.source.cost_areas)
        runtime.source.poll(runtime.mesh)
        if len(runtime.source.cost_areas) != costs:
            runtime.remake_crowd()
    if runtime.edits == runtime.mesh.edit_count:
        return
    runtime.edits = runtime.mesh.edit_count
    routes.seek_again(runtime)
    for slot in sorted(runtime.short):
        member, agent = runtime.members[slot], runtime.agents[slot]
        target = agent.target_position if agent is not None else runtime.targets.get(member.id)
        if member.state in (FollowerState.ARRIVED, FollowerState.NO_PATH) and target is not None:
            place = runtime.ground(target, member.options)
            member.set_destination(target if place is None else place)
            runtime.host.touch(slot)
    runtime.node.navigation_mesh_changed.emit()


def _read_nodes(runtime) -> None:
    """Notice nodes that the game moved by itself."""
    if runtime.moved == 0:
        return
    places = runtime.host.columns["place"]
    _freed, moved = godot.read_nodes(runtime.node_ids, runtime.found, places, MOVED)
    for slot in moved or ():
        _teleported(runtime, slot)


def _teleported(runtime, slot: int) -> None:
    where = tuple(runtime.found[3 * slot:3 * slot + 3])
    if not all(-2097152.0 < part < 2097152.0 for part in where):
        godot.warn(f"{runtime.agents[slot].get_path()}: its parent was moved to {where}, which is no place; it is put "
                   "back.")
    elif not runtime.warp(slot, where, False):
        runtime.send_out(slot)


def _follow_bodies(runtime) -> None:
    """Lead the agents of nodes that the game moves to where those are."""
    godot.read_nodes(runtime.body_ids, runtime.found)
    for slot in runtime.host.follow(runtime.found, runtime.last_dt):
        where = tuple(runtime.found[3 * slot:3 * slot + 3])
        if not all(-2097152.0 < part < 2097152.0 for part in where):
            continue
        at = runtime.members[slot].position
        lift = runtime.host.columns["lift"][slot]
        narrowed = runtime.filter_of(runtime.members[slot].options)
        below = floor_under(runtime.query, (where[0], where[1] - lift + 0.01, where[2]), narrowed)
        far = (where[0] - at[0]) ** 2 + (where[2] - at[2]) ** 2 > HIGHEST_PIVOT ** 2
        landed = below is not None and abs(where[1] - lift - below[1]) < _ON_FLOOR and abs(below[1] - at[1]) > _ON_FLOOR
        if (far or landed) and not runtime.warp(slot, where, not far):
            runtime.send_out(slot)


def _write_nodes(runtime) -> None:
    if runtime.moved == 0:
        return
    columns = runtime.host.columns
    godot.write_nodes(runtime.node_ids, columns["place"], columns["turn"] if runtime.turns else None)


def _report(runtime, count: int) -> None:
    """Emit the signals of all slots that the step changed; any handler may change anything."""
    columns = runtime.host.columns
    slots = columns["changed"][:count].tolist()
    runtime.replans = sum(1 for slot in slots if columns["change"][slot] & CHANGE_PATH)
    changes = [(runtime.members[slot], slot, columns["change"][slot]) for slot in slots]
    for member, slot, change in changes:
        if member is None or not member.active or runtime.crowd is None or runtime.members[slot] is not member:
            continue
        agent = runtime.agents[slot]
        if agent is not None and not agent:
            continue
        if agent is not None:
            _report_way(runtime, slot, agent, member, change)
        if change & CHANGE_STATE and member.active:
            _report_state(runtime, slot, agent, member)


def _report_way(runtime, slot: int, agent, member, change: int) -> None:
    if change & CHANGE_PATH:
        agent.path_changed.emit()
    if change & CHANGE_CORNER and agent:
        corner = runtime.host.columns["known_corner"]
        at = godot.Vector3(*corner[3 * slot:3 * slot + 3])
        agent.waypoint_reached.emit({"position": at})
    if change & CHANGE_STATE and agent and member.active and member.state == FollowerState.OFF_MESH_LINK:
        agent.link_reached.emit(_link_details(runtime, slot))


def _link_details(runtime, slot: int) -> dict:
    columns = runtime.host.store.followers.columns
    start, end = (godot.Vector3(*columns[name][3 * slot:3 * slot + 3]) for name in ("link_start", "link_end"))
    details = {"position": start, "link_entry_position": start, "link_exit_position": end}
    owner = runtime.link_owner(tuple(start), tuple(end))
    if owner is not None:
        details["owner"] = owner
    return details


def _report_state(runtime, slot: int, agent, member) -> None:
    node, state = runtime.node, member.state
    if state == FollowerState.MOVING and runtime.short.get(slot, runtime.mesh.edit_count) != runtime.mesh.edit_count:
        _resume(runtime, slot, agent)
    ends = runtime.awaiting[slot] and state in _ENDS
    reached = ends and state == FollowerState.ARRIVED and member.reached_target
    if ends:
        runtime.awaiting[slot] = 0
        if agent is not None:
            agent.wants = False
        if not reached:
            runtime.short[slot] = runtime.mesh.edit_count
    if agent is not None:
        agent.show(int(state))
    if not ends:
        return
    if state == FollowerState.STUCK:
        if agent:
            agent.stuck.emit()
        node.agent_stuck.emit(member.id)
    if reached:
        if agent:
            agent.target_reached.emit()
        node.agent_target_reached.emit(member.id)
    if agent:
        agent.navigation_finished.emit()
    node.agent_navigation_finished.emit(member.id)


def _resume(runtime, slot: int, agent) -> None:
    """The mesh has changed, and an agent that had ended short of its target goes on: that end will be told, too."""
    del runtime.short[slot]
    runtime.awaiting[slot] = 1
    if agent is not None:
        agent.wants = True


def fill_multimesh(runtime, instance) -> None:
    """Draw the agents without a node of their own."""
    multimesh = instance.multimesh if instance else None
    if multimesh is None:
        return
    count = runtime.host.gather_drawn()
    room = multimesh.instance_count
    if room < count:
        if room == 0:
            multimesh.transform_format = 1
        room = count + count // 4 + 16
        multimesh.instance_count = room
    columns = runtime.host.columns
    places, headings = (memoryview(columns[name])[:3 * count] for name in ("drawn", "drawn_heading"))
    godot.fill_multimesh(multimesh.get_rid(), room, places, headings)
