extends CanvasLayer
## The words on the screen: title, what the scene shows, keys, counters, and what the colours mean.

const Look = preload("res://shared/look.gd")

var _counters := RichTextLabel.new()


func fill(title: String, about: String, keys: Array, legend: Array, has_overlay: bool) -> void:
	var left := _box(Control.PRESET_TOP_LEFT, Vector2(16, 16), 330, VBoxContainer.new())
	left.add_child(_label(title, 24, Look.TEXT))
	left.add_child(_label(about, 14, Look.DIM))
	for row in keys:
		left.add_child(_row(row[0], row[1]))
	var below := _box(Control.PRESET_BOTTOM_LEFT, Vector2(16, -16), 0, HBoxContainer.new())
	for row in ([["O", "overlay"]] if has_overlay else []) + [
		["Space", "pause"], ["R", "start again"], ["Esc", "menu"], ["Right button", "turn"], ["Wheel", "zoom"],
		["W A S D", "move"],
	]:
		below.add_child(_word(row[0], 14, Look.ACCENT))
		below.add_child(_word(row[1] + "   ", 14, Look.TEXT))
	var right := _box(Control.PRESET_TOP_RIGHT, Vector2(-16, 16), 240, VBoxContainer.new())
	_counters.bbcode_enabled = true
	_counters.fit_content = true
	_counters.scroll_active = false
	_counters.add_theme_color_override("default_color", Look.TEXT)
	_counters.add_theme_font_size_override("normal_font_size", 15)
	_counters.add_theme_font_size_override("bold_font_size", 15)
	_counters.mouse_filter = Control.MOUSE_FILTER_IGNORE
	right.add_child(_counters)
	if not legend.is_empty():
		right.add_child(HSeparator.new())
	for entry in legend:
		right.add_child(_swatch(entry[0], entry[1]))


## Shows pairs of a name and a value.
func count(rows: Array) -> void:
	var text := ""
	for row in rows:
		text += "[color=#%s]%s[/color]  [b]%s[/b]\n" % [Look.DIM.to_html(false), row[0], row[1]]
	_counters.text = text.strip_edges()


func _box(corner: Control.LayoutPreset, offset: Vector2, width: float, rows: BoxContainer) -> BoxContainer:
	var panel := PanelContainer.new()
	var style := StyleBoxFlat.new()
	style.bg_color = Look.PANEL
	style.set_corner_radius_all(8)
	style.set_content_margin_all(14)
	panel.add_theme_stylebox_override("panel", style)
	panel.custom_minimum_size.x = width
	panel.mouse_filter = Control.MOUSE_FILTER_IGNORE
	add_child(panel)
	panel.set_anchors_and_offsets_preset(corner)
	panel.grow_horizontal = Control.GROW_DIRECTION_BEGIN if offset.x < 0 else Control.GROW_DIRECTION_END
	panel.grow_vertical = Control.GROW_DIRECTION_BEGIN if offset.y < 0 else Control.GROW_DIRECTION_END
	panel.position += offset
	rows.add_theme_constant_override("separation", 6)
	panel.add_child(rows)
	return rows


## Words in one line.
func _word(text: String, size: int, colour: Color) -> Label:
	var made := Label.new()
	made.text = text
	made.add_theme_font_size_override("font_size", size)
	made.add_theme_color_override("font_color", colour)
	return made


## Words in as many lines as they need.
func _label(text: String, size: int, colour: Color) -> Label:
	var made := _word(text, size, colour)
	made.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	made.custom_minimum_size.x = 300
	return made


func _row(key: String, does: String) -> HBoxContainer:
	var row := HBoxContainer.new()
	var name_label := _label(key, 14, Look.ACCENT)
	name_label.custom_minimum_size.x = 110
	var text := _label(does, 14, Look.TEXT)
	text.custom_minimum_size.x = 190
	row.add_child(name_label)
	row.add_child(text)
	return row


func _swatch(colour: Color, text: String) -> HBoxContainer:
	var row := HBoxContainer.new()
	var square := ColorRect.new()
	square.color = colour
	square.custom_minimum_size = Vector2(16, 16)
	square.size_flags_vertical = Control.SIZE_SHRINK_CENTER
	row.add_child(square)
	row.add_child(_word(text, 14, Look.TEXT))
	return row
