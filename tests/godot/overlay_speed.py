"""Measures what the overlay costs, for the record and not for a test: PYTHONPATH=build/core python …

A field of square polygons, 2 m each, one in eight left out, and agents that cross it. "collect" is the picture of all
agents with everything shown, as packed arrays, and "draw" that and putting it into the mesh that is drawn. For the
editor: the first picture of a large mesh (which builds the mesh from its region), the next one with other parts shown,
and what a look for changes takes. In ms, the best and the median of several.
"""

import sys
import tempfile
from pathlib import Path

if not __package__:
    sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "site_scons")]

from crowd_project import CrowdProject
from onepath_build.godot_engine import find_engine

SCENE = """
func field(width: int) -> NavigationRegion3D:
	var mesh = NavigationMesh.new()
	var points = PackedVector3Array()
	for z in width + 1:
		for x in width + 1: points.append(Vector3(2 * x, 0, 2 * z))
	mesh.vertices = points
	for z in width:
		for x in width:
			if hash(Vector2i(x, z)) % 8 == 0: continue
			var a = z * (width + 1) + x
			mesh.add_polygon(PackedInt32Array([a, a + 1, a + width + 2, a + width + 1]))
	var made = NavigationRegion3D.new()
	made.navigation_mesh = mesh
	world.add_child(made)
	return made

func timed(act: Callable, times: int) -> Array:
	var spent = []
	for i in times:
		var start = Time.get_ticks_usec()
		act.call()
		spent.append((Time.get_ticks_usec() - start) / 1000.0)
	spent.sort()
	return [spent[0], spent[times / 2]]

func agents(count: int) -> Dictionary:
	open_level(0)
	field(64)
	crowd.process_callback = NavCrowd.MANUAL
	var random = RandomNumberGenerator.new()
	for i in count:
		var id = crowd.add_agent(Vector3(random.randf_range(1, 127), 0, random.randf_range(1, 127)))
		crowd.set_agent_target(id, Vector3(random.randf_range(1, 127), 0, random.randf_range(1, 127)))
	for i in 60: crowd.step(1.0 / 60)
	crowd.debug_draw = 511
	crowd.debug_enabled = true
	var shown = crowd.get_debug_geometry()
	var found = {"points": shown.agent_lines.size() + shown.agent_triangles.size(),
		"collect": timed(func(): crowd.get_debug_geometry(), 20),
		"step": timed(func(): crowd.debug_enabled = false; crowd.step(1.0 / 60), 20)}
	crowd.debug_enabled = true
	found["step and draw"] = timed(func(): crowd.step(1.0 / 60), 20)
	world.free()
	return found

func mesh(width: int) -> Dictionary:
	open_level(0)
	var region = field(width)
	var found = {"polygons": region.navigation_mesh.get_polygon_count()}
	var baked = OnePathNavMesh.new()
	found["build"] = timed(func(): baked.build_from_crowd(crowd), 1)
	crowd.nav_mesh = baked
	found["first picture"] = timed(func(): crowd.get_debug_geometry(7), 1)
	found["other parts"] = timed(func(): crowd.get_debug_geometry(3), 1)
	found["same again"] = timed(func(): crowd.get_debug_geometry(3), 5)
	world.free()
	return found

func _ready():
	proof({"200 agents": agents(200), "2000 agents": agents(2000), "mesh": mesh(262)})
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        figures = CrowdProject(Path(folder) / "project", find_engine()).play(SCENE).proof
    for name, rows in figures.items():
        print(name)
        for what, value in rows.items():
            print(f"  {what}: {' / '.join(f'{part:.1f}' for part in value) if isinstance(value, list) else int(value)}")


if __name__ == "__main__":
    main()
