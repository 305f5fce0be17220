"""One agent of a crowd: a thin view of its slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onepath.corridors.states import FollowerState
from onepath.crowds.options import checked_priority
from onepath.errors import OutOfRangeError
from onepath.geometry import checked_position
from onepath.uncopied import Uncopied

if TYPE_CHECKING:
    from onepath.crowds.members import CrowdMembers
    from onepath.crowds.options import AgentOptions


class Agent(Uncopied):
    """An agent in a crowd. Made by :meth:`Crowd.add <onepath.crowds.crowd.Crowd.add>`, never directly.

    An agent that was removed (or taken out by a restore) stays :attr:`active` False for good; all but :attr:`id`,
    :attr:`slot` and :attr:`active` then raise :class:`~onepath.errors.OutOfRangeError`.
    """

    __slots__ = ("__weakref__", "_crowd", "_id", "_slot")
    _instead = "an agent is part of its crowd: save_state() of the crowd holds it, get_agent(id) finds it"

    def __init__(self, crowd: CrowdMembers, id: int, slot: int) -> None:
        self._crowd: CrowdMembers | None = crowd
        self._id = id
        self._slot = slot

    def _deactivate(self) -> None:
        self._crowd = None
        self._slot = -1

    def _home(self) -> CrowdMembers:
        if self._crowd is None:
            raise OutOfRangeError("agent", f"agent {self._id} is no longer in a crowd")
        return self._crowd

    @property
    def id(self) -> int:
        """Counts the agents ever added to the crowd, from 0; never used again."""
        return self._id

    @property
    def slot(self) -> int:
        """Place among the crowd's columns, −1 after removal."""
        return self._slot

    @property
    def active(self) -> bool:
        """Whether the agent is in its crowd."""
        return self._crowd is not None

    @property
    def state(self) -> FollowerState:
        """What the agent is doing."""
        return FollowerState(self._home()._read_byte("state", self._slot))

    @property
    def reached_target(self) -> bool:
        """Whether it arrived at its destination, as opposed to the nearest place it can reach."""
        return bool(self._home()._read_byte("reached", self._slot))

    @property
    def position(self) -> tuple[float, float, float]:
        """Where it is: on the surface, or in the air while it crosses a link."""
        return self._home()._read_point("position", self._slot)

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Displacement of the last step over its duration, m/s."""
        return self._home()._read_point("velocity", self._slot)

    @property
    def wanted_velocity(self) -> tuple[float, float, float]:
        """The velocity wanted in the last step before avoidance, m/s; y is 0."""
        return self._home()._read_wanted(self._slot)

    @property
    def destination(self) -> tuple[float, float, float]:
        """Where it was sent last; its own position after it was placed or stopped."""
        return self._home()._read_point("destination", self._slot)

    @property
    def remaining_distance(self) -> float:
        """Path length to the end, m; infinite while the end is not among the next corners."""
        return self._home()._read_number("remaining", self._slot)

    @property
    def options(self) -> AgentOptions:
        """Its settings, as added or as last set."""
        return self._home()._options_of(self._slot)

    @property
    def priority(self) -> float:
        """Weight in (0, 1e9] with which it holds its course against others; may be set at any time.

        Raises:
            OutOfRangeError: on setting a value that is out of range.
        """
        return self._home()._read_priority(self._slot)

    @priority.setter
    def priority(self, value: float) -> None:
        weight = checked_priority(value)
        self._home()._write_priority(self._slot, weight)

    def set_destination(self, to) -> bool:
        """Send the agent to a point.

        Args:
            to: the point; the polygon nearest to it within the search extents is the goal.

        Returns:
            True if it is on its way (or there already); False if no polygon is near the point: the state is NO_PATH.
            Setting the destination it already has changes nothing. With a replan budget in the crowd's options the
            search waits for the next step and True only means that it will be made.

        Raises:
            OutOfRangeError: ``to`` is no position.
        """
        point = checked_position("to", to)
        return self._home()._set_destination(self._slot, point, False)

    def follow(self, to) -> bool:
        """Send the agent to a point that moves, to be called as often as it moves.

        Where the point can be walked to from the last one, the end of the path is moved along with it and nothing is
        searched for; elsewhere, and at first, this is :meth:`set_destination`.

        Args:
            to: the point.

        Returns:
            As :meth:`set_destination`.

        Raises:
            OutOfRangeError: ``to`` is no position.
        """
        point = checked_position("to", to)
        return self._home()._set_destination(self._slot, point, True)

    def stop(self) -> None:
        """Forget the destination; the agent brakes and stands. One that crosses a link still goes to its end."""
        self._home()._stop(self._slot)

    def warp(self, to) -> bool:
        """Put the agent on the polygon nearest to a point, standing, without a destination.

        Args:
            to: the point.

        Returns:
            False if no polygon is within the search extents; nothing has changed then.

        Raises:
            OutOfRangeError: ``to`` is no position.
        """
        point = checked_position("to", to)
        return self._home()._warp(self._slot, point)

    def set_options(self, options: AgentOptions) -> None:
        """Replace the agent's settings; the next step uses them.

        Position, velocity, destination and corridor stay; the priority becomes that of the options; walls are
        looked up again with the new reach.

        Args:
            options: the :class:`~onepath.crowds.options.AgentOptions`.

        Raises:
            OutOfRangeError: the corridor capacity or the number of corners would change.
            TypeError: they are no :class:`~onepath.crowds.options.AgentOptions`.
        """
        self._home()._set_options(self._slot, options)

    def complete_off_mesh_link(self) -> bool:
        """Put the agent at the far end of the link it crosses (for links that the host animates).

        Returns:
            False if it crosses none.
        """
        return self._home()._complete_link(self._slot)

    def __repr__(self) -> str:
        if self._crowd is None:
            return f"<Agent {self._id}, removed>"
        return f"<Agent {self._id} in slot {self._slot}, {self.state.name} at {self.position}>"
