"""Objects on both sides of the border: failures, freed nodes, references, threads, and nothing left at the end."""


def leftovers(run) -> list[str]:
    signs = ("leaked", "still in use", "orphan", "Orphan")
    return [line for line in run.output.splitlines() if any(sign in line for sign in signs)]


def test_an_exception_is_one_error_with_its_traceback_and_stops_that_instance_only(project):
    run = project.run("""
func _ready():
	var first = FailsInProcess.new()
	add_child(first)
	for tick in 2: await get_tree().physics_frame
	var second = SampleWalker.new()
	add_child(second)
	for tick in 10: await get_tree().physics_frame
	proof([first.ticks, second.position.x > 0.2, first.is_inside_tree()])
""")
    assert run.proof == [3, True, True]
    assert len(run.errors) == 1
    assert "FailsInProcess._physics_process: ZeroDivisionError: on purpose" in run.errors[0]
    assert run.output.count("Traceback") == 1
    assert "life.py" in run.output


def test_a_failing_method_and_a_failing_init_are_errors_and_the_engine_goes_on(project):
    run = project.run("""
func _ready():
	var node = FailsInProcess.new()
	var answer = node.broken()
	Engine.set_meta("fail_in_init", true)
	var other = FailsInInit.new()
	add_child(other)
	proof([answer, other.is_inside_tree()])
	node.free()
""")
    assert run.proof == [None, True]
    assert [error.split(":")[1].strip() for error in run.errors] == ["FailsInProcess.broken", "FailsInInit.__init__"]
    assert "never printed" not in run.output


def test_a_freed_object_is_noticed_and_never_touched(project):
    run = project.run("""
func _ready():
	var keeper = Keeper.new()
	add_child(keeper)
	var results = []
	for kind in [Node3D, SampleWalker]:
		var node = kind.new()
		add_child(node)
		keeper.keep("node", node)
		results.append(keeper.try_to_use("node"))
		node.queue_free()
		await get_tree().process_frame
		await get_tree().process_frame
		results.append(keeper.try_to_use("node"))
	keeper.friend = SampleWalker.new()
	results.append(keeper.friend.get_class())
	keeper.friend.free()
	results.append(keeper.friend == null)
	proof(results)
""")
    freed = "False the object has been freed"
    assert run.proof == ["True Node3D", freed, "True SampleWalker", freed, "SampleWalker", True]
    assert run.errors == []


def test_a_freed_node_in_a_typed_variable_arrives_as_nothing(project):
    run = project.run("""
func _ready():
	var v: SampleValues = SampleValues.new()
	add_child(v)
	var answers = []
	for i in 20:
		var node: Node3D = SampleWalker.new() if i % 2 else Node3D.new()
		add_child(node)
		answers.append(v.parent_name(node))
		node.free()
		answers.append(v.parent_name(node))
	proof(answers)
""")
    assert run.proof == ["Main", ""] * 20
    assert run.errors == []


def test_a_kept_resource_stays_alive_and_a_dropped_one_dies(project):
    run = project.run("""
func _ready():
	var keeper = Keeper.new()
	add_child(keeper)
	var thing = Thing.new()
	var plain = RefCounted.new()
	var watch = [weakref(thing), weakref(plain)]
	keeper.keep("thing", thing)
	keeper.keep("plain", plain)
	thing = null
	plain = null
	var kept = watch.map(func(w): return w.get_ref() != null)
	var used = [keeper.try_to_use("thing"), keeper.try_to_use("plain")]
	keeper.drop("thing")
	keeper.drop("plain")
	var counter = Thing.new()
	proof([kept, used, watch.map(func(w): return w.get_ref() != null), counter.count_alive()])
""")
    assert run.proof == [[True, True], ["True Thing", "True RefCounted"], [False, False], 1]
    assert leftovers(run) == []


def test_a_connection_neither_keeps_its_receiver_nor_outlives_it(project):
    run = project.run("""
func _ready():
	var speaker = Keeper.new()
	var listener = Keeper.new()
	add_child(speaker)
	add_child(listener)
	listener.listen_to(speaker, "pinged")
	speaker.ping(2)
	speaker.ping(3)
	var heard = listener.heard
	var connections = [speaker.get_signal_connection_list("pinged").size()]
	listener.free()
	connections.append(speaker.get_signal_connection_list("pinged").size())
	speaker.ping(4)
	proof([heard, connections, is_instance_valid(listener)])
""")
    assert run.proof == [5, [1, 0], False]
    assert run.errors == []


def test_a_thousand_nodes_added_and_removed_leave_nothing_behind(project):
    run = project.run("""
func count() -> Array:
	return [Performance.get_monitor(Performance.OBJECT_COUNT), Performance.get_monitor(Performance.OBJECT_NODE_COUNT),
		Performance.get_monitor(Performance.OBJECT_RESOURCE_COUNT),
		Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)]

func round_trip():
	var node = SampleValues.new()
	var walker = SampleWalker.new()
	node.settings = SampleSettings.new()
	node.items = [node.settings, walker, Thing.new()]
	node.add_child(walker)
	add_child(node)
	node.echo({"a": node.settings, "b": [walker]})
	node.make_settings(1.0)
	remove_child(node)
	node.free()

func rounds(times: int) -> Array:
	for i in times:
		round_trip()
		if i % 50 == 0: await get_tree().process_frame
	await get_tree().process_frame
	return count()

func _ready():
	await rounds(10) # the first wait makes an object of the engine's own
	var before = await rounds(10)
	var after = await rounds(1000)
	proof([before, after, Thing.new().count_alive()])
""")
    before, after, alive = run.proof
    assert before == after
    assert alive == 1
    assert (leftovers(run), run.errors) == ([], [])


def test_a_scene_left_running_leaks_nothing_at_exit(project):
    run = project.run(
        """
func _ready():
	for i in 200:
		var node = SampleValues.new()
		node.settings = SampleSettings.new()
		add_child(node)
		add_child(SampleWalker.new())
	var keeper = Keeper.new()
	add_child(keeper)
	keeper.keep("me", keeper)
	keeper.keep("settings", SampleSettings.new())
	keeper.keep("mesh", BoxMesh.new())
	for thing in [SampleSettings.new(), Thing.new(), BoxMesh.new(), keeper]: keeper.remember(thing)
	keeper.listen_to(keeper, "pinged")
	await get_tree().physics_frame
	proof(get_child_count())
""",
        "--verbose",
    )
    assert run.proof == 401
    assert leftovers(run) == []
    assert run.errors == []
    assert run.status == 0


def test_resources_and_scenes_load_on_worker_threads(project):
    run = project.run("""
func _ready():
	for i in 8:
		var v = SampleValues.new()
		v.count = i
		v.settings = SampleSettings.new()
		v.settings.speed = i
		var scene = PackedScene.new()
		scene.pack(v)
		ResourceSaver.save(scene, "res://part%d.tscn" % i)
		v.free()
	var mode = ResourceLoader.CACHE_MODE_IGNORE
	for i in 8: ResourceLoader.load_threaded_request("res://part%d.tscn" % i, "", true, mode)
	var sum = 0.0
	for i in 8:
		var node = ResourceLoader.load_threaded_get("res://part%d.tscn" % i).instantiate()
		sum += node.count + node.settings.speed
		node.free()
	var made = []
	var task = WorkerThreadPool.add_group_task(func(i):
		var v = SampleValues.new()
		var text = v.add(i)
		v.free()
		made.append(text), 64)
	WorkerThreadPool.wait_for_group_task_completion(task)
	proof([sum, made.size()])
""")
    assert run.proof == [56.0, 64]
    assert run.errors == []


def test_many_nodes_are_moved_read_and_told_in_one_call(project):
    run = project.run("""
var told = []

func _ready():
	var bulk = Bulk.new()
	add_child(bulk)
	var nodes = []
	for i in 10:
		var node = SampleWalker.new() if i == 4 else Node3D.new()
		node.set_physics_process(false)
		node.scale = Vector3(2, 2, 2)
		add_child(node)
		nodes.append(node)
	nodes[2].add_user_signal("heard", [{"name": "where", "type": TYPE_VECTOR3}])
	nodes[2].connect("heard", func(where): told.append(where))
	bulk.take(nodes)
	var dead = [bulk.place(0.5, 1.0, 2.0)]
	var at = nodes.map(func(n): return n.global_position)
	bulk.place(0.5, 1.0, 2.0, true)
	var facing = -nodes[3].global_basis.z.normalized()
	var size = nodes[3].scale
	nodes[7].global_position.y = 5.0
	bulk.shout("heard")
	var read = bulk.read()
	nodes[6].free()
	dead.append(bulk.place(0.5, 1.0, 2.0))
	dead.append(bulk.read()[0])
	dead.append(bulk.shout("no_such_signal"))
	proof([dead, at[3], at[9], facing, size, read[1], read[2].slice(21, 24), told])
""")
    dead, third, last, facing, size, moved, seventh, told = run.proof
    assert dead == [None, [6], [6], [6]]
    assert (third, last) == ("(3.5, 1.0, 2.0)", "(9.5, 1.0, 2.0)")
    assert facing.replace("-0.0", "0.0") == "(0.0, 0.0, 1.0)"
    assert size == "(2.0, 2.0, 2.0)"
    assert (moved, seventh) == ([7], [7.5, 5.0, 2.0])
    assert told == ["(2.5, 1.0, 2.0)"]


def test_a_multimesh_is_filled_from_positions(project):
    run = project.run("""
func _ready():
	var bulk = Bulk.new()
	add_child(bulk)
	var nodes = [Node3D.new(), Node3D.new()]
	for node in nodes: add_child(node)
	bulk.take(nodes)
	bulk.place(1.0, 2.0, 3.0)
	var mesh = MultiMesh.new()
	mesh.transform_format = MultiMesh.TRANSFORM_3D
	mesh.instance_count = 3
	bulk.fill(mesh.get_rid(), 3)
	proof(mesh.buffer)
""")
    # Facing +Z means that the local Z axis, which points backwards, is -Z; the third instance has size zero.
    first = [-1, 0, 0, 1, 0, 1, 0, 2, 0, 0, -1, 3]
    second = [-1, 0, 0, 2, 0, 1, 0, 2, 0, 0, -1, 3]
    assert run.proof == [*first, *second, *[0] * 12]
    assert run.errors == []
