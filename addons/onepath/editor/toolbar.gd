@tool
extends HBoxContainer
## The buttons above the 3D view while a NavCrowd is selected.

const PARTS := ["Mesh", "Portals", "Links", "Agents", "Velocities", "Corridors", "Corners and Destination",
	"Walls Looked Up", "Half-Planes of the Selected Agent"]

var plugin: EditorPlugin
var _bake: Button
var _simulate: Button
var _reset: Button
var _store: Button
var _legend: PopupPanel
var _progress: Label
var _parts: PopupMenu


func _init() -> void:
	add_child(VSeparator.new())
	_bake = _button("Bake", "Builds the crowd's mesh from the scene's regions and links and keeps it in nav_mesh.", _on_bake)
	_simulate = _button("Simulate", "Lets the crowd walk here. Reset, or saving the scene, puts everything back.",
		func() -> void: plugin.simulate())
	_reset = _button("Reset", "Puts everything back as it was before the crowd walked.",
		func() -> void: plugin.reset())
	_store = _button("Store Snapshot", "Keeps the crowd's present state as what the level begins with.",
		func() -> void: plugin.store_snapshot())
	var shown := MenuButton.new()
	shown.text = "Show"
	shown.tooltip_text = "Chooses what is drawn of the crowd."
	_parts = shown.get_popup()
	_parts.hide_on_checkable_item_selection = false
	for bit in PARTS.size(): _parts.add_check_item(PARTS[bit], bit)
	_parts.id_pressed.connect(func(bit: int) -> void: plugin.show_parts(plugin.crowd.debug_draw ^ (1 << bit)))
	add_child(shown)
	_button("Legend", "Explains the colours.", _on_legend)
	_progress = Label.new()
	_progress.hide()
	add_child(_progress)


## Brings the buttons up to date with the selected crowd.
func refresh() -> void:
	var crowd: Node3D = plugin.crowd
	if not is_instance_valid(crowd): return
	var walks: bool = crowd.is_simulating()
	_simulate.disabled = walks
	_reset.disabled = not walks
	for bit in PARTS.size(): _parts.set_item_checked(bit, crowd.debug_draw & (1 << bit) != 0)


## Tells how much (from 0 to 1) of the mesh is there to be shown.
func show_progress(share: float) -> void:
	_progress.visible = share < 1.0
	_progress.text = "Mesh: %d %%" % int(share * 100)


func _button(text: String, tip: String, pressed: Callable) -> Button:
	var made := Button.new()
	made.text = text
	made.tooltip_text = tip
	made.flat = true
	made.pressed.connect(pressed)
	add_child(made)
	return made


func _on_bake() -> void:
	_bake.text = "Baking …"
	_bake.disabled = true
	for frame in 2: await get_tree().process_frame # so that this is seen before the work begins
	plugin.bake()
	_bake.text = "Bake"
	_bake.disabled = false


func _on_legend() -> void:
	if _legend == null: _legend = _make_legend()
	_legend.popup(Rect2i(Vector2i(get_screen_position()) + Vector2i(0, int(size.y)), Vector2i.ZERO))


func _make_legend() -> PopupPanel:
	var panel := PopupPanel.new()
	var rows := GridContainer.new()
	rows.columns = 2
	var colours: Dictionary = plugin.crowd.get_debug_legend()
	for meaning: String in colours:
		var patch := ColorRect.new()
		patch.color = colours[meaning]
		patch.custom_minimum_size = Vector2(24, 16)
		rows.add_child(patch)
		var label := Label.new()
		label.text = meaning
		rows.add_child(label)
	panel.add_child(rows)
	add_child(panel)
	return panel
