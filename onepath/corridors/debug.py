"""What there is to draw about a follower, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.path_follower import PathFollower
from onepath.corridors.states import FollowerState
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import Corner, Point


@dataclass(frozen=True)
class OffMeshCrossing:
    """A link crossing under way.

    Attributes:
        start: entry point.
        end: exit point.
        elapsed: seconds since the entry (stays 0 in host mode).
        duration: seconds the crossing takes.
        exit_ref: polygon behind the link.
    """

    start: Point
    end: Point
    elapsed: float
    duration: float
    exit_ref: int


@dataclass(frozen=True)
class FollowerDebugGeometry:
    """A follower at one moment.

    Attributes:
        state: what it is doing.
        position: where it is.
        velocity: m/s.
        destination: where it was sent.
        outlines: for each live corridor polygon its corners, in order.
        corners: the taut string, all of it (empty if the corridor does not hold together).
        crossing: the link crossing under way, or ``None``.
    """

    state: FollowerState
    position: Point
    velocity: Point
    destination: Point
    outlines: list[list[Point]]
    corners: list[Corner]
    crossing: OffMeshCrossing | None


class FollowerDebug:
    """Collects debug geometry; nothing about the follower changes."""

    @staticmethod
    def collect(query, follower) -> FollowerDebugGeometry:
        """Return what there is to draw about ``follower``, its corners found with ``query``.

        Args:
            query: the :class:`~onepath.queries.query.NavMeshQuery` of its mesh.
            follower: the :class:`~onepath.corridors.path_follower.PathFollower`.

        Raises:
            TypeError: an argument is of another type.
        """
        if not isinstance(query, NavMeshQuery):
            raise TypeError(f"query must be a NavMeshQuery, not {type(query).__name__}")
        if not isinstance(follower, PathFollower):
            raise TypeError(f"follower must be a PathFollower, not {type(follower).__name__}")
        return collect_slot(query, follower._store, 0, follower.corridor)


def collect_slot(query, store, slot: int, corridor: PathCorridor) -> FollowerDebugGeometry:
    """Return what there is to draw about one slot of a store; ``corridor`` is a view of that slot's corridor."""
    columns = store.columns

    def point(name: str) -> Point:
        return tuple(columns[name][3 * slot:3 * slot + 3])

    state = FollowerState(columns["state"][slot])
    crossing = None
    if state == FollowerState.OFF_MESH_LINK:
        crossing = OffMeshCrossing(point("link_start"), point("link_end"), columns["link_elapsed"][slot],
                                   columns["link_duration"][slot], columns["link_exit"][slot])
    outlines = [query.mesh.poly_vertices(ref) for ref in corridor.path]
    return FollowerDebugGeometry(
        state=state,
        position=point("position"),
        velocity=point("velocity"),
        destination=point("destination"),
        outlines=[outline for outline in outlines if outline is not None],
        corners=corridor.find_corners(query, 4098) or [],
        crossing=crossing,
    )
