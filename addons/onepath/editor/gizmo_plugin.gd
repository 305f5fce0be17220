@tool
extends EditorNode3DGizmoPlugin
## Draws the debug geometry of a NavCrowd, or of a CorridorFollower at the node that it moves, in the editor.
##
## The mesh's part is kept until it changes.

## Tells whether a crowd or follower is to be drawn.
var wanted: Callable
## What was drawn last, by the instance id of crowd or follower: {version, look, mesh, agents}, the last two ArrayMesh.
var drawn := {}


func _init() -> void:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	material.vertex_color_use_as_albedo = true
	add_material("coloured", material)


func _get_gizmo_name() -> String:
	return "OnePath"


func _has_gizmo(node: Node3D) -> bool:
	return walks_at(node) != null


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var at := gizmo.get_node_3d()
	var source := walks_at(at)
	if source == null: return
	if not at.is_inside_tree() or not wanted.call(source):
		drawn.erase(source.get_instance_id())
		return
	var shown: Dictionary = source.get_debug_geometry()
	var kept: Dictionary = drawn.get_or_add(source.get_instance_id(), {"version": -1})
	if kept.version != shown.mesh_version:
		kept.version = shown.mesh_version
		kept.mesh = _mesh_of(shown, "mesh_")
	kept.agents = _mesh_of(shown, "agent_")
	kept.look = _look(source)
	var to_local := at.global_transform.affine_inverse()
	for part: ArrayMesh in [kept.mesh, kept.agents]:
		if part.get_surface_count() > 0: gizmo.add_mesh(part, get_material("coloured", gizmo), to_local)


## The NavCrowd that a node is, or the CorridorFollower that moves it, or null.
static func walks_at(node: Node3D) -> Node:
	if node.is_class("NavCrowd"): return node
	for child in node.get_children():
		if child.is_class("CorridorFollower"): return child
	return null


## The node at which a crowd or follower is drawn, or null.
static func place_of(source: Node) -> Node3D:
	var place := source if source is Node3D else source.get_parent()
	return place as Node3D


## Draws a crowd or follower anew, or takes it away, as is wanted now.
func update(source: Node) -> void:
	var place := place_of(source)
	if place == null: return
	# A node that had its gizmos before it had a follower asks for gizmos again only when it has none.
	if not place.get_gizmos().any(func(gizmo: EditorNode3DGizmo) -> bool: return gizmo.get_plugin() == self):
		place.clear_gizmos()
	place.update_gizmos()


## Tells whether what is drawn of a crowd or follower is not what there is to see any more.
func is_stale(source: Node) -> bool:
	var kept: Dictionary = drawn.get(source.get_instance_id(), {})
	if kept.is_empty() or kept.look != _look(source): return true
	return kept.version != source.get_debug_version()


func _look(source: Node) -> Array:
	var look := [place_of(source).global_transform, source.debug_draw]
	if source.is_class("NavCrowd"): return look + [source.is_simulating()]
	return look + [source.target_position, source.preset, source.navigation_layers, source.settings]


func _mesh_of(shown: Dictionary, prefix: String) -> ArrayMesh:
	var mesh := ArrayMesh.new()
	for kind in [["triangles", "triangle_colors", Mesh.PRIMITIVE_TRIANGLES], ["lines", "line_colors", Mesh.PRIMITIVE_LINES]]:
		var points: PackedVector3Array = shown[prefix + kind[0]]
		if points.is_empty(): continue
		var columns := []
		columns.resize(Mesh.ARRAY_MAX)
		columns[Mesh.ARRAY_VERTEX] = points
		columns[Mesh.ARRAY_COLOR] = shown[prefix + kind[1]]
		mesh.add_surface_from_arrays(kind[2], columns)
	return mesh
