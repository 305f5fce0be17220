"""The worlds of the benchmark: fields, walkers, query pairs and the open plane, made from seeds alone.

Every library under test gets exactly these numbers, so two figures of one run describe the same work. All randomness
comes from one 64-bit linear congruential generator (Knuth's MMIX multiplier), which any language can repeat.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

CELL = 2.0
TILE_CELLS = 32
RADIUS, HEIGHT, SPEED, ACCELERATION = 0.6, 2.0, 3.5, 8.0
DT = 1.0 / 60.0
NEXT_GOAL_DISTANCE = 1.5
RAY_LENGTHS = (2.0, 20.0, 100.0)
MOVE_LENGTHS = (0.058, 2.0)

_MASK = (1 << 64) - 1
_BLOCKED_PER_MILLE = 120
_PAIR_SEED = 424242
_PLANE_SEED = 99
_AGENT_SEED_STEP = 0x9E3779B97F4A7C15
_GOAL_TRIES = 64


class Lcg:
    """A 64-bit linear congruential generator that gives the upper half of its state."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def draw(self) -> int:
        """Return the next integer in [0, 2^32)."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & _MASK
        return self._state >> 32

    def unit(self) -> float:
        """Return the next number in [0, 1)."""
        return self.draw() / 4294967296.0


@dataclass(frozen=True)
class Field:
    """A square of `width` x `width` cells, some blocked, and the cells that walkers may use.

    `walkable[row, column]` runs along +Z by row and +X by column; `component` lists the cells (row * width + column) of
    the largest 4-connected free region in ascending order.
    """

    width: int
    walkable: np.ndarray
    component: list[int]

    @property
    def size(self) -> float:
        """The side of the square in world units."""
        return self.width * CELL

    @property
    def free_cells(self) -> int:
        """How many cells are not blocked, which is the number of polygons of the mesh."""
        return int(self.walkable.sum())

    def centre(self, cell: int) -> tuple[float, float]:
        """Return the middle of a cell as (x, z)."""
        return CELL * (cell % self.width) + CELL / 2, CELL * (cell // self.width) + CELL / 2


@lru_cache(maxsize=4)
def scatter(width: int) -> Field:
    """Return the field of `width` x `width` cells with one cell in eight blocked."""
    lcg = Lcg(1000 + width)
    cells = [lcg.draw() % 1000 >= _BLOCKED_PER_MILLE for _ in range(width * width)]
    walkable = np.array(cells, dtype=bool).reshape(width, width)
    return Field(width, walkable, _largest_component(cells, width))


def _largest_component(free: list[bool], width: int) -> list[int]:
    seen = bytearray(len(free))
    best: list[int] = []
    for first, is_free in enumerate(free):
        if not is_free or seen[first]:
            continue
        seen[first] = 1
        region = [first]
        for cell in region:  # grows while it is walked: a breadth-first flood
            for other in _beside(cell, width):
                if free[other] and not seen[other]:
                    seen[other] = 1
                    region.append(other)
        if len(region) > len(best):
            best = region
    return sorted(best)


def _beside(cell: int, width: int) -> list[int]:
    x, z = cell % width, cell // width
    found = []
    if x > 0:
        found.append(cell - 1)
    if x < width - 1:
        found.append(cell + 1)
    if z > 0:
        found.append(cell - width)
    if z < width - 1:
        found.append(cell + width)
    return found


class Walker:
    """The start of one agent and its endless row of goals."""

    def __init__(self, world: Field, index: int) -> None:
        self._world = world
        self._lcg = Lcg((index + 1) * _AGENT_SEED_STEP)
        for _ in range(4):
            self._lcg.draw()
        column, row = self._pick()
        self.start = (CELL * column + 0.2 + 1.6 * self._lcg.unit(), CELL * row + 0.2 + 1.6 * self._lcg.unit())
        self._from = self.start

    def _pick(self) -> tuple[int, int]:
        cells = self._world.component
        cell = cells[self._lcg.draw() % len(cells)]
        return cell % self._world.width, cell // self._world.width

    def next_goal(self) -> tuple[float, float]:
        """Return the next goal, the middle of a cell at least 0.4 field sides away from the last place."""
        least = 0.4 * self._world.size
        for _ in range(_GOAL_TRIES):
            column, row = self._pick()
            goal = (CELL * column + CELL / 2, CELL * row + CELL / 2)
            if (goal[0] - self._from[0]) ** 2 + (goal[1] - self._from[1]) ** 2 >= least * least:
                break
        self._from = goal
        return goal


def walkers(world: Field, count: int) -> np.ndarray:
    """Return an array (count, 4) of start x, z and first goal x, z."""
    rows = np.empty((count, 4))
    for i in range(count):
        walker = Walker(world, i)
        rows[i] = (*walker.start, *walker.next_goal())
    return rows


def path_pairs(world: Field, count: int) -> np.ndarray:
    """Return an array (count, 4) of start x, z and end x, z: middles of two random cells of the component."""
    lcg = Lcg(_PAIR_SEED)
    cells = world.component
    rows = np.empty((count, 4))
    for i in range(count):
        first = cells[lcg.draw() % len(cells)]
        second = cells[lcg.draw() % len(cells)]
        rows[i] = (*world.centre(first), *world.centre(second))
    return rows


def segments(places: np.ndarray, length: float) -> np.ndarray:
    """Return segments (n, 4) of `length` units from the starts of `places` (n, 4) toward its ends."""
    direction = places[:, 2:] - places[:, :2]
    distance = np.sqrt((direction**2).sum(axis=1))
    return np.hstack([places[:, :2], places[:, :2] + direction * (length / distance)[:, None]])


@dataclass(frozen=True)
class Plane:
    """An open square on which agents cross: nothing but other agents to avoid."""

    side: float
    positions: np.ndarray = field(repr=False)
    wanted: np.ndarray = field(repr=False)


def plane(count: int, spacing: float = 2.5) -> Plane:
    """Return `count` agents on a jittered grid; those of even index want to go along +X, the others along +Z."""
    lcg = Lcg(_PLANE_SEED)
    columns = math.ceil(math.sqrt(count))
    positions, wanted = np.empty((count, 2)), np.zeros((count, 2))
    for i in range(count):
        positions[i] = (
            spacing * (i % columns + 0.25 + 0.5 * lcg.unit()),
            spacing * (i // columns + 0.25 + 0.5 * lcg.unit()),
        )
        wanted[i, i % 2] = SPEED
    return Plane(columns * spacing, positions, wanted)


def write_world(path: Path, world: Field, pairs: np.ndarray, agents: np.ndarray) -> None:
    """Write what a peer in another language needs: little-endian i32 width, cells, counts, then rows of f64."""
    with open(path, "wb") as out:
        out.write(struct.pack("<i", world.width))
        out.write(world.walkable.astype(np.uint8).tobytes())
        for rows in (pairs, agents):
            out.write(struct.pack("<i", len(rows)))
            out.write(rows.astype("<f8").tobytes())
