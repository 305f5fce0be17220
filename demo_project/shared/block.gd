@tool
class_name DemoBlock
extends StaticBody3D
## A box that can be seen, stood on and baked into a navigation mesh. Its origin is the middle of its upper face.

@export var size := Vector3(1, 1, 1):
	set(value):
		size = value
		_build()
@export var colour := Color(0.62, 0.66, 0.7):
	set(value):
		colour = value
		_build()

var _mesh := MeshInstance3D.new()
var _shape := CollisionShape3D.new()


func _init(new_size := Vector3.ONE, new_colour := Color(0.62, 0.66, 0.7)) -> void:
	_mesh.mesh = BoxMesh.new()
	_mesh.material_override = StandardMaterial3D.new()
	_shape.shape = BoxShape3D.new()
	add_child(_mesh, false, INTERNAL_MODE_FRONT)
	add_child(_shape, false, INTERNAL_MODE_FRONT)
	size = new_size
	colour = new_colour


func _build() -> void:
	_mesh.mesh.size = size
	_mesh.position.y = -size.y / 2
	_shape.shape.size = size
	_shape.position.y = -size.y / 2
	_mesh.material_override.albedo_color = colour
	_mesh.material_override.roughness = 0.9
