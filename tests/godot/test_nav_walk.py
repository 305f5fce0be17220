"""NavAgents walk in a real engine: from the first tick, to their targets, with the signals that users count on."""

import pytest


def test_a_target_set_in_ready_moves_the_parent_from_the_first_tick_on(level):
    run = level.play("""
func _ready():
	open_level()
	var agent = walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	var places = []
	for tick in 3:
		await get_tree().physics_frame
		places.append(at(agent).x)
	while not agent.is_navigation_finished(): await get_tree().physics_frame
	proof([places, at(agent).distance_to(Vector3(5, 0, 0)), agent.is_target_reached(), agent.get_state()])
""")
    assert run.errors == []
    places, gap, reached, state = run.proof
    assert places[0] == -5.0 < places[1] < places[2], "physics_frame comes just before each tick"
    assert gap <= 0.25
    assert (reached, state) == (True, 3)


def test_an_agent_that_is_ready_before_its_crowd_and_one_with_an_explicit_crowd_walk(level):
    level.write("early.gd", "extends NavAgent\nfunc _ready(): target_position = Vector3(3, 0, 3)\n")
    level.write(
        "level.tscn",
        """[gd_scene load_steps=3 format=3]
[ext_resource type="Script" path="res://early.gd" id="1"]
[sub_resource type="NavigationMesh" id="2"]
vertices = PackedVector3Array(-9, 0, -9, 9, 0, -9, 9, 0, 9, -9, 0, 9)
polygons = [PackedInt32Array(0, 1, 2, 3)]
[node name="Level" type="Node3D"]
[node name="Stranger" type="Node3D" parent="."]
[node name="Agent" type="NavAgent" parent="Stranger"]
crowd = NodePath("../../Crowd")
target_position = Vector3(-3, 0, 3)
[node name="Crowd" type="NavCrowd" parent="."]
[node name="Body" type="Node3D" parent="Crowd"]
[node name="Agent" type="NavAgent" parent="Crowd/Body"]
script = ExtResource("1")
[node name="Region" type="NavigationRegion3D" parent="."]
navigation_mesh = SubResource("2")
""",
    )
    run = level.play("""
func _ready():
	var made = load("res://level.tscn").instantiate()
	add_child(made)
	await ticks(240)
	proof([made.get_node("Crowd/Body").position.distance_to(Vector3(3, 0, 3)),
		made.get_node("Stranger").position.distance_to(Vector3(-3, 0, 3))])
""")
    assert run.errors == []
    assert max(run.proof) <= 0.3


@pytest.mark.parametrize(("speed", "side"), [(1, 0.5), (7, 1), (60, 2)])
def test_in_a_thousand_laps_each_point_is_reached_once_and_before_the_way_is_finished(level, speed, side):
    run = level.play(f"""
var points = [Vector3({side}, 0, 0), Vector3({side}, 0, {side}), Vector3(0, 0, {side}), Vector3(0, 0, 0)]
var log = []
var given = 0

func next(agent):
	agent.target_position = points[given % 4]
	given += 1

func laps(rate: int) -> Array:
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	var agent = walker(Vector3(0, 0, 0))
	agent.max_speed = {speed}
	agent.max_acceleration = {10 * speed}
	log = []
	given = 0
	agent.target_reached.connect(func():
		log.append("r")
		if given < 4000: next(agent))
	agent.navigation_finished.connect(func(): log.append("f"))
	next(agent)
	var steps = 0
	while log.size() < 8000 and steps < 1000000:
		crowd.step(1.0 / rate)
		steps += 1
	for i in 20: crowd.step(1.0 / rate)
	world.free()
	return ["".join(log) == "rf".repeat(4000), given]

func _ready():
	proof([10, 30, 60, 120].map(laps))
""")
    assert (run.proof, run.errors) == ([[True, 4000]] * 4, [])


def test_an_unreachable_target_ends_at_the_nearest_place_with_finished_alone(level):
    run = level.play("""
func _ready():
	open_level(0)
	floor_at(-5, -5, 5, 5)
	floor_at(20, -5, 30, 5)
	var agent = walker(Vector3(0, 0, 0), Vector3(25, 0, 1))
	var log = []
	agent.target_reached.connect(func(): log.append("reached"))
	agent.navigation_finished.connect(func(): log.append("finished"))
	agent.state_changed.connect(func(state): log.append(state))
	await ticks(2)
	var reachable = agent.is_target_reachable()
	await ticks(240)
	var end = at(agent)
	await ticks(60)
	proof([reachable, log, end.x, at(agent) == end, agent.is_target_reached(), agent.get_velocity() == Vector3.ZERO])
""")
    reachable, log, x, rests, reached, stands = run.proof
    assert run.errors == []
    assert (reachable, reached, rests, stands) == (False, False, True, True)
    assert log == [1, 3, "finished"]
    assert 4.5 < x <= 5.0


def test_an_equal_target_each_tick_changes_no_byte_and_stop_ends_without_a_signal(level):
    run = level.play("""
func walk(again: bool) -> Array:
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	var agent = walker(Vector3(-5, 0, -3), Vector3(5, 0, 2))
	var hashes = []
	for i in 250:
		if again: agent.target_position = Vector3(5, 0, 2)
		crowd.step(1.0 / 60)
		hashes.append(crowd.state_hash())
	var result = [hashes.hash(), agent.is_target_reached()]
	agent.target_position = Vector3(-5, 0, 0)
	for i in 60: crowd.step(1.0 / 60)
	var log = []
	agent.navigation_finished.connect(func(): log.append("finished"))
	agent.stop()
	for i in 60: crowd.step(1.0 / 60)
	result.append_array([log, agent.get_velocity(), agent.get_state(), agent.is_navigation_finished()])
	world.free()
	return result

func _ready():
	proof([walk(false), walk(true)])
""")
    once, again = run.proof
    assert run.errors == []
    assert once == again
    assert once[1:] == [True, [], "(0.0, 0.0, 0.0)", 0, True]


def test_without_a_target_nothing_moves_and_no_signal_comes(level):
    run = level.play("""
func _ready():
	open_level()
	var agent = walker(Vector3(1, 0, 1))
	var log = []
	for name in ["path_changed", "target_reached", "navigation_finished", "stuck"]:
		agent.connect(name, func(): log.append(name))
	await ticks(2)
	var before = crowd.state_hash()
	await ticks(600)
	proof([log, at(agent) == Vector3(1, 0, 1), agent.is_navigation_finished(), agent.get_state()])
""")
    assert (run.proof, run.errors) == ([[], True, True, 0], [])


def test_nodes_stand_exactly_where_the_core_says_in_single_precision(level):
    run = level.play("""
func _ready():
	open_level()
	for i in 20: walker(Vector3(i - 10, 0.9, -8), Vector3(10 - i, 0.9, 8))
	var wrong = 0
	for tick in 120:
		await get_tree().physics_frame
		if tick == 0: continue
		for body in crowd.get_children():
			var place = crowd.get_agent_position(body.get_child(0).get_agent_id())
			if exact(body.global_position) != exact(Vector3(place.x, body.global_position.y, place.z)): wrong += 1
			if absf(body.global_position.y - place.y - 0.9) > 1e-6: wrong += 1
	proof([wrong, crowd.get_positions().size(), crowd.get_agent_ids()])
""")
    assert run.errors == []
    assert run.proof == [0, 20, list(range(20))]


def test_signals_tell_the_corners_the_path_and_each_state(level):
    run = level.play("""
func _ready():
	open_level(0)
	floor_at(0, 0, 10, 2)
	floor_at(8, 2, 10, 10)
	var agent = walker(Vector3(1, 0, 1), Vector3(9, 0, 9))
	var log = []
	agent.path_changed.connect(func(): log.append("path"))
	agent.waypoint_reached.connect(func(details): log.append(details.position))
	agent.state_changed.connect(func(state): log.append(state))
	agent.target_reached.connect(func(): log.append("reached"))
	agent.navigation_finished.connect(func(): log.append("finished"))
	await ticks(2)
	var path = agent.get_current_navigation_path()
	var next = agent.get_next_path_position()
	var end = agent.get_final_position()
	await ticks(300)
	proof([log, path.size(), path[1], next, end, agent.distance_to_target() < 0.3])
""")
    log, corners, corner, following, end, near = run.proof
    assert run.errors == []
    assert log[0] == "path"
    assert log[1] == 1
    assert log[2].startswith("(8.")
    assert log[-3:] == [3, "reached", "finished"]
    assert (corners, corner, following) == (3, "(8.0, 0.0, 2.0)", "(8.0, 0.0, 2.0)")
    assert (end, near) == ("(9.0, 0.0, 9.0)", True)
