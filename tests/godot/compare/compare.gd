extends Node3D
## One case, walked by NavAgents or by the engine's NavigationAgent3D, with everything else the same.
##
## case.json says the case: "rects" (rows of x0, z0, x1, z1) or "cells" (rows of 0 and 1, 2 m each), "starts", "goals" (a
## list for each agent: the next is set when one is reached), "radius", "arrival" (the desired distance), "ticks",
## "threads", "ours" (further properties of our agents). After "--": ours or engine. Before there are any agents the empty
## scene is timed, so that what the engine's main loop takes by itself is not counted as theirs.

const SPEED := 3.5
const ACCELERATION := 8.0
const OFF_MESH := 0.05
const CELL := 2.0
const EMPTY_TICKS := 300
const PAIRS_EACH := 6  # ticks from one look at all pairs to the next
const SETTLING_TICKS := 10  # the engine's map needs some frames; both sides get them

var spec: Dictionary
var bodies: Array[Node3D] = []
var agents: Array[Node] = []
var done: PackedInt32Array
var tick := -EMPTY_TICKS - 2 * SETTLING_TICKS
var empty_us := 0.0
var reached := 0
var off_mesh := 0
var closest := INF
var last_reached := 0
var spent_on_checks := 0
var began := 0
var context := HashingContext.new()
var crowd: NavCrowd


func _ready() -> void:
	spec = JSON.parse_string(FileAccess.get_file_as_string("res://case.json"))
	var mesh := NavigationMesh.new()
	_fill(mesh)
	var region := NavigationRegion3D.new()
	region.navigation_mesh = mesh
	add_child(region)
	context.start(HashingContext.HASH_SHA256)


func _add_agents() -> void:
	var ours := "ours" in OS.get_cmdline_user_args()
	if ours:
		crowd = NavCrowd.new()
		crowd.thread_count = int(spec.threads)
		add_child(crowd)
	done.resize(spec.starts.size())
	for number in spec.starts.size():
		var body := Node3D.new()
		body.position = _place(spec.starts[number])
		var agent: Node = _our_agent() if ours else _engine_agent(body)
		agent.target_reached.connect(_reached.bind(number))
		body.add_child(agent)
		(crowd if ours else self).add_child(body)
		bodies.append(body)
		agents.append(agent)


func _physics_process(_delta: float) -> void:
	tick += 1
	if tick == -EMPTY_TICKS - SETTLING_TICKS:
		began = Time.get_ticks_usec()
	if tick == -SETTLING_TICKS:
		empty_us = (Time.get_ticks_usec() - began) / float(EMPTY_TICKS)
		_add_agents()
	if tick == 1:
		for number in agents.size():
			agents[number].target_position = _place(spec.goals[number][0])
		began = Time.get_ticks_usec()
	if tick < 1:
		return
	if crowd == null:
		for number in agents.size():
			_drive(bodies[number], agents[number])
	var now := Time.get_ticks_usec()
	_check()
	spent_on_checks += Time.get_ticks_usec() - now
	if tick > int(spec.ticks):
		_finish()


## The loop of the engine's manual.
func _drive(body: Node3D, agent: NavigationAgent3D) -> void:
	if agent.is_navigation_finished():
		agent.velocity = Vector3.ZERO
		return
	var next := agent.get_next_path_position()
	agent.velocity = body.global_position.direction_to(next) * SPEED


func _our_agent() -> NavAgent:
	var agent := NavAgent.new()
	agent.radius = spec.radius
	agent.height = 1.8
	agent.max_speed = SPEED
	agent.max_acceleration = ACCELERATION
	agent.target_desired_distance = spec.arrival
	for property: String in spec.get("ours", {}):
		agent.set(property, spec.ours[property])
	return agent


func _engine_agent(body: Node3D) -> NavigationAgent3D:
	var agent := NavigationAgent3D.new()
	agent.avoidance_enabled = true
	agent.radius = spec.radius
	agent.height = 1.8
	agent.max_speed = SPEED
	agent.target_desired_distance = spec.arrival
	agent.path_desired_distance = spec.arrival
	agent.velocity_computed.connect(func(velocity: Vector3) -> void:
		body.global_position += velocity * get_physics_process_delta_time())
	return agent


func _reached(number: int) -> void:
	reached += 1
	last_reached = tick
	done[number] += 1
	if done[number] < spec.goals[number].size():
		agents[number].target_position = _place(spec.goals[number][done[number]])


func _check() -> void:
	var places := PackedVector3Array()
	for body in bodies:
		places.append(body.global_position)
		if not _on_mesh(body.global_position):
			off_mesh += 1
	if tick % PAIRS_EACH == 0:
		_look_for_closest(places)
	context.update(places.to_byte_array())


func _look_for_closest(places: PackedVector3Array) -> void:
	var least := INF
	for number in places.size():
		for other in number:
			least = minf(least, places[number].distance_squared_to(places[other]))
	closest = minf(closest, sqrt(least))


func _on_mesh(at: Vector3) -> bool:
	for corner: Vector2 in [Vector2.ZERO, Vector2(1, 0), Vector2(-1, 0), Vector2(0, 1), Vector2(0, -1)]:
		if _walkable(at.x + corner.x * OFF_MESH, at.z + corner.y * OFF_MESH):
			return true
	return false


func _walkable(x: float, z: float) -> bool:
	if spec.has("cells"):
		var column := floori(x / CELL)
		var row := floori(z / CELL)
		return row >= 0 and column >= 0 and row < spec.cells.size() and column < spec.cells.size() \
			and spec.cells[row][column] == 1
	for rect: Array in spec.rects:
		if rect[0] <= x and x <= rect[2] and rect[1] <= z and z <= rect[3]:
			return true
	return false


func _fill(mesh: NavigationMesh) -> void:
	var vertices := PackedVector3Array()
	var rects: Array = spec.get("rects", [])
	for row in spec.get("cells", []).size():
		for column in spec.cells.size():
			if spec.cells[row][column] == 1:
				rects.append([column * CELL, row * CELL, (column + 1) * CELL, (row + 1) * CELL])
	var known := {}
	for rect: Array in rects:
		var polygon := PackedInt32Array()
		for corner: Array in [[0, 1], [2, 1], [2, 3], [0, 3]]:
			var at := Vector3(rect[corner[0]], 0, rect[corner[1]])
			if not known.has(at):
				known[at] = vertices.size()
				vertices.append(at)
			polygon.append(known[at])
		mesh.add_polygon(polygon)
	mesh.vertices = vertices


func _place(at: Array) -> Vector3:
	return Vector3(at[0], 0, at[1])


func _finish() -> void:
	var elapsed := Time.get_ticks_usec() - began - spent_on_checks
	print("PROOF ", JSON.stringify({
		"agents": agents.size(),
		"finished": reached,
		"last_arrival_s": last_reached / 60.0,
		"off_mesh": off_mesh,
		"closest": closest / (2.0 * float(spec.radius)) if closest < INF else 1e9,
		"hash": context.finish().hex_encode().left(16),
		"us_per_agent_tick": (elapsed / float(spec.ticks) - empty_us) / agents.size(),
	}, "", false, true))
	OS.delay_msec(200)  # Godot 4.6 can hang when it quits while its worker threads go to sleep
	get_tree().quit()
