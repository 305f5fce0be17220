"""Time is the engine's: its physics delta, its time scale, its pause; or the game's, step by step."""

import pytest


def test_each_tick_steps_once_with_the_engines_physics_delta(level):
    run = level.play("""
func _ready():
	Engine.physics_ticks_per_second = 30
	open_level()
	walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	var steps = []
	crowd.stepped.connect(func(dt): steps.append(dt))
	await ticks(3)
	steps.clear()
	await ticks(10)
	proof([steps.size(), steps.all(func(dt): return is_equal_approx(dt, 1.0 / 30))])
""")
    assert (run.proof, run.errors) == ([10, True], [])


@pytest.mark.parametrize("scale", ["0.1", "3.0", "10.0"])
def test_the_distance_per_second_of_the_game_does_not_depend_on_the_time_scale(level, scale):
    run = level.play(f"""
func _ready():
	open_level(0)
	floor_at(-2, 1, 300, 5)
	var agent = walker(Vector3(0, 0, 3), Vector3(290, 0, 3))
	await ticks(60)
	Engine.time_scale = {scale}
	await ticks(2)
	var game = [0.0]
	crowd.stepped.connect(func(dt): game[0] += dt)
	var before = at(agent).x
	await ticks(100)
	proof((at(agent).x - before) / game[0])
""")
    assert run.errors == []
    assert run.proof == pytest.approx(3.5, abs=0.01)


def test_pause_and_time_scale_zero_freeze_the_crowd(level):
    run = level.play("""
func _ready():
	process_mode = PROCESS_MODE_ALWAYS
	open_level()
	world.process_mode = PROCESS_MODE_PAUSABLE
	var agent = walker(Vector3(-9, 0, 0), Vector3(9, 0, 0))
	await ticks(20)
	get_tree().paused = true
	await ticks(2)
	var hashes = {crowd.state_hash(): true}
	await ticks(20)
	hashes[crowd.state_hash()] = true
	get_tree().paused = false
	Engine.time_scale = 0.0
	await ticks(2)
	var frozen = {crowd.state_hash(): true}
	await ticks(20)
	frozen[crowd.state_hash()] = true
	Engine.time_scale = 1.0
	var before = at(agent).x
	await ticks(20)
	proof([hashes.size(), frozen.size(), at(agent).x > before + 0.5])
""")
    assert (run.proof, run.errors) == ([1, 1, True], [])


def test_manual_steps_are_the_games_alone_and_many_fit_into_one_frame(level):
    run = level.play("""
func walk(in_one: bool) -> String:
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	walker(Vector3(2, 0, 2), Vector3(-5, 0, 0))
	await ticks(5)
	for i in 10:
		crowd.step(1.0 / 60)
		if not in_one: await get_tree().physics_frame
	var hash = crowd.state_hash()
	await ticks(5)
	if crowd.state_hash() != hash: hash = "moved"
	world.free()
	return hash

func _ready():
	proof([await walk(true), await walk(false)])
""")
    one, many = run.proof
    assert run.errors == []
    assert one == many != "moved"


def test_one_long_step_leaves_all_on_the_mesh_and_no_faster_than_they_may_be(level):
    run = level.play("""
func _ready():
	open_level(6)
	crowd.process_callback = NavCrowd.MANUAL
	var agents = []
	for i in 10: agents.append(walker(Vector3(i - 5, 0, -4), Vector3(5 - i, 0, 4)))
	for i in 100: crowd.step(1.0 / 60)
	var before = agents.map(at)
	crowd.step(5.0)
	var worst = 0.0
	var off = 0
	for i in 10:
		worst = maxf(worst, at(agents[i]).distance_to(before[i]))
		if maxf(absf(at(agents[i]).x), absf(at(agents[i]).z)) > 6.0001: off += 1
	proof([worst <= 5 * 3.5 + 0.001, off])
""")
    assert (run.proof, run.errors) == ([True, 0], [])


def test_monitors_tell_what_crowds_cost(level):
    run = level.play("""
func _ready():
	open_level()
	for i in 5: walker(Vector3(i, 0, 0), Vector3(i, 0, 9))
	await ticks(20)
	var names = Performance.get_custom_monitor_names()
	proof([names.has(&"onepath/step_ms"), Performance.get_custom_monitor("onepath/step_ms") > 0.0,
		Performance.get_custom_monitor("onepath/agents")])
""")
    assert (run.proof, run.errors) == ([True, True, 5], [])
