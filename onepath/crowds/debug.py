"""What there is to draw about a crowd, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from onepath.corridors.debug import FollowerDebugGeometry, collect_slot
from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.scratch import CorridorScratch
from onepath.crowds.crowd import Crowd
from onepath.crowds.inspect import cached_walls, recorded_lines
from onepath.orca.constraints import HalfPlane
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import Point, Wall


@dataclass(frozen=True)
class AgentDebugGeometry:
    """An agent at one moment.

    Attributes:
        id: of the agent.
        radius: m.
        wanted_velocity: of the last step, before avoidance; y is 0.
        follower: its follower's geometry.
        walls: the wall pieces looked up around it; empty when they are to be looked up again.
        half_planes: with ``CrowdOptions.record_constraints``, those solved in the last step, (x, z) in velocity space,
            walls first, then (where it arrives with a group) those from which it can stop short of the others that
            come, then neighbours; otherwise empty.
        wall_count: how many of ``half_planes`` are walls.
    """

    id: int
    radius: float
    wanted_velocity: Point
    follower: FollowerDebugGeometry
    walls: list[Wall]
    half_planes: list[HalfPlane]
    wall_count: int


class CrowdDebug:
    """Collects debug geometry; nothing about the crowd changes."""

    @staticmethod
    def collect(crowd) -> list[AgentDebugGeometry]:
        """Return what there is to draw about each agent, in slot order.

        Args:
            crowd: the :class:`~onepath.crowds.crowd.Crowd`.

        Raises:
            TypeError: ``crowd`` is no crowd.
            OnePathError: another thread is editing the mesh or using the crowd.
        """
        if not isinstance(crowd, Crowd):
            raise TypeError(f"crowd must be a Crowd, not {type(crowd).__name__}")
        with crowd._turn:
            return CrowdDebug._collect(crowd)

    @staticmethod
    def _collect(crowd: Crowd) -> list[AgentDebugGeometry]:
        query = NavMeshQuery(crowd.mesh, 16)
        scratch = CorridorScratch()
        collected = []
        for agent in crowd:
            slot = agent.slot
            half_planes, wall_count = recorded_lines(crowd._store, slot)
            collected.append(AgentDebugGeometry(
                id=agent.id,
                radius=agent.options.radius,
                wanted_velocity=agent.wanted_velocity,
                follower=collect_slot(
                    query, crowd._followers, slot, PathCorridor.of_slot(crowd._followers, slot, scratch)),
                walls=cached_walls(crowd._store, crowd._workers[0], slot),
                half_planes=half_planes,
                wall_count=wall_count,
            ))
        return collected
