"""The benchmark's command line: which sections run, against whom, and where the figures go."""

from __future__ import annotations

import argparse
import os
import platform
import time
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

from .crowd_section import COUNTS, measure_crowds, measure_state, measure_threads
from .measure import Effort, Notes, Report
from .peers import detour as detour_peer
from .peers import rvo as rvo_peer
from .peers.detour import Detour, PeerMissing
from .plane_section import COUNTS as PLANE_COUNTS
from .plane_section import measure_plane
from .query_section import measure_queries
from .sides import Core

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = ("queries", "crowd", "plane", "state", "threads")
# Short passes, many rounds: on a busy machine the median pass is then one that nothing interrupted.
FULL, QUICK = Effort(15, 10.0), Effort(5, 5.0)
CROWD_ROUNDS = 9


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="scons bench", description="Measures OnePath against Detour, DetourCrowd and RVO2 in one run."
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds and no crowds of 4000: about a minute")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="sections to run (default: all)")
    parser.add_argument("--width", nargs="+", type=int, choices=(64, 256), default=(64, 256), help="fields to run")
    parser.add_argument("--peers-only", action="store_true", help="measure the peers alone, without the core")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json", help="where the figures go")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run the asked sections; 0 when they ran, whatever the figures say."""
    options = parse(arguments)
    build = ROOT / "build" / "bench"
    build.mkdir(parents=True, exist_ok=True)
    report = Report(_about())
    core = None if options.peers_only else _core(report)
    begin = time.perf_counter()
    with ExitStack() as stack:
        detour = _detour(report, build, stack)
        pyrvo = _pyrvo(report, build) if "plane" in options.only else None
        _run(report, options, core, detour, pyrvo, build)
    report.about["seconds"] = round(time.perf_counter() - begin, 1)
    report.save(options.out)
    print(f"\n{report.verdict()}; {report.about['seconds']:.0f} s; figures in {options.out}")
    return 0


def _run(
    report: Report,
    options: argparse.Namespace,
    core: Core | None,
    detour: Detour | None,
    pyrvo: ModuleType | None,
    build: Path,
) -> None:
    effort = QUICK if options.quick else FULL
    crowd_effort = Effort(min(effort.rounds, CROWD_ROUNDS), effort.pass_ms)
    counts = COUNTS[:-1] if options.quick else COUNTS
    if "queries" in options.only:
        for width in options.width:
            measure_queries(report, width, core, detour, build, effort, options.quick)
    if "crowd" in options.only:
        for width in options.width:
            measure_crowds(report, width, counts, core, detour, build, crowd_effort)
    if "plane" in options.only:
        measure_plane(report, PLANE_COUNTS[: len(counts)], core, pyrvo, effort)
    if core is not None and "state" in options.only:
        measure_state(report, 64, 1000, core, effort)
    if core is not None and "threads" in options.only:
        measure_threads(report, 64, counts[-1], core, crowd_effort)


def _core(report: Report) -> Core:
    import onepath

    if not onepath.COMPILED:
        raise SystemExit(
            "The benchmark measures the compiled core, but this is the interpreted one:"
            " run scons bench, or scons core and then this with PYTHONPATH=build/core."
        )
    from . import ours

    report.about["core"] = Path(onepath.__file__).parent.parent.name
    return ours


def _detour(report: Report, build: Path, stack: ExitStack) -> Detour | None:
    try:
        peer, origin = detour_peer.start(build)
    except PeerMissing as missing:
        report.say_missing(f"Detour and DetourCrowd: {missing}")
        return None
    report.about["detour"] = origin
    stack.callback(peer.close)
    return peer


def _pyrvo(report: Report, build: Path) -> ModuleType | None:
    try:
        module = rvo_peer.load(build)
    except PeerMissing as missing:
        report.say_missing(f"RVO2: {missing}")
        return None
    report.about["rvo2"] = rvo_peer.PACKAGE
    return module


def _about() -> Notes:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load_at_start": load,
    }
