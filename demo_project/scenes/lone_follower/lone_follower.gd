extends DemoScene
## One walker without a crowd: a CorridorFollower under a Node3D, and a target. The line is the rest of its way.

const ROUND: Array[Vector3] = [Vector3(10, 0.1, -6), Vector3(10, 0.1, 6), Vector3(-10, 0.1, 6), Vector3(-10, 0.1, -6)]

var arrivals := 0
var corners := 0
var _by_hand := false
var _line := MeshInstance3D.new()
var _ring := Look.ring(Look.ACCENT)
var _body := Look.body()

@onready var walker: Node3D = $Walker
@onready var follower: CorridorFollower = $Walker/CorridorFollower


func title() -> String:
	return "A lone walker"


func about() -> String:
	return "CorridorFollower keeps the polygons that are still ahead, pulls the string through them, and needs no crowd. " \
		+ "The line is what get_current_navigation_path returns."


func keys() -> Array:
	return [["Click", "walk there"]]


func legend() -> Array:
	return state_legend([1, 3, 4]) + [[Look.ACCENT, "target and way"]]


func counters() -> Array:
	return [["arrivals", arrivals], ["corners passed", corners],
		["to the target", "%.1f m" % follower.distance_to_target()], ["speed", "%.1f m/s" % follower.get_velocity().length()]]


func report() -> Dictionary:
	return {"agents": 1, "arrivals": arrivals, "corners": corners, "at": str(walker.global_position)}


func build() -> void:
	$Maze.bake_navigation_mesh(false)
	camera.aim(Vector3(0, 0, -1.5), 20, 0.0, 1.05)
	_line.mesh = ImmediateMesh.new()
	_line.material_override = Look.material(Look.ACCENT).duplicate()
	_line.material_override.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	_line.material_override.cull_mode = BaseMaterial3D.CULL_DISABLED
	_line.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	add_child(_line)
	add_child(_ring)
	walker.add_child(_body)
	follower.state_changed.connect(func(state: int) -> void: _body.material_override = Look.state_material(state))
	follower.waypoint_reached.connect(func(_details: Dictionary) -> void: corners += 1)
	follower.target_reached.connect(_arrived)
	_go(ROUND[0])


func tick(_delta: float) -> void:
	_draw(follower.get_current_navigation_path())


func clicked(at: Vector3) -> void:
	_by_hand = true
	_go(at)


func _arrived() -> void:
	arrivals += 1
	if not _by_hand:
		_go(ROUND[arrivals % ROUND.size()])


func _go(to: Vector3) -> void:
	follower.target_position = to
	_ring.position = to


## A flat band, 12 cm wide, along the way.
func _draw(way: PackedVector3Array) -> void:
	var band: ImmediateMesh = _line.mesh
	band.clear_surfaces()
	if way.size() < 2:
		return
	band.surface_begin(Mesh.PRIMITIVE_TRIANGLES)
	for number in way.size() - 1:
		var along := way[number + 1] - way[number]
		var side := Vector3(-along.z, 0, along.x).normalized() * 0.06
		var lift := Vector3.UP * 0.05
		for at: Vector3 in [way[number] - side, way[number] + side, way[number + 1] + side,
				way[number] - side, way[number + 1] + side, way[number + 1] - side]:
			band.surface_set_normal(Vector3.UP)
			band.surface_add_vertex(at + lift)
	band.surface_end()
