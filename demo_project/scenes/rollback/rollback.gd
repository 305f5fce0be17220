extends DemoScene
## Rollback, as in a game over a network: the right side hears of every order a fifth of a second late.
##
## Both crowds walk on the same mesh. The right one keeps the states of the last ticks. When a late order comes in, it
## goes back to the tick for which the order was meant, and makes the steps since then anew. Afterwards both states are
## equal to the last bit, which their hashes show.

const AGENTS := 120
const DELAY := 12
const TICK := 1.0 / 60.0
const SETTINGS: NavAgentSettings = preload("res://shared/walker_settings.tres")

var rollbacks := 0
var equal_ticks := 0
var different_ticks := 0
var rollback_usec := 0
var _orders := []  # on their way: [tick, agents, target]
var _known := {}  # orders that the right side has, by tick
var _states := {}  # of the right side, by tick
var _random := RandomNumberGenerator.new()

@onready var host: NavCrowd = $Host
@onready var guest: NavCrowd = $Guest


func title() -> String:
	return "Rollback"


func about() -> String:
	return "Orders reach the right side %d ticks late. It goes back to the tick they were meant for and walks " % DELAY \
		+ "the ticks since then again: the states are equal once more, to the last bit."


func keys() -> Array:
	return [["Click left", "send everybody there"]]


func legend() -> Array:
	return [[Look.STATE_COLOURS[1], "left: hears orders at once"], [Look.STATE_COLOURS[2], "right: hears them late"]]


func counters() -> Array:
	var same := host.state_hash() == guest.state_hash()
	return [["left", host.state_hash()], ["right", guest.state_hash()],
		["states", "equal" if same else "different, an order is on its way"], ["rollbacks", rollbacks],
		["steps made again", rollbacks * DELAY],
		["ms a rollback", "%.1f" % (rollback_usec / 1000.0 / maxi(rollbacks, 1))]]


func report() -> Dictionary:
	return {"agents": host.get_agent_count(), "rollbacks": rollbacks, "equal_ticks": equal_ticks,
		"different_ticks": different_ticks, "hash": host.state_hash(), "guest_hash": guest.state_hash()}


func build() -> void:
	$Left.bake_navigation_mesh(false)
	var mesh := OnePathNavMesh.new()
	mesh.build_from_navigation_mesh($Left.navigation_mesh)
	_random.seed = 5
	for crowd: NavCrowd in [host, guest]:
		crowd.nav_mesh = mesh
		crowd.process_callback = NavCrowd.MANUAL
		crowd.multimesh = _drawing(Look.STATE_COLOURS[1 if crowd == host else 2])
	guest.multimesh.position = $Right.position
	camera.aim(Vector3(14, 0, -2.5), 29, 0.0, 1.0)
	for number in AGENTS:
		var at := Vector3(-9.5 + number % 20, 0.1, -5.5 + floorf(number / 20.0) * 2)
		host.add_agent(at, SETTINGS)
		guest.add_agent(at, SETTINGS)


func tick(_delta: float) -> void:
	if ticks % 90 == 1:
		var some := Array(host.get_agent_ids()).filter(func(id: int) -> bool: return (id + ticks) % 3 == 0)
		_order(some, Vector3(_random.randf_range(-10, 10), 0.1, _random.randf_range(-6, 6)))
	for order: Array in _orders.filter(func(waiting: Array) -> bool: return waiting[0] + DELAY == ticks):
		_orders.erase(order)
		_roll_back(order)
	host.step(TICK)
	_step_guest(ticks)
	if host.state_hash() == guest.state_hash():
		equal_ticks += 1
	else:
		different_ticks += 1


func clicked(at: Vector3) -> void:
	_order(Array(host.get_agent_ids()), at)


## The left side obeys before its next step; the right side hears of it later.
func _order(agents: Array, target: Vector3) -> void:
	_send(host, agents, target)
	_orders.append([ticks, agents, target])


func _send(crowd: NavCrowd, agents: Array, target: Vector3) -> void:
	for agent: int in agents:
		crowd.set_agent_target(agent, target)


func _roll_back(order: Array) -> void:
	var began := Time.get_ticks_usec()
	var then: int = order[0]
	_known.get_or_add(then, []).append(order)
	guest.restore_snapshot(_states[then])
	for again in range(then, ticks):
		_step_guest(again)
	rollbacks += 1
	rollback_usec += Time.get_ticks_usec() - began


## One step of the right side, with all orders for that tick that it knows; the state before it is kept.
func _step_guest(at_tick: int) -> void:
	_states[at_tick] = guest.save_snapshot(CrowdSnapshot.REFERENCED)
	_states.erase(at_tick - DELAY - 2)
	for order: Array in _known.get(at_tick, []):
		_send(guest, order[1], order[2])
	guest.step(TICK)


func _drawing(colour: Color) -> MultiMeshInstance3D:
	var made := MultiMeshInstance3D.new()
	made.multimesh = MultiMesh.new()
	made.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	made.multimesh.mesh = Look.capsule(SETTINGS.radius, SETTINGS.height)
	made.multimesh.mesh.material = Look.material(colour)
	add_child(made)
	return made
