"""One step of a crowd against a plain second reading of its rules: neighbours, shares, walls, side bias, turns."""

import math
import random

import crowd_model as model
import pytest
from meshes import cell_mesh, scatter_cells
from mode import scaled

from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.debug import CrowdDebug
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.navmesh.link_data import OffMeshLink

DT = 1 / 60
RECORDED = CrowdOptions(record_constraints=True)


def open_mesh(width=20):
    return cell_mesh([(x, z) for z in range(width) for x in range(width)])


def mixed_options(rng):
    return AgentOptions(
        radius=rng.uniform(0.2, 0.9), max_speed=rng.uniform(1.0, 4.0), priority=rng.choice((0.5, 1.0, 3.0)),
        height=rng.choice((0.0, 1.8)), quality=AvoidanceQuality(rng.randrange(4)),
        separation_distance=rng.choice((0.0, 0.0, 1.5)), side_preference=rng.choice((0.05, -0.1, 0.0)))


def mixed_crowd(mesh, count, seed, spread):
    rng = random.Random(seed)
    crowd = Crowd(mesh, RECORDED)
    for _ in range(count):
        place = rng.uniform(0.5, spread), 0.0, rng.uniform(0.5, spread)
        if len(crowd) and rng.random() < 0.1:
            place = next(iter(crowd)).position
        agent = crowd.add(place, mixed_options(rng))
        if rng.random() < 0.8:
            agent.set_destination((rng.uniform(0.5, spread), 0.0, rng.uniform(0.5, spread)))
    return crowd


def step_against_model(crowd, dt=DT):
    """Step once and check every half-plane and every change of velocity; return how many planes were seen."""
    seen = model.snapshot(crowd)
    crowd.step(dt)
    walking = {agent.slot for agent in crowd if math.hypot(*agent.wanted_velocity) > 0.0}
    planes_seen = 0
    for agent, drawn in zip(crowd, CrowdDebug.collect(crowd)):
        me = seen[agent.slot]
        if me.options.quality == AvoidanceQuality.OFF:
            assert drawn.half_planes == []
            continue
        others = model.neighbours(seen, me)
        walls = model.wall_half_planes(drawn.walls, me)
        expected = [plane for _, plane in walls] + [model.agent_half_plane(me, other, dt, False) for other in others]
        assert drawn.half_planes == expected
        assert drawn.wall_count == len(walls)
        planes_seen += len(expected)
        wanted = model.with_side_bias(me, walls, model.with_separation(
            me, others, (agent.wanted_velocity[0], agent.wanted_velocity[2])))
        standing = {other.slot for other in others} - walking
        solved = model.solved_velocity(me, others, walls, expected, wanted, standing)
        change = solved[0] - me.velocity[0], solved[1] - me.velocity[1]
        share = min(1.0, me.options.max_acceleration * dt / max(math.hypot(*change), 1e-300))
        moved = me.velocity[0] + share * change[0], me.velocity[1] + share * change[1]
        if agent.state == FollowerState.MOVING and not walls:
            assert (agent.velocity[0], agent.velocity[2]) == pytest.approx(moved, abs=1e-6)
    return planes_seen


@pytest.mark.parametrize(("count", "spread"), [(2, 4.0), (30, 12.0), (60, 39.5), (40, 3.0)])
def test_half_planes_and_velocities_are_those_of_the_text(count, spread):
    crowd = mixed_crowd(open_mesh(), count, 3 * count, spread)
    assert sum(step_against_model(crowd) for _ in range(scaled(40, 6))) > count


def test_walls_of_scattered_obstacles_are_those_of_the_text():
    mesh = cell_mesh(scatter_cells(16, seed=5, blocked=250))
    crowd = mixed_crowd(mesh, 40, 8, 31.0)
    assert sum(step_against_model(crowd) for _ in range(scaled(60, 8))) > 100


def test_agents_far_from_the_origin_and_far_apart_are_neighbours_all_the_same():
    far = [(x, z) for z in range(3) for x in (*range(4), *range(1000, 1004), *range(500000, 500004))]
    mesh = cell_mesh(far, tile_cells=64)
    crowd = Crowd(mesh, RECORDED)
    for x in (1, 3, 2001, 2003.5, 1000001, 1000004):
        crowd.add((x, 0, 3)).set_destination((x + 1, 0, 5))
    for _ in range(5):
        assert step_against_model(crowd) >= 6


def test_two_agents_head_on_in_the_open_swap_places_soon():
    crowd = Crowd(open_mesh(10))
    pair = crowd.add((5, 0, 10), AgentOptions(radius=0.5)), crowd.add((15, 0, 10), AgentOptions(radius=0.5))
    pair[0].set_destination((15, 0, 10))
    pair[1].set_destination((5, 0, 10))
    steps = 0
    while any(agent.state == FollowerState.MOVING for agent in pair):
        crowd.step(DT)
        steps += 1
        assert steps * DT < 1.5 * (10 / 3.5)
        apart = math.dist(pair[0].position, pair[1].position)
        assert apart > 0.97
    assert all(agent.reached_target for agent in pair)


def test_the_agent_with_the_higher_priority_gives_way_less():
    def sideways(priorities):
        crowd = Crowd(open_mesh(10))
        agents = [crowd.add((5, 0, 10)), crowd.add((15, 0, 10.2))]
        for agent, goal, priority in zip(agents, ((15, 0, 10), (5, 0, 10.2)), priorities):
            agent.set_destination(goal)
            agent.priority = priority
        drift = [0.0, 0.0]
        for _ in range(150):
            crowd.step(DT)
            drift = [max(d, abs(agent.position[2] - z)) for d, agent, z in zip(drift, agents, (10, 10.2))]
        return drift

    equal, first = sideways((1.0, 1.0)), sideways((20.0, 1.0))
    assert first[0] < 0.7 * equal[0]
    assert first[1] > first[0]


def test_quality_off_keeps_the_wanted_velocity():
    crowd = Crowd(open_mesh(10))
    walker = crowd.add((5, 0, 10), AgentOptions(quality=AvoidanceQuality.OFF))
    other = crowd.add((10, 0, 10))
    walker.set_destination((15, 0, 10))
    for _ in range(60):
        crowd.step(DT)
        assert walker.position[2] == 10.0
    assert other.position != (10.0, 0.0, 10.0)


def test_an_agent_that_crosses_a_link_does_not_avoid_and_others_take_the_whole_share():
    gap = [(x, z) for z in range(5) for x in range(12) if x not in (5, 6)]
    mesh = cell_mesh(gap, links=[OffMeshLink((9.5, 0, 5), (14.5, 0, 5))])
    crowd = Crowd(mesh, RECORDED)
    crosser = crowd.add((9.4, 0, 5))
    crosser.set_destination((20, 0, 5))
    waiting = crowd.add((15.4, 0, 5.1))
    while crosser.state != FollowerState.OFF_MESH_LINK:
        crowd.step(DT)
    seen = model.snapshot(crowd)
    before = crosser.position
    crowd.step(DT)
    assert crosser.position[0] - before[0] == pytest.approx(3.5 * DT)
    planes = CrowdDebug.collect(crowd)[1].half_planes
    me, other = seen[waiting.slot], seen[crosser.slot]
    assert planes[len(planes) - 1] == model.agent_half_plane(me, other, DT, True)
    assert CrowdDebug.collect(crowd)[0].half_planes == []


def test_walls_are_looked_up_again_after_a_metre_and_after_an_edit():
    mesh = open_mesh(12)
    crowd = Crowd(mesh, RECORDED)
    agent = crowd.add((1, 0, 12))
    agent.set_destination((23, 0, 12))
    crowd.step(DT)
    first = CrowdDebug.collect(crowd)[0].walls
    assert first
    while agent.position[0] < 1.99:
        crowd.step(DT)
        assert CrowdDebug.collect(crowd)[0].walls == first
    while agent.position[0] < 3.3:
        crowd.step(DT)
    assert CrowdDebug.collect(crowd)[0].walls != first
    mesh.set_poly_area(mesh.tile_polygons(0, 0)[0], 3)
    assert CrowdDebug.collect(crowd)[0].walls == []
    crowd.step(DT)
    assert CrowdDebug.collect(crowd)[0].walls


def test_with_a_short_wall_horizon_walkers_lose_less_time_where_they_turn():
    """Ten walkers on cluttered ground, too few to hinder each other much."""
    walked = []
    for share in (0.5, 0.1):
        crowd = Crowd(cell_mesh(scatter_cells(32)), CrowdOptions(wall_horizon=share))
        agents = [crowd.add((1.0 + 6 * k, 0, 1.0)) for k in range(10)]
        for k, agent in enumerate(agents):
            agent.set_destination((61.0 - 6 * k, 0, 61.0))
        way = 0.0
        for _ in range(scaled(240, 60)):
            crowd.step(1 / 60)
            way += sum(math.hypot(agent.velocity[0], agent.velocity[2]) / 60 for agent in agents)
        walked.append(way)
    assert walked[1] > 1.03 * walked[0]


def test_agents_whose_heights_do_not_overlap_are_no_neighbours():
    def half_planes(heights, gap):
        floor = cell_mesh([(x, z) for z in range(4) for x in range(4)])
        above = cell_mesh([(x, z) for z in range(4) for x in range(4)], height=gap)
        tile = above.remove_tile(0, 0)
        tile.layer = 1
        floor.add_tile(tile)
        crowd = Crowd(floor, RECORDED)
        crowd.add((4, 0, 4), AgentOptions(height=heights[0]))
        crowd.add((4.2, gap, 4), AgentOptions(height=heights[1]))
        crowd.step(DT)
        return [len(drawn.half_planes) - drawn.wall_count for drawn in CrowdDebug.collect(crowd)]

    assert half_planes((0.0, 0.0), 3.0) == [1, 1]
    assert half_planes((1.8, 0.0), 3.0) == [1, 1]
    assert half_planes((1.8, 1.8), 3.0) == [0, 0]
    assert half_planes((3.2, 1.8), 3.0) == [1, 1]


def test_walls_of_a_floor_above_do_not_count():
    floor = cell_mesh([(x, z) for z in range(6) for x in range(6)])
    above = cell_mesh([(x, z) for z in range(2, 4) for x in range(2, 4)], height=4.0)
    tile = above.remove_tile(0, 0)
    tile.layer = 1
    floor.add_tile(tile)
    crowd = Crowd(floor, RECORDED)
    agent = crowd.add((5, 0, 5))
    upstairs = crowd.add((5, 4, 5))
    crowd.step(DT)
    drawn = CrowdDebug.collect(crowd)
    assert drawn[agent.slot].wall_count == 0
    assert drawn[upstairs.slot].wall_count == 4


def test_a_bend_is_aimed_at_past_the_corner():
    """Around the inner corner of an L at (6, 6), the wanted direction clears the corner by 0.11 along its diagonal."""
    cells = [(x, 0) for x in range(6)] + [(x, z) for z in range(1, 6) for x in range(3)]
    crowd = Crowd(cell_mesh([(x, z) for x, z in cells if x < 3 or z == 0]), RECORDED)
    agent = crowd.add((11, 0, 1), AgentOptions(wall_clearance=0.05))
    agent.set_destination((1, 0, 11))
    crowd.step(DT)
    corner, goal = (6.0, 2.0), (1.0, 11.0)
    into = corner[0] - 11.0, corner[1] - 1.0
    out = goal[0] - corner[0], goal[1] - corner[1]
    bend = [into[k] / math.hypot(*into) - out[k] / math.hypot(*out) for k in range(2)]
    aim = [corner[k] + 0.11 * bend[k] / math.hypot(*bend) for k in range(2)]
    towards = aim[0] - 11.0, aim[1] - 1.0
    wanted = agent.wanted_velocity
    assert math.hypot(wanted[0], wanted[2]) == pytest.approx(3.5)
    assert (wanted[0], wanted[2]) == pytest.approx(tuple(3.5 * v / math.hypot(*towards) for v in towards), abs=1e-9)


def test_debug_geometry_lists_agents_in_slot_order_and_changes_nothing():
    crowd = mixed_crowd(open_mesh(), 12, 5, 10.0)
    crowd.remove(list(crowd)[4])
    for _ in range(3):
        crowd.step(DT)
    before = crowd.save_state()
    drawn = CrowdDebug.collect(crowd)
    assert crowd.save_state() == before
    assert [(each.id, each.radius, each.wanted_velocity) for each in drawn] == [
        (agent.id, agent.options.radius, agent.wanted_velocity) for agent in crowd]
    for each, agent in zip(drawn, crowd):
        assert (each.follower.state, each.follower.position, each.follower.velocity, each.follower.destination) == (
            agent.state, agent.position, agent.velocity, agent.destination)
    assert any(each.walls for each in drawn)
    plain = Crowd(open_mesh())
    plain.add((1, 0, 1))
    plain.step(DT)
    assert CrowdDebug.collect(plain)[0].half_planes == []
