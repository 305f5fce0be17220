"""NavCrowd: a crowd on one navigation mesh, stepped once each physics tick."""

from __future__ import annotations

import enum
from array import array

import godot
from godot import MultiMeshInstance3D, Node3D, method, prop, register, signal

import onepath
from onepath.crowds.picture import draw_crowd

from . import crowd_tick, nav_agent, overlay, routes, seeing
from .crowd_runtime import CrowdRuntime
from .crowd_snapshot import CrowdSnapshot
from .mesh_source import MeshSource
from .nav_agent_settings import NavAgentSettings
from .nav_mesh import OnePathNavMesh
from .rehearsal import Rehearsal
from .scene_regions import FLAG_BITS
from .tuning import number, point, tile_side


@register
class NavCrowd(Node3D):
    """Walks agents over a navigation mesh so that they keep clear of walls and of each other.

    NavAgents anywhere below it belong to it. Its mesh is [member nav_mesh] or, without one, all NavigationRegion3D and
    NavigationLink3D under [member navigation_source]; regions and links may change while agents walk. It can be used
    from [code]_ready[/code] on: there is nothing to wait for. Each physics tick it steps all agents and moves their
    nodes. The same level and the same calls give the same motion, bit for bit, with any number of threads.
    """

    class ProcessCallback(enum.IntEnum):
        """When the crowd steps: each physics tick, or when the game calls step."""

        PHYSICS = 0
        MANUAL = 1

    nav_mesh = prop(OnePathNavMesh, doc="A mesh made beforehand, in global space. Empty: regions and links of the "
                    "scene are used.", group="Navigation Mesh")
    navigation_source = prop(godot.NodePath, doc="The node under which regions and links are looked for. Empty: the "
                             "parent.", hint="NODE_PATH_VALID_TYPES", hint_string="Node")
    tile_size = prop(float, 16.0, "Side of the squares into which the mesh is cut, so that a change touches few of "
                     "them. 0: one tile.", limits=(0.0, 256.0, 0.5), or_more=True, suffix="m")
    merge_polygons = prop(bool, False, "Whether polygons are joined into larger ones where the surface allows it.")
    max_climb = prop(float, 0.9, "Largest step in height between two tiles that can be walked over.",
                     limits=(0.0, 5.0, 0.01), or_more=True, suffix="m")

    process_callback = prop("ProcessCallback", doc="When the crowd steps.", group="Stepping")
    thread_count = prop(int, 1, "Threads that share a step; the motion is the same with any number.", limits=(1, 64))
    max_agents = prop(int, 65536, "Most agents; those that are there stay.", limits=(1, 1048576, 1))
    search_budget = prop(int, 16384, "Search steps in one tick after which further agents wait for the next one, so "
                         "that many targets set at once cost no hitch. 0: no limit.", limits=(0, 1048576, 1))
    wall_horizon = prop(float, 0.1, "How far ahead in time agents avoid walls, as a share of how far ahead they avoid "
                        "each other. With a small share they walk at full speed close to walls and corners; they stay "
                        "on the mesh in any case.", limits=(0.01, 1.0, 0.01))
    queue_at_links = prop(bool, True, "Whether agents wait at a link until they can cross it without coming down on "
                          "another one; its two ends take turns. Off: each enters at once.")

    navigation_layers = prop(int, 0xFFFFFFFF, "Layers of regions and links that may be used. The first 16 count.",
                             group="Filter", hint="LAYERS_3D_NAVIGATION")
    area_costs = prop(dict, doc="Costs by area: a metre of area [i]key[/i] (0 to 63) counts as [i]value[/i] metres. A "
                      "travel_cost of regions and links other than 1 gives them an area of its own, from 63 downwards, "
                      "unless they have the metadata [code]onepath_area[/code], a number from 0 to 63.")

    multimesh = prop(MultiMeshInstance3D, doc="Draws the agents that have no node. Its MultiMesh grows as needed; "
                     "places are global, so it should stand at the origin. Colours and custom data of its instances "
                     "stay. The order is that of get_agent_ids, without those that have nodes.", group="Drawing")
    snapshot = prop(CrowdSnapshot, doc="A state that is restored when the level has been loaded.", group="State")

    debug_enabled = seeing.enabled_property("Whether the running game shows mesh and agents; the editor shows those of "
                                            "a selected crowd.")
    debug_draw = seeing.draw_property(overlay.EVERYTHING)
    debug_agent = prop(int, -1, "The agent whose half-planes are shown; −1: none. Not saved.", stored=False)

    stepped = signal("After each step, when all nodes are in their new places.", dt=float)
    agent_target_reached = signal("An agent has reached its target.", id=int)
    agent_navigation_finished = signal("An agent's way has ended, at its target or elsewhere.", id=int)
    agent_stuck = signal("An agent made no progress and gave up.", id=int)
    navigation_mesh_changed = signal("Regions or links have changed the mesh.")

    def __init__(self):
        self.runtime = CrowdRuntime(self)
        self.overlay = overlay.Overlay(self)
        self.view = self.rehearsal = None
        self.set_physics_process(not godot.is_editor())

    # --- Life (notifications: a script's own _ready or _physics_process would take the place of a virtual one) ---
    @godot.on("NOTIFICATION_ENTER_TREE")
    def _entered(self):
        for agent in list(nav_agent.homeless.values()):
            if agent and agent.is_inside_tree():
                agent.find_home()
        self.update_configuration_warnings()

    @godot.on("NOTIFICATION_READY")
    def _became_ready(self):
        if not godot.is_editor() and self.runtime.unrestored is not None:
            self.runtime.flush()
        seeing.update_view(self)

    @godot.on("NOTIFICATION_PHYSICS_PROCESS")
    def _ticked(self):
        delta = self.get_physics_process_delta_time()
        if self.process_callback == self.ProcessCallback.PHYSICS and delta > 0.0:
            crowd_tick.tick(self.runtime, delta)

    @godot.on("NOTIFICATION_EXIT_TREE")
    def _left(self):
        self.end_simulation()

    @godot.on("NOTIFICATION_PREDELETE")
    def _dying(self):
        self.overlay.dispose()
        self.runtime.dispose()

    # --- Properties ---
    def crowd_options(self) -> onepath.CrowdOptions:
        """The core's options that the properties stand for."""
        count = max(self.max_agents, len(self.runtime.members))
        return onepath.CrowdOptions(max_agents=count, max_threads=self.thread_count,
                                    filter=self._filter(), replan_budget_per_step=self.search_budget,
                                    wall_horizon=self.wall_horizon, queue_at_links=self.queue_at_links,
                                    record_constraints=self.debug_agent >= 0)

    def _filter(self) -> onepath.QueryFilter:
        costs = {**self.runtime.travel_costs(), **self.area_costs}
        return onepath.QueryFilter(self.navigation_layers & FLAG_BITS, costs=costs)

    @tile_size.checked
    def _check_tile_size(self, value):
        return tile_side(value)

    @max_climb.checked
    def _check_max_climb(self, value):
        return number(value, 0.0, 1e6)

    @thread_count.checked
    def _check_thread_count(self, value):
        return int(number(value, 1, 64))

    @max_agents.checked
    def _check_max_agents(self, value):
        return int(number(value, 1, 1 << 20))

    @search_budget.checked
    def _check_search_budget(self, value):
        return int(number(value, 0, 1 << 30))

    @wall_horizon.checked
    def _check_wall_horizon(self, value):
        return number(value, 0.0, 1.0, low_open=True)

    @area_costs.checked
    def _check_area_costs(self, value):
        try:
            return dict(onepath.QueryFilter(costs=value).costs)
        except (onepath.OutOfRangeError, TypeError) as problem:
            raise godot.Refused(f"must give areas 0 to 63 costs from 0.001 on ({problem})") from None

    def _options_changed(self):
        self.runtime.remake_crowd()

    def _filter_changed(self):
        self.runtime.remake_crowd()
        routes.look_again(self.runtime)

    for _made in (thread_count, max_agents, search_budget, wall_horizon, queue_at_links, debug_agent):
        _made.changed(_options_changed)
    for _made in (navigation_layers, area_costs):
        _made.changed(_filter_changed)

    def _mesh_changed(self):
        self.runtime.change_mesh()
        self.overlay.dispose()
        self.update_configuration_warnings()

    for _made in (nav_mesh, navigation_source, tile_size, merge_polygons, max_climb):
        _made.changed(_mesh_changed)
    del _made

    @snapshot.changed
    def _snapshot_changed(self):
        if not godot.is_editor():
            self.runtime.unrestored = self.snapshot

    # --- Stepping ---
    @method
    def step(self, dt: float) -> None:
        """Steps the crowd by [param dt] seconds and moves all nodes; for process_callback MANUAL."""
        if not 0.0 < dt < float("inf"):
            raise godot.Refused(f"dt must be positive and finite, not {dt}")
        crowd_tick.tick(self.runtime, dt)

    # --- Agents ---
    @method
    def add_agent(self, position: godot.Vector3, settings: NavAgentSettings | None = None) -> int:
        """Adds an agent without a node and returns its id, or −1 where there is no ground near or no room.

        That there is no room is a warning, the next one only after an agent found some.

        Such agents are drawn by [member multimesh] or by the game, from [method get_positions]. Ids count up from 0
        and are never used again.
        """
        point(position, "position")
        if not self.runtime.flush():
            return -1
        try:
            added = self.runtime.add_nodeless(position, settings)
        except onepath.OutOfRangeError as problem:
            if not self.runtime.full:
                godot.warn(f"{self.get_path()}: {problem}")
            self.runtime.full = problem.field == "max_agents"
            return -1
        self.runtime.full = self.runtime.full and added < 0
        return added

    def _slot(self, id: int) -> int:
        if not self.runtime.flush():
            return -1
        member = self.runtime.crowd.get_agent(id)
        return -1 if member is None else member.slot

    @method
    def remove_agent(self, id: int) -> bool:
        """Takes an agent out of the crowd; one with a NavAgent stays where it is. False if there is none of that id."""
        slot = self._slot(id)
        if slot < 0:
            return False
        agent = self.runtime.agents[slot]
        self.runtime.remove(slot)
        if agent is not None:
            agent.lose()
        return True

    @method
    def set_agent_target(self, id: int, target: godot.Vector3) -> bool:
        """Sends an agent to a target; the one it has already changes nothing. False if there is none of that id."""
        point(target, "target")
        slot = self._slot(id)
        if slot < 0:
            return False
        agent = self.runtime.agents[slot]
        if agent is not None:
            agent.target_position = target
        elif self.runtime.targets.get(id) != target:
            self.runtime.targets[id] = target
            self.runtime.send(slot, target)
        return True

    @method
    def stop_agent(self, id: int) -> bool:
        """Lets an agent forget its target and brake. False if there is none of that id."""
        slot = self._slot(id)
        if slot < 0:
            return False
        agent = self.runtime.agents[slot]
        if agent is not None:
            agent.stop()
        else:
            self.runtime.targets.pop(id, None)
            self.runtime.stop(slot)
        return True

    @method
    def get_agent_position(self, id: int) -> godot.Vector3:
        """Returns where an agent is on the mesh; the zero vector if there is none of that id."""
        slot = self._slot(id)
        return godot.Vector3(*self.runtime.members[slot].position) if slot >= 0 else godot.Vector3()

    @method
    def get_agent_state(self, id: int) -> nav_agent.NavAgent.State:
        """Returns what an agent does; OUTSIDE if there is none of that id."""
        slot = self._slot(id)
        state = nav_agent.NavAgent.State
        return state(int(self.runtime.members[slot].state)) if slot >= 0 else state.OUTSIDE

    @method
    def get_agent_count(self) -> int:
        """Returns the number of agents."""
        return len(self.runtime.crowd) if self.runtime.flush() else 0

    @method
    def get_agent_ids(self) -> godot.PackedInt64Array:
        """Returns the ids of all agents, in the order of get_positions and get_velocities."""
        return array("q", [agent.id for agent in self.runtime.crowd] if self.runtime.flush() else [])

    @method
    def get_positions(self) -> godot.PackedVector3Array:
        """Returns the places of all agents on the mesh."""
        return self._rows("position")

    @method
    def get_velocities(self) -> godot.PackedVector3Array:
        """Returns the velocities of all agents in the last step, in m/s."""
        return self._rows("velocity")

    def _rows(self, name: str) -> array:
        return array("f", self.runtime.host.gather(name) if self.runtime.flush() else [])

    # --- Seeing ---
    get_debug_geometry = seeing.get_debug_geometry
    prepare_debug_mesh = seeing.prepare_debug_mesh
    get_debug_version = seeing.get_debug_version
    get_debug_legend = seeing.get_debug_legend

    def settle_in(self) -> None:
        """Make mesh and crowd, for what is asked about them."""
        self.runtime.flush()

    def shown_mesh(self):
        """The mesh that agents are on, or None while there is no crowd."""
        return self.runtime.mesh if self.runtime.crowd is not None else None

    def shown_source(self) -> MeshSource:
        """What the mesh would be made of."""
        return MeshSource(self)

    def draw_walkers(self, canvas, parts: int) -> None:
        """Draw all agents."""
        if self.runtime.crowd is not None:
            draw_crowd(self.runtime.crowd, canvas, parts, self.debug_agent)

    # --- Trying out in the editor ---
    @method
    def begin_simulation(self) -> bool:
        """Editor only: gets ready to step the crowd in the edited scene; remembers where everything is.

        Returns [code]false[/code], and nothing changes, without a mesh.
        """
        if not godot.is_editor():
            raise godot.Refused("only the editor simulates; in a game the crowd just runs")
        if self.rehearsal is None:
            rehearsal = Rehearsal(self.runtime)
            if not self.runtime.flush():
                return False
            self.rehearsal = rehearsal
        return True

    @method
    def end_simulation(self) -> None:
        """Puts everything back as it was when begin_simulation was called."""
        if self.rehearsal is not None:
            self.rehearsal.end(self.runtime)
            self.rehearsal = None

    @method
    def is_simulating(self) -> bool:
        """Returns whether the crowd is being stepped in the editor."""
        return self.rehearsal is not None

    @godot.on("NOTIFICATION_EDITOR_PRE_SAVE")
    def _about_to_be_saved(self):
        self.end_simulation()

    # --- State ---
    @method
    def state_hash(self) -> str:
        """Returns 16 hexadecimal digits that are equal exactly when all agents are in the same state."""
        return f"{self.runtime.crowd.state_hash():016x}" if self.runtime.flush() else "0" * 16

    @method
    def save_snapshot(self, mesh_mode: CrowdSnapshot.MeshMode = 2) -> CrowdSnapshot:
        """Returns the state of all agents and, unless [param mesh_mode] says otherwise, of the mesh."""
        return self.runtime.save(mesh_mode)

    @method
    def restore_snapshot(self, snapshot: CrowdSnapshot) -> int:
        """Goes back to a saved state and returns an [enum @GlobalScope.Error].

        Agents are matched to NavAgents by the path that these had; one without a node stays and is reported, and a
        NavAgent that was not there is added anew. If the snapshot is damaged or of another version, an error names the
        field that is wrong, and nothing changes.
        """
        return self.runtime.restore(snapshot)

    @method
    def get_warnings(self) -> godot.PackedStringArray:
        """Returns what the editor shows as this node's warnings."""
        return self._get_configuration_warnings()

    def _get_configuration_warnings(self):
        found = []
        if self.nav_mesh is not None or self.is_inside_tree():
            found += self.runtime.mesh_warnings()
        x, y, z = self.global_transform.basis if self.is_inside_tree() else godot.Basis()
        if max(abs(a - b) for a, b in zip((*x, *y, *z), (1, 0, 0, 0, 1, 0, 0, 0, 1))) > 1e-4:
            found.append("The crowd is scaled or rotated, and so are the nodes under it, while agents walk in global "
                         "space with sizes in metres: reset its rotation and scale.")
        return found
