extends Camera3D
## Looks at a point: right mouse button turns, wheel comes nearer, W A S D move, so does the middle mouse button.

var centre := Vector3.ZERO
var distance := 30.0
var yaw := 0.5
var pitch := 0.9


func aim(at: Vector3, from_distance: float, new_yaw := 0.5, new_pitch := 0.9) -> void:
	centre = at
	distance = from_distance
	yaw = new_yaw
	pitch = new_pitch
	_place()


func _process(delta: float) -> void:
	var right := float(Input.is_physical_key_pressed(KEY_D)) - float(Input.is_physical_key_pressed(KEY_A))
	var back := float(Input.is_physical_key_pressed(KEY_S)) - float(Input.is_physical_key_pressed(KEY_W))
	if right != 0.0 or back != 0.0:
		_shift(Vector2(right, back) * delta * distance * 0.8)


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion and event.button_mask & MOUSE_BUTTON_MASK_RIGHT:
		yaw -= event.relative.x * 0.006
		pitch = clampf(pitch + event.relative.y * 0.006, 0.1, 1.5)
		_place()
	elif event is InputEventMouseMotion and event.button_mask & MOUSE_BUTTON_MASK_MIDDLE:
		_shift(-event.relative * distance * 0.0015)
	elif event is InputEventMouseButton and event.pressed and event.button_index == MOUSE_BUTTON_WHEEL_UP:
		distance = maxf(distance * 0.9, 4.0)
		_place()
	elif event is InputEventMouseButton and event.pressed and event.button_index == MOUSE_BUTTON_WHEEL_DOWN:
		distance = minf(distance * 1.1, 150.0)
		_place()


func _shift(by: Vector2) -> void:
	centre += Vector3(by.x, 0, by.y).rotated(Vector3.UP, yaw)
	_place()


func _place() -> void:
	var away := Vector3(0, sin(pitch), cos(pitch)) * distance
	position = centre + away.rotated(Vector3.UP, yaw)
	look_at(centre)
