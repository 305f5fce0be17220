"""Avoidance alone: agents crossing on an open plane, against RVO2."""

from __future__ import annotations

from types import ModuleType

from . import recipe
from .measure import Effort, Pass, Report, Timing, in_turns, row_of, timed
from .peers.rvo import RvoCrowd
from .sides import Core

PEER = "RVO2"
COUNTS = (100, 1000, 4000)
WARM_TICKS = 60
AGENT_STEPS = 20000
MOST_TICKS = 20


def _rvo_pass(crowd: RvoCrowd, count: int) -> Pass:
    def run(ticks: int) -> float:
        crowd.step(ticks)
        return ticks * count

    clocked = timed(run, lambda: {"mean_speed": crowd.mean_speed()})

    def step(ticks: int) -> Timing:
        timing = clocked(ticks)
        crowd.wrap()
        return timing

    return step


def measure_plane(
    report: Report, counts: tuple[int, ...], core: Core | None, pyrvo: ModuleType | None, effort: Effort
) -> None:
    """Measure one step per agent on the plane for each number of agents."""
    section = "open plane"
    report.section(f"{section}, spacing 2.5, 8 neighbours, horizon 2 s", PEER)
    for count in counts:
        plane = recipe.plane(count)
        ticks = max(1, min(MOST_TICKS, AGENT_STEPS // count))
        our_step = core.OurCrossers(plane).step if core is not None else None
        peer_step = _rvo_pass(RvoCrowd(pyrvo, plane), count) if pyrvo is not None else None
        sides = [side for side in (our_step, peer_step) if side is not None]
        for side in sides:
            for _ in range(WARM_TICKS // ticks):
                side(ticks)
        timings = in_turns(sides, effort, ticks)
        row = row_of(
            section,
            f"step per agent, N = {count}",
            timings[0] if our_step is not None else None,
            timings[-1] if peer_step is not None else None,
            peer_name=PEER,
            bar=None,
        )
        report.add(row)
