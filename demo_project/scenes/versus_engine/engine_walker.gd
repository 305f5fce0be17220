class_name DemoEngineWalker
extends Node3D
## A capsule that the engine's NavigationAgent3D walks, with avoidance, by the loop of the engine's manual.

const Look = preload("res://shared/look.gd")
const COLOUR := Color("e8a33d")

var agent := NavigationAgent3D.new()
var body := Look.body()


func _init(settings: NavAgentSettings) -> void:
	agent.avoidance_enabled = true
	agent.radius = settings.radius
	agent.height = settings.height
	agent.max_speed = settings.max_speed
	agent.target_desired_distance = settings.target_desired_distance
	agent.path_desired_distance = settings.target_desired_distance
	agent.velocity_computed.connect(_move)
	body.material_override = Look.material(COLOUR)
	add_child(agent)
	add_child(body)


func _physics_process(_delta: float) -> void:
	if agent.is_navigation_finished():
		agent.velocity = Vector3.ZERO
	else:
		agent.velocity = global_position.direction_to(agent.get_next_path_position()) * agent.max_speed


func _move(velocity: Vector3) -> void:
	global_position += velocity * get_physics_process_delta_time()
	if velocity.length_squared() > 0.01:
		rotation.y = atan2(-velocity.x, -velocity.z)
