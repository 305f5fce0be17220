"""How a follower walks: :class:`FollowerOptions`, a frozen dataclass with the ranges of every field."""

from __future__ import annotations

from dataclasses import dataclass, fields
from dataclasses import replace as dataclass_replace
from enum import IntEnum

from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT, checked_integer, checked_number

#: Smallest and largest number of polygons a corridor may hold.
CORRIDOR_CAPACITY_RANGE = (2, 4096)

_SPEED = 1e6
_BUDGET = 1 << 20


class OffMeshMode(IntEnum):
    """Who moves an agent over an off-mesh link: the follower (``AUTOMATIC`` 0) or the host's animation (``HOST`` 1)."""

    AUTOMATIC = 0
    HOST = 1


# field → (low, high) of a float; the low end is excluded where the third value is True
_NUMBERS = {
    "max_speed": (0.0, _SPEED, True),
    "max_acceleration": (0.0, 1e9, True),
    "slow_radius": (0.0, COORDINATE_LIMIT, False),
    "arrival_min_speed": (0.0, _SPEED, False),
    "arrival_radius": (0.0, COORDINATE_LIMIT, False),
    "optimize_range": (0.0, COORDINATE_LIMIT, False),
    "stuck_window": (0.0, 1e6, False),
    "stuck_progress": (0.0, 1.0, False),
    "off_mesh_speed": (0.0, _SPEED, True),
    "off_mesh_trigger_radius": (0.0, COORDINATE_LIMIT, False),
    "corner_clearance": (0.0, COORDINATE_LIMIT, False),
}
# field → (low, high) of an int
_INTEGERS = {
    "max_corners": (3, 256),
    "validate_look_ahead": (1, CORRIDOR_CAPACITY_RANGE[1]),
    "optimize_interval": (0, 1 << 30),
    "optimize_budget": (2, CORRIDOR_CAPACITY_RANGE[1]),
    "topology_interval": (0, 1 << 30),
    "topology_budget": (1, _BUDGET),
    "replan_budget": (1, _BUDGET),
    "max_replan_rounds": (1, 1 << 16),
    "max_stuck_recoveries": (0, 1 << 16),
    "corridor_capacity": CORRIDOR_CAPACITY_RANGE,
    "refine_budget": (0, _BUDGET),
}


@dataclass(frozen=True)
class FollowerOptions:
    """Settings of a path follower. Immutable; ``replace(...)`` gives a changed copy.

    Lengths are world units (metres), times seconds, speeds metres per second in the ground plane. The defaults are
    starting points for a world of one unit per metre.

    Attributes:
        max_speed: walking speed, (0, 1e6], default 3.5.
        max_acceleration: largest change of velocity, m/s², (0, 1e9], default 8.
        slow_radius: path length before the end (or a link entry) within which the agent slows down, [0, 2^21];
            0 never slows. Default 1.
        arrival_min_speed: slowest speed of that slowing down (never above ``max_speed``), [0, 1e6], default 0.25.
        arrival_radius: horizontal distance to the end of the path that counts as there, the distance itself included,
            [0, 2^21], default 0.01.
        max_corners: corners looked at per step, 3..256, default 8.
        validate_look_ahead: polygons checked against the mesh each step, 1..4096, default 8.
        optimize_interval: steps between visibility shortcuts, 0 (never)..2^30, default 4.
        optimize_range: how far ahead these look, [0, 2^21], default 10.
        optimize_budget: polygons such a ray may cross, 2..4096, default 16.
        topology_interval: steps between topology searches, 0 (never)..2^30, default 16.
        topology_budget: node expansions of such a search, 1..2^20, default 32.
        replan_budget: node expansions of a first replan, doubled for each unfinished one, 1..2^20, default 2048.
        max_replan_rounds: unfinished replans after which there is no path, 1..65536, default 16.
        stuck_window: seconds over which progress is measured, [0, 1e6]; 0 turns detection off. Default 1.
        stuck_progress: share of full speed that counts as progress, [0, 1], default 0.1.
        max_stuck_recoveries: replans from start before the agent is stuck, 0..65536, default 2.
        off_mesh_mode: :class:`OffMeshMode`, default ``AUTOMATIC``.
        off_mesh_speed: speed along a link (3D), (0, 1e6], default 3.5.
        off_mesh_trigger_radius: horizontal distance to a link's entry at which crossing begins, [0, 2^21],
            default 0.05.
        search_extents: half sizes of the box in which ground is looked for around a point, each (0, 2^21],
            default (2, 4, 2).
        corridor_capacity: polygons the corridor holds, 2..4096, default 256.
        refine_budget: node expansions of the search that improves a polygon-node route, 0 (off)..2^20, default 128. A
            crowd searches with crossing nodes and never needs it.
        corner_clearance: how far past an inner corner a crowd agent aims, [0, 2^21], default 0.

    Raises:
        OutOfRangeError: a field is out of range; the error names it.
    """

    max_speed: float = 3.5
    max_acceleration: float = 8.0
    slow_radius: float = 1.0
    arrival_min_speed: float = 0.25
    arrival_radius: float = 0.01
    max_corners: int = 8
    validate_look_ahead: int = 8
    optimize_interval: int = 4
    optimize_range: float = 10.0
    optimize_budget: int = 16
    topology_interval: int = 16
    topology_budget: int = 32
    replan_budget: int = 2048
    max_replan_rounds: int = 16
    stuck_window: float = 1.0
    stuck_progress: float = 0.1
    max_stuck_recoveries: int = 2
    off_mesh_mode: OffMeshMode = OffMeshMode.AUTOMATIC
    off_mesh_speed: float = 3.5
    off_mesh_trigger_radius: float = 0.05
    search_extents: tuple[float, float, float] = (2.0, 4.0, 2.0)
    corridor_capacity: int = 256
    refine_budget: int = 128
    corner_clearance: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _checked_option(field.name, getattr(self, field.name)))

    def replace(self, **changes) -> FollowerOptions:
        """Return a copy with the named fields changed (and all checked again).

        Raises:
            OutOfRangeError: a new value is out of range.
            TypeError: there is no field of that name.
        """
        return dataclass_replace(self, **changes)

    @classmethod
    def humanoid(cls) -> FollowerOptions:
        """A walking person: all defaults."""
        return cls()

    @classmethod
    def small(cls) -> FollowerOptions:
        """Something small: speed 2.5, acceleration 6, slows within 0.5, crosses links at 2.5."""
        return cls(max_speed=2.5, max_acceleration=6.0, slow_radius=0.5, off_mesh_speed=2.5)


def checked_extents(name: str, value) -> tuple[float, float, float]:
    """Return three half sizes of a search box as floats, each in (0, 2^21].

    Raises:
        OutOfRangeError: it is not such a sequence; the error names the argument.
    """
    try:
        x, y, z = value
    except (TypeError, ValueError):
        raise OutOfRangeError(name, "must be a sequence of three numbers") from None
    return (
        checked_number(name, x, 0.0, COORDINATE_LIMIT, low_open=True),
        checked_number(name, y, 0.0, COORDINATE_LIMIT, low_open=True),
        checked_number(name, z, 0.0, COORDINATE_LIMIT, low_open=True),
    )


def _checked_option(name: str, value):
    if name in _NUMBERS:
        low, high, low_open = _NUMBERS[name]
        return checked_number(name, value, low, high, low_open=low_open)
    if name in _INTEGERS:
        return checked_integer(name, value, *_INTEGERS[name])
    if name == "off_mesh_mode":
        try:
            return OffMeshMode(value)
        except ValueError:
            raise OutOfRangeError(name, f"must be an OffMeshMode, not {value!r}") from None
    return checked_extents(name, value)
