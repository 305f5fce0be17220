"""What the sections ask of our side, so that the peers can be measured without it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from .measure import Notes, Pass, Timing
from .recipe import Field, Plane


class Queries(Protocol):
    """A mesh and the loops over its queries."""

    def __init__(self, world: Field, pairs: np.ndarray, agents: np.ndarray) -> None: ...

    def build(self, repeats: int) -> Timing:
        """Build the mesh again, timed per polygon."""
        ...

    def bytes_per_polygon(self) -> float:
        """Return the memory of the mesh over its polygons."""
        ...

    def loop(self, verb: str, *arguments: float) -> Pass:
        """Return the pass for one operation; the words are those of Detour's program."""
        ...


class Walkers(Protocol):
    """A crowd on the field, on its way: `count` agents of an avoidance `mode`, in processor or wall time."""

    sending: Timing

    def __init__(self, world: Field, count: int, mode: str, threads: int = 1, wall: bool = False) -> None: ...

    def step(self, ticks: int) -> Timing:
        """Advance the crowd, timed per agent and step."""
        ...

    def overlaps(self) -> Notes:
        """Return how many pairs overlap by more than a tenth, and the deepest overlap."""
        ...

    def state_passes(self) -> dict[str, Pass]:
        """Return the passes that save, restore and hash the crowd, timed per agent."""
        ...

    def state_bytes_per_agent(self) -> float:
        """Return the length of the saved state over the agents."""
        ...


class Crossers(Protocol):
    """Agents on the open plane."""

    def __init__(self, plane: Plane) -> None: ...

    def step(self, ticks: int) -> Timing:
        """Advance the agents, timed per agent and step; those that left the square come in again afterwards."""
        ...


class Core(Protocol):
    """All of our side, as one module."""

    OurQueries: type[Queries]
    OurWalkers: type[Walkers]
    OurCrossers: type[Crossers]

    def crowd_bytes(self, world: Field, count: int, capacity: int) -> float:
        """Return the memory that each agent adds to a crowd whose corridors hold `capacity` polygons."""
        ...
