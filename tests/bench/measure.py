"""Timing in turns, medians, and the table that comes out of them."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Notes = dict[str, Any]


@dataclass(frozen=True)
class Timing:
    """One timed pass: nanoseconds, the number of calls they cover, and what else the pass found out."""

    ns: float
    calls: float
    notes: Notes = field(default_factory=dict)

    @property
    def each(self) -> float:
        """Nanoseconds per call."""
        return self.ns / self.calls


Pass = Callable[[int], Timing]


def timed(work: Callable[[int], float], notes: Callable[[], Notes] = dict, *, wall: bool = False) -> Pass:
    """Turn `work(repeats) -> calls` into a pass that reports this process's processor time (or `wall` time)."""
    clock = time.perf_counter_ns if wall else time.process_time_ns

    def run(repeats: int) -> Timing:
        begin = clock()
        calls = work(repeats)
        elapsed = clock() - begin
        return Timing(elapsed, calls, notes())

    return run


@dataclass(frozen=True)
class Effort:
    """How long to measure: rounds of turns, and the milliseconds that one pass should last at least."""

    rounds: int
    pass_ms: float


@dataclass(frozen=True)
class Row:
    """One line of the table; times in microseconds per call, memory in bytes, `ratio` ours over the peer's."""

    section: str
    operation: str
    unit: str
    ours: float | None
    peer_name: str
    peer: float | None
    ratio: float | None
    spread: float | None = None
    bar: float | None = None
    bar_on: str = "ratio"
    notes: Notes = field(default_factory=dict)

    @property
    def within_bar(self) -> bool | None:
        """Whether the figure keeps its bar; None where there is no bar or nothing to hold against it."""
        figure = {"ratio": self.ratio, "ours": self.ours, "at least": self.ratio}[self.bar_on]
        if self.bar is None or figure is None:
            return None
        return figure >= self.bar if self.bar_on == "at least" else figure <= self.bar


class Report:
    """Collects rows, shows each as it comes and writes all of them as JSON."""

    def __init__(self, about: Notes) -> None:
        self.about = about
        self.rows: list[Row] = []
        self.missing: list[str] = []

    def section(self, title: str, peer_name: str) -> None:
        """Print the head of a new part of the table."""
        print(f"\n{title:<54}{'ours':>12}{peer_name:>14}{'ratio':>9}{'bar':>8}")

    def say_missing(self, what: str) -> None:
        """Record and print that something cannot be measured here."""
        self.missing.append(what)
        print(f"missing: {what}", flush=True)

    def add(self, row: Row) -> None:
        """Record and print one row."""
        self.rows.append(row)
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        bar = "" if row.bar is None else f"{row.bar:g}"
        mark = {None: "", True: "  ok", False: "  over"}[row.within_bar]
        if row.bar_on == "at least" and row.within_bar is False:
            mark = "  under"
        figures = f"{_shown(row.ours, row.unit):>12}{_shown(row.peer, row.unit):>14}{ratio:>9}{bar:>8}{mark}"
        print(f"  {row.operation:<52}{figures}", flush=True)

    def save(self, path: Path) -> None:
        """Write everything recorded as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(row) | {"within_bar": row.within_bar} for row in self.rows]
        text = json.dumps({"about": self.about, "missing": self.missing, "rows": rows}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")

    def verdict(self) -> str:
        """Return one sentence on how many bars were kept."""
        held = [row for row in self.rows if row.within_bar is not None]
        kept = sum(bool(row.within_bar) for row in held)
        return f"{kept} of {len(held)} bars kept"


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    digits = 3 if value < 1 else 2 if value < 100 else 0
    return f"{value:.{digits}f} {unit}"


def in_turns(passes: list[Pass], effort: Effort, repeats: int | None = None) -> list[list[Timing]]:
    """Run the passes in turns for the asked rounds, the order reversed every other round; one list per pass.

    Without `repeats` a first unrecorded call of each warms its caches and sizes its passes to last long enough for the
    clock. A crowd moves on with every pass, so there all sides get the same `repeats`.
    """
    counts = [repeats or _enough(one, effort.pass_ms) for one in passes]
    found: list[list[Timing]] = [[] for _ in passes]
    for turn in range(effort.rounds):
        order = range(len(passes)) if turn % 2 == 0 else reversed(range(len(passes)))
        for index in order:
            found[index].append(passes[index](counts[index]))
    return found


def _enough(one: Pass, pass_ms: float) -> int:
    return max(1, round(pass_ms * 1e6 / max(one(1).ns, 1.0)))


def middle_us(timings: list[Timing]) -> float:
    """Return the median microseconds per call."""
    return statistics.median(timing.each for timing in timings) / 1000.0


def middle_ratio(ours: list[Timing], peer: list[Timing]) -> tuple[float, float]:
    """Return the median of the ratios of each round, and half the distance between their quartiles."""
    ratios = sorted(a.each / b.each for a, b in zip(ours, peer, strict=True))
    if len(ratios) < 4:
        return statistics.median(ratios), (ratios[-1] - ratios[0]) / 2
    low, _, high = statistics.quantiles(ratios, n=4)
    return statistics.median(ratios), (high - low) / 2


def compare(
    section: str,
    operation: str,
    ours: Pass | None,
    peer: Pass | None,
    effort: Effort,
    *,
    peer_name: str,
    bar: float | None,
) -> Row:
    """Time both sides in turns (or the one that is there) and return the row of their medians."""
    sides = [side for side in (ours, peer) if side is not None]
    timings = in_turns(sides, effort)
    our_timings = timings[0] if ours is not None else None
    peer_timings = timings[-1] if peer is not None else None
    return row_of(section, operation, our_timings, peer_timings, peer_name=peer_name, bar=bar)


def row_of(
    section: str,
    operation: str,
    ours: list[Timing] | None,
    peer: list[Timing] | None,
    *,
    peer_name: str,
    bar: float | None,
) -> Row:
    """Return the row of two lists of timings that were taken in turns; either may be absent."""
    ratio = spread = None
    notes: Notes = {}
    if ours is not None:
        notes |= {"rounds": len(ours), "ours": ours[-1].notes}
    if peer is not None:
        notes |= {"rounds": len(peer), "peer": peer[-1].notes}
    if ours is not None and peer is not None:
        ratio, spread = middle_ratio(ours, peer)
    our_us = middle_us(ours) if ours is not None else None
    peer_us = middle_us(peer) if peer is not None else None
    return Row(section, operation, "us", our_us, peer_name, peer_us, ratio, spread, bar, notes=notes)


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say what takes long while it is going on, and how long it took."""
    print(f"  ({what} ", end="", flush=True)
    begin = time.perf_counter()
    yield
    print(f"{time.perf_counter() - begin:.1f} s)", flush=True)
