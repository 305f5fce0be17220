"""The editor plugin, driven without a window: bake, simulate, reset, store a snapshot, and undo each; what it draws."""

import pytest
from crowd_project import CrowdProject, addon_bin
from onepath_build import godot_bundle

LEVEL = """[gd_scene load_steps=2 format=3]
[sub_resource type="NavigationMesh" id="floor"]
vertices = PackedVector3Array(-10, 0, -10, 10, 0, -10, 10, 0, 10, -10, 0, 10)
polygons = [PackedInt32Array(0, 1, 2, 3)]
[node name="Level" type="Node3D"]
[node name="Region" type="NavigationRegion3D" parent="."]
navigation_mesh = SubResource("floor")
[node name="Crowd" type="NavCrowd" parent="."]
[node name="Walker" type="Node3D" parent="Crowd"]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -5, 0.25, 0)
[node name="Agent" type="NavAgent" parent="Crowd/Walker"]
target_position = Vector3(5, 0, 0)
"""

# Opens the level, selects the crowd, and hands both plugin and crowd to the body.
TOOLS = """
var plugin: EditorPlugin
var crowd: Node
var walker: Node3D

func frames(count: int) -> void:
	for frame in count: await get_tree().physics_frame

func history() -> UndoRedo:
	var manager = plugin.get_undo_redo()
	return manager.get_history_undo_redo(manager.get_object_history_id(crowd))

func open_level() -> void:
	EditorInterface.set_plugin_enabled("onepath", true)
	EditorInterface.open_scene_from_path("res://level.tscn")
	await frames(3)
	for node in get_tree().root.find_children("*", "EditorPlugin", true, false):
		var script = node.get_script()
		if script and script.resource_path == "res://addons/onepath/editor/plugin.gd": plugin = node
	crowd = EditorInterface.get_edited_scene_root().get_node("Crowd")
	walker = crowd.get_node("Walker")
	EditorInterface.edit_node(crowd)
	await frames(3)

func drawn(part: String) -> Array:
	var mesh = plugin.gizmos.drawn[crowd.get_instance_id()][part]
	var found = []
	for surface in mesh.get_surface_count(): found.append(mesh.surface_get_arrays(surface)[Mesh.ARRAY_VERTEX])
	return found
"""


@pytest.fixture
def level(tmp_path, engine):
    project = CrowdProject(tmp_path / "project", engine)
    godot_bundle.install(project.folder, addon_bin())
    project.write("level.tscn", LEVEL)
    return project


def edit(level, body: str):
    return level.run_in_editor(TOOLS + body)


def test_baking_fills_the_crowds_mesh_and_is_undone(level):
    run = edit(level, """
func act():
	await open_level()
	var seen = [crowd.nav_mesh == null, plugin.bake()]
	seen.append(crowd.nav_mesh.get_polygon_count())
	var first = crowd.nav_mesh.data
	crowd.tile_size = 4.0
	plugin.bake()
	seen.append(crowd.nav_mesh.data != first)
	history().undo()
	seen.append(crowd.nav_mesh.data == first)
	history().undo()
	seen.append(crowd.nav_mesh == null)
	history().redo()
	seen.append(crowd.nav_mesh.data == first)
	proof(seen)
""")
    assert run.proof == [True, True, 4, True, True, True, True]
    assert run.errors == []


def test_baking_nothing_changes_nothing(level):
    run = edit(level, """
func act():
	await open_level()
	crowd.get_node("../Region").free()
	proof([plugin.bake(), crowd.nav_mesh == null, history().has_undo()])
""")
    assert run.proof == [False, True, False]


def test_nothing_walks_while_editing_unless_simulated_and_reset_puts_all_back(level):
    run = edit(level, """
func act():
	await open_level()
	var start = walker.transform
	await frames(30)
	var seen = [walker.transform == start]
	plugin.simulate()
	await frames(120)
	var walked = walker.position.x
	seen.append_array([crowd.is_simulating(), walked > -3.0, walked < 6.0, absf(walker.position.y - 0.25) < 0.01])
	plugin.reset()
	seen.append_array([crowd.is_simulating(), walker.transform == start])
	await frames(10)
	seen.append(walker.transform == start)
	history().undo()
	seen.append_array([crowd.is_simulating(), absf(walker.position.x - walked) < 0.2])
	await frames(10)
	seen.append(walker.position.x > walked)
	history().undo()
	seen.append_array([crowd.is_simulating(), walker.transform == start])
	history().redo()
	await frames(60)
	seen.append(walker.position.x > start.origin.x + 0.5)
	plugin.reset()
	proof(seen)
""")
    assert run.proof == [
        *(True, True, True, True, True),
        *(False, True, True, True, True, True),
        *(False, True, True),
    ]
    assert run.errors == []


def test_saving_the_scene_during_a_simulation_saves_it_as_it_was(level):
    run = edit(level, """
func act():
	await open_level()
	plugin.simulate()
	await frames(60)
	var walked = walker.position.x > -4.5
	EditorInterface.save_scene()
	await frames(3)
	proof([walked, crowd.is_simulating(), walker.position.is_equal_approx(Vector3(-5, 0.25, 0))])
""")
    assert run.proof == [True, False, True]
    text = (level.folder / "level.tscn").read_text()
    assert "0, 1, -5, 0.25, 0)" in text
    assert "snapshot" not in text


def test_a_stored_snapshot_is_where_the_game_begins_and_is_undone(level):
    run = edit(level, """
func act():
	await open_level()
	var start = walker.transform
	plugin.store_snapshot()
	var seen = [crowd.snapshot != null, crowd.is_simulating(), walker.transform == start]
	history().undo()
	seen.append(crowd.snapshot == null)
	plugin.simulate()
	await frames(60)
	plugin.store_snapshot()
	var hash = crowd.snapshot.hash
	plugin.reset()
	EditorInterface.save_scene()
	seen.append_array([walker.transform == start, crowd.snapshot.hash == hash])
	proof(seen + [hash])
""")
    assert run.proof[:-1] == [True, False, True, True, True, True]
    game = level.run("""
func _ready():
	var scene = load("res://level.tscn").instantiate()
	add_child(scene)
	var crowd = scene.get_node("Crowd")
	proof([crowd.state_hash(), scene.get_node("Crowd/Walker").position.x > -4.9])
""")
    assert game.proof == [run.proof[-1], True]


def test_the_gizmo_draws_what_the_debug_data_say(level):
    run = edit(level, """
func act():
	await open_level()
	await frames(30)
	var shown = crowd.get_debug_geometry()
	var seen = [drawn("mesh") == [shown.mesh_triangles, shown.mesh_lines], drawn("agents").size()]
	plugin.simulate()
	await frames(120)
	crowd.update_gizmos()
	await get_tree().process_frame
	shown = crowd.get_debug_geometry()
	seen.append_array([
		drawn("mesh") == [shown.mesh_triangles, shown.mesh_lines],
		drawn("agents") == [shown.agent_triangles, shown.agent_lines], shown.agent_lines.size() > 20])
	plugin.show_parts(1)
	await frames(30)
	seen.append(drawn("agents").size())
	history().undo()
	plugin.reset()
	await frames(30)
	seen.append_array([drawn("agents").size(), crowd.debug_draw])
	EditorInterface.edit_node(crowd.get_parent())
	await frames(30)
	seen.append(plugin.gizmos.drawn.size())
	proof(seen)
""")
    assert run.proof == [True, 0, True, True, True, 0, 0, 127, 0]
    assert run.errors == []


# A follower under a plain node and one under a node that has gizmos of its own.
FOLLOWERS = LEVEL + """[node name="Lone" type="MeshInstance3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -5, 0, 3)
[node name="Follower" type="CorridorFollower" parent="Lone"]
target_position = Vector3(5, 0, 3)
"""


def test_a_selected_follower_is_drawn_with_the_way_that_it_would_go(level):
    level.write("level.tscn", FOLLOWERS)
    run = edit(level, """
func act():
	await open_level()
	await frames(30)
	var seen = [plugin.gizmos.drawn.size(), plugin.toolbar.visible]
	crowd = EditorInterface.get_edited_scene_root().get_node("Lone/Follower")
	var body = crowd.get_parent()
	EditorInterface.edit_node(crowd)
	await frames(30)
	var shown = crowd.get_debug_geometry()
	seen.append_array([plugin.gizmos.drawn.size(), plugin.toolbar.visible,
		drawn("mesh") == [shown.mesh_triangles, shown.mesh_lines],
		drawn("agents") == [shown.agent_triangles, shown.agent_lines]])
	seen.append(crowd.get_debug_geometry(64).agent_lines[1].distance_to(Vector3(5, 0.07, 3)) < 0.01)
	body.position.z = -3.0
	crowd.target_position = Vector3(5, 0, -3)
	await frames(30)
	shown = crowd.get_debug_geometry()
	seen.append(drawn("agents") == [shown.agent_triangles, shown.agent_lines])
	seen.append(crowd.get_debug_geometry(64).agent_lines[1].distance_to(Vector3(5, 0.07, -3)) < 0.01)
	seen.append(body.position.is_equal_approx(Vector3(-5, 0, -3)))
	var other = MeshInstance3D.new()
	body.get_parent().add_child(other)
	other.owner = body.owner
	await frames(10)
	var late = ClassDB.instantiate("CorridorFollower")
	other.add_child(late)
	late.owner = body.owner
	crowd = late
	EditorInterface.edit_node(late)
	await frames(30)
	seen.append_array([plugin.gizmos.drawn.keys() == [late.get_instance_id()], drawn("mesh").size()])
	EditorInterface.edit_node(walker)
	await frames(30)
	seen.append(plugin.gizmos.drawn.size())
	proof(seen)
""")
    assert run.errors == []
    assert run.proof == [1, True, 1, False, True, True, True, True, True, True, True, 2, 0]


def test_every_button_does_what_it_says_and_is_undone(level):
    run = edit(level, """
func press(text: String) -> void:
	for child in plugin.toolbar.get_children():
		if child is Button and child.text == text and not child.disabled: child.pressed.emit()
	await frames(10)

func act():
	await open_level()
	var seen = [plugin.toolbar.visible]
	await press("Bake")
	seen.append(crowd.nav_mesh.get_polygon_count())
	await press("Simulate")
	seen.append(crowd.is_simulating())
	await press("Store Snapshot")
	seen.append(crowd.snapshot != null)
	await press("Reset")
	seen.append(crowd.is_simulating())
	plugin.toolbar._parts.id_pressed.emit(4)
	seen.append([crowd.debug_draw, plugin.toolbar._parts.is_item_checked(4), plugin.toolbar._parts.is_item_checked(3)])
	await press("Legend")
	seen.append(plugin.toolbar._legend.visible)
	var names = []
	var undo = history()
	while undo.has_undo():
		names.append(undo.get_current_action_name())
		undo.undo()
	await frames(10)
	seen.append_array([names, crowd.debug_draw, crowd.snapshot == null, crowd.is_simulating(), crowd.nav_mesh == null])
	proof(seen)
""")
    names = ["Choose What a Crowd Shows", "Reset Crowd", "Store Crowd Snapshot", "Simulate Crowd", "Bake OnePath Mesh"]
    assert run.proof == [True, 4, True, True, False, [127 - 16, False, True], True, names, 127, True, False, True]
    assert run.errors == []


def test_a_mesh_that_takes_long_is_built_over_many_frames_and_shown_then(level):
    run = edit(level, """
func act():
	await open_level()
	await frames(30)
	var other = ClassDB.instantiate("NavCrowd")
	other.tile_size = 0.5
	crowd.get_parent().add_child(other)
	other.owner = crowd.owner
	var shares = [other.prepare_debug_mesh(0.0)]
	while shares.back() < 1.0: shares.append(other.prepare_debug_mesh(0.0))
	var rising = true
	for number in shares.size() - 1: rising = rising and shares[number] < shares[number + 1]
	EditorInterface.edit_node(other)
	plugin.toolbar.show_progress(0.5)
	var seen = [shares.size() > 1000, rising, plugin.toolbar._progress.visible, plugin.toolbar._progress.text]
	await frames(60)
	var shown = other.get_debug_geometry()
	crowd = other
	seen.append_array([drawn("mesh") == [shown.mesh_triangles, shown.mesh_lines], plugin.toolbar._progress.visible])
	proof(seen)
""")
    assert run.proof == [True, True, True, "Mesh: 50 %", True, False]
    assert run.errors == []


def test_a_link_that_finds_no_ground_is_warned_about_once_however_often_the_mesh_is_built(level):
    run = edit(level, """
func act():
	await open_level()
	var link = NavigationLink3D.new()
	link.name = "Lost"
	link.start_position = Vector3(50, 0, 0)
	crowd.get_parent().add_child(link)
	link.owner = crowd.owner
	await frames(60)
	for round in 3:
		plugin.simulate()
		await frames(5)
		plugin.reset()
		plugin.bake()
		history().undo()
	proof(true)
""")
    assert ["Lost" in line for line in run.errors] == [True]


def test_the_gizmo_follows_a_region_that_is_edited(level):
    run = edit(level, """
func act():
	await open_level()
	await frames(30)
	var before = drawn("mesh")
	crowd.get_node("../Region").position.x = 3.0
	await frames(60)
	var after = drawn("mesh")
	var shown = crowd.get_debug_geometry()
	proof([before != after, after == [shown.mesh_triangles, shown.mesh_lines]])
""")
    assert run.proof == [True, True]


def test_the_reference_describes_every_class_property_method_and_signal(level):
    run = edit(level, """
func texts(node: Node, found: Array) -> Array:
	if node is RichTextLabel: found.append(node.get_parsed_text())
	for child in node.get_children(true): texts(child, found)
	return found

func act():
	await open_level()
	var pages = {}
	for name in ["NavCrowd", "NavAgent", "CorridorFollower", "OnePathNavMesh", "NavAgentSettings", "CrowdSnapshot"]:
		EditorInterface.get_script_editor().goto_help("class_name:" + name)
		for frame in 10: await get_tree().process_frame
		var page = texts(EditorInterface.get_script_editor(), []).filter(func(text): return name in text)
		var members = []
		for row in ClassDB.class_get_property_list(name, true):
			if row.usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP | PROPERTY_USAGE_CATEGORY) == 0:
				members.append(row.name)
		for row in ClassDB.class_get_signal_list(name, true): members.append(row.name)
		for row in ClassDB.class_get_method_list(name, true): members.append(row.name)
		pages[name] = [page, members]
	proof(pages)
""")
    assert run.errors == []
    for name, (page, members) in run.proof.items():
        text = "\n".join(page)
        accessors = {f"{prefix}_{member}" for member in members for prefix in ("get", "set")}
        own = [member for member in members if member not in accessors and not member.startswith("_")]
        assert len(own) >= 3, name
        assert [member for member in own if member not in text] == [], name
        assert "There is currently no description" not in text, name
