"""Scripts of a game that extend the crowd's nodes, and that change the crowd from inside of what it calls."""


def test_scripts_that_extend_the_nodes_may_have_engine_callbacks_of_their_own(level):
    """A crowd's or agent's script with `_ready`, `_physics_process` and so on walks like one without."""
    run = level.play("""
class Crowd extends NavCrowd:
	var called := []
	func _enter_tree(): called.append("enter")
	func _ready(): called.append("ready")
	func _physics_process(_delta): if called.size() < 3: called.append("tick")
	func _exit_tree(): called.append("exit")

class Agent extends NavAgent:
	func _enter_tree(): pass
	func _ready(): pass
	func _exit_tree(): pass

func _ready():
	open_level()
	var made = Crowd.new()
	made.snapshot = crowd.save_snapshot()
	crowd.free()
	crowd = made
	world.add_child(crowd)
	var body = Node3D.new()
	var agent = Agent.new()
	body.add_child(agent)
	crowd.add_child(body)
	agent.target_position = Vector3(5, 0, 0)
	await ticks(60)
	var walked = [at(agent).x > 1.0, agent.get_state()]
	world.remove_child(crowd)
	var off = crowd.called.duplicate()
	world.add_child(crowd)
	crowd.set_physics_process(false)
	await ticks(2)
	var still = at(agent)
	await ticks(20)
	proof([walked, off, at(agent) == still])
""")
    assert run.proof == [[True, 1], ["enter", "ready", "tick", "exit"], True]
    assert run.errors == []


def test_a_script_that_extends_a_lone_follower_may_have_engine_callbacks_of_its_own(level):
    run = level.play("""
class Lone extends CorridorFollower:
	var called := []
	func _enter_tree(): called.append("enter")
	func _ready(): called.append("ready")
	func _physics_process(_delta): if called.size() < 3: called.append("tick")
	func _exit_tree(): called.append("exit")

func _ready():
	open_level()
	var body = Node3D.new()
	var lone = Lone.new()
	body.add_child(lone)
	lone.target_position = Vector3(5, 0, 0)
	lone.debug_enabled = true
	world.add_child(body)
	var shown = lone.get_child_count(true)
	await ticks(60)
	var walked = [body.position.x > 1.0, lone.get_state(), shown]
	world.remove_child(body)
	var off = lone.called.duplicate()
	world.add_child(body)
	lone.set_physics_process(false)
	await ticks(2)
	var still = body.position
	await ticks(20)
	proof([walked, off, body.position == still])
""")
    assert run.proof == [[True, 1, 3], ["enter", "ready", "tick", "exit"], True]
    assert run.errors == []


def test_handlers_of_velocities_and_transforms_may_change_the_crowd(level):
    """Agents come, go and are restored while velocities are told and nodes are put in their places."""
    run = level.play("""
class Body extends Node3D:
	var told := Callable()
	func _init(): set_notify_local_transform(true)
	func _notification(what):
		if what == NOTIFICATION_LOCAL_TRANSFORM_CHANGED and told.is_valid(): told.call()

func _ready():
	open_level()
	var saved = crowd.save_snapshot()
	var counted := [0, 0]
	var seen := []
	var added := [-1]
	var act = func(which):
		counted[which] += 1
		if counted[which] == 5: added[0] = crowd.add_agent(Vector3(3, 0, 3))
		if counted[which] == 7: walker(Vector3(0, 0, 5), Vector3(5, 0, 5)); seen.append(crowd.get_agent_count())
		if counted[which] == 9: seen.append(crowd.remove_agent(added[0]))
		if counted[which] == 11: seen.append([crowd.restore_snapshot(saved), crowd.get_agent_count()])
	var led = walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	led.sync_mode = NavAgent.VELOCITY
	led.velocity_computed.connect(func(_velocity): act.call(0))
	await ticks(40)
	led.get_parent().free()
	var body = Body.new()
	walker(Vector3(-5, 0, 0), Vector3(5, 0, 0), body)
	await ticks(2)
	body.told = act.bind(1)
	await ticks(40)
	proof([seen, counted.min() > 11])
""")
    # The snapshot knows no agents: those with nodes are added anew, the led one, later the other one, and the walkers.
    assert run.proof == [[3, True, [0, 2], 4, True, [0, 3]], True]
    assert run.errors == []


def test_threads_of_a_game_cannot_build_a_crowd_without_its_ground(level):
    """The engine's nodes answer the main thread only: one clear error, and the crowd is whole for the main thread."""
    run = level.play("""
func _ready():
	open_level()
	var agent = walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	var other = Thread.new()
	other.start(func(): return crowd.get_agent_count())
	var from_thread = other.wait_to_finish()
	await ticks(30)
	proof([from_thread, crowd.get_agent_count(), agent.get_state()])
""")
    assert run.proof == [0, 1, 1]
    assert len(run.errors) == 1
    assert "get_agent_count" in run.errors[0] and "use call_deferred" in run.errors[0]
