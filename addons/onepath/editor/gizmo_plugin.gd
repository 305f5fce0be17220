@tool
extends EditorNode3DGizmoPlugin
## Draws a NavCrowd's debug geometry in the editor: the mesh's part is kept until it changes.

## Tells whether a crowd is to be drawn.
var wanted: Callable
## What was drawn last, by the crowd's instance id: {version, look, mesh, agents}, the last two ArrayMesh.
var drawn := {}


func _init() -> void:
	var material := StandardMaterial3D.new()
	material.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	material.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	material.vertex_color_use_as_albedo = true
	add_material("coloured", material)


func _get_gizmo_name() -> String:
	return "NavCrowd"


func _has_gizmo(node: Node3D) -> bool:
	return node.is_class("NavCrowd")


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var crowd := gizmo.get_node_3d()
	if not crowd.is_inside_tree() or not wanted.call(crowd):
		drawn.erase(crowd.get_instance_id())
		return
	var shown: Dictionary = crowd.get_debug_geometry()
	var kept: Dictionary = drawn.get_or_add(crowd.get_instance_id(), {"version": -1})
	if kept.version != shown.mesh_version:
		kept.version = shown.mesh_version
		kept.mesh = _mesh_of(shown, "mesh_")
	kept.agents = _mesh_of(shown, "agent_")
	kept.look = _look(crowd)
	var to_local := crowd.global_transform.affine_inverse()
	for part: ArrayMesh in [kept.mesh, kept.agents]:
		if part.get_surface_count() > 0: gizmo.add_mesh(part, get_material("coloured", gizmo), to_local)


## Tells whether what is drawn of a crowd is not what there is to see any more.
func is_stale(crowd: Node3D) -> bool:
	var kept: Dictionary = drawn.get(crowd.get_instance_id(), {})
	if kept.is_empty() or kept.look != _look(crowd): return true
	return kept.version != crowd.get_debug_version()


func _look(crowd: Node3D) -> Array:
	return [crowd.global_transform, crowd.debug_draw, crowd.is_simulating()]


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
