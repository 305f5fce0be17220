"""Who is in a crowd: slots, ids, agents, and what the host does with one of them between steps."""

import cython

from onepath.corridors.store import FollowerStore as _FollowerStore
from onepath.crowds.agent import Agent
from onepath.crowds.options import AgentOptions, CrowdOptions, checked_priority
from onepath.crowds.settings import SettingsTable as _SettingsTable
from onepath.crowds.store import CrowdStore as _CrowdStore
from onepath.crowds.turn import Turn
from onepath.crowds.worker import NEAR_CAPACITY
from onepath.crowds.worker import CrowdWorker as _CrowdWorker
from onepath.errors import OutOfRangeError
from onepath.geometry import checked_position
from onepath.navmesh.contents import made
from onepath.navmesh.filter import resolved_filter
from onepath.navmesh.mesh import TiledNavMesh
from onepath.uncopied import Uncopied
from cython.cimports.onepath.corridors.crossing import complete_link
from cython.cimports.onepath.corridors.follower import follow_destination, place, request_destination, stop
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.crowds.settings import SettingsTable
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker, narrow

#: Corridors of agents without path options of their own hold this many polygons.
_USUAL_CAPACITY = 64


class CrowdMembers(Uncopied):
    """The part of :class:`~onepath.crowds.crowd.Crowd` that knows its agents."""

    _instead = "save_state() and restore_state() of another Crowd on the same mesh make a second one"

    def __init__(self, mesh, options: CrowdOptions | None = None) -> None:
        if options is None:
            options = CrowdOptions()
        if not isinstance(options, CrowdOptions):
            raise TypeError(f"options must be CrowdOptions, not {type(options).__name__}")
        if not isinstance(mesh, TiledNavMesh):
            raise TypeError(f"mesh must be a TiledNavMesh, not {type(mesh).__name__}")
        self._mesh = mesh
        self._options = options
        store = made(mesh.store)
        self._followers = _FollowerStore(0, _USUAL_CAPACITY)
        self._settings = _SettingsTable()
        self._store = _CrowdStore(self._followers, store, resolved_filter(options.filter), options,
                                  options.max_walls_avoided + 2 * NEAR_CAPACITY)
        self._workers = [_CrowdWorker(store, resolved_filter(options.filter), options.max_query_nodes,
                                      options.max_walls_avoided)
                         for _ in range(options.max_threads)]
        self._fitted = store.revision
        self._turn = Turn(store)
        self._agents: list = []
        self._by_id: dict = {}

    @property
    def mesh(self):
        """The mesh that the crowd walks on."""
        return self._mesh

    @property
    def options(self) -> CrowdOptions:
        """The crowd's settings."""
        return self._options

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self):
        """Go through the agents in slot order (as they are now: adding and removing does not disturb it)."""
        return iter([agent for agent in self._agents if agent is not None])

    def get_agent(self, id) -> Agent | None:
        """Return the agent with an id, or ``None`` if it is not in the crowd."""
        try:
            return self._by_id.get(id)
        except TypeError:  # what cannot be a key is no id
            return None

    def add(self, position, options: AgentOptions | None = None, priority=None) -> Agent:
        """Put a new agent, standing, on the accepted polygon nearest to a point, into the lowest free slot.

        Args:
            position: within the follower's search extents of a polygon.
            options: its settings; default :meth:`AgentOptions.humanoid`.
            priority: instead of that of the options, (0, 1e9].

        Returns:
            The agent, which does nothing until it gets a destination.

        Raises:
            OutOfRangeError: ``position`` is no position or not near a polygon, ``priority`` is out of range, or the
                crowd is full.
            TypeError: ``options`` are no :class:`AgentOptions`.
        """
        x, y, z = checked_position("position", position)
        if options is None:
            options = AgentOptions.humanoid()
        if not isinstance(options, AgentOptions):
            raise TypeError(f"options must be AgentOptions, not {type(options).__name__}")
        weight = options.priority if priority is None else checked_priority(priority)
        with self._turn:
            store: CrowdStore = self._store
            slot: cython.int = store.lowest_free
            while slot < store.slot_count and store.active[slot] != 0:
                slot += 1
            if slot >= self._options.max_agents:
                raise OutOfRangeError("max_agents", f"the crowd holds {self._options.max_agents} agents already")
            self._fit()
            store.grow(slot + 1)
            store.clear(slot)
            store.load_options(slot, options)
            worker: CrowdWorker = self._workers[0]
            narrow(store, worker, slot)
            if not place(store.followers, slot, worker.scratch, worker.filter, x, y, z):
                store.clear(slot)
                raise OutOfRangeError("position", f"no polygon is near {(x, y, z)}")
            store.priority[slot] = weight
            agent = self._seat(slot, store.next_id, options)
            store.slot_count = max(store.slot_count, slot + 1)
            store.next_id += 1
            store.agent_count += 1
            store.lowest_free = slot + 1
            return agent

    def remove(self, agent: Agent) -> None:
        """Take an agent out of the crowd; its slot becomes free.

        Args:
            agent: the :class:`Agent`.

        Raises:
            OutOfRangeError: it is not in this crowd.
        """
        if not isinstance(agent, Agent) or agent._crowd is not self:
            raise OutOfRangeError("agent", "not an agent of this crowd")
        with self._turn:
            store: CrowdStore = self._store
            slot = agent._slot
            self._unseat(slot)
            store.agent_count -= 1
            store.lowest_free = min(store.lowest_free, slot)

    def _seat(self, slot: int, id: int, options: AgentOptions) -> Agent:
        """Make the agent object of a slot whose columns are filled."""
        store: CrowdStore = self._store
        settings: SettingsTable = self._settings
        store.active[slot] = 1
        store.id[slot] = id
        store.options_row[slot] = settings.acquire(options)
        agent = Agent(self, id, slot)
        while len(self._agents) <= slot:
            self._agents.append(None)
        self._agents[slot] = agent
        self._by_id[id] = agent
        return agent

    def _unseat(self, slot: int) -> None:
        """Deactivate the agent of a slot and blank its columns."""
        store: CrowdStore = self._store
        settings: SettingsTable = self._settings
        agent = self._agents[slot]
        self._agents[slot] = None
        del self._by_id[agent.id]
        agent._deactivate()
        settings.release(store.options_row[slot])
        store.clear(slot)

    def _fit(self) -> None:
        """Let all workers' queries grow with the mesh."""
        store: CrowdStore = self._store
        if self._fitted != store.mesh.revision:
            for worker in self._workers:
                worker.fit()
            self._fitted = store.mesh.revision

    def _read_byte(self, name: str, slot: int) -> int:
        return self._followers.columns[name][slot]

    def _read_number(self, name: str, slot: int) -> float:
        return self._followers.columns[name][slot]

    def _read_point(self, name: str, slot: int) -> tuple:
        column = self._followers.columns[name]
        return column[3 * slot], column[3 * slot + 1], column[3 * slot + 2]

    def _read_wanted(self, slot: int) -> tuple:
        column = self._followers.columns["wanted"]
        return column[2 * slot], 0.0, column[2 * slot + 1]

    def _read_priority(self, slot: int) -> float:
        store: CrowdStore = self._store
        return store.priority[slot]

    def _write_priority(self, slot: int, value: float) -> None:
        store: CrowdStore = self._store
        store.priority[slot] = value

    def _options_of(self, slot: int) -> AgentOptions:
        store: CrowdStore = self._store
        settings: SettingsTable = self._settings
        return settings.options_of(store.options_row[slot])

    def _set_destination(self, slot: cython.int, to: tuple, moves: cython.bint) -> bool:
        x, y, z = to
        with self._turn:
            self._fit()
            store: CrowdStore = self._store
            worker: CrowdWorker = self._workers[0]
            scratch: CorridorScratch = worker.scratch
            narrow(store, worker, slot)
            deferred: cython.bint = store.replan_budget > 0
            if moves:
                return bool(follow_destination(store.followers, slot, scratch, worker.filter, x, y, z, deferred))
            return bool(request_destination(store.followers, slot, scratch, worker.filter, x, y, z, deferred))

    def _stop(self, slot: cython.int) -> None:
        with self._turn:
            store: CrowdStore = self._store
            stop(store.followers, slot)

    def _warp(self, slot: cython.int, to: tuple) -> bool:
        x, y, z = to
        with self._turn:
            self._fit()
            store: CrowdStore = self._store
            worker: CrowdWorker = self._workers[0]
            narrow(store, worker, slot)
            placed = bool(place(store.followers, slot, worker.scratch, worker.filter, x, y, z))
            if placed:
                store.wall_stamp[slot] = -1
            return placed

    def _set_options(self, slot: cython.int, options) -> None:
        if not isinstance(options, AgentOptions):
            raise TypeError(f"options must be AgentOptions, not {type(options).__name__}")
        with self._turn:
            store: CrowdStore = self._store
            settings: SettingsTable = self._settings
            old = settings.options_of(store.options_row[slot]).to_follower_options()
            new = options.to_follower_options()
            for name in ("corridor_capacity", "max_corners"):
                if getattr(new, name) != getattr(old, name):
                    raise OutOfRangeError(name, f"cannot change from {getattr(old, name)} while the agent lives")
            row = settings.acquire(options)
            settings.release(store.options_row[slot])
            store.options_row[slot] = row
            store.load_options(slot, options)

    def _complete_link(self, slot: cython.int) -> bool:
        with self._turn:
            self._fit()
            store: CrowdStore = self._store
            worker: CrowdWorker = self._workers[0]
            narrow(store, worker, slot)
            followers: FollowerStore = store.followers
            return bool(complete_link(followers, slot, worker.scratch, worker.filter))
