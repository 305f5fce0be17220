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


# A lone walker with what test_overlay's scenes ask of it: its parts of the picture, and the name of a colour.
ALONE = """
func alone(place := Vector3(-5, 0, 0), target = Vector3(5, 0, 0)) -> CorridorFollower:
	var body = Node3D.new()
	body.position = place
	var made = CorridorFollower.new()
	body.add_child(made)
	world.add_child(body)
	if target != null: made.target_position = target
	return made

func name_of(follower: Node, colour: Color) -> String:
	var names = follower.get_debug_legend()
	for name in names: if names[name].is_equal_approx(colour): return name
	return "?"
"""


def test_a_lone_follower_shows_the_picture_of_a_crowd_of_one(level):
    run = level.play(ALONE + f"""
func _ready():
	open_level(10.0)
	var lone = alone()
	var agent = walker(Vector3(-5, 0, 0), Vector3(5, 0, 0))
	var seen = []
	for wait in [2, 30, 400]:
		await ticks(wait)
		var ours = lone.get_debug_geometry({127 - VELOCITIES})
		var theirs = crowd.get_debug_geometry({127 - VELOCITIES})
		seen.append([ours.mesh_lines == theirs.mesh_lines, ours.mesh_triangles == theirs.mesh_triangles,
			ours.mesh_triangle_colors == theirs.mesh_triangle_colors,
			ours.agent_lines.size() == theirs.agent_lines.size(), ours.agent_lines.size() > 24,
			ours.agent_triangles.size() == theirs.agent_triangles.size(),
			name_of(lone, lone.get_debug_geometry({AGENTS}).agent_line_colors[0])])
	proof(seen)
""")
    assert run.errors == []
    assert [states[-1] for states in run.proof] == ["Moving", "Moving", "Arrived"]
    assert all(all(states[:-1]) for states in run.proof)


def test_each_part_of_a_followers_picture_is_where_the_follower_says(level):
    run = level.play(ALONE + f"""
func part(lone, flags: int) -> PackedVector3Array: return lone.get_debug_geometry(flags).agent_lines

func _ready():
	open_level(0.0)
	floor_at(-10, -10, 10, -2)
	floor_at(-10, -2, -4, 2)
	floor_at(-10, 2, 10, 10)
	var lone = alone(Vector3(8, 0, -8), Vector3(8, 0, 8))
	lone.preset = NavAgentSettings.LARGE
	await ticks(30)
	var here = lone.get_parent().global_position
	var way = part(lone, {CORNERS})
	var corners = lone.get_current_navigation_path()
	var disc = part(lone, {AGENTS})
	var speed = part(lone, {VELOCITIES}) # no other is wanted: there is nobody to be avoided
	var velocity = lone.get_velocity()
	var seen = [corners.size() > 2]
	for i in corners.size() - 1:
		seen.append(way[2 * i].distance_to(corners[i]) < 0.08 and way[2 * i + 1].distance_to(corners[i + 1]) < 0.08)
	seen.append(Vector2(disc[0].x - here.x, disc[0].z - here.z).length() - 1.5)
	seen.append(speed.size() == 2 and (speed[1] - speed[0]).distance_to(velocity) < 0.001 and velocity.length() > 1.0)
	var cross = way[2 * corners.size() - 2] + way[2 * corners.size() - 1]
	seen.append((cross / 2).distance_to(Vector3(8, 0.07, 8)) < 0.01)
	seen.append(lone.get_debug_geometry({CORRIDORS}).agent_triangles.size() > 0)
	seen.append(lone.get_debug_geometry(0).agent_lines.size() + lone.get_debug_geometry(0).mesh_lines.size())
	lone.debug_draw = -1
	seen.append(lone.debug_draw)
	proof(seen)
""")
    assert run.errors == []
    *near, edge, moves, crosses, corridor, nothing, parts = run.proof
    assert all(near) and abs(edge) < 0.001
    assert (moves, crosses, corridor, nothing, parts) == (True, True, True, 0, 127)


def test_the_running_game_draws_a_followers_picture_while_that_is_wanted(level):
    run = level.play(ALONE + """
func drawn(lone) -> Array: return lone.get_children(true).filter(func(child): return child is MeshInstance3D)

func matches(lone) -> Array:
	var shown = lone.get_debug_geometry()
	var same = []
	for number in 2:
		var prefix = ["mesh_", "agent_"][number]
		var mesh = drawn(lone)[number].mesh
		for surface in mesh.get_surface_count():
			var rows = mesh.surface_get_arrays(surface)[Mesh.ARRAY_VERTEX]
			same.append(rows == shown[prefix + ["triangles", "lines"][surface]])
	return same

func words() -> Array:
	return get_tree().root.find_children("*", "Label", true, false).map(func(label): return label.text)

func _ready():
	open_level(10.0)
	var lone = alone()
	lone.debug_enabled = true
	var seen = [matches(lone)]
	await ticks(20)
	seen.append(matches(lone))
	seen.append(["Velocity" in words(), "Walls looked up" in words(), lone.get_child_count()])
	floor_at(10, -10, 20, 10)
	await ticks(3)
	seen.append(matches(lone))
	lone.get_parent().position.y = 1000.0
	await ticks(3)
	seen.append([lone.get_state() == CorridorFollower.OUTSIDE, matches(lone)])
	lone.debug_enabled = false
	await ticks(2)
	seen.append([drawn(lone).size(), words().size()])
	proof(seen)
""")
    four = [True] * 4
    assert run.errors == []
    assert run.proof == [four, four, [True, False, 0], four, [True, [True, True]], [0, 0]]


def test_a_follower_without_ground_shows_nothing_and_overlays_go_with_their_nodes(level):
    run = level.play(ALONE + """
func _ready():
	world = Node3D.new()
	add_child(world)
	var lost = alone()
	lost.navigation_source = NodePath("nowhere")
	lost.debug_enabled = true
	await ticks(3)
	var shown = lost.get_debug_geometry()
	var seen = [shown.mesh_lines.size() + shown.agent_lines.size()]
	world.free()
	open_level(10.0)
	var lone = alone()
	lone.debug_enabled = true
	lone.target_reached.connect(func(): lone.get_parent().free())
	walker(Vector3(-5, 0, 2), Vector3(5, 0, 2))
	crowd.debug_enabled = true
	crowd.agent_target_reached.connect(func(_id): world.free())
	await ticks(400)
	seen.append([is_instance_valid(lone) or is_instance_valid(crowd), get_tree().root.find_children("Overlay*", "", true, false).size()])
	proof(seen)
""")
    assert run.errors == []
    assert run.proof == [0, [False, 0]]
