@tool
extends EditorPlugin
## Put into a copy of the demo project by the target `pictures`: shows what is to be seen in the editor, and saves it.
##
## In the environment: ONEPATH_PICTURES, the folder to save into.

const Settings := preload("res://shared/walker_settings.tres")
const Look := preload("res://shared/look.gd")
const WALKERS := 40


func _ready() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning(): await get_tree().process_frame
	get_window().size = Vector2i(1280, 720)
	await _frames(30)
	EditorInterface.open_scene_from_path("res://scenes/two_floors/two_floors.tscn")
	EditorInterface.set_main_screen_editor("3D")
	await _frames(10)
	var root := EditorInterface.get_edited_scene_root()
	root.get_node("Ground").bake_navigation_mesh(false)
	_add_light(root)
	var crowd: Node3D = root.get_node("Crowd")
	for number in WALKERS: _add_walker(crowd, number)
	EditorInterface.edit_node(crowd)
	var onepath := _plugin()
	while onepath._built < 1.0: await get_tree().process_frame
	onepath.simulate()
	for tick in 150: await get_tree().physics_frame
	await _frames(10)
	_save("editor")
	onepath.reset()
	EditorInterface.set_main_screen_editor("Script")
	EditorInterface.get_script_editor().goto_help("class_name:NavCrowd")
	await _frames(40)
	_save("reference")
	print("PICTURES DONE")
	get_tree().quit()


func _add_light(root: Node) -> void:
	Look.add_light(root)
	for node in root.get_children(): node.owner = root


func _frames(count: int) -> void:
	for frame in count: await get_tree().process_frame


func _plugin() -> EditorPlugin:
	for node in get_tree().root.find_children("*", "EditorPlugin", true, false):
		var script: Script = node.get_script()
		if script and script.resource_path == "res://addons/onepath/editor/plugin.gd": return node
	return null


func _add_walker(crowd: Node3D, number: int) -> void:
	var walker := Node3D.new()
	walker.name = "Walker%d" % number
	walker.position = Vector3(-8.5 + number % 8 * 0.9, 0.1, -8 + floorf(number / 8.0) * 1.5)
	var agent: Node = ClassDB.instantiate("NavAgent")
	agent.name = "NavAgent"
	agent.settings = Settings
	agent.target_position = Vector3(3 + number % 8 * 1.2, 3.1 if number % 3 == 0 else 0.1, -8 + number % 5 * 3.4)
	walker.add_child(agent)
	var body := Look.body()
	walker.add_child(body)
	crowd.add_child(walker)
	for node: Node in [walker, agent, body]: node.owner = crowd.owner


func _save(name: String) -> void:
	Look.save_picture(get_tree().root, OS.get_environment("ONEPATH_PICTURES").path_join(name + ".png"))
