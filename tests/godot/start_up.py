"""What the addon adds to a game's start: the same exported game with and without it, started in turns.

For the record: PYTHONPATH=build/core python tests/godot/start_up.py prints milliseconds from start to exit.
"""

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

if not __package__:
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "site_scons")]

from crowd_project import CrowdProject
from onepath_build.godot_engine import find_engine
from project import export, play_exported

SIDES = {"with the addon": True, "without it": False}
_SCRIPT = """extends Node
func _ready():
	print("PROOF ", JSON.stringify(ClassDB.class_exists("NavCrowd")))
	get_tree().quit()
"""


def measure(engine, folder: Path, rounds: int) -> dict:
    """Export the game both ways and start each so many times, in turns; return the times in ms by side."""
    games = {}
    for number, (side, has_addon) in enumerate(SIDES.items()):
        project = CrowdProject(folder / f"project{number}", engine)
        project.write("run.gd", _SCRIPT)
        if not has_addon:
            shutil.rmtree(project.folder / "addons")
            (project.folder / ".godot/extension_list.cfg").unlink()
        games[side] = folder / f"game{number}"
        export(engine, project.folder, games[side])
    times: dict = {side: [] for side in SIDES}
    for _ in range(rounds):
        for side, game in games.items():
            began = time.perf_counter()
            run = play_exported(engine, game)
            times[side].append(1000.0 * (time.perf_counter() - began))
            assert (run.proof, run.errors) == (SIDES[side], [])
    return times


def report(times: dict) -> str:
    """One line: the medians, and the median and least difference of two starts in a row."""
    rows = [f"{side} {statistics.median(spent):.0f} ms" for side, spent in times.items()]
    apart = [a - b for a, b in zip(*times.values())]
    return f"{', '.join(rows)}; the addon adds {statistics.median(apart):.0f} ms (least {min(apart):.0f} ms)"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        times = measure(find_engine(), Path(folder), 15)
    print(report(times))
    print(json.dumps({side: [round(spent) for spent in row] for side, row in times.items()}))


if __name__ == "__main__":
    main()
