"""What runs behind a NavCrowd: the mesh, the core's crowd, and which agent belongs to which node."""

from __future__ import annotations

from array import array
from math import dist

import godot

import onepath
from onepath.crowds.hosting import ROLE_BODY, ROLE_OWN_NODE, ROLE_TURNS, CrowdHost

from . import monitors, resettling, snapshots
from .ground import ground_at, pivot_height
from .mesh_source import MeshSource
from .nav_agent_settings import UsualSettings
from .threads import group_warnings, main_thread_only
from .tuning import is_place, options_of

# Values of NavAgent.SyncMode.
TRANSFORM, TRANSFORM_AND_FACING, VELOCITY, NONE = range(4)
_ROLES = (ROLE_OWN_NODE, ROLE_OWN_NODE | ROLE_TURNS, ROLE_OWN_NODE | ROLE_BODY, ROLE_OWN_NODE | ROLE_BODY)


#: A target set this near (m) to the last one is taken for one that moves, and the way is led along with it.
_MOVING_TARGET = 1.0


class CrowdRuntime:
    """Mesh, crowd and members of one NavCrowd; made when one of them is needed first.

    Agents come and go at once in the tree but in the crowd only when it is next needed (a tick, a question): a node
    that is added first and placed afterwards begins in the right place, and one that changes its parent stays.
    """

    def __init__(self, node) -> None:
        self.node = node
        self.source = self.mesh = self.crowd = self.host = self.query = None
        self.members: list = []  # by slot: the core's agent
        self.agents: list = []  # by slot: the NavAgent, or None for a nodeless agent
        self.awaiting = bytearray()  # by slot: 1 while a target is set and the way to it not finished
        self.short: dict[int, int] = {}  # slots whose way ended short of the target: the mesh's edit count then
        self.targets: dict[int, tuple] = {}  # nodeless agents: the target as it was given, by id
        self.node_ids = array("Q")  # by slot: nodes that the crowd moves
        self.body_ids = array("Q")  # by slot: nodes that lead their agents
        self.told_ids = array("Q")  # by slot: NavAgents that are told their velocity
        self.found = array("d")
        self.moved = self.turns = self.bodies = self.told = 0
        self.modes_changed = False
        self.pending: list = []  # NavAgents that are not in the crowd yet
        self.leaving: list = []  # NavAgents that have left the tree, perhaps only for another parent
        self.by_body: dict[int, object] = {}
        self.unrestored = None
        self.edits = -1
        self.life = 0  # another number: everything about members is different now
        self.last_dt = 0.0
        self.step_seconds = 0.0
        self.replans = 0
        self.filters: dict = {}  # by layers
        self.groundless = 0.0  # seconds without ground so far; below 0: there has been some, or that was told
        self.full = False  # that there is no room was told
        self.carried = None  # what comes into the next crowd: state, lifts and roles of the last one

    # --- Mesh and crowd ---
    def ready(self) -> bool:
        """Make mesh and crowd if they are not there; tells whether they are."""
        if self.crowd is None and self.node.is_inside_tree():
            own = self.node.nav_mesh
            if own is None:
                self.source = MeshSource(self.node)
                self.mesh = self.source.build()
            else:
                self.mesh = own.load()
            if self.mesh is None:
                resettling.wait(self)
                return False
            self._make_crowd()
            if self.carried is not None:
                resettling.arrive(self)
        return self.crowd is not None

    def _make_crowd(self) -> None:
        self.crowd = onepath.Crowd(self.mesh, self.node.crowd_options())
        self.query = onepath.NavMeshQuery(self.mesh)
        self.host = CrowdHost(self.crowd)
        self.edits = self.mesh.edit_count
        self.filters = {}
        monitors.watch(self)

    def remake_crowd(self) -> None:
        """Let other crowd options count: a new crowd with the same state."""
        if self.crowd is None:
            return
        state = self.crowd.save_state()
        old_host = self.host
        self._make_crowd()
        self.crowd.restore_state(state)
        for agent in self.crowd:
            self.members[agent.slot] = agent
            if self.agents[agent.slot]:
                self.agents[agent.slot].member = agent
            self.host.enter(agent.slot, old_host.columns["lift"][agent.slot], old_host.columns["role"][agent.slot])

    def change_mesh(self) -> None:
        """Another mesh or source counts: agents are placed on it anew, with the same ids, and keep their targets."""
        if self.crowd is not None:
            resettling.leave(self)

    def forget_mesh(self) -> None:
        """Let go of the mesh and all that is made of it."""
        if self.source is not None:
            self.source.dispose()
        self.source = self.mesh = self.crowd = self.host = self.query = None

    def dispose(self) -> None:
        """Let go of everything; all agents are outside."""
        for agent in [*self.agents, *self.pending]:
            if agent:
                agent.unbind()
        self.forget_mesh()
        life = self.life
        self.__init__(self.node)
        self.life = life + 1

    def filter_of(self, options):
        """What an agent with these options may walk on."""
        found = self.filters.get(options.layers)
        if found is None:
            whole = self.crowd.options.filter
            found = onepath.QueryFilter(whole.include & options.layers, whole.exclude, whole.costs,
                                        whole.forbidden_areas)
            self.filters[options.layers] = found
        return found

    def ground(self, point, options):
        """The place of the mesh that a point belongs to for an agent with these options, or None."""
        return ground_at(self.query, point, self.filter_of(options))

    # --- Members ---
    def attach(self, agent) -> bool:
        """Take a NavAgent in; False if another one moves its parent already."""
        body = godot.instance_id(agent.get_parent())
        other = self.by_body.get(body)
        if other is not None and other is not agent and other:
            return False
        self.by_body[body] = agent
        if agent in self.leaving:
            self.leaving.remove(agent)
            self.bind(agent.slot, agent)
        else:
            self.pending.append(agent)
        return True

    def detach(self, agent) -> None:
        """A NavAgent has left the tree; it leaves the crowd unless it is back when that is next needed."""
        body = agent.body_id
        if self.by_body.get(body) is agent:
            del self.by_body[body]
        if agent in self.pending:
            self.pending.remove(agent)
        elif agent.slot >= 0 and agent not in self.leaving:
            self.node_ids[agent.slot] = self.body_ids[agent.slot] = self.told_ids[agent.slot] = 0
            self.leaving.append(agent)

    def flush(self) -> bool:
        """Bring the crowd up to date: who left, who came, what is to be restored. Tells whether there is a crowd."""
        if self.crowd is None or self.pending or self.leaving:
            main_thread_only(self.node)
        self.see_off()
        if not self.ready():
            return False
        if self.unrestored is not None:
            snapshot, self.unrestored = self.unrestored, None
            self.node.restore_snapshot(snapshot)
        if self.pending:
            waiting, self.pending = self.pending, []
            for agent in waiting:
                if agent and agent.is_inside_tree() and not self.place(agent):
                    self.pending.append(agent)
        return True

    def see_off(self) -> None:
        """Take those out of the crowd that have left the tree."""
        while self.leaving:
            agent = self.leaving.pop()
            self.remove(agent.slot)
            agent.unbind()

    def place(self, agent) -> bool:
        """Put a NavAgent into the crowd, where its parent is; False where there is no ground."""
        where = agent.get_parent().global_position
        if not is_place(where):
            self._complain(agent, f"its parent is at {tuple(where)}, which is no place. Move it onto the mesh.")
            return False
        try:
            place = self.ground(where, agent.options())
            if place is None:
                return False
            member = self.crowd.add(place, agent.options())
        except onepath.OutOfRangeError as problem:
            self._complain(agent, problem)
            return False
        agent.complaint = ""
        slot = self.seat(member)
        self.bind(slot, agent)
        self.host.enter(slot, pivot_height(where, place), _ROLES[agent.sync_mode])
        if agent.sync_mode <= TRANSFORM_AND_FACING:
            self._write(slot, agent)
        agent.resume()
        return True

    def _write(self, slot: int, agent) -> None:
        """Put one node where its agent is."""
        godot.write_nodes(array("Q", [agent.body_id]), self.host.columns["place"][3 * slot:3 * slot + 3])

    def _complain(self, agent, problem) -> None:
        text = f"{agent.get_path()} is not in the crowd: {problem}"
        if text != agent.complaint:
            agent.complaint = text
            godot.warn(text)

    def seat(self, member) -> int:
        """Make room for a member of the crowd in the columns of this object."""
        slot = member.slot
        while len(self.members) <= slot:
            self.members.append(None)
            self.agents.append(None)
            self.awaiting.append(0)
            self.found.extend((0.0, 0.0, 0.0))
            for ids in (self.node_ids, self.body_ids, self.told_ids):
                ids.append(0)
        self.members[slot] = member
        self.agents[slot] = None
        self.awaiting[slot] = 0
        self.host.fit()
        return slot

    def bind(self, slot: int, agent) -> None:
        """Connect a slot with its node, in the way that the agent's sync mode says."""
        body = godot.instance_id(agent.get_parent())
        mode = agent.sync_mode
        self.agents[slot] = agent
        self.node_ids[slot] = body if mode <= TRANSFORM_AND_FACING else 0
        self.body_ids[slot] = body if mode >= VELOCITY else 0
        self.told_ids[slot] = godot.instance_id(agent) if mode == VELOCITY else 0
        self.host.fit()
        self.host.columns["role"][slot] = _ROLES[mode]
        agent.bind(self.members[slot], slot, body)
        self.modes_changed = True

    def clear_members(self) -> None:
        """Forget who is who: the crowd was restored."""
        for column in (self.members, self.agents, self.awaiting, self.node_ids, self.body_ids, self.told_ids,
                       self.found):
            del column[:]
        self.life += 1
        self.targets.clear()
        self.short.clear()
        self.leaving.clear()
        self.modes_changed = True
        for slot in range(self.host.capacity):
            self.host.leave(slot)

    def show_all(self) -> None:
        """Put all nodes where their agents are, and report every agent after the next step."""
        self.host.touch_all()
        self.count_modes()
        godot.write_nodes(self.node_ids, self.host.columns["place"])

    def count_modes(self) -> None:
        """Find out how many nodes are moved, turned, followed and told."""
        if self.modes_changed:
            self.modes_changed = False
            self.moved, self.bodies, self.told = (
                len(ids) - ids.count(0) for ids in (self.node_ids, self.body_ids, self.told_ids))
            self.turns = sum(1 for agent in self.agents if agent and agent.sync_mode == TRANSFORM_AND_FACING)

    def add_nodeless(self, position, settings) -> int:
        """Add an agent without a node; −1 where there is no ground."""
        options = options_of(settings or UsualSettings)
        place = self.ground(position, options)
        if place is None:
            return -1
        member = self.crowd.add(place, options)
        slot = self.seat(member)
        self.host.enter(slot, 0.0, 0)
        return member.id

    def remove(self, slot: int) -> None:
        """Take an agent out of the crowd."""
        member = self.members[slot]
        if member is None:
            return
        self.targets.pop(member.id, None)
        self.short.pop(slot, None)
        if member.active:
            self.crowd.remove(member)
        self.members[slot] = self.agents[slot] = None
        self.awaiting[slot] = 0
        self.node_ids[slot] = self.body_ids[slot] = self.told_ids[slot] = 0
        self.host.leave(slot)
        self.modes_changed = True

    # --- What a host does with one agent ---
    def send(self, slot: int, target) -> None:
        """Send an agent to the place that a point belongs to."""
        member = self.members[slot]
        place = self.ground(target, member.options)
        goal = target if place is None else place
        if self.awaiting[slot] and dist(goal, member.destination) < _MOVING_TARGET:
            member.follow(goal)
        else:
            member.set_destination(goal)
            self.host.touch(slot)
        self.awaiting[slot] = 1
        self.short.pop(slot, None)

    def try_again(self, slot: int) -> None:
        """Send an agent whose way ended short of its target there again; if it goes, that is another way's begin."""
        member, agent = self.members[slot], self.agents[slot]
        target = agent.target_position if agent is not None else self.targets.get(member.id)
        if target is not None:
            place = self.ground(target, member.options)
            member.set_destination(target if place is None else place)
            self.host.touch(slot)

    def stop(self, slot: int) -> None:
        """Forget an agent's target."""
        self.members[slot].stop()
        self.awaiting[slot] = 0
        self.short.pop(slot, None)
        self.host.touch(slot)

    def warp(self, slot: int, point, keep_lift: bool) -> bool:
        """Put an agent on the place that a point belongs to; its target stays. False where there is no ground."""
        place = self.ground(point, self.members[slot].options)
        if place is None or not self.members[slot].warp(place):
            return False
        columns = self.host.columns
        lift = columns["lift"][slot] if keep_lift else pivot_height(point, place)
        self.host.enter(slot, lift, columns["role"][slot])
        agent = self.agents[slot]
        if agent is not None and (keep_lift or agent.sync_mode <= TRANSFORM_AND_FACING):
            self._write(slot, agent)
        if self.awaiting[slot]:
            target = agent.target_position if agent is not None else self.targets.get(self.members[slot].id)
            if target is not None:
                self.send(slot, target)
        return True

    def send_out(self, slot: int) -> None:
        """A node has left the mesh: its agent leaves the crowd until there is ground under it."""
        agent = self.agents[slot]
        self.remove(slot)
        agent.lose()
        self.pending.append(agent)

    # --- Questions ---
    def has(self, slot: int, id: int) -> bool:
        """Whether a slot still belongs to an agent."""
        member = self.members[slot] if slot < len(self.members) else None
        return member is not None and member.id == id

    def travel_costs(self) -> dict[int, float]:
        """Costs by area that regions and links have of their own."""
        return self.source.area_costs() if self.source is not None else {}

    def mesh_warnings(self) -> list[str]:
        """What keeps the scene from giving a mesh."""
        if self.node.nav_mesh is not None:
            complaint = self.node.nav_mesh.complaint()
            return [complaint] if complaint else []
        source = self.source or MeshSource(self.node)
        return group_warnings(self.node, source.root()) + source.warnings(self.mesh if self.source else None)

    def link_owner(self, start, end):
        """The NavigationLink3D of a crossing, or None."""
        return None if self.source is None else self.source.link_between(self.mesh, start, end)

    def disband(self) -> None:
        """Let go of mesh and crowd; the agents wait for the next one."""
        staying = [agent for agent in (*self.agents, *self.pending) if agent]
        self.dispose()
        for agent in staying:
            if agent.is_inside_tree():
                agent.find_home()

    def save(self, mesh_mode: int):
        return snapshots.save(self, mesh_mode) if self.flush() else None

    def restore(self, snapshot) -> int:
        return snapshots.restore(self, snapshot) if snapshot is not None and self.ready() else snapshots.UNCONFIGURED
