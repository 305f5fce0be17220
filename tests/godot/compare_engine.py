"""NavAgent beside the engine's own NavigationAgent3D: the same scenes, walkers and goals, counted by the same script.

Run by `scons compare`. Writes a table (build/compare/compare.md) and all figures (build/compare/compare.json). Both
sides walk Node3Ds over the same NavigationMesh with avoidance on; the engine's side is the loop of its manual. The time
of an agent's tick is what a frame takes longer than in the same scene without agents.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "site_scons"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import recipe
from crowd_project import CrowdProject
from onepath_build.godot_engine import find_engine
from onepath_build.places import BUILD
from project import start

OUT = BUILD / "compare"
SCRIPT = Path(__file__).with_name("compare") / "compare.gd"
RUNS = 5
SIDES = ("ours", "engine")
_GOALS_EACH = 16
#: Ours where many meet in narrow places: they may squeeze past each other and look as far ahead as the engine's do, or
#: as near to that (1 s) as a quality comes.
MEETING = {"squeeze": 0.9, "avoidance_quality": 1}


def head_on() -> dict:
    """Two agents in the open swap places."""
    ends = [[-5.0, 0.0], [5.0, 0.0]]
    goals = [[ends[1]], [ends[0]]]
    return {"rects": [[-12, -12, 12, 12]], "starts": ends, "goals": goals, "radius": 0.5, "ticks": 600}


def door(each: int = 30) -> dict:
    """Two groups swap places through a gap 1.5 m wide in a wall 1 m thick; ours may squeeze past each other.

    The same rooms and places as in the core's own test of this case.
    """
    rects = [
        *([-12.5, low, -0.5, high] for low, high in ((-10, -0.75), (-0.75, 0.75), (0.75, 10))),
        [-0.5, -0.75, 0.5, 0.75],
        *([0.5, low, 12.5, high] for low, high in ((-10, -0.75), (-0.75, 0.75), (0.75, 10))),
    ]
    west = [[-11.0 + 1.3 * (number % 5), -7.0 + 2.8 * (number // 5)] for number in range(each)]
    starts = [place for x, z in west for place in ([x, z], [-x, -z])]
    goals = [[[-x, z]] for x, z in starts]
    return {"rects": rects, "starts": starts, "goals": goals, "radius": 0.5, "ticks": 1800, "ours": MEETING}


def one_point(count: int = 20) -> dict:
    """Everybody to one point, from all sides."""
    ring = [[-10, -10], [0, -11], [10, -10], [11, 0], [10, 10], [0, 11], [-10, 10], [-11, 0]]
    starts = [[ring[n % 8][0] * (1 - n // 8 * 0.2), ring[n % 8][1] * (1 - n // 8 * 0.2)] for n in range(count)]
    return {
        "rects": [[-14, -14, 14, 14]], "starts": starts, "goals": [[[0.0, 0.0]]] * count, "radius": 0.5, "ticks": 1800,
    }  # fmt: skip


def field(count: int = 500, ticks: int = 1200) -> dict:
    """The benchmark's walkers on its field of 64 x 64 cells, each with one goal after the other."""
    world = recipe.scatter(64)
    walkers = [recipe.Walker(world, number) for number in range(count)]
    goals = [[list(walker.next_goal()) for _ in range(_GOALS_EACH)] for walker in walkers]
    cells = world.walkable.astype(int).tolist()
    starts = [list(walker.start) for walker in walkers]
    sizes = {"radius": recipe.RADIUS, "arrival": recipe.NEXT_GOAL_DISTANCE, "ours": MEETING}
    return {"cells": cells, "starts": starts, "goals": goals, "ticks": ticks, **sizes}


CASES = {
    "head-on, 2 agents, 10 s": head_on,
    "door of 1.5 m, 30 + 30, 30 s": door,
    "20 to one point, 30 s": one_point,
    "500 on the benchmark's field, 20 s": field,
}


def measure(case: dict, side: str, runs: int, engine) -> dict:
    """Run a case several times, each in a new process; return counts, distinct hashes and the median time."""
    with tempfile.TemporaryDirectory() as folder:
        project = CrowdProject(Path(folder) / "project", engine)
        project.write("case.json", json.dumps({"threads": 1, "arrival": 0.5, **case}))
        shutil.copyfile(SCRIPT, project.folder / "compare.gd")
        scene = (project.folder / "main.tscn").read_text().replace("run.gd", "compare.gd").replace('"Node"', '"Node3D"')
        project.write("main.tscn", scene)
        command = engine.headless(project.folder, "--quit-after", str(case["ticks"] + 1200), "--", side)
        proofs = [start(engine, command, 300).proof for _ in range(runs)]
    return {
        "agents": proofs[0]["agents"],
        "finished": [proof["finished"] for proof in proofs],
        "last_arrival_s": [round(proof["last_arrival_s"], 2) for proof in proofs],
        "off_mesh": [proof["off_mesh"] for proof in proofs],
        "closest": [round(proof["closest"], 2) for proof in proofs],
        "hashes": sorted({proof["hash"] for proof in proofs}),
        "runs": runs,
        "us_per_agent_tick": round(statistics.median(proof["us_per_agent_tick"] for proof in proofs), 2),
    }


def table(results: dict) -> str:
    """The figures as a markdown table, ours and the engine's one below the other."""
    lines = [
        "| case | | targets reached | last arrival, s | agent-ticks off the mesh "
        f"| closest two, of two radii | hashes in {RUNS} runs | µs an agent-tick |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    names = {"ours": "NavAgent", "engine": "NavigationAgent3D"}
    for case, sides in results.items():
        for side, row in sides.items():
            figures = [_range(row[key]) for key in ("finished", "last_arrival_s", "off_mesh", "closest")]
            cells = [case, names[side], *figures, str(len(row["hashes"])), f"{row['us_per_agent_tick']:.1f}"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _range(values: list) -> str:
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def main() -> int:
    engine = find_engine()
    results: dict = {}
    for name, make in CASES.items():
        results[name] = {side: measure(make(), side, RUNS, engine) for side in SIDES}
        print("\n".join(table({name: results[name]}).splitlines()[-2:]), flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    figures = {"engine": engine.version_text, "cores": os.cpu_count(), "load": load, "cases": results}
    (OUT / "compare.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    text = table(results)
    (OUT / "compare.md").write_text(text, encoding="utf-8")
    print(f"\nGodot {engine.version_text}, medians of {RUNS} runs each, load of this machine {load}\n\n{text}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
