class_name DemoWalker
extends Node3D
## Somebody who walks: a capsule with a NavAgent, coloured by what the agent does.

const Look = preload("res://shared/look.gd")

var agent := NavAgent.new()
var body := Look.body()


func _init(settings: NavAgentSettings = null) -> void:
	agent.settings = settings
	agent.sync_mode = NavAgent.TRANSFORM_AND_FACING
	agent.state_changed.connect(func(state: int) -> void: body.material_override = Look.state_material(state))
	add_child(agent)
	add_child(body)
