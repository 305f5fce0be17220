"""What users of navigation addons report again and again, as far as crowds alone can show it."""

import math
import random

import numpy as np
import pytest
from meshes import Field, cell_mesh, cell_tiles, maze, polygon_mesh, scatter, scatter_cells
from mode import scaled
from scenarios.crowds import edited_crowd
from scenarios.walks import DT, Walk, deepest_overlap, plain, scattered_places

from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.corridors.states import FollowerState
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh


def square(width):
    return cell_mesh([(x, z) for z in range(width) for x in range(width)])


def rooms(passage, length, depth=20.0, half=10.0):
    """Two rooms of ``depth`` × 2 ``half`` joined by a passage; return the mesh and where the second room begins."""
    low, high, far = half - passage / 2, half + passage / 2, depth + length
    boxes = [(0, 0, depth, low), (0, low, depth, high), (0, high, depth, 2 * half), (depth, low, far, high),
             (far, 0, far + depth, low), (far, low, far + depth, high), (far, high, far + depth, 2 * half)]
    vertices, polygons = [], []
    for x0, z0, x1, z1 in boxes:
        polygons.append(range(len(vertices), len(vertices) + 4))
        vertices += [(x0, 0, z0), (x1, 0, z0), (x1, 0, z1), (x0, 0, z1)]
    return TiledNavMesh.from_polygons(vertices, polygons), far


def opposite_crowds(mesh, count, width, options, spacing=1.4):
    """``count`` agents from either end to the place where their mirror image began."""
    walk = Walk(mesh)
    for k in range(count):
        x, z = 1.5 + spacing * (k % 5), 3.0 + 14.0 / max(1, math.ceil(count / 5) - 1) * (k // 5)
        walk.add((x, 0, z), (width - x, 0, z), options)
        walk.add((width - x, 0, 20 - z), (x, 0, 20 - z), options)
    return walk


@pytest.mark.parametrize("speed", [1.0, 7.0, 60.0])
@pytest.mark.parametrize("rate", [10, 30, 60, 120])
def test_laps_around_a_square_reach_every_target(speed, rate):
    walk = Walk(square(5))
    corners = [(2, 0, 2), (8, 0, 2), (8, 0, 8), (2, 0, 8)]
    agent = walk.add(corners[0], corners[1], plain(max_speed=speed, max_acceleration=4 * speed))
    reached = 1
    for _ in range(scaled(30, 3) * rate * 4):
        walk.crowd.step(1 / rate)
        if agent.state == FollowerState.ARRIVED:
            assert agent.reached_target
            assert math.dist(agent.position, corners[reached % 4]) <= 0.25 + speed / rate
            reached += 1
            agent.set_destination(corners[reached % 4])
    assert reached > scaled(15, 1)


def test_standing_at_the_arrival_distance_is_arrived():
    walk = Walk(square(5))
    agent = walk.add((2, 0, 2), (2.25, 0, 2), plain(arrival_radius=0.25))
    walk.step()
    assert agent.state == FollowerState.ARRIVED
    assert agent.position == (2.0, 0.0, 2.0)
    farther = walk.add((7, 0, 7), (7.2500001, 0, 7), plain(arrival_radius=0.25))
    walk.step()
    assert farther.state == FollowerState.MOVING


def test_chasers_of_a_moving_target_close_in_without_searching_again():
    walk = Walk(square(15))
    chasers = [walk.add((3 + 2 * (k % 10), 0, 3 + 2 * (k // 10)), None, plain()) for k in range(scaled(50, 8))]
    distances = []
    for tick in range(scaled(600, 60)):
        angle = 2.0 * tick * DT / 10.0
        target = (15 + 10 * math.cos(angle), 0, 15 + 10 * math.sin(angle))
        for agent in chasers:
            assert agent.follow(target)
        walk.crowd.step(DT)
        distances.append(np.linalg.norm(walk.crowd.positions() - target, axis=1).mean())
    assert distances[len(distances) - 1] < scaled(0.5, 0.97) * distances[0]
    scratch = walk.crowd._workers[0].scratch
    scratch.searched = 0
    for tick in range(60):
        target = (15 + 10 * math.cos(angle + tick * 0.003), 0, 15 + 10 * math.sin(angle + tick * 0.003))
        for agent in chasers:
            agent.follow(target)
    assert scratch.searched == 0


def test_without_destinations_nothing_ever_changes():
    walk = Walk(square(8))
    for place in scattered_places(Field(walk.mesh), 10, 1, 1.5):
        walk.add(place, None, plain())
    walk.step(2)
    places = walk.crowd.positions()
    walk.step(scaled(600, 30))
    assert (walk.crowd.positions() == places).all()
    assert (walk.crowd.velocities() == 0.0).all()


def test_in_one_polygon_the_way_is_a_straight_line():
    mesh = polygon_mesh([(0, 0, 0), (40, 0, 0), (40, 0, 40), (0, 0, 40)], [[0, 1, 2, 3]])
    rng = random.Random(3)
    for _ in range(scaled(100, 4)):
        walk = Walk(mesh)
        start, goal = [(rng.uniform(8, 32), 0.0, rng.uniform(8, 32)) for _ in range(2)]
        agent = walk.add(start, goal, plain(side_preference=0.0))
        length = math.dist(start, goal)
        while agent.state == FollowerState.MOVING:
            walk.crowd.step(DT)
            x, _, z = agent.position
            off = (goal[0] - start[0]) * (z - start[2]) - (goal[2] - start[2]) * (x - start[0])
            assert abs(off) <= 1e-6 * length


def test_an_island_out_of_reach_is_walked_towards_to_the_end_of_the_ground():
    cells = [(x, z) for z in range(5) for x in range(5)] + [(x, z) for z in range(5) for x in range(8, 12)]
    walk = Walk(cell_mesh(cells))
    agent = walk.add((2, 0, 5), (20, 0, 5), plain())
    for _ in range(300):
        walk.step()
    assert agent.state == FollowerState.ARRIVED
    assert not agent.reached_target
    assert agent.position[0] == pytest.approx(10.0, abs=0.26)
    assert agent.velocity == (0.0, 0.0, 0.0)
    assert walk.off_mesh == 0


@pytest.mark.parametrize("count", scaled((20, 60), (6,)))
@pytest.mark.parametrize("arrangement", ["ring", "block"])
def test_a_group_sent_to_one_place_settles_closely_around_it(count, arrangement):
    walk = Walk(square(40))
    goal = (40.0, 0.0, 40.0)
    for k in range(count):
        angle = 2 * math.pi * k / count
        place = (40 + 20 * math.cos(angle), 0, 40 + 20 * math.sin(angle))
        if arrangement == "block":
            place = (18 + 1.3 * (k % 8), 0, 32 + 1.3 * (k // 8))
        walk.add(place, goal, plain(group_arrival=True))
    assert walk.run(30, look=10) <= 30
    assert all(agent.reached_target for agent in walk.crowd)
    places = walk.crowd.positions()
    radius = min(np.linalg.norm(places - centre, axis=1).max() for centre in (goal, places.mean(axis=0)))
    ideal = 0.5 * math.sqrt(count * math.sqrt(12) / math.pi)
    assert radius <= 1.5 * max(ideal, 1.0)
    walk.step(30)
    places = walk.crowd.positions()
    walk.step(scaled(120, 10))
    assert (walk.crowd.positions() == places).all()


@pytest.mark.parametrize("height", [0.0, 0.9, 2.5])
def test_where_the_pivot_is_does_not_change_the_way(height):
    def way(lift):
        mesh = cell_mesh([(x, z) for z in range(4) for x in range(16)], height=lambda x, z: 0.25 * x)
        walk = Walk(mesh)
        agent = walk.add((2, 0.25 + lift, 4), (28, 3.5 + lift, 4), plain())
        track = []
        while agent.state != FollowerState.ARRIVED:
            walk.crowd.step(DT)
            track.append((agent.position[0], agent.position[2]))
        return track

    assert way(height) == way(0.0)


def maze_walk(ticks, count):
    field = maze(12)
    walk = Walk(field.mesh)
    rng = random.Random(2)
    for place in scattered_places(field, count, 2, 1.2):
        walk.add(place, field.place(rng)[1], plain())
    for tick in range(ticks):
        walk.step(look=tick % 5 == 0)
        for agent in walk.crowd:
            if agent.state == FollowerState.ARRIVED or rng.random() < 0.001:
                agent.set_destination(field.place(rng)[1])
    assert walk.off_mesh == 0


def test_random_walkers_in_a_maze_never_leave_the_mesh():
    maze_walk(scaled(600, 20), scaled(40, 8))


@pytest.mark.full
def test_a_million_agent_ticks_in_a_maze():
    maze_walk(scaled(12500, 100), scaled(80, 8))


@pytest.mark.parametrize(("passage", "count"), scaled([(2.0, 8), (3.0, 10)], [(3.0, 2)]))
def test_streams_meet_on_a_narrow_bridge_and_in_a_corridor(passage, count):
    mesh, far = rooms(passage, 10.0)
    walk = opposite_crowds(mesh, count, far + 20, plain(squeeze=0.8, quality=AvoidanceQuality.LOW))
    assert walk.run(120, look=10) < 120
    assert walk.off_mesh == 0


@pytest.mark.full
@pytest.mark.parametrize(("passage", "count"), scaled([(2.0, 30), (3.0, 40)], [(3.0, 3)]))
def test_streams_meet_on_a_narrow_bridge_and_in_a_corridor_at_full_size(passage, count):
    mesh, far = rooms(passage, 10.0)
    walk = opposite_crowds(mesh, count, far + 20, plain(squeeze=0.8, quality=AvoidanceQuality.LOW))
    assert walk.run(240, look=10) < 240
    assert walk.off_mesh == 0


def test_thirty_and_thirty_pass_a_door_of_a_metre_and_a_half_in_half_a_minute():
    """Without squeezing past each other they jam: 48 of 60 are through after a minute at low quality, 3 at medium."""
    mesh, far = rooms(1.5, 1.0, depth=12.0)
    options = plain(squeeze=0.9, quality=AvoidanceQuality.LOW)
    walk = opposite_crowds(mesh, scaled(30, 3), far + 12, options, spacing=1.3)
    assert walk.run(30, look=10) < 30
    assert walk.off_mesh == 0


@pytest.mark.parametrize("aside", [0.0, 0.2, -0.2])
def test_an_agent_that_has_arrived_gives_way_and_comes_back(aside):
    walk = Walk(square(20))
    post = walk.add((20, 0, 9), (20, 0, 10), plain(yield_and_return=True))
    walk.run(5)
    stands = post.position
    walker = walk.add((12, 0, 10 + aside), (30, 0, 10 + aside), plain())
    while walker.state == FollowerState.MOVING:
        walk.step()
    walk.step(120)
    assert math.dist(post.position, stands) < 0.1
    assert post.state == FollowerState.ARRIVED
    assert walk.overlap < 0.1


@pytest.mark.parametrize(("acceleration", "arrival"), [(8.0, 0.25), (8.0, 1.0), (4.0, 1.0)])
def test_an_agent_that_brakes_on_arrival_stays_where_it_comes_to_rest(acceleration, arrival):
    walk = Walk(square(20))
    agent = walk.add((15, 0, 20), (25, 0, 20), plain(
        yield_and_return=True, max_acceleration=acceleration, arrival_radius=arrival))
    before = agent.position[0]
    for _ in range(600):
        walk.step(look=False)
        assert agent.position[0] >= before
        before = agent.position[0]
    assert agent.state == FollowerState.ARRIVED
    assert agent.velocity == (0.0, 0.0, 0.0)


def test_an_agent_pushed_away_is_sent_back_to_its_destination():
    walk = Walk(square(20))
    agent = walk.add((20, 0, 9), (20, 0, 10), plain())
    walk.run(5)
    walk.add((20, 0, 14), (20, 0, 4), plain(quality=AvoidanceQuality.OFF))
    seen = set()
    for _ in range(400):
        walk.step()
        seen.add(agent.state)
    assert seen == {FollowerState.ARRIVED, FollowerState.MOVING}
    assert agent.state == FollowerState.ARRIVED
    assert math.dist(agent.position, (20, 0, 10)) <= 0.51


def test_agents_put_on_one_point_move_apart():
    walk = Walk(square(20))
    count = scaled(100, 8)
    for _ in range(count):
        walk.add((20, 0, 20), None, plain())
    walk.step(300, look=False)
    places = walk.crowd.positions()
    assert np.isfinite(places).all()
    assert deepest_overlap(places, np.full(count, 0.5)) <= 0.05


def test_three_in_one_doorway_are_apart_after_a_second():
    walk = Walk(cell_mesh([(x, z) for z in range(5) for x in range(11) if x != 5 or z == 2]))
    for _ in range(3):
        walk.add((11, 0, 5), None, plain())
    walk.step(60)
    assert deepest_overlap(walk.crowd.positions(), np.full(3, 0.5)) <= 0.05
    assert walk.off_mesh == 0


def check_one_goal(count, seconds):
    """Nobody on the way comes nearer than 0.9 of two radii to another on the way, and all arrive."""
    walk = Walk(square(60))
    for place in scattered_places(Field(walk.mesh), count, 3, 1.05):
        walk.add(place, (60, 0, 60), plain(group_arrival=True))
    deepest = 0.0
    for step in range(round(seconds / DT)):
        walk.step(look=False)
        if step % 6 == 0:
            walking = np.array([agent.state == FollowerState.MOVING for agent in walk.crowd])
            deepest = max(deepest, deepest_overlap(walk.crowd.positions()[walking], np.full(walking.sum(), 0.5)))
            if not walking.any():
                break
    assert deepest <= 0.1
    assert scaled(len(walk.arrived()), count) == count


@pytest.mark.parametrize("count", scaled((20, 200), (5,)))
def test_no_two_agents_on_their_way_to_one_goal_run_into_each_other(count):
    check_one_goal(count, scaled(40, 1))


@pytest.mark.full
def test_no_two_of_two_thousand_on_their_way_to_one_goal_run_into_each_other():
    check_one_goal(scaled(2000, 6), scaled(40, 1))


@pytest.mark.parametrize("goal", [(0.5, 0, 0.5), (0.2, 0, 20), (-1.5, 0, 20)], ids=["corner", "wall", "off the mesh"])
def test_a_group_settles_where_there_is_less_ground_than_in_the_open(goal):
    walk = Walk(square(20))
    for k in range(scaled(60, 5)):
        walk.add((20 + 1.3 * (k % 8), 0, 20 + 1.3 * (k // 8)), goal, plain(group_arrival=True))
    assert walk.run(40, look=10) < 40
    assert walk.off_mesh == 0
    walk.step(120, look=False)
    assert np.linalg.norm(walk.crowd.velocities(), axis=1).max() < 0.01


def test_agents_on_two_floors_that_cross_in_plan_view_do_not_see_each_other():
    def way(company):
        tiles = (cell_tiles([(x, 5) for x in range(20)])
                 + cell_tiles([(10, z) for z in range(12)], height=3.0, layer=1))
        walk = Walk(TiledNavMesh._from_tiles(tiles, (), (0.0, 0.0), 64.0))
        agent = walk.add((1, 0, 11), (39, 0, 11), plain(height=1.8))
        if company:
            walk.add((21, 3, 1), (21, 3, 23), plain(height=1.8))
        track = []
        for _ in range(scaled(400, 60)):
            walk.step()
            track.append(agent.position)
        return track

    assert way(True) == way(False)


def platforms(both_ways=True):
    """Five platforms in a row and the links between them."""
    cells = [(4 * k + x, z) for k in range(5) for z in range(3) for x in range(3)]
    links = [OffMeshLink((8.0 * k + 5.5, 0, 3), (8.0 * k + 8.5, 0, 3), bidirectional=both_ways) for k in range(4)]
    return cell_mesh(cells, links=links)


@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0])
def test_four_links_in_a_row_are_crossed_once_each(speed):
    walk = Walk(platforms())
    path = FollowerOptions(corridor_capacity=64, stuck_window=0.0, off_mesh_speed=speed)
    agent = walk.add((1, 0, 3), (37, 0, 3), plain(max_speed=speed, max_acceleration=4 * speed, path=path))
    for _ in range(scaled(60, 60) * 60):
        walk.step(look=scaled(True, False))
        if agent.state == FollowerState.ARRIVED:
            break
    assert agent.reached_target
    assert walk.links == scaled(4, 0)


def test_links_hold_their_direction():
    walk = Walk(platforms(both_ways=False))
    agent = walk.add((37, 0, 3), (1, 0, 3), plain())
    walk.step(300, look=False)
    assert agent.state == FollowerState.ARRIVED
    assert not agent.reached_target
    assert agent.position[0] >= 32.0


def test_a_link_switched_off_is_not_entered():
    walk = Walk(platforms())
    agent = walk.add((3, 0, 3), (12, 0, 3), plain())
    link = walk.mesh.links()[0][0]
    crossed_while = []
    for tick in range(600):
        walk.mesh.set_link_enabled(link, tick % 2 == 1)
        before = agent.state
        walk.step(look=False)
        if agent.state == FollowerState.OFF_MESH_LINK and before != FollowerState.OFF_MESH_LINK:
            crossed_while.append(tick % 2)
    assert set(crossed_while) <= {1}


def test_a_link_that_the_host_animates_waits_for_the_host():
    walk = Walk(platforms())
    path = FollowerOptions(corridor_capacity=64, stuck_window=0.0, off_mesh_mode=OffMeshMode.HOST)
    agent = walk.add((3, 0, 3), (12, 0, 3), plain(path=path))
    while agent.state != FollowerState.OFF_MESH_LINK:
        walk.step(look=False)
    place = agent.position
    walk.step(100, look=False)
    assert agent.position == place
    assert agent.complete_off_mesh_link()
    assert agent.position == (8.5, 0.0, 3.0)
    assert not agent.complete_off_mesh_link()
    agent.set_destination((1, 0, 3))
    while agent.state != FollowerState.OFF_MESH_LINK:
        walk.step(look=False)
    agent.complete_off_mesh_link()
    walk.run(10)
    assert agent.reached_target


def test_a_region_that_goes_and_comes_back_stops_nobody_for_good():
    walk = Walk(cell_mesh([(x, z) for z in range(3) for x in range(15)], tile_cells=5))
    agents = [walk.add((2, 0, 1.0 + 1.5 * k), (28, 0, 1.0 + 1.5 * k), plain()) for k in range(3)]
    walk.step(30)
    middle = walk.mesh.remove_tile(1, 0)
    walk.step(400)
    assert FollowerState.ARRIVED in {agent.state for agent in agents}
    for agent in agents:
        assert not agent.reached_target
        assert agent.position[0] <= 10.0
    walk.mesh.add_tile(middle)
    assert walk.run(20) < 20
    assert all(agent.reached_target for agent in agents)
    assert walk.off_mesh == 0


def test_ground_that_comes_back_is_walked_again():
    walk = Walk(cell_mesh([(x, z) for z in range(3) for x in range(15)], tile_cells=5))
    agent = walk.add((2, 0, 3), (28, 0, 3), plain())
    walk.step(30)
    ground = [walk.mesh.remove_tile(k, 0) for k in range(3)]
    walk.step(30, look=False)
    assert agent.state == FollowerState.NO_PATH
    for tile in ground:
        walk.mesh.add_tile(tile)
    walk.step(2)
    assert agent.state == FollowerState.MOVING
    assert walk.run(20) < 20
    assert agent.reached_target


def test_an_identical_mesh_put_in_every_second_changes_no_trajectory():
    def tracks(replacing):
        field = Field(cell_mesh(scatter_cells(16, 3), tile_cells=8))
        walk = Walk(field.mesh)
        rng = random.Random(6)
        for place in scattered_places(field, scaled(30, 6), 6, 1.2):
            walk.add(place, field.place(rng)[1], plain())
        result = []
        for tick in range(scaled(300, 40)):
            if replacing and tick % scaled(60, 15) == scaled(30, 7):
                for key in walk.mesh.tiles():
                    walk.mesh.replace_tile(walk.mesh.tile_data(*key))
            walk.step(look=False)
            result.append(walk.crowd.positions())
        return np.array(result)

    plainly, replaced = tracks(False), tracks(True)
    assert np.abs(plainly - replaced).max() <= scaled(2.0, 1.0)
    assert np.abs(plainly - replaced).mean() <= 0.1


@pytest.mark.parametrize("budget", [0, 4096])
def test_walkers_whose_ground_is_replaced_in_each_step_walk_on(budget):
    walk = Walk(cell_mesh([(x, z) for z in range(3) for x in range(12)], tile_cells=4),
                options=CrowdOptions(replan_budget_per_step=budget))
    agent = walk.add((3, 0, 3), (21, 0, 3), plain())
    for _ in range(60 * 7):
        for key in walk.mesh.tiles():
            walk.mesh.replace_tile(walk.mesh.tile_data(*key))
        walk.step()
    assert agent.reached_target
    assert walk.off_mesh == 0


def test_ground_taken_from_under_an_agent_moves_it_to_the_nearest_edge_or_says_so():
    walk = Walk(cell_mesh([(x, z) for z in range(3) for x in range(12)], tile_cells=4))
    near, far = walk.add((9, 0, 3), (22, 0, 3), plain()), walk.add((12, 0, 3), (22, 0, 3), plain())
    walk.mesh.remove_tile(1, 0)
    walk.step(2, look=False)
    assert near.position[0] == pytest.approx(8.0, abs=0.2)
    assert far.state == FollowerState.NO_PATH


def test_a_door_that_opens_and_shuts_under_traffic_drops_nobody():
    cells = [(x, z) for z in range(6) for x in range(13) if x != 6 or z in (2, 3)]
    mesh = cell_mesh(cells)
    door = [ref for ref in mesh.tile_polygons(0, 0) if mesh.poly_vertices(ref)[0][0] == 12.0]
    walk = Walk(mesh)
    rng = random.Random(1)
    for k in range(scaled(20, 4)):
        side = k % 2
        walk.add((3 + 20 * side, 0, 1 + k // 2), (23 - 20 * side, 0, 1 + k // 2), plain())
    for tick in range(scaled(900, 60)):
        if tick % 30 == 0:
            for ref in door:
                mesh.set_poly_flags(ref, (tick // 30) % 2)
        walk.step()
        for agent in walk.crowd:
            if agent.state == FollowerState.ARRIVED and agent.reached_target:
                agent.set_destination((26 - agent.destination[0], 0, rng.uniform(1, 11)))
    assert walk.off_mesh == 0


def test_a_thousand_orders_in_one_tick_are_served_by_slot_within_the_budget():
    """An unreachable goal makes each search as large as it gets."""
    width = scaled(60, 16)
    cells = [(x, z) for z in range(width) for x in range(width)] + [(width + 3, 0)]
    budget = scaled(3000, 400)
    walk = Walk(cell_mesh(cells), options=CrowdOptions(replan_budget_per_step=budget))
    path = FollowerOptions(corridor_capacity=64, stuck_window=0.0, replan_budget=scaled(4096, 512), topology_interval=0,
                           refine_budget=0)
    places = [(2 * (k % 15) + 1, 0, 2 * (k // 15) + 1) for k in range(scaled(60, 12))]
    agents = [walk.add(place, None, plain(path=path)) for place in places]
    walk.step()
    scratch = walk.crowd._workers[0].scratch
    scratch.searched = 0
    for agent in agents:
        assert agent.set_destination((2 * width + 7, 0, 1))
        assert agent.state == FollowerState.MOVING
    assert scratch.searched == 0
    served = []
    worst = 0
    for _ in range(scaled(200, 40)):
        walk.crowd.step(DT)
        worst = max(worst, scratch.searched)
        for agent in agents:
            if agent.id not in served and agent.wanted_velocity != (0.0, 0.0, 0.0):
                served.append(agent.id)
    assert served == sorted(served)
    assert len(served) == len(agents)
    # A search expands no crossing twice; each border between two cells has one in each direction.
    assert worst <= max(budget, 4 * width * (width - 1) + 1)


def test_orders_within_the_budget_do_not_depend_on_threads():
    def states(threads):
        field = scatter(20)
        walk = Walk(field.mesh, options=CrowdOptions(replan_budget_per_step=150, max_threads=threads))
        rng = random.Random(8)
        for place in scattered_places(field, scaled(80, 40), 8, 0.9):
            walk.add(place, field.place(rng)[1], plain())
        hashes = []
        for _ in range(scaled(60, 5)):
            walk.step(look=False)
            hashes.append(walk.crowd.state_hash())
        return hashes

    assert states(1) == states(3)


def test_a_strip_longer_than_the_corridor_is_walked_to_its_end():
    length = scaled(2000, 90)
    walk = Walk(cell_mesh([(x, 0) for x in range(length)]))
    agent = walk.add((1, 0, 1), (2 * length - 1, 0, 1), plain(max_speed=40.0, max_acceleration=100.0))
    assert walk.run(2 * length / 40 * 1.2 + 5, look=20) < math.inf
    assert agent.reached_target


def check_edits(count, ticks, width):
    """Nobody is off the mesh unless the ground is gone, and all resume when everything is back.

    Who has just left a link may find its end gone, and knows in the next step.
    """
    scenario = edited_crowd(count, width=width)
    walk = Walk(scenario.mesh)
    walk.crowd = scenario.crowd
    crossing = set()
    for tick in range(ticks):
        scenario.step(tick)
        crossed, crossing = crossing, {
            agent.id for agent in scenario.crowd if agent.state == FollowerState.OFF_MESH_LINK}
        if tick % 5 == 0:
            lost = {agent.id for agent in scenario.crowd if agent.state == FollowerState.NO_PATH}
            grounded = [agent for agent in scenario.crowd if agent.id not in lost | crossed | crossing]
            for agent in grounded:
                ref, point = walk.query.find_nearest_poly(agent.position, (0.5, 0.5, 0.5))
                assert ref, (tick, agent)
                assert math.dist(point, agent.position) <= 1e-6
    scenario.restore_ground()
    scenario.crowd.step(DT)
    scenario.crowd.step(DT)
    assert [agent for agent in scenario.crowd if agent.state == FollowerState.NO_PATH] == []
    before = scenario.crowd.positions()
    for tick in range(ticks, ticks + scaled(180, 60)):
        for agent in scenario.crowd:
            if agent.state not in (FollowerState.MOVING, FollowerState.OFF_MESH_LINK):
                agent.set_destination(scenario.goal(tick, agent))
        scenario.crowd.step(DT)
    moved = np.linalg.norm(scenario.crowd.positions() - before, axis=1)
    assert (moved > 0.1).mean() > 0.95


def test_edits_under_walkers_drop_nobody():
    check_edits(scaled(60, 8), scaled(200, 25), 12)


@pytest.mark.full
def test_two_thousand_ticks_of_edits_under_three_hundred_walkers():
    check_edits(scaled(300, 12), scaled(2000, 80), 24)


def test_restoring_twice_from_one_state_gives_the_same():
    field = scatter(12)
    walk = Walk(field.mesh)
    rng = random.Random(4)
    for place in scattered_places(field, 10, 4, 1.0):
        walk.add(place, field.place(rng)[1], AgentOptions())
    walk.step(20)
    state = walk.crowd.save_state()
    copy = bytes(bytearray(state))
    found = []
    for _ in range(2):
        walk.crowd.restore_state(state)
        walk.step(scaled(50, 5))
        found.append(walk.crowd.save_state())
    assert found[0] == found[1]
    assert state == copy
