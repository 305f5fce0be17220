@tool
extends EditorPlugin
## The editor's side of OnePath: the gizmos of a selected NavCrowd or CorridorFollower, the toolbar of a crowd, and
## what its buttons do.
##
## Classes of the addon are named by text here, so that this script loads also where the library is missing.

const GizmoPlugin := preload("gizmo_plugin.gd")
const Toolbar := preload("toolbar.gd")
## How often (s) what is selected is looked at for changes.
const LOOK := 0.25
## How long (s) in a frame the mesh that is shown is built.
const BUILD := 0.008

var gizmos: EditorNode3DGizmoPlugin
var toolbar: Control
var shown: Node ## The selected NavCrowd or CorridorFollower, or null.
var crowd: Node3D ## The selected NavCrowd, or null.
var simulated: Array[Node3D] = []
var _until_look := 0.0
var _built := 0.0 # how much of the mesh is there to be shown, from 0 to 1


func _enter_tree() -> void:
	gizmos = GizmoPlugin.new()
	gizmos.wanted = func(node: Node) -> bool: return node in simulated or (node == shown and _built >= 1.0)
	add_node_3d_gizmo_plugin(gizmos)
	toolbar = Toolbar.new()
	toolbar.plugin = self
	toolbar.hide()
	add_control_to_container(CONTAINER_SPATIAL_EDITOR_MENU, toolbar)
	EditorInterface.get_selection().selection_changed.connect(_selection_changed)


func _exit_tree() -> void:
	EditorInterface.get_selection().selection_changed.disconnect(_selection_changed)
	for each in simulated:
		if is_instance_valid(each): each.end_simulation()
	remove_node_3d_gizmo_plugin(gizmos)
	remove_control_from_container(CONTAINER_SPATIAL_EDITOR_MENU, toolbar)
	toolbar.queue_free()


func _handles(object: Object) -> bool:
	return object is Node and (object.is_class("NavCrowd") or object.is_class("CorridorFollower"))


func _edit(object: Object) -> void:
	var before := shown
	shown = object
	crowd = object as Node3D # a follower is none
	_built = 0.0
	for each in [before, shown]:
		if is_instance_valid(each): gizmos.update(each)
	toolbar.visible = crowd != null
	toolbar.refresh()


func _make_visible(visible: bool) -> void:
	toolbar.visible = visible and crowd != null


func _process(delta: float) -> void:
	if not is_instance_valid(shown) or not shown.is_inside_tree() or GizmoPlugin.place_of(shown) == null: return
	if _built < 1.0:
		_built = shown.prepare_debug_mesh(BUILD)
		toolbar.show_progress(_built)
		if _built >= 1.0: gizmos.update(shown)
		return
	_until_look -= delta
	if _until_look > 0.0: return
	_until_look = LOOK
	if gizmos.is_stale(shown): gizmos.update(shown)
	toolbar.refresh()


func _physics_process(delta: float) -> void:
	for each in simulated.duplicate():
		if is_instance_valid(each) and each.is_simulating():
			each.step(delta)
			each.update_gizmos()
		else:
			simulated.erase(each)
			toolbar.refresh()


## Builds the selected crowd's mesh from the scene, into its OnePathNavMesh or a new one.
func bake() -> bool:
	var made: Resource = ClassDB.instantiate("OnePathNavMesh")
	if not made.build_from_crowd(crowd):
		_say("There is nothing to bake: add a NavigationRegion3D below the crowd's parent and bake that first.")
		return false
	if crowd.is_simulating(): crowd.end_simulation()
	var resource: Resource = crowd.nav_mesh
	var history := get_undo_redo()
	history.create_action("Bake OnePath Mesh", UndoRedo.MERGE_DISABLE, crowd)
	if resource:
		history.add_do_property(resource, &"data", made.data)
		history.add_undo_property(resource, &"data", resource.data)
	else:
		history.add_do_property(crowd, &"nav_mesh", made)
		history.add_undo_property(crowd, &"nav_mesh", null)
	_finish(history)
	return true


## Lets the selected crowd walk in the editor.
func simulate() -> void:
	if crowd.is_simulating(): return
	var history := get_undo_redo()
	history.create_action("Simulate Crowd", UndoRedo.MERGE_DISABLE, crowd)
	history.add_do_method(self, &"_begin", crowd)
	history.add_undo_method(self, &"_end", crowd)
	_finish(history)


## Puts everything back as it was before the crowd walked.
func reset() -> void:
	if not crowd.is_simulating(): return
	var history := get_undo_redo()
	history.create_action("Reset Crowd", UndoRedo.MERGE_DISABLE, crowd)
	history.add_do_method(self, &"_end", crowd)
	history.add_undo_method(self, &"_resume", crowd, crowd.save_snapshot())
	_finish(history)


## Keeps the state of the selected crowd, as it is now, as what the level begins with.
func store_snapshot() -> void:
	var walks: bool = crowd.is_simulating()
	if not (walks or crowd.begin_simulation()):
		_say("There is no mesh to place agents on: add a NavigationRegion3D below the crowd's parent and bake it.")
		return
	var snapshot: Resource = crowd.save_snapshot()
	if not walks: crowd.end_simulation()
	_set_property("Store Crowd Snapshot", &"snapshot", snapshot)


## Chooses what is shown, as bits of NavCrowd.debug_draw.
func show_parts(flags: int) -> void:
	_set_property("Choose What a Crowd Shows", &"debug_draw", flags)


func _set_property(action: String, property: StringName, value: Variant) -> void:
	var history := get_undo_redo()
	history.create_action(action, UndoRedo.MERGE_DISABLE, crowd)
	history.add_do_property(crowd, property, value)
	history.add_undo_property(crowd, property, crowd.get(property))
	_finish(history)


func _finish(history: EditorUndoRedoManager) -> void:
	history.commit_action()
	crowd.update_gizmos()
	toolbar.refresh()


func _begin(which: Node3D) -> void:
	if not which.begin_simulation():
		_say("There is no mesh to walk on: add a NavigationRegion3D below the crowd's parent and bake it.")
	elif which not in simulated:
		simulated.append(which)


func _end(which: Node3D) -> void:
	which.end_simulation()
	simulated.erase(which)
	which.update_gizmos()


func _resume(which: Node3D, snapshot: Resource) -> void:
	_begin(which)
	if which.is_simulating(): which.restore_snapshot(snapshot)


## An agent that is selected while its crowd walks is the one whose half-planes are shown.
func _selection_changed() -> void:
	for each in simulated:
		if not is_instance_valid(each) or not each.is_simulating(): continue
		var id := -1
		for node in EditorInterface.get_selection().get_selected_nodes():
			for candidate: Node in [node] + node.get_children():
				if candidate.is_class("NavAgent") and each.is_ancestor_of(candidate): id = candidate.get_agent_id()
		each.debug_agent = id


func _say(text: String) -> void:
	EditorInterface.get_editor_toaster().push_toast(text, EditorToaster.SEVERITY_WARNING)
