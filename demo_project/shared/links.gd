## Shows a NavigationLink3D as an arc of beads from its start to its end, and a cone where it may be entered from.

const Look = preload("res://shared/look.gd")
const BEADS := 14


static func show_all(under: Node) -> void:
	for link: NavigationLink3D in under.find_children("*", "NavigationLink3D"):
		_show(link)


static func _show(link: NavigationLink3D) -> void:
	var from := link.start_position
	var to := link.end_position
	for number in BEADS + 1:
		var share := float(number) / BEADS
		var bead := MeshInstance3D.new()
		bead.mesh = SphereMesh.new()
		bead.mesh.radius = 0.07
		bead.mesh.height = 0.14
		bead.mesh.radial_segments = 8
		bead.mesh.rings = 4
		bead.material_override = Look.state_material(2)
		bead.position = from.lerp(to, share) + Vector3.UP * (4 * share * (1 - share) * 0.8)
		link.add_child(bead)
	_cone(link, to)
	if link.bidirectional:
		_cone(link, from)


static func _cone(link: NavigationLink3D, at: Vector3) -> void:
	var cone := MeshInstance3D.new()
	var shape := CylinderMesh.new()
	shape.top_radius = 0.22
	shape.bottom_radius = 0.0
	shape.height = 0.4
	cone.mesh = shape
	cone.material_override = Look.state_material(2)
	cone.position = at + Vector3.UP * 0.25
	link.add_child(cone)
