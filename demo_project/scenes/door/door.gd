extends DemoScene
## Thirty walkers on each side of a wall swap sides through a door 1.5 m wide, all at once.

const EACH_SIDE := 30

var finished := 0
var walkers: Array[DemoWalker] = []
var _turn := 1.0

@onready var crowd: NavCrowd = $Crowd


func title() -> String:
	return "A door"


func about() -> String:
	return "Thirty walkers on each side want to be on the other, through 1.5 m. They look ahead, give way, and where both sides are held up they squeeze past each other."


func keys() -> Array:
	return [["Click", "send everybody there"], ["B", "and back again"]]


func counters() -> Array:
	return [["walkers", walkers.size()], ["on the other side", finished], ["seconds", "%.1f" % (ticks / 60.0)],
		["state", crowd.state_hash()]]


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "arrivals": finished, "hash": crowd.state_hash()}


func build() -> void:
	$Room.bake_navigation_mesh(false)
	camera.aim(Vector3(0.3, 0, -1.2), 15.5, 0.0, 1.0)
	for number in EACH_SIDE * 2:
		var side := -1.0 if number < EACH_SIDE else 1.0
		var place := number % EACH_SIDE
		var walker := DemoWalker.new(preload("res://scenes/door/settings.tres"))
		walker.position = Vector3(side * (4 + place % 5 * 0.95), 0.1, -3.2 + floorf(place / 5.0) * 1.25)
		walker.agent.target_reached.connect(func() -> void: finished += 1)
		crowd.add_child(walker)
		walkers.append(walker)
	_swap_sides()


func _swap_sides() -> void:
	finished = 0
	for number in walkers.size():
		var side := (1.0 if number < EACH_SIDE else -1.0) * _turn
		var place := number % EACH_SIDE
		var at := Vector3(side * (7.8 - place % 5 * 0.95), 0.1, -3.2 + floorf(place / 5.0) * 1.25)
		walkers[number].agent.target_position = at


func clicked(at: Vector3) -> void:
	finished = 0
	for walker in walkers:
		walker.agent.target_position = at


func key_pressed(key: Key) -> void:
	if key == KEY_B:
		_turn = -_turn
		_swap_sides()
