## Colours and light that all scenes share. Those of the states are the ones of the addon's overlay.

const STATE_NAMES: PackedStringArray = ["idle", "walking", "crossing a link", "arrived", "no way", "stuck", "outside"]
const STATE_COLOURS: PackedColorArray = [
	Color("a9b4c2"), Color("35c46a"), Color("b57bee"), Color("3d9be9"), Color("f0883e"), Color("e5394b"), Color("4a5160"),
]
const LARGEST_PICTURE := 200_000
const BACKGROUND := Color("202a36")
const PANEL := Color(0.09, 0.12, 0.16, 0.86)
const TEXT := Color("e8eef5")
const DIM := Color("9fb0c3")
const ACCENT := Color("5ac8a8")

static var _materials := {}


## One material for all meshes of a colour.
static func material(colour: Color) -> StandardMaterial3D:
	if not _materials.has(colour):
		var made := StandardMaterial3D.new()
		made.albedo_color = colour
		made.roughness = 0.55
		_materials[colour] = made
	return _materials[colour]


static func state_material(state: int) -> StandardMaterial3D:
	return material(STATE_COLOURS[state])


## A body for an agent: a capsule that stands on its origin, with a nose that shows where it looks.
static func body(radius := 0.35, height := 1.5) -> MeshInstance3D:
	var made := MeshInstance3D.new()
	made.mesh = capsule(radius, height)
	made.position.y = height / 2
	made.material_override = state_material(0)
	var nose := MeshInstance3D.new()
	nose.mesh = SphereMesh.new()
	nose.mesh.radius = radius * 0.35
	nose.mesh.height = radius * 0.7
	nose.mesh.radial_segments = 8
	nose.mesh.rings = 4
	nose.position = Vector3(0, height * 0.28, -radius * 0.95)
	nose.material_override = material(Color("1f2a37"))
	made.add_child(nose)
	return made


static func capsule(radius: float, height: float) -> CapsuleMesh:
	var made := CapsuleMesh.new()
	made.radius = radius
	made.height = height
	made.radial_segments = 16
	made.rings = 4
	return made


## A flat ring on the ground, for targets.
static func ring(colour: Color, radius := 0.6) -> MeshInstance3D:
	var made := MeshInstance3D.new()
	var torus := TorusMesh.new()
	torus.inner_radius = radius * 0.8
	torus.outer_radius = radius
	torus.rings = 32
	torus.ring_segments = 6
	made.mesh = torus
	made.material_override = material(colour)
	made.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	return made


static func add_light(to: Node) -> void:
	var sun := DirectionalLight3D.new()
	sun.rotation_degrees = Vector3(-52, -38, 0)
	sun.light_color = Color("fff3e0")
	sun.light_energy = 0.7
	sun.shadow_enabled = true
	sun.directional_shadow_mode = DirectionalLight3D.SHADOW_ORTHOGONAL
	sun.directional_shadow_max_distance = 110
	sun.shadow_opacity = 0.7
	to.add_child(sun)
	var world := WorldEnvironment.new()
	var environment := Environment.new()
	environment.background_mode = Environment.BG_COLOR
	environment.background_color = BACKGROUND
	environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.ambient_light_color = Color("c3d2e6")
	environment.ambient_light_energy = 0.45
	world.environment = environment
	to.add_child(world)


## Saves what a viewport shows, with fewer shades than there are: half as many bytes, and hardly a difference to be seen.
static func save_picture(viewport: Viewport, file: String) -> void:
	for format: Image.Format in [Image.FORMAT_RGB565, Image.FORMAT_RGBA4444]:
		var picture := viewport.get_texture().get_image()
		picture.convert(format)
		picture.convert(Image.FORMAT_RGB8)
		picture.save_png(file)
		if FileAccess.get_file_as_bytes(file).size() < LARGEST_PICTURE:
			return
