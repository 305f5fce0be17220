"""The crowd's mesh is what the scene's navigation regions and links say, at the start and after every change."""

from region_level import BAKED, mesh_of, outlines, path_between, same_mesh


def test_a_baked_two_storey_level_is_walked_over_its_ramp_and_stairs(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	two_floors()
	var agent = walker(Vector3(-11, 0.9, 2), Vector3(11, 3.9, 8))
	var below = walker(Vector3(-11, 0.9, -9), Vector3(2, 0.1, 2))
	var high = walker(Vector3(-11, 0.9, 9), Vector3(2, 1.7, -2))
	await ticks(900)
	proof([fresh(), agent.is_target_reached(), at(agent).y, below.is_target_reached(), at(below).y,
		high.is_target_reached(), at(high).y])
""")
    text, up, up_y, below, below_y, high, high_y = run.proof
    mesh = mesh_of(text)
    assert run.errors == []
    assert (up, below, high) == (True, True, True)
    assert 3.5 < up_y < 4.5 and below_y < 1.5 and high_y < 1.5
    over = path_between(mesh, (-11, 0, 2.5), (11, 3, 2.5))
    assert over is not None and all(1 < z < 4 for x, y, z in over if -6 < x < 0)
    stairs = path_between(mesh, (-11, 0, -6.5), (3, 3, -6.5))
    assert stairs is not None and all(-8 < z < -5 for x, y, z in stairs if -6 < x < 0)


def test_every_change_of_a_region_or_link_gives_the_mesh_that_a_fresh_start_would(level):
    run = level.play(BAKED + """
var shots = []

func shot(what: String) -> void:
	await ticks(2)
	shots.append([what, live(), fresh()])

func _ready():
	open_level(0.0)
	walker(Vector3(2, 0, 2))
	floor_at(0, 0, 20, 20)
	var door = floor_at(20, 8, 24, 12)
	var beyond = floor_at(24, 0, 50, 20)
	var saved = floor_at(50.2, 0, 60, 20)
	saved.enabled = false
	var link = NavigationLink3D.new()
	link.start_position = Vector3(5, 0, 19)
	link.end_position = Vector3(5, 0, 31)
	world.add_child(link)
	var island = floor_at(0, 30, 10, 40)
	await shot("start")
	door.enabled = false
	await shot("door shut")
	door.enabled = true
	await shot("door open again")
	door.position.y = 0.4
	await shot("door raised")
	door.position.y = 3.0
	await shot("door high")
	door.position = Vector3(0, 0, 3)
	await shot("door aside")
	beyond.rotation.y = 0.3
	await shot("turned")
	beyond.rotation.y = 0.0
	beyond.scale = Vector3(-1, 1, 1)
	await shot("mirrored")
	beyond.scale = Vector3.ONE
	saved.enabled = true
	await shot("saved disabled, enabled now")
	world.position = Vector3(0.5, 1, -0.25)
	await shot("all moved")
	island.navigation_layers = 6
	island.travel_cost = 3.0
	await shot("layers and cost")
	link.enabled = false
	await shot("link off")
	link.enabled = true
	link.bidirectional = false
	link.end_position = Vector3(6, 0, 32)
	link.navigation_layers = 2
	await shot("link changed")
	island.free()
	await shot("island gone")
	link.free()
	await shot("link gone")
	world.remove_child(door)
	await shot("door out of the tree")
	world.add_child(door)
	await shot("door back")
	door.reparent(self)
	await shot("door out of the source")
	door.reparent(world)
	await shot("door in the source")
	var other = floor_at(-10, 0, 0, 10)
	await shot("added")
	other.navigation_mesh.clear()
	other.navigation_mesh.vertices = PackedVector3Array([Vector3(-5, 0, 0), Vector3(0, 0, 0), Vector3(0, 0, 5)])
	other.navigation_mesh.add_polygon(PackedInt32Array([0, 1, 2]))
	other.navigation_mesh = other.navigation_mesh
	other.navigation_mesh_changed.emit()
	await shot("another mesh")
	other.navigation_mesh = null
	await shot("no mesh")
	proof(shots)
""")
    assert len(run.errors) == 1 and "cannot be used: no region is within 1 m of its end" in run.errors[0]
    meshes = {}
    for what, live, fresh in run.proof:
        assert same_mesh(live, fresh), what
        meshes[what] = mesh_of(live)
        assert meshes[what].check()
    shapes = {what: outlines(mesh) for what, mesh in meshes.items()}
    assert shapes["start"] == shapes["door open again"]
    assert shapes["door out of the tree"] == shapes["door out of the source"] != shapes["door back"]
    way = {what: path_between(mesh, (1, 0, 1), (48, 0, 10)) is not None for what, mesh in meshes.items()
           if what in ("start", "door shut", "door open again", "door raised", "door aside")}
    assert way == {"start": True, "door shut": False, "door open again": True, "door raised": True, "door aside": True}
    assert path_between(meshes["door high"], (1, 0, 1), (22, 3, 10)) is None
    assert path_between(meshes["start"], (1, 0, 1), (5, 0, 39)) is not None
    assert path_between(meshes["link off"], (1.5, 1, 1), (5.5, 1, 38)) is None
    assert path_between(meshes["mirrored"], (-26, 0, 5), (-48, 0, 5)) is not None
    assert path_between(meshes["saved disabled, enabled now"], (26, 0, 5), (58, 0, 5)) is not None


def test_replacing_a_region_by_an_equal_one_every_second_changes_no_byte_of_a_trajectory(level):
    run = level.play(BAKED + """
func play(how: int) -> Array:
	await ticks(1)
	open_level(0.0)
	floor_at(0, 0, 20, 20)
	var middle = floor_at(20, 8, 40, 12)
	floor_at(40, 0, 60, 20)
	var agents = []
	for i in 8: agents.append(walker(Vector3(2 + i, 0, 2 + 2 * i), Vector3(58 - i, 0, 18 - 2 * i)))
	var places = []
	for tick in 600:
		await get_tree().physics_frame
		if tick % 60 == 30:
			match how:
				1:
					middle.free()
					middle = floor_at(20, 8, 40, 12)
				2: middle.navigation_mesh = middle.navigation_mesh.duplicate()
				3: middle.navigation_mesh_changed.emit()
				4:
					middle.enabled = false
					middle.enabled = true
				5:
					world.remove_child(middle)
					world.add_child(middle)
		if tick % 10 == 0: places.append("".join(agents.map(func(agent): return exact(at(agent)))))
	var ended = agents.filter(func(agent): return agent.is_target_reached()).size()
	world.free()
	return [places, ended]

func _ready():
	Engine.time_scale = 4.0
	var runs = []
	for how in 6: runs.append(await play(how))
	proof([runs[0][1], runs.map(func(run): return run[0] == runs[0][0])])
""")
    assert (run.proof, run.errors) == ([8, [True] * 6], [])


def test_a_door_that_toggles_twice_a_second_under_traffic_lets_everybody_through_on_the_mesh(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 15, 12)
	var door = floor_at(15, 5, 16.5, 7)
	floor_at(16.5, 0, 32, 12)
	var agents = []
	for i in 12:
		agents.append(walker(Vector3(2 + i, 0, 2 if i % 2 else 10), Vector3(30, 0, 1 + 0.8 * i)))
		agents[i].radius = 0.3
	var off = 0
	for tick in 2400:
		if tick % 30 == 0 and tick < 1800: door.enabled = not door.enabled
		await get_tree().physics_frame
		for agent in agents:
			var p = at(agent)
			var west = p.x <= 15.001 and p.x >= -0.001
			var east = p.x >= 16.499
			var inside = p.z >= 4.999 and p.z <= 7.001
			if not (west or east or inside): off += 1
	proof([off, agents.filter(func(agent): return agent.is_target_reached()).size()])
""")
    assert (run.proof, run.errors) == ([0, 12], [])


def test_agents_wait_while_the_middle_region_is_off_and_resume_and_two_crowds_share_the_regions(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	var middle = floor_at(10, 0, 20, 10)
	floor_at(20, 0, 30, 10)
	var second = NavCrowd.new()
	second.tile_size = 0.0
	world.add_child(second)
	var one = walker(Vector3(1, 0, 5), Vector3(29, 0, 5))
	var on_it = walker(Vector3(14, 0, 2), Vector3(29, 0, 2))
	var body = Node3D.new()
	body.position = Vector3(1, 0, 3)
	var other = NavAgent.new()
	body.add_child(other)
	second.add_child(body)
	other.target_position = Vector3(29, 0, 3)
	await ticks(60)
	middle.enabled = false
	await ticks(300)
	var waiting = [at(one).x <= 10.0, at(other).x <= 10.0, on_it.get_state() != NavAgent.MOVING]
	middle.enabled = true
	await ticks(600)
	proof([waiting, one.is_target_reached(), other.is_target_reached(), on_it.is_target_reached()])
""")
    assert (run.proof, run.errors) == ([[True, True, True], True, True, True], [])


def test_after_a_snapshot_with_its_mesh_was_restored_the_mesh_is_what_the_scene_says_now(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	var door = floor_at(10, 4, 12, 6)
	floor_at(12, 0, 20, 10)
	floor_at(0, 20, 20, 30)
	var links = []
	for x in [2.0, 6.0]:
		links.append(NavigationLink3D.new())
		links[-1].start_position = Vector3(x, 0, 9)
		links[-1].end_position = Vector3(x, 0, 21)
		world.add_child(links[-1])
	var agent = walker(Vector3(1, 0, 5), Vector3(18, 0, 5))
	await ticks(20)
	var same = crowd.save_snapshot()
	var hash_before = crowd.state_hash()
	crowd.restore_snapshot(same)
	var kept = crowd.state_hash() == hash_before
	door.enabled = false
	links[0].enabled = false
	await ticks(20)
	var shut = crowd.save_snapshot()
	door.enabled = true
	links[0].enabled = true
	links[1].free()
	await ticks(20)
	crowd.restore_snapshot(shut)
	await ticks(2)
	var after = [live(), fresh()]
	links[0].end_position.x = 3.0
	await ticks(300)
	proof([kept, after, [live(), fresh()], agent.is_target_reached()])
""")
    kept, after, later, reached = run.proof
    assert run.errors == []
    assert kept and reached
    assert outlines(mesh_of(after[0])) == outlines(mesh_of(after[1]))
    assert same_mesh(*later) or [link.end for _id, link in mesh_of(later[0]).links()] == [(3.0, 0.0, 21.0)]


def test_on_a_region_that_turns_each_tick_agents_stay_on_the_mesh_and_arrive(level):
    run = level.play("""
func _ready():
	open_level(0)
	floor_at(-20, -3, -7, 3)
	var wheel = region([Vector3(-6, 0, -6), Vector3(6, 0, -6), Vector3(6, 0, 6), Vector3(-6, 0, 6)])
	var beside = walker(Vector3(-18, 0, 0), Vector3(-9, 0, 2))
	var agents = range(6).map(func(i): return walker(Vector3(1.5 * i - 3.75, 0, -3), Vector3(3.75 - 1.5 * i, 0, 3)))
	var off = 0
	for tick in 600:
		wheel.rotate_y(0.01)
		await get_tree().physics_frame
		if tick == 0: continue
		for agent in agents:
			# Where it was put in the last tick, before the turn of this one.
			var place = wheel.to_local(at(agent)).rotated(Vector3.UP, 0.01)
			if maxf(absf(place.x), absf(place.z)) > 6.001: off += 1
	proof([off, agents.all(func(agent): return agent.is_target_reached()), beside.is_target_reached()])
""")
    assert (run.proof, run.errors) == ([0, True, True], [])


def test_turning_the_nodes_of_agents_and_of_what_is_no_region_changes_no_byte_of_their_ways(level):
    run = level.play("""
func walk(turns: bool) -> Array:
	open_level()
	var other = Node3D.new()
	world.add_child(other)
	crowd.process_callback = NavCrowd.MANUAL
	var agents = range(8).map(func(i): return walker(Vector3(i - 4, 0, -6), Vector3(4 - i, 0, 6)))
	var hashes = []
	for step in 240:
		if turns:
			for agent in agents: agent.get_parent().rotate_y(0.1)
			other.rotate_y(0.1)
		crowd.step(1.0 / 60)
		hashes.append(crowd.state_hash())
	world.free()
	return hashes

func _ready(): proof(walk(true) == walk(false))
""")
    assert (run.proof, run.errors) == (True, [])


def test_a_baked_overhang_at_a_tile_seam_is_not_joined_with_the_floor_under_it(level):
    """The platform begins where tiles meet; from the floor to it are 2 m."""
    run = level.play(BAKED + """
func _ready():
	open_level(0)
	crowd.tile_size = 8.0
	var made = to_bake({"agent_radius": 0.0, "cell_size": 0.25, "agent_height": 1.0, "cell_height": 0.25})
	box(made, Vector3(-8, -0.5, -8), Vector3(8, 0, 8))
	box(made, Vector3(0, 1.5, -8), Vector3(8, 2, 8))
	made.bake_navigation_mesh(false)
	await ticks(2)
	var agent = walker(Vector3(-4, 0, 0), Vector3(4, 2.2, 0))
	var under = walker(Vector3(-4, 0, 3), Vector3(4, 0.3, 3))
	await ticks(2)
	var told = [agent.is_target_reachable(), under.is_target_reachable()]
	var highest = 0.0
	for tick in 240:
		await get_tree().physics_frame
		highest = maxf(highest, maxf(at(agent).y, at(under).y))
	proof([told, agent.is_target_reached(), under.is_target_reached(), highest < 1.0, live()])
""")
    assert run.errors == []
    assert run.proof[:4] == [[False, True], False, True, True]
    mesh = mesh_of(run.proof[4])
    assert path_between(mesh, (-4, 0.3, 0), (4, 0.3, 0)) is not None
    assert path_between(mesh, (-4, 0.3, 0), (4, 2.2, 0)) is None
    assert {key[0] for key in mesh.tiles()} == {-1, 0}
