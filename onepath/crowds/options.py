"""How a crowd and its agents behave: :class:`AgentOptions`, :class:`CrowdOptions`, :class:`AvoidanceQuality`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from dataclasses import replace as dataclass_replace
from enum import IntEnum

from onepath.corridors.options import FollowerOptions
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT, checked_integer, checked_number
from onepath.navmesh.filter import QueryFilter, resolved_filter

#: Most wall pieces that can be kept per agent and most that can be avoided at once.
WALL_LIMITS = (256, 64)


class AvoidanceQuality(IntEnum):
    """How far an agent looks to avoid others.

    ``OFF`` 0: not at all (it keeps its wanted velocity; others still avoid it). ``LOW`` 1: 4 neighbours, 1.5 s.
    ``MEDIUM`` 2: 8 neighbours, 2 s. ``HIGH`` 3: 12 neighbours, 2.5 s.
    """

    OFF = 0
    LOW = 1
    MEDIUM = 2
    HIGH = 3

    @property
    def max_neighbors(self) -> int:
        """Most neighbours taken into account."""
        return (0, 4, 8, 12)[self]

    @property
    def time_horizon(self) -> float:
        """How far ahead collisions with neighbours are looked for, s."""
        return (0.0, 1.5, 2.0, 2.5)[self]


# field → (low, high) of a float; the low end is excluded where the third value is True
_AGENT_NUMBERS = {
    "radius": (0.0, 1e4, True),
    "height": (0.0, COORDINATE_LIMIT, False),
    "max_speed": (0.0, 1e6, True),
    "max_acceleration": (0.0, 1e9, True),
    "arrival_radius": (0.0, COORDINATE_LIMIT, False),
    "priority": (0.0, 1e9, True),
    "wall_clearance": (0.0, 1e4, False),
    "separation_distance": (0.0, 1e4, False),
    "separation_weight": (0.0, 1e3, False),
    "side_preference": (-1.0, 1.0, False),
    "squeeze": (0.0, 0.9, False),
}


@dataclass(frozen=True)
class AgentOptions:
    """Settings of an agent in a crowd. Immutable; ``replace(...)`` gives a changed copy.

    Lengths are world units (metres), times seconds.

    Attributes:
        radius: of its body, (0, 1e4], default 0.6.
        height: of its body above its position, [0, 2^21]. Two agents whose height ranges do not overlap are no
            neighbours. Default 0: no height given, a neighbour of agents at any height.
        max_speed: (0, 1e6] m/s, default 3.5.
        max_acceleration: largest change of velocity, (0, 1e9] m/s², default 8.
        arrival_radius: distance to the end of the path that counts as there, [0, 2^21], default 0.25.
        priority: a weight, (0, 1e9], default 1; of two agents the one with the higher priority gives way less.
        quality: :class:`AvoidanceQuality`, default ``MEDIUM``.
        wall_clearance: kept between the agent's centre and the mesh boundary (the mesh is shrunk by the radius
            already), [0, 1e4], default 0.05.
        separation_distance: neighbours nearer than this repel, [0, 1e4]; 0 (default) is off.
        separation_weight: strength of that as a share of ``max_speed``, [0, 1000], default 0.3.
        side_preference: turn of the wanted velocity to one side (negative: the other), as a share of it, [−1, 1],
            default 0.05.
        squeeze: share, [0, 0.9], by which two agents that want to walk opposite ways let their combined radius shrink
            while one of them is held up, so that crowds that meet in a narrow passage get through it. The smaller of
            the two counts. Default 0.
        group_arrival: the agent counts as arrived when agents that have arrived at the same place take the ground
            between it and that place, and then stays where it is; closing in on the place, away from walls, it keeps
            to velocities from which it can stop short of the others that come. Default off.
        yield_and_return: once arrived, it walks back to the spot where it arrived after it gave way. Default off.
        layers: 16 bits; of the flags that the crowd's filter includes, the agent needs a polygon or link to have one of
            these. Default: all.
        path: :class:`~onepath.corridors.options.FollowerOptions` to start from; see :meth:`to_follower_options`.

    Raises:
        OutOfRangeError: a field is out of range; the error names it.
    """

    radius: float = 0.6
    height: float = 0.0
    max_speed: float = 3.5
    max_acceleration: float = 8.0
    arrival_radius: float = 0.25
    priority: float = 1.0
    quality: AvoidanceQuality = AvoidanceQuality.MEDIUM
    wall_clearance: float = 0.05
    separation_distance: float = 0.0
    separation_weight: float = 0.3
    side_preference: float = 0.05
    squeeze: float = 0.0
    group_arrival: bool = False
    yield_and_return: bool = False
    layers: int = 0xFFFF
    path: FollowerOptions | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _checked_agent_option(field.name, getattr(self, field.name)))
        self.to_follower_options()

    def replace(self, **changes) -> AgentOptions:
        """Return a copy with the named fields changed (and all checked again).

        Raises:
            OutOfRangeError: a new value is out of range.
            TypeError: there is no field of that name.
        """
        return dataclass_replace(self, **changes)

    @classmethod
    def humanoid(cls) -> AgentOptions:
        """A person: all defaults."""
        return cls()

    @classmethod
    def small(cls) -> AgentOptions:
        """Radius 0.3, speed 2.5, acceleration 6, arrival radius 0.3."""
        return cls(radius=0.3, max_speed=2.5, max_acceleration=6.0, arrival_radius=0.3)

    @classmethod
    def large(cls) -> AgentOptions:
        """Radius 1.5, speed 3, acceleration 5, arrival radius 0.6."""
        return cls(radius=1.5, max_speed=3.0, max_acceleration=5.0, arrival_radius=0.6)

    @property
    def neighbor_distance(self) -> float:
        """Centres farther apart than this are no neighbours, m."""
        return max(self.separation_distance, 2.0 * self.radius + self.max_speed * self.quality.time_horizon)

    @property
    def wall_reach(self) -> float:
        """Wall pieces farther away than this are not avoided, m: half the time horizon at full speed, and clearance."""
        return self.wall_reach_within(0.5)

    def wall_reach_within(self, wall_horizon: float) -> float:
        """Return the same for a crowd whose ``wall_horizon`` is this share of the time horizon."""
        return wall_horizon * self.quality.time_horizon * self.max_speed + self.wall_clearance

    def to_follower_options(self) -> FollowerOptions:
        """Return the options of the agent's follower.

        They start from ``path`` as it is or, without one, from the humanoid follower with a corridor of 64 polygons and
        stuck detection off (a crowd stands in queues). Speed, acceleration and arrival radius become the agent's,
        the trigger radius of links at least two radii (agents queue at a link's end), and the corner clearance twice
        the wall clearance and a centimetre (so that nobody aims at a wall vertex that walls keep it away from).
        """
        base = self.path
        if base is None:
            base = FollowerOptions(corridor_capacity=64, stuck_window=0.0)
        return base.replace(
            max_speed=self.max_speed,
            max_acceleration=self.max_acceleration,
            arrival_radius=self.arrival_radius,
            off_mesh_trigger_radius=max(base.off_mesh_trigger_radius, 2.0 * self.radius),
            corner_clearance=2.0 * self.wall_clearance + 0.01,
        )


@dataclass(frozen=True)
class CrowdOptions:
    """Settings of a crowd. Not part of its saved state: a crowd is restored into one with the same options.

    Attributes:
        max_agents: most agents (and slots), 1..2^20, default 65536.
        max_threads: workers of a step, the calling thread included, 1..64, default 1. Results do not depend on it.
        filter: :class:`~onepath.navmesh.filter.QueryFilter` of every path and wall, or ``None`` (everything, cost 1).
        max_query_nodes: search nodes (crossings) per worker, 16..2^24, default 16384.
        max_walls_per_agent: wall pieces kept per agent, 1..256, default 48.
        wall_refresh_distance: how far an agent moves before its walls are looked up again, [0, 1e4], default 1.
        max_walls_avoided: most wall pieces avoided at once, 0..64, default 8.
        wall_horizon: how far ahead walls are avoided, as a share of the agent's time horizon, (0, 1], default 0.5. With
            a small share agents walk at full speed up to the corners they turn at and beside walls, however cluttered
            the ground is, and look up fewer walls; they stay on the mesh in any case.
        queue_at_links: whether an agent waits at a link's entry until it can cross without coming down on another one;
            the ends of a link take turns. Default ``False``: it crosses at once.
        record_constraints: keep the half-planes of the last step for :class:`~onepath.crowds.debug.CrowdDebug`.
        replan_budget_per_step: search iterations after which no more replans start in a step; agents that wait are
            served by slot in the steps that follow, so a destination set for thousands at once makes no spike.
            0 (default): no limit, and destinations are searched for where they are set. Up to 2^30.

    Raises:
        OutOfRangeError: a field is out of range; the error names it.
    """

    max_agents: int = 65536
    max_threads: int = 1
    filter: QueryFilter | None = None
    max_query_nodes: int = 16384
    max_walls_per_agent: int = 48
    wall_refresh_distance: float = 1.0
    max_walls_avoided: int = 8
    wall_horizon: float = 0.5
    queue_at_links: bool = False
    record_constraints: bool = False
    replan_budget_per_step: int = 0

    def __post_init__(self) -> None:
        checked = {
            "max_agents": checked_integer("max_agents", self.max_agents, 1, 1 << 20),
            "max_threads": checked_integer("max_threads", self.max_threads, 1, 64),
            "max_query_nodes": checked_integer("max_query_nodes", self.max_query_nodes, 16, 1 << 24),
            "max_walls_per_agent": checked_integer("max_walls_per_agent", self.max_walls_per_agent, 1, WALL_LIMITS[0]),
            "wall_refresh_distance": checked_number("wall_refresh_distance", self.wall_refresh_distance, 0.0, 1e4),
            "max_walls_avoided": checked_integer("max_walls_avoided", self.max_walls_avoided, 0, WALL_LIMITS[1]),
            "wall_horizon": checked_number("wall_horizon", self.wall_horizon, 0.0, 1.0, low_open=True),
            "queue_at_links": _checked_flag("queue_at_links", self.queue_at_links),
            "record_constraints": _checked_flag("record_constraints", self.record_constraints),
            "replan_budget_per_step": checked_integer(
                "replan_budget_per_step", self.replan_budget_per_step, 0, 1 << 30),
        }
        resolved_filter(self.filter)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def replace(self, **changes) -> CrowdOptions:
        """Return a copy with the named fields changed (and all checked again).

        Raises:
            OutOfRangeError: a new value is out of range.
            TypeError: there is no field of that name.
        """
        return dataclass_replace(self, **changes)


def _checked_flag(name: str, value) -> bool:
    if getattr(value, "shape", ()) != () or value not in (True, False):
        raise OutOfRangeError(name, f"must be True or False, not {value!r}")
    return bool(value)


def checked_priority(value) -> float:
    """Return an agent's priority as a float.

    Raises:
        OutOfRangeError: it is out of range.
    """
    return _checked_agent_option("priority", value)


def _checked_agent_option(name: str, value):
    if name in _AGENT_NUMBERS:
        low, high, low_open = _AGENT_NUMBERS[name]
        return checked_number(name, value, low, high, low_open=low_open)
    if name == "quality":
        try:
            return AvoidanceQuality(value)
        except ValueError:
            raise OutOfRangeError(name, f"must be an AvoidanceQuality, not {value!r}") from None
    if name == "layers":
        return checked_integer(name, value, 0, 0xFFFF)
    if name == "path":
        if value is not None and not isinstance(value, FollowerOptions):
            raise OutOfRangeError(name, f"must be FollowerOptions or None, not {type(value).__name__}")
        return value
    return _checked_flag(name, value)
