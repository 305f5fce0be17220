extends DemoScene
## Sixty walkers in a house with two floors, a ramp, a door, a bridge that opens, a ladder and a place to jump down.
##
## The ground and the upper floors are baked by Godot while the door is shut and the bridge is up. The door's threshold
## and the bridge are NavigationRegion3Ds of their own, a rectangle each, that are switched on and off.

const Links = preload("res://shared/links.gd")
const WALKERS := 60
## Where walkers go: rectangles as centre and half size.
const PLACES: Array[AABB] = [
	AABB(Vector3(-13, 0.1, -9), Vector3(11, 0, 9)),
	AABB(Vector3(2, 0.1, 0), Vector3(11, 0, 9)),
	AABB(Vector3(-13, 3.1, -9), Vector3(6, 0, 6)),
	AABB(Vector3(5, 3.1, -9), Vector3(8, 0, 6)),
]

var arrivals := 0
var walkers: Array[DemoWalker] = []
var _by_hand := false
var _random := RandomNumberGenerator.new()

@onready var crowd: NavCrowd = $Crowd
@onready var doorway: NavigationRegion3D = $Doorway
@onready var bridge: NavigationRegion3D = $Bridge


func title() -> String:
	return "Two floors"


func about() -> String:
	return "Door and bridge are regions that open and shut while 60 walkers are on their ways. Whoever finds his way " \
		+ "cut off goes round over the links, or waits."


func keys() -> Array:
	return [["Click", "send everybody there"], ["1", "door"], ["2", "bridge"]]


func counters() -> Array:
	return [
		["walkers", walkers.size()], ["arrivals", arrivals], ["door", "open" if doorway.enabled else "shut"],
		["bridge", "down" if bridge.enabled else "up"], ["state", crowd.state_hash()],
	]


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "arrivals": arrivals, "hash": crowd.state_hash()}


func build() -> void:
	$Ground.bake_navigation_mesh(false)
	Links.show_all(self)
	camera.aim(Vector3(-0.5, 0, 0), 24, 0.3, 0.8)
	_random.seed = 7
	for number in WALKERS:
		var walker := DemoWalker.new(preload("res://shared/walker_settings.tres"))
		walker.position = Vector3(-8.5 + number % 10 * 0.8, 0.1, -8 + floorf(number / 10.0) * 1.5)
		walker.agent.target_reached.connect(_arrived.bind(walker))
		crowd.add_child(walker)
		walkers.append(walker)
		walker.agent.target_position = _somewhere()


func tick(delta: float) -> void:
	if not _by_hand and ticks % 300 == 0:
		_switch(doorway)
	if not _by_hand and ticks % 420 == 0:
		_switch(bridge)
	$Door.position.y = move_toward($Door.position.y, 4.9 if doorway.enabled else 2.6, 4 * delta)
	$BridgeHinge.rotation.z = move_toward($BridgeHinge.rotation.z, 0.0 if bridge.enabled else 1.1, 2 * delta)


func clicked(at: Vector3) -> void:
	for walker in walkers:
		walker.agent.target_position = at


func key_pressed(key: Key) -> void:
	if key == KEY_1 or key == KEY_2:
		_by_hand = true
		_switch(doorway if key == KEY_1 else bridge)


func _switch(region: NavigationRegion3D) -> void:
	region.enabled = not region.enabled


func _arrived(walker: DemoWalker) -> void:
	arrivals += 1
	walker.agent.target_position = _somewhere()


func _somewhere() -> Vector3:
	var place := PLACES[_random.randi() % PLACES.size()]
	return place.position + place.size * Vector3(_random.randf(), 0, _random.randf())
