extends DemoScene
## Walk, save, quit, start again: the crowd goes on exactly where it was.
##
## The crowd is one resource inside the saved game. The lap that each walker is on belongs to this script, so it is saved
## beside it. With "-- --load" the scene starts from the saved game.

const FILE := "user://onepath_demo_save.tres"
const WALKERS := 40
const CORNERS: Array[Vector3] = [Vector3(-9, 0.1, -6), Vector3(9, 0.1, -6), Vector3(9, 0.1, 6), Vector3(-9, 0.1, 6)]

var laps := PackedInt32Array()
var walkers: Array[DemoWalker] = []
var message := "nothing saved yet"
var _steps_before := 0  # steps that were not made in this run

@onready var crowd: NavCrowd = $Crowd


func title() -> String:
	return "Save and load"


func about() -> String:
	return "The state of the crowd is a resource that is saved with the game and comes back to the last bit, in a new " \
		+ "process too: the same tick has the same state again."


func keys() -> Array:
	return [["F5", "save"], ["F9", "load"], ["Click", "send everybody there"]]


func counters() -> Array:
	return [["step", steps()], ["state", crowd.state_hash()], ["", message]]


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "arrivals": Array(laps).reduce(func(a: int, b: int) -> int: return a + b),
		"hash": crowd.state_hash(), "steps": steps()}


func build() -> void:
	$Room.bake_navigation_mesh(false)
	camera.aim(Vector3(0.5, 0, -0.5), 21, 0.3, 0.95)
	laps.resize(WALKERS)
	for number in WALKERS:
		var walker := DemoWalker.new(preload("res://shared/walker_settings.tres"))
		walker.name = "Walker%d" % number
		walker.position = CORNERS[number % 4] + Vector3(number % 3 - 1, 0, floorf(number / 12.0) - 1)
		walker.agent.name = "NavAgent"
		walker.agent.target_reached.connect(_arrived.bind(number))
		crowd.add_child(walker)
		walkers.append(walker)
		walker.agent.target_position = _next_corner(number)


func tick(_delta: float) -> void:
	if "--load" in OS.get_cmdline_user_args() and ticks == 1:
		load_game()
	elif "--save" in OS.get_cmdline_user_args() and steps() == 120:
		save_game()


func steps() -> int:
	return maxi(ticks - 1, 0) + _steps_before


func save_game() -> void:
	var game := DemoSavedGame.new()
	game.crowd = crowd.save_snapshot()
	game.laps = laps
	game.steps = steps()
	var problem := ResourceSaver.save(game, FILE)
	message = "saved step %d" % game.steps if problem == OK else "not saved: " + error_string(problem)


func load_game() -> void:
	var game := ResourceLoader.load(FILE, "", ResourceLoader.CACHE_MODE_IGNORE) as DemoSavedGame
	if game == null:
		message = "there is no saved game"
		return
	var problem := crowd.restore_snapshot(game.crowd)
	if problem != OK:
		message = "not loaded: " + error_string(problem)
		return
	laps = game.laps
	_steps_before += game.steps - steps()
	message = "loaded step %d" % game.steps


func clicked(at: Vector3) -> void:
	for walker in walkers:
		walker.agent.target_position = at


func key_pressed(key: Key) -> void:
	if key == KEY_F5:
		save_game()
	elif key == KEY_F9:
		load_game()


func _arrived(number: int) -> void:
	laps[number] += 1
	walkers[number].agent.target_position = _next_corner(number)


func _next_corner(number: int) -> Vector3:
	var step := 1 if number % 2 == 0 else 3
	return CORNERS[(number + step * (laps[number] + 1)) % 4]
