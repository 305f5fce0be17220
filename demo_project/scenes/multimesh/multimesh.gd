extends DemoScene
## Thousands of agents without a node each: the crowd keeps them and fills a MultiMesh each tick.

const AGENTS := 2000
const HALF := 45.0
const PILLARS := 60
const SHOWN := 0b1001  # of the overlay: mesh and agents

var arrivals := 0
var _random := RandomNumberGenerator.new()
var _gathering := false

@onready var crowd: NavCrowd = $Crowd
@onready var drawing: MultiMeshInstance3D = $Drawing


func title() -> String:
	return "Thousands"


func about() -> String:
	return "%d agents without nodes. NavCrowd.add_agent gives a number, set_agent_target sends it, and the crowd " \
		% AGENTS + "writes all places into one MultiMesh."


func keys() -> Array:
	return [["Click", "call everybody there"], ["F", "let them wander again"], ["M", "500 more"]]


func legend() -> Array:
	return []


func counters() -> Array:
	return [["agents", crowd.get_agent_count()], ["arrivals", arrivals], ["state", crowd.state_hash()],
		["frames a second", Engine.get_frames_per_second()]]


func report() -> Dictionary:
	return {"agents": crowd.get_agent_count(), "arrivals": arrivals, "hash": crowd.state_hash()}


func build() -> void:
	_random.seed = 11
	for number in PILLARS:
		var pillar := DemoBlock.new(Vector3(3, 2.5, 3), Color(0.68, 0.73, 0.79))
		$Plain.add_child(pillar)
		pillar.position = Vector3(_random.randi_range(-20, 20) * 2, 2.5, _random.randi_range(-20, 20) * 2)
	$Plain.bake_navigation_mesh(false)
	var body := Look.capsule(0.35, 1.6)
	body.radial_segments = 8
	body.rings = 2
	body.material = Look.state_material(1)
	drawing.multimesh = MultiMesh.new()
	drawing.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	drawing.multimesh.mesh = body
	drawing.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	crowd.multimesh = drawing
	crowd.agent_target_reached.connect(_arrived)
	crowd.debug_draw = SHOWN
	camera.aim(Vector3(-2, 0, 6), 30, 0.6, 0.75)
	_add(AGENTS)


func _add(count: int) -> void:
	var settings: NavAgentSettings = preload("res://shared/walker_settings.tres")
	for number in count:
		var agent := crowd.add_agent(_somewhere(), settings)
		if agent >= 0:
			crowd.set_agent_target(agent, _somewhere())


func clicked(at: Vector3) -> void:
	_gathering = true
	for agent in crowd.get_agent_ids():
		crowd.set_agent_target(agent, at)


func key_pressed(key: Key) -> void:
	if key == KEY_F:
		_gathering = false
		for agent in crowd.get_agent_ids():
			crowd.set_agent_target(agent, _somewhere())
	elif key == KEY_M:
		_add(500)


func _arrived(agent: int) -> void:
	arrivals += 1
	if not _gathering:
		crowd.set_agent_target(agent, _somewhere())


func _somewhere() -> Vector3:
	return Vector3(_random.randf_range(-HALF, HALF), 0.1, _random.randf_range(-HALF, HALF))
