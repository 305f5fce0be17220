"""Measures what the nodes cost beside the core's step, for the record and not for a test: PYTHONPATH=build/core python …

The same thousand agents stand without a target and without avoidance, so that the core does as little as it can: as
nodeless agents, drawn by a MultiMesh, and as NavAgents in each sync mode. What a kind takes more than nodeless agents
is its own. The best and the tenth best of many steps are printed, in nanoseconds an agent.
"""

import sys
import tempfile
from pathlib import Path

if not __package__:
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "site_scons")]

from crowd_project import CrowdProject
from onepath_build.godot_engine import find_engine

SCENE = """
var quiet = NavAgentSettings.new()
var kinds = ["nodeless", "multimesh", "TRANSFORM", "TRANSFORM_AND_FACING", "VELOCITY", "NONE"]

func fill(kind: int) -> void:
	quiet.avoidance_enabled = false
	open_level(60)
	crowd.process_callback = NavCrowd.MANUAL
	if kind == 1:
		var instance = MultiMeshInstance3D.new()
		instance.multimesh = MultiMesh.new()
		instance.multimesh.transform_format = MultiMesh.TRANSFORM_3D
		world.add_child(instance)
		crowd.multimesh = instance
	for i in 1000:
		var place = Vector3(i % 40 * 2.5 - 50, 0, i / 40 * 2.5 - 30)
		if kind < 2:
			crowd.add_agent(place, quiet)
			continue
		var agent = walker(place)
		agent.settings = quiet
		agent.sync_mode = kind - 2

func measure(kind: int) -> Array:
	fill(kind)
	for i in 30: crowd.step(1.0 / 60)
	var times = []
	for i in 1000:
		var start = Time.get_ticks_usec()
		crowd.step(1.0 / 60)
		times.append(Time.get_ticks_usec() - start)
	world.free()
	times.sort()
	return [times[0], times[100]]

func _ready():
	var result = {}
	for kind in kinds.size(): result[kinds[kind]] = measure(kind)
	proof(result)
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(CrowdProject(Path(folder) / "project", find_engine()).play(SCENE).proof)


if __name__ == "__main__":
    main()
