class_name DemoScene
extends Node3D
## What every scene has: light, camera, words on the screen, keys and clicks, and a report for runs without a window.
##
## A scene says what is particular to it by overriding the functions of the first group.
## After "--" on the command line: --seconds=S ends the run after S game seconds with one line of JSON, --picture=FILE
## saves the screen just before, --overlay shows mesh and corridors in it.

const Look = preload("res://shared/look.gd")
const OrbitCamera = preload("res://shared/orbit_camera.gd")
const Words = preload("res://shared/panel.gd")
const MENU := "res://scenes/menu/menu.tscn"

var camera: Camera3D
var ticks := 0
var _panel := Words.new()
var _last_tick := -1
var _picture := ""


# --- What a scene overrides ---
func title() -> String:
	return name


func about() -> String:
	return ""


## Pairs of a key and what it does.
func keys() -> Array:
	return []


## Pairs of a colour and its meaning.
func legend() -> Array:
	return state_legend([1, 2, 3, 4])


## Pairs of a name and a value, shown on the screen.
func counters() -> Array:
	return []


## What a run without a window prints.
func report() -> Dictionary:
	return {}


## Called once, when the scene's own nodes are there.
func build() -> void:
	pass


## Called each physics tick, not while the game is paused.
func tick(_delta: float) -> void:
	pass


func clicked(_at: Vector3) -> void:
	pass


func key_pressed(_key: Key) -> void:
	pass


# --- What all share ---
func _ready() -> void:
	# The scene itself hears keys while the game is paused; all that is in it stands still.
	process_mode = Node.PROCESS_MODE_ALWAYS
	child_entered_tree.connect(_make_pausable)
	get_children().map(_make_pausable)
	Look.add_light(self)
	camera = OrbitCamera.new()
	add_child(camera)
	camera.process_mode = Node.PROCESS_MODE_ALWAYS
	build()
	add_child(_panel)
	_panel.fill(title(), about(), keys(), legend(), not _walking().is_empty())
	_panel.count(counters())
	_read_command_line()


func _make_pausable(child: Node) -> void:
	child.process_mode = Node.PROCESS_MODE_PAUSABLE


func state_legend(states: Array) -> Array:
	return states.map(func(state: int) -> Array: return [Look.STATE_COLOURS[state], Look.STATE_NAMES[state]])


func _physics_process(delta: float) -> void:
	if get_tree().paused:
		return
	ticks += 1
	if ticks == _last_tick - 2 and "--overlay" in OS.get_cmdline_user_args():
		toggle_overlay()
	if ticks == _last_tick:
		_finish()
		return
	tick(delta)
	if ticks % 6 == 0:
		_panel.count(counters())


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventKey and event.pressed and not event.echo:
		match event.keycode:
			KEY_SPACE:
				get_tree().paused = not get_tree().paused
			KEY_O:
				toggle_overlay()
			KEY_R:
				get_tree().paused = false
				get_tree().reload_current_scene()
			KEY_ESCAPE:
				get_tree().paused = false
				get_tree().change_scene_to_file(MENU)
			_:
				key_pressed(event.keycode)
	elif event is InputEventMouseButton and event.pressed and event.button_index == MOUSE_BUTTON_LEFT:
		var from := camera.project_ray_origin(event.position)
		var ray := PhysicsRayQueryParameters3D.create(from, from + camera.project_ray_normal(event.position) * 300)
		var hit := get_world_3d().direct_space_state.intersect_ray(ray)
		if not hit.is_empty():
			clicked(hit.position)


## Shows what crowds and lone walkers know and intend, or hides it again.
func toggle_overlay() -> void:
	for each in _walking():
		each.debug_enabled = not each.debug_enabled


func _walking() -> Array[Node]:
	return find_children("*", "NavCrowd", true, false) + find_children("*", "CorridorFollower", true, false)


func _read_command_line() -> void:
	for argument in OS.get_cmdline_user_args():
		if argument.begins_with("--seconds="):
			_last_tick = roundi(float(argument.get_slice("=", 1)) * Engine.physics_ticks_per_second)
		elif argument.begins_with("--picture="):
			_picture = argument.get_slice("=", 1)
	if _last_tick > 0 and DisplayServer.get_name() != "headless":
		RenderingServer.render_loop_enabled = false  # only the last picture is wanted


func _finish() -> void:
	var result := report()
	result["scene"] = scene_file_path.get_file().get_basename()
	result["ticks"] = ticks
	_panel.count(counters())
	get_tree().paused = true
	if _picture != "":
		RenderingServer.render_loop_enabled = true
		for frame in 3:
			await RenderingServer.frame_post_draw
		Look.save_picture(get_viewport(), _picture)
	print("DEMO ", JSON.stringify(result))
	OS.delay_msec(200)  # Godot 4.6 can hang when it quits while its worker threads go to sleep
	get_tree().quit()
