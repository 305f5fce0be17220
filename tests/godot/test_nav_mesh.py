"""OnePathNavMesh: a mesh as a resource, made by code, exact in files, and harmless when damaged."""

import pytest
from region_level import BAKED, mesh_of, outlines, path_between


@pytest.mark.parametrize("ending", ["tres", "res"])
def test_a_mesh_made_from_a_baked_level_is_bit_exact_after_saving_and_is_walked_on(level, ending):
    run = level.play(BAKED + f"""
func _ready():
	open_level(0.0)
	var region = two_floors()
	region.position = Vector3(0.1, 0, 0.3)
	var made = OnePathNavMesh.new()
	var built = made.build_from_crowd(crowd)
	ResourceSaver.save(made, "res://mesh.{ending}")
	var loaded = ResourceLoader.load("res://mesh.{ending}", "", ResourceLoader.CACHE_MODE_IGNORE)
	region.free()
	crowd.nav_mesh = loaded
	var agent = walker(Vector3(-11, 0.9, 2), Vector3(11, 3.9, 8))
	await ticks(700)
	proof([built, loaded != made, loaded.data == made.data, loaded.get_polygon_count() == made.get_polygon_count(),
		made.data.size() > 1000, agent.is_target_reached(), crowd.get_warnings()])
""")
    assert (run.proof, run.errors) == ([True, True, True, True, True, True, []], [])


def test_it_is_made_from_a_navigation_mesh_and_keeps_what_it_has_when_that_is_empty(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	var region = two_floors()
	var made = OnePathNavMesh.new()
	var changes = [0]
	made.changed.connect(func(): changes[0] += 1)
	var results = [made.is_empty(), made.build_from_navigation_mesh(region.navigation_mesh, 8.0, true)]
	var before = made.data
	results += [made.is_empty(), made.build_from_navigation_mesh(NavigationMesh.new()),
		made.build_from_navigation_mesh(null), made.data == before, changes[0]]
	var single = OnePathNavMesh.new()
	single.build_from_navigation_mesh(region.navigation_mesh, 0.0)
	var text = bytes_of(made)
	made.clear()
	proof([results, made.is_empty(), made.get_polygon_count(), text, bytes_of(single)])
""")
    results, empty, count, tiled, single = run.proof
    assert run.errors == []
    assert results == [True, True, False, False, False, True, 1]
    assert (empty, count) == (True, 0)
    assert len(mesh_of(tiled).tiles()) > 6 and mesh_of(single).tiles() == [(0, 0, 0)]
    for mesh in (mesh_of(tiled), mesh_of(single)):
        assert path_between(mesh, (-11, 0, 2.5), (11, 3, 2.5)) is not None


def test_the_mesh_that_a_crowd_uses_now_can_be_kept(level):
    run = level.play(BAKED + """
func _ready():
	open_level(8.0)
	walker(Vector3.ZERO)
	await ticks(2)
	floor_at(8, -2, 12, 2)
	var before = live()
	await ticks(2)
	proof([before, live(), fresh()])
""")
    before, after, fresh = (outlines(mesh_of(text)) for text in run.proof)
    assert run.errors == []
    assert before != after == fresh


def test_damaged_data_is_one_error_that_says_what_to_do_and_a_warning(level):
    run = level.play(BAKED + """
func _ready():
	open_level()
	var made = OnePathNavMesh.new()
	made.build_from_crowd(crowd)
	var good = made.data
	var agent = walker(Vector3.ZERO, Vector3(3, 0, 0))
	var data = good.duplicate()
	data[data.size() / 2] = data[data.size() / 2] ^ 255
	data.resize(data.size() - 3)
	made.data = data
	crowd.nav_mesh = made
	await ticks(60)
	var state = [agent.get_state(), at(agent), crowd.get_warnings(), made.get_polygon_count(), made.is_empty()]
	made.data = good
	crowd.nav_mesh = null
	crowd.nav_mesh = made
	await ticks(120)
	var reached = agent.is_target_reached()
	crowd.nav_mesh = OnePathNavMesh.new()
	await ticks(2)
	proof([state, reached, crowd.get_warnings()])
""")
    (state, place, warnings, count, empty), reached, later = run.proof
    assert (state, place, count, empty, reached) == (6, "(0.0, 0.0, 0.0)", 0, True, True)
    assert len(run.errors) == 1 and "damaged" in run.errors[0] and "bake the mesh again" in run.errors[0]
    assert "damaged" in warnings[0] and "empty" in later[0]


def test_wrong_arguments_are_refused(level):
    run = level.play(BAKED + """
func _ready():
	open_level()
	var made = OnePathNavMesh.new()
	made.build_from_crowd(null)
	made.build_from_crowd(Node3D.new())
	made.copy_from_crowd(NavCrowd.new())
	made.build_from_navigation_mesh(world.get_child(0).navigation_mesh, NAN)
	made.build_from_navigation_mesh(world.get_child(0).navigation_mesh, 16.0, false, -1.0)
	var bad = NavigationMesh.new()
	bad.vertices = PackedVector3Array([Vector3.ZERO, Vector3(1, 0, 0), Vector3(NAN, 0, 1)])
	bad.add_polygon(PackedInt32Array([0, 1, 2]))
	made.build_from_navigation_mesh(bad)
	bad.vertices = PackedVector3Array([Vector3.ZERO, Vector3(1, 0, 0)])
	made.build_from_navigation_mesh(bad)
	proof(made.is_empty())
""")
    assert run.proof is True
    names = ["crowd must be", "crowd must be", "crowd must be", "tile_size", "max_climb", "navigation_mesh cannot",
             "navigation_mesh cannot"]
    errors = [line for line in run.errors if "leaked" not in line]
    assert len(errors) == len(names), run.output
    assert all(name in line for name, line in zip(names, errors)), errors
