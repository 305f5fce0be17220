"""Many agents: without nodes, drawn by a MultiMesh, with shared settings, coming and going without a trace."""


def leftovers(run) -> list[str]:
    signs = ("leaked", "still in use", "orphan", "Orphan")
    return [line for line in run.output.splitlines() if any(sign in line for sign in signs)]


def test_nodeless_agents_are_told_by_id_and_drawn_by_a_multimesh(level):
    run = level.play("""
func _ready():
	open_level()
	var instance = MultiMeshInstance3D.new()
	instance.multimesh = MultiMesh.new()
	instance.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	world.add_child(instance)
	crowd.multimesh = instance
	var settings = NavAgentSettings.new()
	settings.preset = NavAgentSettings.SMALL
	walker(Vector3(9, 0, 9))
	await ticks(1)
	var ids = range(30).map(func(i): return crowd.add_agent(Vector3(i - 15, 0, -8), settings))
	var reached = []
	var finished = []
	crowd.agent_target_reached.connect(func(id): reached.append(id))
	crowd.agent_navigation_finished.connect(func(id): finished.append(id))
	for id in ids: crowd.set_agent_target(id, crowd.get_agent_position(id) + Vector3(0, 0, 6))
	await ticks(30)
	for id in ids: crowd.set_agent_target(id, Vector3(id - 16, 0, -2))
	var removed = [crowd.remove_agent(ids[4]), crowd.remove_agent(ids[4]), crowd.remove_agent(99)]
	await ticks(300)
	reached.sort()
	finished.sort()
	var expected = ids.filter(func(id): return id != ids[4])
	proof([reached == expected, finished == expected, removed, crowd.get_positions().size(),
		crowd.get_agent_state(ids[0]), crowd.get_agent_state(ids[4]), instance.multimesh.instance_count >= 29,
		crowd.get_velocities().size(),
		crowd.set_agent_target(ids[4], Vector3.ZERO), crowd.stop_agent(ids[0])])
""")
    assert run.errors == []
    assert run.proof == [True, True, [True, False, False], 30, 3, 6, True, 30, False, True]


def test_colours_and_custom_data_of_a_multimesh_stay_and_2d_transforms_are_told_once(level):
    """Instances that are added are white; the engine without a window keeps a buffer as it was given."""
    run = level.play("""
func drawing(format: int, colors: bool, custom: bool, count: int) -> MultiMesh:
	var instance = MultiMeshInstance3D.new()
	instance.multimesh = MultiMesh.new()
	instance.multimesh.transform_format = format
	instance.multimesh.use_colors = colors
	instance.multimesh.use_custom_data = custom
	instance.multimesh.instance_count = count
	world.add_child(instance)
	crowd.multimesh = instance
	return instance.multimesh

func _ready():
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	for i in 3: crowd.add_agent(Vector3(4 * i, 0, 0))
	var shown = []
	for kind in [[false, false], [true, false], [false, true], [true, true]]:
		var mesh = drawing(MultiMesh.TRANSFORM_3D, kind[0], kind[1], 2)
		var given = PackedFloat32Array()
		for i in 2 * (12 + 4 * int(kind[0]) + 4 * int(kind[1])): given.append(0.25 + i)
		mesh.buffer = given
		crowd.step(0.1)
		crowd.step(0.1)
		shown.append([mesh.instance_count, mesh.buffer])
	var flat = drawing(MultiMesh.TRANSFORM_2D, false, false, 8)
	var before = flat.buffer
	for i in 5: crowd.step(0.1)
	var fresh = drawing(MultiMesh.TRANSFORM_2D, true, false, 0)
	crowd.step(0.1)
	proof([shown, flat.buffer == before, flat.instance_count, fresh.transform_format, fresh.buffer.slice(0, 16)])
""")
    shown, untouched, count, format_, first = run.proof
    identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
    for (instances, buffer), extras in zip(shown, ([], [1] * 4, [0] * 4, [1] * 4 + [0] * 4)):
        stride = 12 + len(extras)
        rows = [buffer[at:at + stride] for at in range(0, len(buffer), stride)]
        assert len(rows) == instances > 3
        for number, row in enumerate(rows):
            place = [*identity[:3], 4 * number, *identity[4:]]
            assert row[:12] == (place if number < 3 else [0] * 12)
            assert row[12:] == ([0.25 + number * stride + k for k in range(12, stride)] if number < 2 else extras)
    assert (untouched, count, format_, first) == (True, 8, 1, [*identity, 1, 1, 1, 1])
    assert len(run.errors) == 1 and "2D transforms" in run.errors[0]


def test_settings_reach_all_agents_that_share_them_and_presets_know_when_they_are_left(level):
    run = level.play("""
func _ready():
	open_level()
	var settings = NavAgentSettings.new()
	var agents = []
	for i in 3:
		agents.append(walker(Vector3(-9, 0, i * 3), Vector3(9, 0, i * 3)))
		agents[i].settings = settings
	await ticks(60)
	settings.max_speed = 1.0
	await ticks(60)
	var speeds = agents.map(func(a): return snappedf(a.get_velocity().length(), 0.01))
	agents[0].settings = null
	await ticks(60)
	var own = snappedf(agents[0].get_velocity().length(), 0.01)
	var preset = NavAgent.new()
	preset.preset = NavAgentSettings.LARGE
	var large = [preset.radius, preset.max_speed, preset.preset]
	preset.radius = 1.2
	var custom = [preset.radius, preset.max_speed, preset.preset]
	preset.free()
	proof([speeds, settings.preset, own, large, custom])
""")
    assert run.errors == []
    assert run.proof == [[1.0, 1.0, 1.0], 3, 3.5, [1.5, 3.0, 2], [1.2, 3.0, 3]]


def test_properties_of_the_nodes_survive_a_saved_scene(level):
    saved = level.play("""
func _ready():
	open_level(0)
	crowd.name = "Crowd"
	crowd.tile_size = 8.0
	crowd.merge_polygons = true
	crowd.area_costs = {3: 2.5}
	crowd.thread_count = 2
	crowd.navigation_layers = 5
	crowd.process_callback = NavCrowd.MANUAL
	var agent = walker(Vector3.ZERO, Vector3(1.5, 0, -2.25))
	agent.name = "Agent"
	agent.get_parent().name = "Body"
	agent.sync_mode = NavAgent.VELOCITY
	agent.link_mode = NavAgentSettings.HOST
	agent.avoidance_quality = NavAgentSettings.HIGH
	agent.max_speed = 5.5
	agent.settings = NavAgentSettings.new()
	agent.settings.preset = NavAgentSettings.SMALL
	crowd.owner = world
	agent.get_parent().owner = world
	agent.owner = world
	var scene = PackedScene.new()
	scene.pack(world)
	proof(ResourceSaver.save(scene, "res://saved.tscn"))
""")
    loaded = level.play("""
func _ready():
	var c = load("res://saved.tscn").instantiate()
	var n = c.get_node("Crowd")
	var a = n.get_node("Body/Agent")
	proof([n.tile_size, n.merge_polygons, n.area_costs[3], n.thread_count, n.navigation_layers, n.process_callback,
		a.target_position, a.sync_mode, a.link_mode, a.avoidance_quality, a.max_speed, a.preset, a.settings.max_speed,
		a.settings.preset])
	c.free()
""")
    assert (saved.proof, saved.errors, loaded.errors) == (0, [], [])
    assert loaded.proof == [8.0, True, 2.5, 2, 5, 1, "(1.5, 0.0, -2.25)", 2, 1, 3, 5.5, 3, 2.5, 1]


def test_a_thousand_agents_added_and_removed_over_a_thousand_ticks_leave_nothing(level):
    run = level.play(
        """
func count() -> Array:
	return [Performance.get_monitor(Performance.OBJECT_COUNT), Performance.get_monitor(Performance.OBJECT_NODE_COUNT),
		Performance.get_monitor(Performance.OBJECT_RESOURCE_COUNT),
		Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT), crowd.get_agent_count()]

func rounds(times: int) -> Array:
	var bodies = []
	for i in times:
		var agent = walker(Vector3(i % 30 - 15, 0, i % 7), Vector3(0, 0, -5))
		agent.target_reached.connect(func(): pass)
		bodies.append(agent.get_parent())
		if bodies.size() > 20: bodies.pop_front().queue_free()
		await get_tree().physics_frame
	for body in bodies: body.queue_free()
	await ticks(3)
	return count()

func _ready():
	open_level()
	await rounds(50)
	var before = await rounds(50)
	var after = await rounds(1000)
	proof([before == after, after[4], crowd.add_agent(Vector3(1, 0, 1))])
""",
        "--verbose",
    )
    assert run.proof == [True, 0, 1100]
    assert (leftovers(run), run.errors) == ([], [])


def test_a_crowd_left_walking_ends_with_the_game(level):
    run = level.play(
        """
func _ready():
	open_level()
	crowd.thread_count = 4
	for i in 40: walker(Vector3(i % 20 - 10, 0, i / 20 * 4), Vector3(10 - i % 20, 0, -8))
	for i in 40: crowd.set_agent_target(crowd.add_agent(Vector3(i % 20 - 10, 0, 10)), Vector3(0, 0, -5))
	set_meta("kept", crowd.save_snapshot())
	await ticks(30)
	proof(crowd.get_agent_count())
""",
        "--verbose",
    )
    assert (run.proof, run.errors, leftovers(run), run.status) == (80, [], [], 0)


def test_a_handler_that_sends_others_on_takes_no_arrival_from_them(level):
    run = level.play("""
func _ready():
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	var agents = []
	var log = []
	for i in 6:
		agents.append(walker(Vector3(3 * i - 8, 0, 0), Vector3(3 * i - 8, 0, 4)))
		agents[i].target_reached.connect(func():
			log.append(i)
			if log.size() <= 6:
				for other in agents: other.target_position = other.get_parent().position + Vector3(0, 0, -4))
	for step in 400: crowd.step(1.0 / 60)
	log.sort()
	proof([log, agents.all(func(agent): return agent.is_target_reached())])
""")
    assert run.errors == []
    assert run.proof == [[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5], True]


def test_another_mesh_set_in_a_handler_counts_from_then_on_and_targets_stay(level):
    run = level.play("""
func _ready():
	open_level(0)
	var first = floor_at(-10, -10, 10, 10)
	var agents = range(4).map(func(i): return walker(Vector3(3 * i - 5, 0, 0), Vector3(3 * i - 5, 0, 4)))
	var mesh = OnePathNavMesh.new()
	mesh.build_from_navigation_mesh(first.navigation_mesh)
	agents[1].path_changed.connect(func(): crowd.nav_mesh = mesh, CONNECT_ONE_SHOT)
	await ticks(20)
	crowd.tile_size = 5.0
	await ticks(200)
	proof([agents.all(func(agent): return agent.is_target_reached()), crowd.get_agent_count(), crowd.get_warnings()])
""")
    assert (run.proof, run.errors) == ([True, 4, []], [])


def test_a_node_that_a_handler_frees_within_its_own_tick_is_gone_after_the_frame_and_nothing_crashes(level):
    run = level.play("""
var gone = []

func free_in(emitter: Node, signal_name: String, victim: Node, by_queue: bool) -> void:
	emitter.connect(signal_name, func(_a = null):
		if not is_instance_valid(victim) or victim.is_queued_for_deletion(): return
		if by_queue: victim.queue_free()
		else: victim.free()
		for i in 100: gone.append(Vector3(i, i, i)))

func _ready():
	for signal_name in ["path_changed", "target_reached", "velocity_computed"]:
		for by_queue in [false, true]:
			open_level()
			var agents = []
			for i in 5: agents.append(walker(Vector3(2 * i - 4, 0, 0), Vector3(2 * i - 4, 0, 2)))
			if signal_name == "velocity_computed": agents[2].sync_mode = NavAgent.VELOCITY
			var follower = CorridorFollower.new()
			var body = Node3D.new()
			body.add_child(follower)
			world.add_child(body)
			follower.target_position = Vector3(0, 0, 2)
			if signal_name == "velocity_computed": follower.sync_mode = CorridorFollower.VELOCITY
			var nodes = [crowd, agents[0], agents[4], follower, body]
			free_in(agents[2], signal_name, crowd, by_queue)
			free_in(follower, signal_name, body, by_queue)
			await ticks(90)
			await get_tree().process_frame
			gone = nodes.map(func(node): return is_instance_valid(node))
			if gone.any(func(there): return there):
				proof([signal_name, by_queue, gone])
				return
			world.free()
	proof(true)
""")
    assert (run.proof, run.status) == (True, 0)
    assert len(run.errors) == 3, "the walker whose own handler frees it, each time with free()"
    assert all("use queue_free()" in error for error in run.errors)


def test_agents_without_nodes_outlive_another_mesh_and_ground_that_is_gone_for_a_while(level):
    run = level.play("""
func _ready():
	open_level(0)
	var first = floor_at(-10, -10, 10, 10)
	crowd.process_callback = NavCrowd.MANUAL
	var settings = NavAgentSettings.new()
	settings.max_speed = 2.0
	var ids = range(4).map(func(i): return crowd.add_agent(Vector3(3 * i - 5, 0, 0), settings))
	crowd.remove_agent(ids[1])
	var node = walker(Vector3(0, 0.5, -5), Vector3(0, 0, 9))
	for id in ids.slice(2): crowd.set_agent_target(id, Vector3(3 * id - 5, 0, 9))
	for i in 60: crowd.step(1.0 / 60)
	var places = crowd.get_positions()
	var number = node.get_agent_id()
	var mesh = OnePathNavMesh.new()
	mesh.build_from_navigation_mesh(first.navigation_mesh)
	crowd.nav_mesh = mesh
	var log = [crowd.get_agent_ids(), crowd.get_positions() == places, node.get_agent_id() == number]
	crowd.nav_mesh = null
	first.enabled = false
	for i in 60: crowd.step(1.0 / 60)
	crowd.tile_size = 4.0
	for i in 60: crowd.step(1.0 / 60)
	log.append_array([crowd.get_agent_ids(), crowd.get_agent_state(ids[0]), node.get_state()])
	first.enabled = true
	crowd.tile_size = 8.0
	for i in 60: crowd.step(1.0 / 60)
	log.append_array([snappedf(crowd.get_velocities()[2].length(), 0.01), crowd.get_agent_state(ids[0])])
	for i in 400: crowd.step(1.0 / 60)
	log.append(ids.slice(2).map(func(id): return crowd.get_agent_position(id).z > 8.7))
	log.append_array([node.is_target_reached(), absf(node.get_parent().position.y - 0.5) < 1e-6])
	log.append(crowd.add_agent(Vector3(1, 0, 1)))
	proof(log)
""")
    assert run.errors == []
    kept, same, same_id, gone, idle, outside, speed, back, arrived, reached, lifted, following = run.proof
    assert (kept, same, same_id) == ([0, 4, 2, 3], True, True)
    assert (gone, outside) == ([0, 2, 3], 6)
    assert idle == 4, "it has no ground and says so"
    assert (speed, arrived, reached, lifted) == (2.0, [True, True], True, True)
    assert back in (0, 3, 4)
    assert following == 6
