extends Control
## The list of scenes: click, or press the number.

const Look = preload("res://shared/look.gd")
const SCENES := [
	["two_floors", "Two floors", "A door, a bridge that opens, a ladder and a jump; sixty walkers."],
	["door", "A door", "Thirty against thirty through 1.5 m."],
	["multimesh", "Thousands", "A crowd without nodes, drawn by one MultiMesh."],
	["lone_follower", "A lone walker", "CorridorFollower: one path, no crowd."],
	["save_load", "Save and load", "Save, quit, start again: the crowd goes on where it was."],
	["rollback", "Rollback", "Orders that come late, and two states that are equal in the end."],
	["versus_engine", "Beside NavigationAgent3D", "The same room, the same walkers, counted."],
]


func _ready() -> void:
	var background := ColorRect.new()
	background.color = Color("1b2430")
	background.set_anchors_preset(PRESET_FULL_RECT)
	add_child(background)
	var centre := CenterContainer.new()
	centre.set_anchors_preset(PRESET_FULL_RECT)
	add_child(centre)
	var rows := VBoxContainer.new()
	rows.add_theme_constant_override("separation", 8)
	centre.add_child(rows)
	rows.add_child(_words("OnePath", 44, Look.TEXT))
	rows.add_child(_words("Corridors and crowds on a navigation mesh that may change", 17, Look.DIM))
	rows.add_child(Control.new())
	for number in SCENES.size():
		rows.add_child(_button(number))
	rows.add_child(_words("Press 1 to %d, or click.  Esc quits, and leads back here from a scene." % SCENES.size(), 15, Look.DIM))
	for argument in OS.get_cmdline_user_args():
		if argument.begins_with("--seconds="):
			_finish.call_deferred()


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.pressed or event.echo:
		return
	if event.keycode == KEY_ESCAPE:
		get_tree().quit()
	elif event.keycode - KEY_1 >= 0 and event.keycode - KEY_1 < SCENES.size():
		_open(event.keycode - KEY_1)


func _open(number: int) -> void:
	get_tree().change_scene_to_file("res://scenes/%s/%s.tscn" % [SCENES[number][0], SCENES[number][0]])


func _button(number: int) -> Button:
	var made := Button.new()
	made.text = "  %d   %s  –  %s" % [number + 1, SCENES[number][1], SCENES[number][2]]
	made.alignment = HORIZONTAL_ALIGNMENT_LEFT
	made.custom_minimum_size = Vector2(680, 46)
	made.add_theme_font_size_override("font_size", 17)
	for state in ["normal", "hover", "pressed", "focus"]:
		var style := StyleBoxFlat.new()
		style.bg_color = Color("2a3646") if state == "normal" else Color("35506b")
		style.draw_center = state != "focus"
		style.set_corner_radius_all(6)
		style.set_content_margin_all(8)
		made.add_theme_stylebox_override(state, style)
	made.pressed.connect(_open.bind(number))
	return made


func _words(text: String, size: int, colour: Color) -> Label:
	var made := Label.new()
	made.text = text
	made.add_theme_font_size_override("font_size", size)
	made.add_theme_color_override("font_color", colour)
	return made


## For runs without a window: every scene is there and can be loaded.
func _finish() -> void:
	var missing := SCENES.filter(func(row: Array) -> bool:
		return load("res://scenes/%s/%s.tscn" % [row[0], row[0]]) == null)
	for argument in OS.get_cmdline_user_args():
		if argument.begins_with("--picture="):
			await RenderingServer.frame_post_draw
			Look.save_picture(get_viewport(), argument.get_slice("=", 1))
	print("DEMO ", JSON.stringify({"scene": "menu", "scenes": SCENES.size(), "missing": missing.size()}))
	OS.delay_msec(200)  # Godot 4.6 can hang when it quits while its worker threads go to sleep
	get_tree().quit()
