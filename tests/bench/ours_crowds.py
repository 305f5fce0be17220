"""Our crowds, as the crowd and plane sections want them."""

from __future__ import annotations

import numpy as np

from onepath import AgentOptions, AvoidanceQuality, Crowd, CrowdOptions, FollowerOptions, FollowerState, TiledNavMesh

from . import recipe
from .crowd_section import PRESETS
from .measure import Notes, Pass, Timing, timed
from .memory import held_by
from .ours_queries import shared_mesh

# As far ahead as the peer looks: the polygons of its corridors and the corners it asks them for.
PEER_POLYGONS, PEER_CORNERS = 256, 4
PRESET_POLYGONS, PRESET_CORNERS = 64, 8
# Every search ends in the call that asks for it.
SEARCH_NODES = 65535
_QUALITIES = {"off": AvoidanceQuality.OFF, "medium": AvoidanceQuality.MEDIUM, "high": AvoidanceQuality.HIGH}


def agent_options(mode: str, polygons: int = PEER_POLYGONS, corners: int = PEER_CORNERS) -> AgentOptions:
    """Return the recipe's agent with the avoidance of this mode, and how far its corridor reaches."""
    path = FollowerOptions(
        corridor_capacity=polygons, max_corners=corners, stuck_window=0.0, replan_budget=SEARCH_NODES
    )
    return AgentOptions(
        radius=recipe.RADIUS,
        height=recipe.HEIGHT,
        max_speed=recipe.SPEED,
        max_acceleration=recipe.ACCELERATION,
        quality=_QUALITIES[mode],
        path=path,
    )


def mean_speed(crowd: Crowd) -> float:
    """Return the mean of the agents' speeds."""
    return float(np.sqrt((crowd.velocities() ** 2).sum(axis=1)).mean())


def _populate(crowd: Crowd, rows: np.ndarray, options: AgentOptions) -> Timing:
    """Add the agents, then send each to its goal; return how long the sending took."""
    goals = [(crowd.add((x, 0.0, z), options), (goal_x, 0.0, goal_z)) for x, z, goal_x, goal_z in rows.tolist()]

    def send(_: int) -> float:
        for agent, goal in goals:
            agent.set_destination(goal)
        return len(goals)

    return timed(send)(1)


def crowd_bytes(world: recipe.Field, count: int, capacity: int) -> float:
    """Return the bytes that each agent of a walking crowd adds."""
    crowd = Crowd(shared_mesh(world.width))
    rows, options = recipe.walkers(world, count + 1), agent_options("medium", capacity)

    def settle(part: np.ndarray) -> None:
        _populate(crowd, part, options)
        crowd.step(recipe.DT)

    settle(rows[:1])  # what a crowd of one needs for its searches and steps is not the agents'
    _, held = held_by(lambda: settle(rows[1:]))
    return held / count


class OurWalkers:
    """A crowd on a field, every agent on its way."""

    def __init__(self, world: recipe.Field, count: int, mode: str, threads: int = 1, wall: bool = False) -> None:
        self._count = count
        self._crowd = Crowd(shared_mesh(world.width), CrowdOptions(max_threads=threads, max_query_nodes=SEARCH_NODES))
        if mode == PRESETS:
            options = agent_options("medium", PRESET_POLYGONS, PRESET_CORNERS)
        else:
            options = agent_options(mode)
        #: How long the agents' first destinations took, each with the search for its path.
        self.sending = _populate(self._crowd, recipe.walkers(world, count), options)
        self._clocked = timed(self._run, self._notes, wall=wall)

    def _run(self, ticks: int) -> float:
        for _ in range(ticks):
            self._crowd.step(recipe.DT)
        return ticks * self._count

    def _notes(self) -> Notes:
        walking = sum(agent.state == FollowerState.MOVING for agent in self._crowd)
        return {"mean_speed": mean_speed(self._crowd), "with_path": walking}

    def step(self, ticks: int) -> Timing:
        """Advance the crowd, timed per agent and step."""
        return self._clocked(ticks)

    def overlaps(self) -> Notes:
        """Return how many pairs overlap by more than a tenth of their combined radius, and the deepest overlap."""
        places = self._crowd.positions()
        pairs, deepest = 0, 0.0
        for i in range(1, len(places)):
            depth = 2 * recipe.RADIUS - np.sqrt(((places[:i] - places[i]) ** 2).sum(axis=1))
            pairs += int((depth > 0.2 * recipe.RADIUS).sum())
            deepest = max(deepest, float(depth.max()))
        return {"pairs": pairs, "deepest": round(deepest, 4)}

    def state_passes(self) -> dict[str, Pass]:
        """Return the passes that save, restore and hash the crowd, timed per agent."""
        saved = self._crowd.save_state()
        buffer = bytearray(len(saved))
        works = {
            "save_state": self._crowd.save_state,
            "save_state_into": lambda: self._crowd.save_state_into(buffer),
            "restore_state": lambda: self._crowd.restore_state(saved),
            "state_hash": self._crowd.state_hash,
        }
        return {name: timed(lambda repeats, work=work: self._repeat(work, repeats)) for name, work in works.items()}

    def _repeat(self, work, repeats: int) -> float:
        for _ in range(repeats):
            work()
        return repeats * self._count

    def state_bytes_per_agent(self) -> float:
        """Return the length of the saved state over the agents."""
        return self._crowd.state_size() / self._count


class OurCrossers:
    """Agents on one large quad, half of them on their way along +X, half along +Z."""

    _FAR = 2000.0

    def __init__(self, plane: recipe.Plane) -> None:
        low, high = -self._FAR, 2 * self._FAR
        corners = [(low, 0.0, low), (low, 0.0, high), (high, 0.0, high), (high, 0.0, low)]
        mesh = TiledNavMesh.from_polygons(corners, [(0, 1, 2, 3)])
        # Nothing but avoidance: no side is preferred and the velocity may change at once, as in the peer.
        options = agent_options("medium").replace(side_preference=0.0, max_acceleration=1e6)
        self._crowd, self._side = Crowd(mesh), plane.side
        self._headings = plane.wanted / recipe.SPEED * self._FAR
        for (x, z), (dx, dz) in zip(plane.positions.tolist(), self._headings.tolist(), strict=True):
            self._crowd.add((x, 0.0, z), options).set_destination((x + dx, 0.0, z + dz))
        self._clocked = timed(self._run, lambda: {"mean_speed": mean_speed(self._crowd)})

    def _run(self, ticks: int) -> float:
        for _ in range(ticks):
            self._crowd.step(recipe.DT)
        return ticks * len(self._crowd)

    def step(self, ticks: int) -> Timing:
        """Advance the agents, timed per agent and step; those that left the square come in again afterwards."""
        timing = self._clocked(ticks)
        outside = ((self._crowd.positions()[:, ::2] % self._side) != self._crowd.positions()[:, ::2]).any(axis=1)
        for i in np.flatnonzero(outside).tolist():
            agent = self._crowd.get_agent(i)
            x, _, z = agent.position
            x, z = x % self._side, z % self._side
            agent.warp((x, 0.0, z))
            agent.set_destination((x + self._headings[i, 0], 0.0, z + self._headings[i, 1]))
        return timing
