"""RVO2 (the reference ORCA of its authors) through the PyPI package pyrvo, on the open plane of the recipe."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

from .. import recipe
from .detour import PeerMissing

PACKAGE = "pyrvo==0.4.3"
MAX_NEIGHBOURS = 8
TIME_HORIZON = 2.0
NEIGHBOUR_DISTANCE = 2 * recipe.RADIUS + recipe.SPEED * TIME_HORIZON


def load(build: Path) -> ModuleType:
    """Return the pyrvo module, fetched into the build folder when it is not installed; else PeerMissing."""
    try:
        return importlib.import_module("pyrvo")
    except ImportError:
        target = build / "pyrvo"
    if not (target / "pyrvo").is_dir():
        print("fetching pyrvo into the build folder ...", flush=True)
        # Without its dependencies: they serve its examples, and pull in a plotting stack.
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise PeerMissing("pyrvo is not installed and could not be fetched")
    sys.path.append(str(target))
    try:
        return importlib.import_module("pyrvo")
    except ImportError as error:
        raise PeerMissing(f"pyrvo does not load here: {error}") from None


class RvoCrowd:
    """Agents of the open plane in an RVO2 simulator, with the neighbour rule of our medium quality."""

    def __init__(self, pyrvo: ModuleType, plane: recipe.Plane) -> None:
        horizon = TIME_HORIZON
        self._simulator = pyrvo.RVOSimulator(
            recipe.DT, NEIGHBOUR_DISTANCE, MAX_NEIGHBOURS, horizon, horizon / 2, recipe.RADIUS, recipe.SPEED
        )
        self._side = plane.side
        self._count = len(plane.positions)
        for i, (position, wanted) in enumerate(zip(plane.positions.tolist(), plane.wanted.tolist(), strict=True)):
            self._simulator.add_agent(position)
            self._simulator.set_agent_pref_velocity(i, wanted)

    def step(self, ticks: int) -> None:
        """Advance the simulator; nothing else happens inside the clock."""
        for _ in range(ticks):
            self._simulator.do_step()

    def wrap(self) -> None:
        """Bring agents that left the square back in on its other side."""
        for i in range(self._count):
            place = self._simulator.get_agent_position(i)
            x, z = place.x, place.y
            if not (0 <= x < self._side and 0 <= z < self._side):
                self._simulator.set_agent_position(i, (x % self._side, z % self._side))

    def mean_speed(self) -> float:
        """Return the mean of the agents' speeds."""
        found = (self._simulator.get_agent_velocity(i) for i in range(self._count))
        return sum(math.hypot(velocity.x, velocity.y) for velocity in found) / self._count
