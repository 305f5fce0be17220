extends DemoScene
## The same room twice: OnePath's agents on the left, the engine's own on the right. Both swap sides again and again.
##
## Both sides are counted by the same code: targets reached, when the last was, walkers outside the baked mesh, how near
## two came to each other. The engine's agents take up any velocity at once and look 1 s ahead, so ours here may turn as
## sharply (settings.tres: 100 m/s²) and look as little further ahead as there is (low quality, 1.5 s).

const EACH_SIDE := 14
const OFF_MESH := 0.05
const OVERLAP := 0.9  # of two radii
const SETTINGS: NavAgentSettings = preload("res://scenes/versus_engine/settings.tres")

var ours: Array[Node3D] = []
var theirs: Array[Node3D] = []
var reached := {"OnePath": 0, "engine": 0}
var off_mesh := {"OnePath": 0, "engine": 0}
var overlaps := {"OnePath": 0, "engine": 0}
var closest := {"OnePath": 9.0, "engine": 9.0}
var last_reached := {"OnePath": 0, "engine": 0}
var _turn := 1.0
var _swapped := 0  # the tick of the last swap; 0: not yet

@onready var crowd: NavCrowd = $Crowd


func title() -> String:
	return "Beside NavigationAgent3D"


func about() -> String:
	return "Left NavAgent, right NavigationAgent3D with avoidance: room, radius, speed and counting are the same. " \
		+ "The engine's turn at once and look 1 s ahead, so ours have max_acceleration 100 and avoidance_quality " \
		+ "Low (1.5 s); no squeeze. Overlapping: nearer than %.1f × 2 radii." % OVERLAP


func keys() -> Array:
	return [["N", "swap sides once more"]]


func legend() -> Array:
	return state_legend([1, 3]) + [[DemoEngineWalker.COLOUR, "NavigationAgent3D"]]


func counters() -> Array:
	var rows := [["seconds", "%.1f" % _seconds(ticks)]]
	for side: String in reached:
		rows.append([side + ": reached", "%d of %d" % [reached[side], ours.size()]])
		rows.append(["   the last after", "%.1f s" % _seconds(last_reached[side])])
		rows.append(["   ticks off the mesh", off_mesh[side]])
		rows.append(["   ticks overlapping", overlaps[side]])
		rows.append(["   closest two", "%.2f × 2 radii" % minf(closest[side], 1)])
	return rows


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "reached": reached, "off_mesh": off_mesh, "overlaps": overlaps,
		"closest": closest, "last": last_reached.values().map(_seconds), "hash": crowd.state_hash()}


func build() -> void:
	$Left.bake_navigation_mesh(false)  # both rooms share the mesh
	camera.aim(Vector3(2, 0, -2.5), 29, 0.0, 1.0)
	for number in EACH_SIDE * 2:
		var walker := DemoWalker.new(SETTINGS)
		walker.position = $Left.position + _post(number, 1.0)
		walker.agent.target_reached.connect(_reached.bind("OnePath"))
		crowd.add_child(walker)
		ours.append(walker)
		var other := DemoEngineWalker.new(SETTINGS)
		other.position = $Right.position + _post(number, 1.0)
		other.agent.target_reached.connect(_reached.bind("engine"))
		add_child(other)
		theirs.append(other)


func tick(_delta: float) -> void:
	if _swapped > 0:
		_count("OnePath", ours)
		_count("engine", theirs)
	elif _engine_knows($Left) and _engine_knows($Right):
		_swap_sides()


func key_pressed(key: Key) -> void:
	if key == KEY_N:
		_swap_sides()


## The engine's map is there only after some ticks, and answers for a region some ticks after that.
func _engine_knows(room: Node3D) -> bool:
	var map := get_world_3d().navigation_map
	var place := room.position + _post(0, 1.0)
	return NavigationServer3D.map_get_iteration_id(map) > 0 \
		and NavigationServer3D.map_get_closest_point(map, place).distance_to(place) < 1.0


func _swap_sides() -> void:
	_turn = -_turn
	_swapped = ticks
	for side: String in reached:
		reached[side] = 0
	for number in ours.size():
		ours[number].agent.target_position = $Left.position + _post(number, _turn)
		theirs[number].agent.target_position = $Right.position + _post(number, _turn)


func _reached(side: String) -> void:
	reached[side] += 1
	last_reached[side] = ticks


func _seconds(tick_number: int) -> float:
	return maxi(tick_number - _swapped, 0) / float(Engine.physics_ticks_per_second)


## The place of a walker: the first half on one side of the wall, the others on the other.
func _post(number: int, side: float) -> Vector3:
	var place := number % EACH_SIDE
	var half := -1.0 if number < EACH_SIDE else 1.0
	return Vector3(half * side * (4.5 + floorf(place / 7.0) * 2), 0.1, -4.5 + place % 7 * 1.5)


func _count(side: String, walkers: Array[Node3D]) -> void:
	var map := get_world_3d().navigation_map
	for number in walkers.size():
		var at := walkers[number].global_position
		var nearest := NavigationServer3D.map_get_closest_point(map, at)
		if Vector2(at.x - nearest.x, at.z - nearest.z).length() > OFF_MESH:
			off_mesh[side] += 1
		for other in number:
			var apart := at.distance_to(walkers[other].global_position) / (2 * SETTINGS.radius)
			closest[side] = minf(closest[side], apart)
			if apart < OVERLAP:
				overlaps[side] += 1
