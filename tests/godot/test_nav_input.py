"""What a user can get wrong with the crowd's nodes: a warning or an error that says what to do, never a crash."""

import pytest


def test_configuration_warnings_say_what_to_do(level):
    run = level.play("""
func _ready():
	var alone = NavAgent.new()
	add_child(alone)
	var body = Node3D.new()
	add_child(body)
	var homeless = NavAgent.new()
	body.add_child(homeless)
	open_level()
	var first = walker(Vector3(0, 0, 0))
	var second = NavAgent.new()
	first.get_parent().add_child(second)
	var good = walker(Vector3(3, 0, 0))
	crowd.rotation.y = 0.5
	var bare = NavCrowd.new()
	var home = Node3D.new()
	add_child(home)
	home.add_child(bare)
	proof([alone, homeless, first, second, good, crowd, bare].map(func(n): return n.get_warnings()))
""")
    alone, homeless, first, second, good, turned, bare = run.proof
    assert run.errors == []
    assert "must be a Node3D" in alone[0]
    assert "no NavCrowd above" in homeless[0]
    assert "Two NavAgents" in first[0] and "Two NavAgents" in second[0]
    assert good == []
    assert "scaled or rotated" in turned[0]
    assert "NavigationRegion3D" in bare[0]


def test_agents_outside_any_crowd_and_second_ones_answer_and_do_nothing(level):
    run = level.play("""
func ask(agent: NavAgent) -> Array:
	agent.target_position = Vector3(1, 0, 1)
	agent.stop()
	return [agent.is_navigation_finished(), agent.is_target_reached(), agent.is_target_reachable(), agent.get_state(),
		agent.get_velocity(), agent.get_current_navigation_path().size(), agent.warp(Vector3.ZERO),
		agent.complete_link(), agent.get_agent_id(), agent.get_next_path_position(), agent.get_final_position(),
		agent.distance_to_target()]

func _ready():
	var orphan = NavAgent.new()
	var results = [ask(orphan).size()]
	orphan.free()
	var alone = NavAgent.new()
	add_child(alone)
	results.append(ask(alone).slice(0, 9))
	open_level()
	var first = walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	var second = NavAgent.new()
	first.get_parent().add_child(second)
	await ticks(3)
	results.append(ask(second).slice(0, 9))
	results.append(crowd.get_agent_count())
	await ticks(300)
	results.append(first.is_target_reached())
	proof(results)
""")
    assert run.errors == []
    asked, alone, second, count, reached = run.proof
    nothing = [True, False, False, 6, "(0.0, 0.0, 0.0)", 0, False, False, -1]
    assert (asked, alone, second) == (12, nothing, nothing)
    assert (count, reached) == (1, True)


@pytest.mark.parametrize("value", ["Vector3(NAN, 0, 0)", "Vector3(0, INF, 0)", "Vector3(0, 0, 2097152)"])
def test_a_bad_position_is_refused_by_name_everywhere_and_changes_nothing(level, value):
    run = level.play(f"""
func _ready():
	open_level()
	var agent = walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	var id = crowd.add_agent(Vector3(5, 0, 5))
	await ticks(10)
	var before = crowd.state_hash()
	agent.target_position = {value}
	agent.warp({value})
	crowd.set_agent_target(id, {value})
	crowd.add_agent({value})
	proof([crowd.state_hash() == before, agent.target_position])
""")
    assert run.proof == [True, "(-5.0, 0.0, 0.0)"]
    assert [error.split(" must")[0].removeprefix("ERROR: ") for error in run.errors] == [
        "NavAgent.target_position:",
        "NavAgent.warp: position",
        "NavCrowd.set_agent_target: target",
        "NavCrowd.add_agent: position",
    ]
    assert "Traceback" not in run.output


@pytest.mark.parametrize("value", ["NAN", "INF", "-1.0", "2e9"])
def test_bad_numbers_are_refused_by_every_property(level, value):
    run = level.play(f"""
func _ready():
	open_level()
	var agent = walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	var settings = NavAgentSettings.new()
	await ticks(10)
	var before = crowd.state_hash()
	for name in ["radius", "height", "max_speed", "max_acceleration", "target_desired_distance", "avoidance_priority",
			"separation_distance", "separation_weight", "squeeze", "stuck_time"]:
		agent.set(name, {value})
		settings.set(name, {value})
	for name in ["tile_size", "max_climb", "wall_horizon"]: crowd.set(name, {value})
	for name in ["thread_count", "max_agents", "search_budget"]: crowd.set(name, -5)
	crowd.area_costs = {{1: {value} - 1.0}}
	crowd.area_costs = {{64: 1.0}}
	proof([crowd.state_hash() == before, agent.radius, settings.max_speed, crowd.thread_count, crowd.tile_size])
""")
    assert run.proof == [True, 0.6, 3.5, 1, 16.0]
    assert len(run.errors) == 28
    assert all(" must " in error for error in run.errors)
    assert any("NavAgent.radius: must be in (0, 10000]" in error for error in run.errors)
    assert any("NavCrowd.area_costs: must give areas" in error for error in run.errors)
    assert "Traceback" not in run.output


@pytest.mark.parametrize("dt", ["0.0", "-1.0", "NAN", "INF"])
def test_a_bad_time_step_is_refused_and_changes_nothing(level, dt):
    run = level.play(f"""
func _ready():
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	crowd.step(0.1)
	var before = crowd.state_hash()
	crowd.step({dt})
	proof(crowd.state_hash() == before)
""")
    assert run.proof is True
    assert len(run.errors) == 1
    assert "NavCrowd.step: dt must be positive and finite" in run.errors[0]


def test_a_crowd_without_a_mesh_waits_for_one(level):
    run = level.play("""
func _ready():
	open_level(0)
	var agent = walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	var missing = crowd.add_agent(Vector3(0, 0, 0))
	await ticks(20)
	var before = [missing, agent.get_state(), at(agent)]
	floor_at(-10, -10, 10, 10)
	await ticks(300)
	proof([before, agent.is_target_reached(), crowd.add_agent(Vector3(3, 0, 3)) >= 0])
""")
    assert run.errors == [], "a second without ground is no fault yet"
    assert run.proof == [[-1, 6, "(2.0, 0.0, 2.0)"], True, True]


def test_a_full_crowd_warns_once_and_takes_the_agent_when_there_is_room(level):
    run = level.play("""
func _ready():
	open_level()
	crowd.max_agents = 2
	var first = walker(Vector3(0, 0, 0))
	walker(Vector3(2, 0, 0))
	var third = walker(Vector3(4, 0, 0))
	await ticks(10)
	var waits = third.get_state()
	first.get_parent().free()
	await ticks(3)
	proof([waits, third.get_state(), crowd.get_agent_count()])
""")
    assert run.proof == [6, 0, 2]
    assert len(run.errors) == 1
    assert "max_agents" in run.errors[0]


def test_a_parent_moved_to_no_place_is_put_back(level):
    run = level.play("""
func _ready():
	open_level()
	var agent = walker(Vector3(0, 0, 0))
	await ticks(3)
	agent.get_parent().position = Vector3(NAN, 0, 0)
	await ticks(3)
	proof([at(agent), agent.get_state()])
""")
    assert run.proof == ["(0.0, 0.0, 0.0)", 0]
    assert any("which is no place" in error for error in run.errors)


def test_handlers_may_free_and_change_whatever_they_like(level):
    run = level.play("""
func _ready():
	open_level()
	var agents = []
	for i in 12: agents.append(walker(Vector3(i - 6, 0, -2), Vector3(i - 6, 0, 1)))
	for i in 12:
		agents[i].target_reached.connect(func():
			if i % 4 == 0: agents[i].get_parent().queue_free()
			if i % 4 == 1 and is_instance_valid(agents[i + 2]): agents[i + 2].get_parent().queue_free()
			if i % 4 == 2: agents[i].get_parent().remove_child(agents[i])
			if i % 4 == 3: crowd.remove_agent(agents[i].get_agent_id()))
	await ticks(200)
	var left = crowd.get_agent_count()
	crowd.stepped.connect(func(_dt): crowd.queue_free())
	await ticks(5)
	proof([left < 12, is_instance_valid(crowd)])
	for agent in agents: if is_instance_valid(agent) and not agent.is_inside_tree(): agent.free()
""")
    assert (run.proof, run.errors) == ([True, False], [])


def test_costs_of_entering_that_do_not_count_are_told(level):
    run = level.play("""
func _ready():
	open_level(0)
	var floor = floor_at(-5, -5, 5, 5)
	floor.name = "Floor"
	var link = NavigationLink3D.new()
	link.name = "Ladder"
	link.enabled = false
	world.add_child(link)
	var before = crowd.get_warnings()
	floor.enter_cost = 2.0
	link.enter_cost = 1.0
	proof([before, crowd.get_warnings()])
""")
    before, after = run.proof
    assert (before, run.errors) == ([], [])
    assert [text.split(" has an enter_cost")[0] for text in after] == ["Floor", "Ladder"]
    assert all("travel_cost" in text for text in after)


def test_layers_taken_away_and_given_back_end_in_the_target_with_its_signals(level):
    """Of the crowd or of the agent: it stops, tells that, goes on by itself, and tells that it has arrived."""
    run = level.play("""
func _ready():
	open_level()
	var told := []
	for of_crowd in [false, true]:
		var agent = walker(Vector3(-2, 0, 0), Vector3(2, 0, 0))
		agent.target_reached.connect(func(): told.append("reached"))
		agent.navigation_finished.connect(func(): told.append("finished"))
		var owner = crowd if of_crowd else agent
		await ticks(20)
		owner.navigation_layers = 2
		await ticks(20)
		told.append(agent.get_state())
		owner.navigation_layers = 1
		await ticks(2)
		told.append(agent.is_navigation_finished())
		await ticks(200)
		agent.get_parent().free()
	proof(told)
""")
    assert run.proof == 2 * ["finished", 4, False, "reached", "finished"]
    assert run.errors == []


def test_costs_links_and_polygons_that_cannot_be_used_are_told_once_and_nothing_else_suffers(level):
    run = level.play("""
func _ready():
	open_level()
	world.get_child(0).travel_cost = NAN
	var costly = floor_at(30, 0, 32, 2)
	costly.travel_cost = INF
	var flat = floor_at(40, 0, 42, 2)
	flat.scale = Vector3.ZERO
	var link = NavigationLink3D.new()
	link.start_position = Vector3(NAN, 0, 0)
	world.add_child(link)
	var agent = walker(Vector3(-2, 0, 0), Vector3(2, 0, 0))
	await ticks(30)
	costly.travel_cost = 2.0
	await ticks(30)
	proof([agent.get_state(), crowd.get_warnings()])
""")
    state, warnings = run.proof
    assert state == 1
    assert len(warnings) == 1 and "covers no ground" in warnings[0]
    told = [line for line in run.errors if "Navigation region synchronization" not in line]  # the engine's own
    for part, count in {"travel_cost must be at most 1e+09": 2, "must be finite": 1, "covers no ground": 1}.items():
        assert sum(part in line for line in told) == count
    assert len(told) == 4


def test_every_agent_that_finds_no_room_or_place_is_told_of_once(level):
    run = level.play("""
func _ready():
	open_level()
	crowd.max_agents = 1
	for number in 3: walker(Vector3(number, 0, 0))
	var lost = walker(Vector3(INF, 0, 0))
	await ticks(10)
	proof([crowd.get_agent_count(), lost.get_state()])
""")
    assert run.proof == [1, 6]
    assert len(run.errors) == 3
    assert sum("max_agents" in line for line in run.errors) == 2
    assert sum("no place" in line for line in run.errors) == 1


def test_a_second_agent_takes_over_when_the_first_one_is_removed(level):
    run = level.play("""
func _ready():
	open_level()
	var first = walker(Vector3(0, 0, 0))
	var second = NavAgent.new()
	first.get_parent().add_child(second)
	second.target_position = Vector3(5, 0, 0)
	await ticks(5)
	var before = second.get_state()
	first.free()
	await ticks(20)
	var under_crowd = NavAgent.new()
	crowd.add_child(under_crowd)
	proof([before, second.get_state(), at(second).x > 0.2, under_crowd.get_warnings()])
""")
    before, after, walked, warnings = run.proof
    assert (before, after, walked) == (6, 1, True)
    assert len(warnings) == 1 and "put a Node3D between" in warnings[0]
    assert run.errors == []


def test_tiles_that_are_far_too_small_for_the_level_are_refused_at_once_and_said_to_be(level):
    run = level.play("""
func _ready():
	open_level(6)
	crowd.tile_size = 0.009
	crowd.tile_size = 0.01
	var agent = walker(Vector3(-2, 0, 0), Vector3(2, 0, 0))
	var body = Node3D.new()
	var follower = CorridorFollower.new()
	follower.tile_size = 0.009
	follower.tile_size = 0.01
	body.add_child(follower)
	world.add_child(body)
	var mesh = OnePathNavMesh.new()
	var region = world.get_child(0)
	region.name = "Floor"
	mesh.build_from_navigation_mesh(region.navigation_mesh, 0.009)
	mesh.build_from_navigation_mesh(region.navigation_mesh, 0.01)
	var begun = Time.get_ticks_msec()
	await ticks(5)
	region.position.y = 0.1
	await ticks(5)
	var took = Time.get_ticks_msec() - begun
	var before = [agent.get_state(), follower.get_state(), mesh.is_empty(), took < 5000]
	var warnings = [crowd.get_warnings(), follower.get_warnings()]
	crowd.tile_size = 0.5
	follower.tile_size = 0.5
	follower.target_position = Vector3(1, 0, 1)
	await ticks(200)
	proof([before, warnings, agent.is_target_reached(), follower.is_target_reached(), crowd.get_warnings()])
""")
    before, warnings, *after = run.proof
    assert before == [6, 6, True, True]
    assert after == [True, True, []]
    cut = "tile_size: 0.01 would cut the mesh into about 1440000 pieces, and at most 65552 are made here: choose larger"
    for (text,) in warnings:
        assert text.startswith("Floor: its navigation mesh cannot be used") and cut in text
    range_told = "must be 0, for one tile, or in [0.01, 1e+06], not 0.009"
    for part, count in {range_told: 3, cut: 2, f"build_from_navigation_mesh: {cut}": 1}.items():
        assert sum(part in line for line in run.errors) == count, run.errors
    assert len(run.errors) == 5


@pytest.mark.parametrize(("change", "advice"), [
    ("", "There is no NavigationRegion3D under"),
    ("floor_at(0, 0, 5, 5).enabled = false", "enable or bake one"),
    ("world.add_child(NavigationRegion3D.new())", "has no baked navigation mesh"),
    ('crowd.navigation_source = "../Nowhere"', "navigation_source names does not exist"),
    ("crowd.nav_mesh = OnePathNavMesh.new()", "nav_mesh is empty"),
])
def test_a_crowd_that_has_had_no_ground_for_a_second_says_what_to_do_once(level, change, advice):
    run = level.play(f"""
func _ready():
	open_level(0)
	{change}
	crowd.process_callback = NavCrowd.MANUAL
	walker(Vector3.ZERO, Vector3(5, 0, 0))
	for i in 300: crowd.step(1.0 / 60)
	proof(crowd.add_agent(Vector3.ZERO))
""")
    assert run.proof == -1
    assert len(run.errors) == 1
    assert "has no ground to walk on." in run.errors[0] and advice in run.errors[0]


def test_a_crowd_in_a_thread_and_regions_outside_its_group_are_told(level):
    run = level.play("""
func _ready():
	open_level(0)
	var group = Node3D.new()
	group.name = "Group"
	world.add_child(group)
	var floor = floor_at(-5, -5, 5, 5)
	floor.name = "Floor"
	crowd.reparent(group)
	crowd.navigation_source = world.get_path()
	var body = Node3D.new()
	var follower = CorridorFollower.new()
	follower.navigation_source = world.get_path()
	body.add_child(follower)
	group.add_child(body)
	var log = [crowd.get_warnings(), follower.get_warnings()]
	group.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	log.append_array([crowd.get_warnings(), follower.get_warnings()])
	floor.reparent(group)
	log.append(crowd.get_warnings())
	world.free()
	open_level(5)
	world.remove_child(crowd)
	crowd.navigation_source = "../.."
	group = Node.new()
	group.process_thread_group = Node.PROCESS_THREAD_GROUP_SUB_THREAD
	group.add_child(crowd)
	world.add_child(group)
	await ticks(120)
	proof(log)
""")
    before, lone_before, inside, lone_inside, after = run.proof
    assert (before, lone_before, after) == ([], [], [])
    for (text,) in (inside, lone_inside):
        assert text.startswith("Group is processed in a thread") and "as Floor is" in text
    assert sum("has no ground to walk on. It is processed in a thread" in line for line in run.errors) == 1


def test_a_named_crowd_that_is_none_and_regions_that_nobody_can_walk_on_are_told(level):
    run = level.play("""
func _ready():
	open_level()
	var body = Node3D.new()
	var agent = NavAgent.new()
	agent.crowd = world.get_path()
	body.add_child(agent)
	crowd.add_child(body)
	var log = [agent.get_warnings(), crowd.get_warnings()]
	agent.crowd = "../../Nowhere"
	log.append(agent.get_warnings())
	agent.crowd = "../.."
	await ticks(3)
	log.append_array([agent.get_warnings(), agent.get_state()])
	var floor = floor_at(30, 0, 32, 2)
	floor.name = "Far"
	floor.navigation_layers = 1 << 16
	floor.navigation_mesh.add_polygon(PackedInt32Array([0, 1]))
	log.append(crowd.get_warnings())
	proof(log)
""")
    named, fine, missing, after, state, warnings = run.proof
    assert (fine, after, state) == ([], [], 0)
    assert "which is no NavCrowd: choose one" in named[0]
    assert "crowd names ../../Nowhere, which is no NavCrowd" in missing[0]
    polygons, layers = warnings
    assert polygons.startswith("Far has polygons of fewer than three corners")
    assert layers.startswith("Far is in none of the navigation layers 1 to 16")
    assert [line for line in run.errors if "polygon" not in line.lower()] == [
        line for line in run.errors if "which is no NavCrowd" in line]
    assert sum("which is no NavCrowd" in line for line in run.errors) == 1


def test_refused_agents_without_nodes_are_told_of_once_until_there_is_room_again(level):
    run = level.play("""
func _ready():
	open_level()
	crowd.max_agents = 2
	var ids = range(6).map(func(i): return crowd.add_agent(Vector3(2 * i, 0, 0)))
	crowd.remove_agent(0)
	for i in 5: ids.append(crowd.add_agent(Vector3(2 * i, 0, 0)))
	proof(ids)
""")
    assert run.proof == [0, 1, -1, -1, -1, -1, 2, -1, -1, -1, -1]
    assert len(run.errors) == 2
    assert all("max_agents" in line for line in run.errors)
