"""What the overlay shows: the mesh once for each of its versions, the agents as they are, in the running game too."""

# Two floors of 10 m, side by side, that touch along x = 0, in tiles of 16 m that meet there; a bridge over the gap.
TWO_FLOORS = """
var link: NavigationLink3D

func two_floors() -> void:
	open_level(0.0)
	floor_at(-10, 0, 0, 10)
	floor_at(0, 0, 10, 10)
	link = NavigationLink3D.new()
	link.start_position = Vector3(-8, 0, 5)
	link.end_position = Vector3(8, 0, 5)
	world.add_child(link)

func ends_at(points: PackedVector3Array, x: float) -> int:
	var found = 0
	for p in points: if absf(p.x - x) < 0.001: found += 1
	return found
"""
MESH, PORTALS, LINKS, AGENTS, VELOCITIES, CORRIDORS, CORNERS, WALLS, HALF_PLANES = (1 << bit for bit in range(9))


def test_the_mesh_is_shown_by_its_edges_portals_and_links(level):
    run = level.play(TWO_FLOORS + f"""
func _ready():
	two_floors()
	var mesh = crowd.get_debug_geometry({MESH})
	var portals = crowd.get_debug_geometry({PORTALS})
	var links = crowd.get_debug_geometry({LINKS})
	var nothing = crowd.get_debug_geometry(0)
	proof([
		mesh.mesh_triangles.size(), mesh.mesh_triangle_colors.size(),
		mesh.mesh_lines.size(), mesh.mesh_line_colors.size(),
		portals.mesh_lines.size(), ends_at(portals.mesh_lines, 0.0), portals.mesh_triangles.size(),
		links.mesh_lines.size(), links.mesh_lines[0].distance_to(Vector3(-8, 0, 5)) < 0.05,
		nothing.mesh_lines.size() + nothing.agent_lines.size() + nothing.agent_triangles.size()])
""")
    assert run.errors == []
    # Two rectangles: two triangles each, four edges each and three walls each. One portal, seen from both sides.
    # The link's arc has twelve parts, and a head at each end.
    assert run.proof == [12, 12, 2 * (8 + 6), 2 * (8 + 6), 4, 4, 0, 2 * (12 + 4), True, 0]


def test_a_link_that_is_dormant_or_one_way_or_switched_off_looks_different(level):
    run = level.play(TWO_FLOORS + f"""
func shown():
	await ticks(3)
	var drawn = crowd.get_debug_geometry({LINKS})
	var colour = drawn.mesh_line_colors[0]
	var names = crowd.get_debug_legend()
	for name in names:
		if name.containsn("link") and name != "Crossing a link" and names[name].is_equal_approx(colour):
			return [name, drawn.mesh_lines.size() / 2]

func _ready():
	two_floors()
	link.bidirectional = false
	var one_way = await shown()
	link.enabled = false
	var off = await shown()
	link.enabled = true
	link.end_position = Vector3(100, 0, 5)
	var dormant = await shown()
	proof([one_way, off, dormant])
""")
    # Dashes are every second part of the arc; one head; a dormant link is crossed out.
    assert run.proof == [["Link", 14], ["Link switched off", 8], ["Dormant link", 10]]


def test_an_agent_shows_where_it_goes_and_changes_its_colour_when_it_is_there(level):
    run = level.play(f"""
func disc(): return crowd.get_debug_geometry({AGENTS})
func name_of(colour: Color) -> String:
	var names = crowd.get_debug_legend()
	for name in names: if names[name].is_equal_approx(colour): return name
	return "?"

func _ready():
	open_level(10.0)
	var agent = walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	await ticks(30)
	var moving = disc()
	var middle = Vector3.ZERO
	for p in moving.agent_lines: middle += p / moving.agent_lines.size()
	var there = at(agent)
	var way = crowd.get_debug_geometry({CORNERS}).agent_lines
	var speed = crowd.get_debug_geometry({VELOCITIES}).agent_lines
	var corridor = crowd.get_debug_geometry({CORRIDORS})
	await agent.target_reached
	await ticks(60)
	proof([
		name_of(moving.agent_line_colors[0]), Vector2(middle.x - there.x, middle.z - there.z).length() < 0.01,
		absf(moving.agent_lines[0].distance_to(moving.agent_lines[6]) - agent.radius) < 0.5,
		way[1].distance_to(Vector3(5, 0, 0)) < 0.2, speed[3].x - speed[2].x > 1.0,
		corridor.agent_triangles.size() > 0, name_of(disc().agent_line_colors[0])])
""")
    assert run.errors == []
    assert run.proof == ["Moving", True, True, True, True, True, "Arrived"]


def test_half_planes_are_shown_for_the_chosen_agent_only(level):
    run = level.play(f"""
func half_planes() -> int: return crowd.get_debug_geometry({HALF_PLANES}).agent_lines.size() / 4

func _ready():
	open_level(10.0)
	var left = walker(Vector3(-2, 0, 0), Vector3(5, 0, 0))
	var right = walker(Vector3(2, 0, 0), Vector3(-5, 0, 0))
	await ticks(30)
	var before = [half_planes(), crowd.state_hash().length()]
	crowd.debug_agent = left.get_agent_id()
	var hash = crowd.state_hash()
	await ticks(1)
	proof([before[0], half_planes(), hash.length()])
""")
    assert run.errors == []
    assert run.proof == [0, 1, 16]


def test_the_running_game_has_one_legend_that_explains_what_is_shown(level):
    run = level.play(f"""
func words() -> Array:
	return get_tree().root.find_children("*", "Label", true, false).map(func(label): return label.text)

func _ready():
	open_level(10.0)
	var first = crowd
	var second = NavCrowd.new()
	world.add_child(second)
	await ticks(2)
	var seen = [words()]
	first.debug_draw = {WALLS | VELOCITIES}
	second.debug_draw = {MESH}
	first.debug_enabled = true
	second.debug_enabled = true
	await ticks(2)
	seen.append(words())
	first.debug_draw = {PORTALS}
	await ticks(2)
	seen.append(words())
	first.free()
	await ticks(2)
	seen.append(words())
	second.debug_enabled = false
	await ticks(2)
	seen.append(words())
	proof(seen)
""")
    assert run.errors == []
    assert run.proof == [
        [], ["Velocity", "Wanted velocity", "Walls looked up"], ["Portal between tiles"], ["Edge of the mesh"], []
    ]  # fmt: skip


def test_the_part_of_the_mesh_is_made_anew_only_when_the_mesh_changes(level):
    run = level.play("""
func _ready():
	open_level(10.0)
	walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	var first = crowd.get_debug_geometry()
	await ticks(20)
	var later = crowd.get_debug_geometry()
	floor_at(10, -10, 20, 10)
	await ticks(3)
	var wider = crowd.get_debug_geometry()
	proof([first.mesh_version == later.mesh_version, first.mesh_lines == later.mesh_lines,
		first.agent_lines == later.agent_lines, wider.mesh_version == first.mesh_version,
		wider.mesh_triangles.size() > first.mesh_triangles.size()])
""")
    assert run.errors == []
    assert run.proof == [True, True, False, False, True]


def test_the_running_game_draws_the_same_picture_while_that_is_wanted(level):
    run = level.play("""
func drawn() -> Array: return crowd.get_children(true).filter(func(child): return child is MeshInstance3D)

func _ready():
	open_level(10.0)
	walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	await ticks(2)
	var before = drawn().size()
	crowd.debug_enabled = true
	await ticks(20)
	var shown = crowd.get_debug_geometry()
	var parts = drawn()
	var same = [parts.size(), crowd.get_child_count()]
	for number in 2:
		var prefix = ["mesh_", "agent_"][number]
		var mesh = parts[number].mesh
		same.append(mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX] == shown[prefix + "triangles"])
		same.append(mesh.surface_get_arrays(1)[Mesh.ARRAY_VERTEX] == shown[prefix + "lines"])
	crowd.debug_enabled = false
	await ticks(2)
	proof([before, same, drawn().size()])
""")
    assert run.errors == []
    assert run.proof == [0, [2, 1, True, True, True, True], 0]
