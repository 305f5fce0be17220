"""CorridorFollower: a lone walker with the names and the behaviour of NavAgent, without a crowd."""

import pytest
from region_level import BAKED

ALONE = BAKED + """
var heard = []

func lone(place: Vector3, target = null, body: Node3D = null) -> CorridorFollower:
	if world == null:
		world = Node3D.new()
		add_child(world)
	if body == null: body = Node3D.new()
	body.position = place
	var made = CorridorFollower.new()
	body.add_child(made)
	world.add_child(body)
	for name in ["target_reached", "navigation_finished", "path_changed", "stuck"]:
		made.connect(name, func(): heard.append(name))
	made.waypoint_reached.connect(func(details): heard.append(["waypoint_reached", details]))
	made.link_reached.connect(func(details): heard.append(["link_reached", details]))
	if target != null: made.target_position = target
	return made

func flat(size := 20.0) -> NavigationRegion3D:
	world = Node3D.new()
	add_child(world)
	return floor_at(-size, -size, size, size)

func spot(walker: CorridorFollower) -> Vector3: return walker.get_parent().global_position
"""


def test_a_target_set_in_ready_is_walked_to_and_reported_once(level):
    run = level.play(ALONE + """
func _ready():
	flat()
	var walker = lone(Vector3(-5, 0.9, 0), Vector3(5, 0, 0))
	var places = []
	for tick in 3:
		await get_tree().physics_frame
		places.append(spot(walker).x)
	await ticks(300)
	proof([places, str(spot(walker)), heard, walker.is_target_reached(), walker.is_navigation_finished(),
		walker.get_state(), walker.get_velocity().length()])
""")
    assert run.errors == []
    places, spot, heard, reached, finished, state, speed = run.proof
    assert places[0] == -5.0 < places[1] < places[2]
    x, y, z = map(float, spot.strip("()").split(","))
    assert 5 - 0.25 <= x <= 5 and y == pytest.approx(0.9) and z == 0
    assert heard == ["path_changed", "target_reached", "navigation_finished"]
    assert (reached, finished, state, speed) == (True, True, 3, 0)


@pytest.mark.parametrize("speed", [1, 7, 60])
def test_laps_with_the_next_target_set_in_the_handler_reach_each_once(level, speed):
    run = level.play(ALONE + f"""
var corners = [Vector3(2, 0, 2), Vector3(-2, 0, 2), Vector3(-2, 0, -2), Vector3(2, 0, -2)]
var count = 0

func _ready():
	Engine.time_scale = 20.0
	Engine.max_physics_steps_per_frame = 100
	flat()
	var walker = lone(Vector3.ZERO)
	walker.max_speed = {speed}
	walker.max_acceleration = 100.0
	walker.target_reached.connect(func():
		count += 1
		if count < 40: walker.target_position = corners[count % 4])
	walker.target_position = corners[0]
	await ticks({15000 // speed})
	var wanted = []
	for i in 40: wanted += ["target_reached", "navigation_finished"]
	proof([count, heard.filter(func(name): return name is String and name != "path_changed") == wanted])
""", frames=60000)
    assert (run.proof, run.errors) == ([40, True], [])


def test_it_walks_as_a_crowd_of_one_does_over_a_baked_level_with_a_link(level):
    run = level.play(ALONE + """
func _ready():
	open_level(0.0)
	two_floors()
	var link = NavigationLink3D.new()
	link.start_position = Vector3(5, 3.2, 9.3)
	link.end_position = Vector3(5, 0.2, 9.3)
	link.bidirectional = false
	world.add_child(link)
	var up = lone(Vector3(-11, 0.9, 2), Vector3(11, 3.9, 8))
	await ticks(700)
	var there = [up.is_target_reached(), spot(up).y, up.is_target_reachable()]
	heard.clear()
	up.target_position = Vector3(5, 0, 8)
	await ticks(500)
	var links = heard.filter(func(row): return row is Array and row[0] == "link_reached")
	proof([there, up.is_target_reached(), spot(up).y, links.size(), links[0][1]["owner"] == link])
""")
    assert run.errors == []
    there, down, y, links, owner = run.proof
    assert there[0] and 3.5 < there[1] < 4.5 and there[2]
    assert (down, links, owner) == (True, 1, True) and y < 1.5


def test_an_unreachable_target_ends_at_the_nearest_place_and_is_reached_once_a_bridge_comes(level):
    run = level.play(ALONE + """
func _ready():
	flat(5.0)
	floor_at(7, -5, 12, 5)
	var walker = lone(Vector3(1, 0, 0), Vector3(10, 0, 0))
	await ticks(200)
	var before = [walker.is_navigation_finished(), walker.is_target_reached(), walker.is_target_reachable(),
		spot(walker).x, heard.duplicate()]
	floor_at(5, -1, 7, 1)
	await ticks(200)
	proof([before, walker.is_target_reached(), heard])
""")
    (finished, reached, reachable, x, heard), later, all_heard = run.proof
    assert run.errors == []
    assert (finished, reached, reachable, later) == (True, False, False, True)
    assert 4.7 < x <= 5.0
    assert heard == ["path_changed", "navigation_finished"]
    assert all_heard[2:].count("target_reached") == 1 and all_heard[-1] == "navigation_finished"


def test_teleports_warps_other_parents_and_freed_walkers_are_taken_as_they_come(level):
    run = level.play(ALONE + """
func _ready():
	flat()
	var walker = lone(Vector3(-10, 0, 0), Vector3(10, 0, 0))
	await ticks(30)
	walker.get_parent().global_position = Vector3(0, 0, 8)
	await ticks(2)
	var teleported = spot(walker)
	var warped = walker.warp(Vector3(0, 1, -8))
	var after = spot(walker)
	var nowhere = walker.warp(Vector3(500, 0, 0))
	await ticks(20)
	var other = Node3D.new()
	other.position = Vector3(3, 0, 3)
	world.add_child(other)
	walker.reparent(other)
	await ticks(300)
	var end = spot(walker)
	other.position = Vector3(NAN, 0, 0)
	await ticks(2)
	var survived = is_finite(spot(walker).x)
	walker.target_position = Vector3(-10, 0, 0)
	await ticks(5)
	walker.get_parent().free()
	await ticks(5)
	proof([teleported.distance_to(Vector3(0, 0, 8)) < 0.2, warped, after.distance_to(Vector3(0, 0, -8)) < 0.01, nowhere,
		end.distance_to(Vector3(10, 0, 0)) < 0.3, survived])
""")
    assert run.proof == [True, True, True, False, True, True]
    assert run.errors == []


def test_a_body_that_the_game_moves_is_led_by_the_velocity_or_by_the_path_points(level):
    run = level.play(ALONE + """
func _ready():
	flat()
	box(world, Vector3(-20, -1, -20), Vector3(20, 0, 20))
	var fast = lone(Vector3(-5, 0.5, -2), null, CharacterBody3D.new())
	fast.sync_mode = CorridorFollower.VELOCITY
	var body = fast.get_parent()
	fast.velocity_computed.connect(func(safe):
		body.velocity = safe
		body.move_and_slide())
	fast.target_position = Vector3(5, 0, -2)
	var manual = lone(Vector3(-5, 0, 2))
	manual.sync_mode = CorridorFollower.NONE
	manual.target_position = Vector3(5, 0, 2)
	for tick in 300:
		await get_tree().physics_frame
		if manual.is_navigation_finished(): continue
		var way = manual.get_next_path_position() - spot(manual)
		manual.get_parent().global_position += way.limit_length(3.0 / 60.0)
	proof([fast.is_target_reached(), spot(fast).distance_to(Vector3(5, 0.5, -2)), manual.is_target_reached(),
		spot(manual).distance_to(Vector3(5, 0, 2))])
""")
    assert run.errors == []
    fast, fast_gap, manual, manual_gap = run.proof
    assert (fast, manual) == (True, True)
    assert fast_gap < 0.4 and manual_gap < 0.3


def test_wrong_set_ups_are_warnings_and_bad_values_are_refused(level):
    run = level.play(ALONE + """
func _ready():
	var bare = CorridorFollower.new()
	add_child(bare)
	bare.target_position = Vector3.ONE
	var empty = lone(Vector3.ZERO, Vector3(3, 0, 0))
	var missing = lone(Vector3.ZERO)
	missing.navigation_source = NodePath("nowhere")
	missing.target_position = Vector3.ONE
	await ticks(3)
	var warnings = [bare, empty, missing].map(func(node): return node.get_warnings()[0])
	var states = [bare.get_state(), empty.get_state(), missing.get_state()]
	floor_at(-5, -5, 5, 5)
	await ticks(120)
	empty.target_position = Vector3(NAN, 0, 0)
	empty.max_speed = -1.0
	empty.tile_size = INF
	proof([warnings, states, empty.is_target_reached(), str(empty.target_position), empty.max_speed, empty.tile_size])
""")
    warnings, states, reached, target, speed, size = run.proof
    assert "must be a Node3D" in warnings[0]
    assert "no NavigationRegion3D" in warnings[1]
    assert "navigation_source" in warnings[2]
    assert states == [6, 6, 6]
    assert (reached, target, speed, size) == (True, "(3.0, 0.0, 0.0)", 3.5, 16.0)
    assert len(run.errors) == 3
    assert [name for name in ("target_position", "max_speed", "tile_size") if name not in "".join(run.errors)] == []
