"""One tick of a crowd in the engine: where nodes were moved to, the step, all transforms, then the signals."""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import godot

from onepath.corridors.states import FollowerState
from onepath.crowds.hosting import CHANGE_CORNER, CHANGE_PATH, CHANGE_STATE

from . import missing_ground, routes
from .ground import HIGHEST_PIVOT, floor_under
from .scene_regions import warn_once
from .tuning import is_place
from .walking import warn_flattened

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
    there = runtime.flush()
    if runtime.groundless >= 0.0:
        missing_ground.tell(runtime, dt)
    if not there:
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
    life = runtime.life
    if count:
        _report(runtime, count)
    if runtime.life != life or not node:
        return
    if runtime.told and runtime.crowd is not None:
        godot.emit_vectors(runtime.told_ids, "velocity_computed", runtime.host.velocities)
    if not node:
        return
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
    routes.look_again(runtime)
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
    if not is_place(where):
        godot.warn(f"{runtime.agents[slot].get_path()}: its parent was moved to {where}, which is no place; it is put "
                   "back.")
    elif not runtime.warp(slot, where, False):
        runtime.send_out(slot)


def _follow_bodies(runtime) -> None:
    """Lead the agents of nodes that the game moves to where those are."""
    godot.read_nodes(runtime.body_ids, runtime.found)
    for slot in runtime.host.follow(runtime.found, runtime.last_dt):
        where = tuple(runtime.found[3 * slot:3 * slot + 3])
        if not is_place(where):
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
    turns = columns["turn"] if runtime.turns else None
    _freed, flattened = godot.write_nodes(runtime.node_ids, columns["place"], turns)
    for slot in flattened or ():
        warn_flattened(runtime.agents[slot])


def _report(runtime, count: int) -> None:
    """Emit the signals of all slots that the step changed.

    What is to be told is settled for all of them first: a handler may change anything, and what it does to another
    agent takes nothing away from what that one did in this step.
    """
    columns = runtime.host.columns
    slots = columns["changed"][:count].tolist()
    runtime.replans = sum(1 for slot in slots if columns["change"][slot] & CHANGE_PATH)
    news = [_settle(runtime, slot, columns["change"][slot]) for slot in slots if runtime.members[slot] is not None]
    life = runtime.life
    for told in news:
        for emit in (_tell_way, _tell_state, _tell_end):
            if runtime.life != life or not runtime.node or not runtime.has(told.slot, told.id):
                break
            emit(runtime, told)
        if runtime.life != life or not runtime.node:
            return


class _News(NamedTuple):
    """What a step did to one agent."""

    slot: int
    id: int
    agent: object
    change: int
    state: int
    is_new_state: bool
    ends: bool
    reached: bool
    details: dict | None


def _settle(runtime, slot: int, change: int) -> _News:
    """Note in which state an agent is now, and whether its way has ended; nothing is told yet."""
    member, agent, edits = runtime.members[slot], runtime.agents[slot], runtime.mesh.edit_count
    state = member.state
    if state == FollowerState.MOVING and runtime.short.get(slot, edits) != edits:
        # Ground or filter changed, and an agent that had ended short of its target goes on: that end will be told, too.
        runtime.awaiting[slot] = 1
        del runtime.short[slot]
    ends = bool(change & CHANGE_STATE and runtime.awaiting[slot] and state in _ENDS)
    reached = ends and state == FollowerState.ARRIVED and member.reached_target
    if ends:
        runtime.awaiting[slot] = 0
        if not reached:
            runtime.short[slot] = edits
    if agent is None or not agent:
        return _News(slot, member.id, None, change, state, False, ends, reached, None)
    agent.wants = bool(runtime.awaiting[slot])
    is_new_state = agent.note(int(state))
    return _News(slot, member.id, agent, change, state, is_new_state, ends, reached, _details(runtime, slot, change))


def _details(runtime, slot: int, change: int) -> dict | None:
    """What a passed corner's or a link's signal tells."""
    columns = runtime.host.store.followers.columns
    if change & CHANGE_STATE and columns["state"][slot] == FollowerState.OFF_MESH_LINK:
        start, end = (godot.Vector3(*columns[name][3 * slot:3 * slot + 3]) for name in ("link_start", "link_end"))
        details = {"position": start, "link_entry_position": start, "link_exit_position": end}
        owner = runtime.link_owner(tuple(start), tuple(end))
        if owner is not None:
            details["owner"] = owner
        return details
    if change & CHANGE_CORNER:
        return {"position": godot.Vector3(*runtime.host.columns["known_corner"][3 * slot:3 * slot + 3])}
    return None


def _tell_way(runtime, told: _News) -> None:
    agent = told.agent
    if agent and told.change & CHANGE_PATH:
        agent.path_changed.emit()
    if agent and told.details is not None:
        crosses = told.state == FollowerState.OFF_MESH_LINK
        (agent.link_reached if crosses else agent.waypoint_reached).emit(told.details)


def _tell_state(runtime, told: _News) -> None:
    if told.agent and told.is_new_state:
        told.agent.state_changed.emit(int(told.state))


def _tell_end(runtime, told: _News) -> None:
    node = runtime.node
    if not told.ends:
        return
    signals = [("agent_navigation_finished", "navigation_finished")]
    if told.reached:
        signals.insert(0, ("agent_target_reached", "target_reached"))
    if told.state == FollowerState.STUCK:
        signals.insert(0, ("agent_stuck", "stuck"))
    for of_crowd, of_agent in signals:
        if told.agent:
            getattr(told.agent, of_agent).emit()
        if node:
            getattr(node, of_crowd).emit(told.id)


def fill_multimesh(runtime, instance) -> None:
    """Draw the agents without a node of their own."""
    multimesh = instance.multimesh if instance else None
    if multimesh is None:
        return
    count = runtime.host.gather_drawn()
    room = multimesh.instance_count
    if room == 0 and count:
        multimesh.transform_format = 1
    if multimesh.transform_format == 0:
        if room:
            warn_once(instance, f"{instance.get_path()}: its MultiMesh has 2D transforms and shows no agents of "
                                f"{runtime.node.get_path()}: set instance_count to 0 and transform_format to 3D.")
        return
    colors, custom = multimesh.use_colors, multimesh.use_custom_data
    before = None
    if room and (colors or custom):
        multimesh.get_instance_transform(0)  # lets the engine keep the buffer where it can be read without waiting
        before = multimesh.buffer
    if room < count:
        room = count + count // 4 + 16
        multimesh.instance_count = room
    columns = runtime.host.columns
    places, headings = (memoryview(columns[name])[:3 * count] for name in ("drawn", "drawn_heading"))
    godot.fill_multimesh(multimesh.get_rid(), room, places, headings, 1.0, colors, custom, before)
