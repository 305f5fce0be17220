extends DemoScene
## The same room twice: OnePath's agents on the left, the engine's own on the right. Both swap sides again and again.
##
## Both sides are counted by the same code: targets reached, walkers outside the baked mesh, pairs that overlap.

const EACH_SIDE := 14
const OFF_MESH := 0.05
const SETTINGS: NavAgentSettings = preload("res://shared/walker_settings.tres")

var ours: Array[Node3D] = []
var theirs: Array[Node3D] = []
var reached := {"OnePath": 0, "engine": 0}
var off_mesh := {"OnePath": 0, "engine": 0}
var overlaps := {"OnePath": 0, "engine": 0}
var _turn := 1.0

@onready var crowd: NavCrowd = $Crowd


func title() -> String:
	return "Beside NavigationAgent3D"


func about() -> String:
	return "Left NavAgent, right NavigationAgent3D with avoidance: the same room, radius and speed. Both sides are " \
		+ "counted by the same code."


func keys() -> Array:
	return [["N", "swap sides once more"]]


func legend() -> Array:
	return state_legend([1, 3]) + [[DemoEngineWalker.COLOUR, "NavigationAgent3D"]]


func counters() -> Array:
	var rows := [["seconds", "%.1f" % (ticks / 60.0)]]
	for side: String in reached:
		rows.append([side + ": reached", "%d of %d" % [reached[side], ours.size()]])
		rows.append(["   ticks off the mesh", off_mesh[side]])
		rows.append(["   ticks overlapping", overlaps[side]])
	return rows


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "reached": reached, "off_mesh": off_mesh, "overlaps": overlaps,
		"hash": crowd.state_hash()}


func build() -> void:
	$Left.bake_navigation_mesh(false)  # both rooms share the mesh
	camera.aim(Vector3(2, 0, -2.5), 29, 0.0, 1.0)
	for number in EACH_SIDE * 2:
		var walker := DemoWalker.new(SETTINGS)
		walker.position = $Left.position + _post(number, 1.0)
		walker.agent.target_reached.connect(func() -> void: reached["OnePath"] += 1)
		crowd.add_child(walker)
		ours.append(walker)
		var other := DemoEngineWalker.new(SETTINGS)
		other.position = $Right.position + _post(number, 1.0)
		other.agent.target_reached.connect(func() -> void: reached["engine"] += 1)
		add_child(other)
		theirs.append(other)


func tick(_delta: float) -> void:
	if ticks == 10:  # the engine's map is there only after some ticks
		_swap_sides()
	elif ticks > 10:
		_count("OnePath", ours)
		_count("engine", theirs)


func key_pressed(key: Key) -> void:
	if key == KEY_N:
		_swap_sides()


func _swap_sides() -> void:
	_turn = -_turn
	for side: String in reached:
		reached[side] = 0
	for number in ours.size():
		ours[number].agent.target_position = $Left.position + _post(number, _turn)
		theirs[number].agent.target_position = $Right.position + _post(number, _turn)


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
			if at.distance_to(walkers[other].global_position) < 1.8 * SETTINGS.radius:
				overlaps[side] += 1
