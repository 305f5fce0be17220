"""The crowd step against DetourCrowd, and what a crowd of ours has that no peer offers: state and threads."""

from __future__ import annotations

from pathlib import Path

from . import recipe
from .measure import Effort, Pass, Report, Row, Timing, in_turns, progress, row_of
from .peers.detour import Detour
from .sides import Core, Walkers

PEER = "DetourCrowd"
MODES = ("off", "medium", "high")
# Our agents as the presets have them, instead of with corridors that reach as far as the peer's.
PRESETS = "presets"
COUNTS = (100, 1000, 4000)
BARS = {"medium": 0.8, PRESETS: 0.8}
THREADS = 2
MEMORY_WIDTH, MEMORY_COUNT = 64, 1000
WARM_TICKS = 60
# Enough agent steps per pass for the clock, and in all rounds fewer ticks than the shortest walk to a goal takes.
AGENT_STEPS = 20000
MOST_TICKS = 60


def ticks_of(count: int) -> int:
    """Return how many ticks one pass of a crowd of this size lasts."""
    return max(1, min(MOST_TICKS, AGENT_STEPS // count))


def measure_crowds(
    report: Report,
    width: int,
    counts: tuple[int, ...],
    core: Core | None,
    detour: Detour | None,
    build: Path,
    effort: Effort,
) -> None:
    """Measure the step of crowds of each size and avoidance quality, all on their way on whole paths."""
    world = recipe.scatter(width)
    agents = recipe.walkers(world, max(counts))
    section = f"crowd, W = {width}"
    report.section(section, PEER)
    if detour is not None:
        path = build / f"world_{width}.bin"
        recipe.write_world(path, world, agents[:1], agents)
        detour.ask("load", path)
    for count in counts:
        _measure_size(report, section, world, count, core, detour, effort)
    if width == MEMORY_WIDTH:
        _measure_memory(report, section, world, core, detour)


def _measure_size(
    report: Report,
    section: str,
    world: recipe.Field,
    count: int,
    core: Core | None,
    detour: Detour | None,
    effort: Effort,
) -> None:
    our_crowds: dict[str, Walkers] = {}
    with progress(f"{count} agents find their paths and set off"):
        for mode in (*MODES, PRESETS):
            if core is not None:
                our_crowds[mode] = core.OurWalkers(world, count, mode)
                our_crowds[mode].step(WARM_TICKS)
            if detour is not None and mode != PRESETS:
                detour.ask("crowd", count, mode)
                detour.ask("step", mode, WARM_TICKS)
    passes: dict[tuple[str, str], Pass] = {}
    for mode in (*MODES, PRESETS):
        if core is not None:
            passes["ours", mode] = our_crowds[mode].step
        if detour is not None and mode != PRESETS:
            passes["peer", mode] = _step_of(detour, mode)
    timings = dict(zip(passes, in_turns(list(passes.values()), effort, ticks_of(count)), strict=True))
    if core is not None:
        sendings = [crowd.sending for crowd in our_crowds.values()]
        name = f"set_destination per agent, N = {count}"
        report.add(row_of(section, name, sendings, None, peer_name=PEER, bar=None))
        for mode, crowd in our_crowds.items():
            timings["ours", mode][-1].notes.update(crowd.overlaps())
    if detour is not None:
        for mode in MODES:
            timings["peer", mode][-1].notes.update(detour.ask("overlaps", mode))
    names = {mode: f"step per agent, N = {count}, avoidance {mode}" for mode in MODES}
    names[PRESETS] = f"step per agent, N = {count}, medium, our presets"
    for mode in (*MODES, *our_crowds.keys() - set(MODES)):
        ours, peer = timings.get(("ours", mode)), timings.get(("peer", "medium" if mode == PRESETS else mode))
        report.add(row_of(section, names[mode], ours, peer, peer_name=PEER, bar=BARS.get(mode)))


def _measure_memory(
    report: Report, section: str, world: recipe.Field, core: Core | None, detour: Detour | None
) -> None:
    """Compare what an agent takes; the peer's corridor always holds 256 polygons, ours as many as it is told."""
    peer = detour.ask("crowd", MEMORY_COUNT, "medium")["bytes_per_agent"] if detour is not None else None
    for capacity, bar in ((64, 2500.0), (256, None)):
        ours = core.crowd_bytes(world, MEMORY_COUNT, capacity) if core is not None else None
        ratio = ours / peer if ours and peer else None
        operation = f"memory per agent, our corridor of {capacity} polygons"
        report.add(Row(section, operation, "B", ours, PEER, peer, ratio, bar=bar, bar_on="ours"))


def _step_of(detour: Detour, mode: str) -> Pass:
    def step(ticks: int) -> Timing:
        answer = detour.ask("step", mode, ticks)
        return Timing(answer.pop("ns"), answer.pop("calls"), answer)

    return step


def measure_threads(report: Report, width: int, count: int, core: Core, effort: Effort) -> None:
    """Measure one thread against two on equal crowds, by the clock on the wall."""
    section = f"threads, W = {width}"
    report.section(f"{section} (wall time; ratio: one thread over {THREADS})", "1 thread")
    world = recipe.scatter(width)
    with progress(f"2 x {count} agents set off"):
        crowds = [core.OurWalkers(world, count, "medium", threads=threads, wall=True) for threads in (THREADS, 1)]
        for crowd in crowds:
            crowd.step(WARM_TICKS)
    several, one = in_turns([crowd.step for crowd in crowds], effort, ticks_of(count))
    row = row_of(
        section, f"step per agent, N = {count}, {THREADS} threads", several, one, peer_name="1 thread", bar=None
    )
    gain = 1.0 / row.ratio if row.ratio else None
    report.add(
        Row(section, row.operation, "us", row.ours, "1 thread", row.peer, gain, row.spread, 1.6, "at least", row.notes)
    )


def measure_state(report: Report, width: int, count: int, core: Core, effort: Effort) -> None:
    """Measure saving, restoring and hashing a walking crowd, per agent."""
    section = f"state, W = {width}"
    report.section(section, "no peer")
    with progress(f"{count} agents set off"):
        crowd = core.OurWalkers(recipe.scatter(width), count, "medium")
        crowd.step(WARM_TICKS)
    for name, work in crowd.state_passes().items():
        (timings,) = in_turns([work], effort)
        report.add(row_of(section, f"{name} per agent, N = {count}", timings, None, peer_name="no peer", bar=None))
    size = crowd.state_bytes_per_agent()
    report.add(Row(section, f"saved bytes per agent, N = {count}", "B", size, "no peer", None, None))
