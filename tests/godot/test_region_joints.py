"""Regions and links as levels have them: borders that do not quite meet, steps, far from the origin, unusable ones."""

import pytest
from region_level import BAKED, mesh_of, path_between


def test_gaps_up_to_the_projects_connection_margin_are_joined_and_wider_ones_are_not(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	# From west to east with gaps of 0.2, 0.3 and 0.1; one border runs aslant, the tile border at 16 is in a gap.
	floor_at(0, 0, 9.9, 10)
	region([Vector3(10.1, 0, 2), Vector3(15.9, 0, 1), Vector3(15.9, 0, 8), Vector3(10.0, 0, 9)])
	floor_at(16.2, 0, 20, 5)
	floor_at(20.1, 0, 25, 5)
	floor_at(25.1, 0, 30, 5).use_edge_connections = false
	floor_at(20.1, -4, 25, -0.1, 0.8)
	floor_at(16.2, 5.1, 20, 9, 1.2)
	var shots = [fresh()]
	ProjectSettings.set_setting("navigation/3d/default_edge_connection_margin", 0.4)
	shots.append(fresh())
	ProjectSettings.set_setting("navigation/3d/use_edge_connections", false)
	shots.append(fresh())
	proof(shots)
""")
    assert run.errors == []
    near, wide, off = map(mesh_of, run.proof)
    a, b, c, d, alone, step, high = ((1, 0, 5), (13, 0, 5), (18, 0, 2), (23, 0, 2), (28, 0, 2), (23, 0.8, -2),
                                     (18, 1.2, 7))
    assert all(mesh.check() for mesh in (near, wide, off))
    joined = [(a, b), (c, d), (d, step)]
    apart = [(b, c), (d, alone), (c, high)]
    assert all(path_between(near, *pair) for pair in joined)
    assert not any(path_between(near, *pair) for pair in apart)
    assert path_between(wide, b, c) and not path_between(wide, d, alone) and not path_between(wide, c, high)
    assert not any(path_between(off, *pair) for pair in joined + apart)
    way = path_between(near, a, b)
    assert all(abs(y) < 1e-9 for _x, y, _z in way)


def test_baked_neighbours_meet_along_the_border_between_them(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	var ground = Node3D.new()
	world.add_child(ground)
	box(ground, Vector3(-20, -0.5, -12), Vector3(20, 0, 12))
	box(ground, Vector3(-1, 0, -3), Vector3(1, 1.5, 3))
	box(ground, Vector3(-3, 0, -9), Vector3(3, 0.2, -6))
	for west in [-20.0, 0.0]:
		var part = to_bake({"border_size": 2.0, "geometry_source_geometry_mode": 1,
			"filter_baking_aabb": AABB(Vector3(west - 2, -2, -14), Vector3(24, 6, 28))})
		ground.add_to_group("navigation_mesh_source_group")
		part.bake_navigation_mesh(false)
	var agent = walker(Vector3(-15, 0, 0), Vector3(15, 0, 0))
	var shot = fresh()
	await ticks(700)
	proof([shot, agent.is_target_reached()])
""")
    text, reached = run.proof
    assert run.errors == []
    mesh = mesh_of(text)
    assert reached and mesh.check()
    for z in (-11, -7.5, -4.5, 5, 9):
        way = path_between(mesh, (-6, 0, z), (6, 0, z))
        assert way is not None and max(abs(corner[2] - z) for corner in way) < 2.0


@pytest.mark.parametrize("off", [0.1, 1.0, 3.0])
def test_a_link_with_an_end_off_the_mesh_works_or_is_told(level, off):
    run = level.play(BAKED + f"""
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	floor_at(20, 0, 30, 10)
	var link = NavigationLink3D.new()
	link.name = "Jump"
	link.start_position = Vector3(9, 0, 5)
	link.end_position = Vector3(20 - {off}, 0.1, 5)
	world.add_child(link)
	var agent = walker(Vector3(1, 0, 5), Vector3(25, 0, 5))
	var links = []
	agent.link_reached.connect(func(details): links.append(details.get("owner") == link))
	await ticks(700)
	proof([agent.is_target_reached(), links, crowd.get_warnings()])
""")
    reached, links, warnings = run.proof
    if off <= 1.0:
        assert (reached, links, warnings, run.errors) == (True, [True], [], [])
    else:
        assert (reached, links) == (False, [])
        assert len(run.errors) == 1 and "Jump cannot be used" in run.errors[0] and "its end" in run.errors[0]
        assert "Move the end onto a region" in warnings[0]


def test_links_hold_their_direction_layers_and_switch_and_vanish_with_their_node(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	floor_at(20, 0, 30, 10)
	var link = NavigationLink3D.new()
	link.start_position = Vector3(9, 0, 5)
	link.end_position = Vector3(21, 0, 5)
	link.bidirectional = false
	link.navigation_layers = 2
	world.add_child(link)
	var east = walker(Vector3(1, 0, 5), Vector3(25, 0, 5))
	var west = walker(Vector3(29, 0, 5), Vector3(5, 0, 5))
	await ticks(2)
	var layers = [east.is_target_reachable(), west.is_target_reachable()]
	east.navigation_layers = 3
	west.navigation_layers = 3
	east.target_position = Vector3(25, 0, 5.5)
	west.target_position = Vector3(5, 0, 5.5)
	await ticks(2)
	var ways = [east.is_target_reachable(), west.is_target_reachable()]
	link.enabled = false
	await ticks(120)
	var shut = at(east).x
	link.enabled = true
	await ticks(500)
	var across = at(east).x
	link.bidirectional = true
	await ticks(500)
	var back = at(west).x
	link.free()
	west.target_position = Vector3(25, 0, 2)
	await ticks(2)
	proof([layers, ways, shut, across, back, west.is_target_reachable()])
""")
    layers, ways, shut, across, back, gone = run.proof
    assert run.errors == []
    assert (layers, ways, gone) == ([False, False], [True, False], False)
    assert shut <= 10.0 < across < 25.5
    assert back < 6.0


def test_travel_costs_and_layers_of_regions_count_and_change_while_agents_walk(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	var swamp = floor_at(10, 4, 20, 6)
	floor_at(20, 0, 30, 10)
	floor_at(10, 9, 20, 10)
	swamp.travel_cost = 5.0
	var agent = walker(Vector3(1, 0, 5))
	var routes = []
	for what in ["costly", "cheap", "costly again", "other layer", "allowed"]:
		if what == "cheap": swamp.travel_cost = 1.0
		if what == "costly again": swamp.travel_cost = 2.5
		if what == "other layer":
			swamp.travel_cost = 1.0
			swamp.navigation_layers = 4
		if what == "allowed": agent.navigation_layers = 5
		await ticks(2)
		agent.warp(Vector3(1, 0, 5))
		agent.stop()
		agent.target_position = Vector3(29, 0, 5)
		routes.append(agent.get_current_navigation_path().size())
	proof(routes)
""")
    straight, round_about = 2, 4
    assert run.errors == []
    assert run.proof == [round_about, straight, round_about, round_about, straight]


@pytest.mark.parametrize("far", [0, 5000, 100000, 1000000])
def test_regions_far_from_the_origin_are_joined_as_near_it(level, far):
    run = level.play(BAKED + f"""
func _ready():
	open_level(0.0)
	world.position = Vector3({far}, 0, -{far})
	floor_at(0, 0, 10, 10)
	floor_at(10, 2, 20, 8)
	var last = floor_at(0, 0, 10, 10)
	last.position.x = 20.0
	last.rotation.y = 0.0001
	var agent = walker(Vector3(1, 0, 5))
	agent.target_position = world.position + Vector3(28, 0, 5)
	var reachable = agent.is_target_reachable()
	await ticks(600)
	proof([reachable, agent.is_target_reached()])
""")
    assert (run.proof, run.errors) == ([True, True], [])


def test_regions_that_cannot_be_used_are_told_and_leave_the_others_alone(level):
    run = level.play(BAKED + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	floor_at(10, 0, 20, 10).name = "Nan"
	world.get_node("Nan").position.x = NAN
	floor_at(10, 0, 20, 10).name = "Far"
	world.get_node("Far").position.x = 1e7
	floor_at(10, 0, 20, 10).name = "Flat"
	world.get_node("Flat").scale = Vector3(1, 1, 0.0000001)
	var wrong = region([Vector3(10, 0, 0), Vector3(20, 0, 0), Vector3(20, 0, 10)])
	wrong.name = "Wrong"
	wrong.navigation_mesh.vertices = PackedVector3Array([Vector3.ZERO])
	wrong.navigation_mesh = wrong.navigation_mesh
	var bare = NavigationRegion3D.new()
	bare.name = "Bare"
	world.add_child(bare)
	var loose = NavigationRegion3D.new()
	var agent = walker(Vector3(1, 0, 1), Vector3(9, 0, 9))
	await ticks(300)
	var seen = crowd.get_warnings()
	loose.free()
	world.get_node("Nan").position.x = 0.0
	await ticks(2)
	agent.target_position = Vector3(19, 0, 9)
	await ticks(300)
	proof([seen, agent.is_target_reached(), crowd.get_warnings().size()])
""")
    seen, reached, later = run.proof
    text = "\n".join(seen)
    assert reached and later == len(seen) - 1
    assert all(f"{name}: its navigation mesh cannot be used" in text for name in ("Nan", "Far", "Wrong")), text
    assert "Bare has no baked navigation mesh" in text
    told = [line for line in run.errors if "cannot be used" in line]
    assert len(told) == 3, run.errors
