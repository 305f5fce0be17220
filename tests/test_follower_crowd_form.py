"""A follower as a crowd steps it, in two halves: what it wants, and the move with a velocity found for it.

Each crowd here has one agent and no avoidance, so that what is wanted is what is walked.
"""

import math
from itertools import pairwise

import pytest
from corridor_tools import DT, flat_distance, grid, is_on_surface, ref_at, strip_query
from meshes import cell_mesh, maze

from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.debug import CrowdDebug
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.navmesh.link_data import OffMeshLink
from onepath.queries.query import NavMeshQuery

ALONE = AgentOptions(quality=AvoidanceQuality.OFF, side_preference=0.0)
MOVING, ARRIVED = FollowerState.MOVING, FollowerState.ARRIVED


def one(mesh, start, end, options=ALONE, **crowd_options):
    crowd = Crowd(mesh, CrowdOptions(**crowd_options))
    agent = crowd.add(start, options)
    if end is not None:
        assert agent.set_destination(end)
    return crowd, agent


def seen(crowd):
    return CrowdDebug.collect(crowd)[0].follower


def corridor_length(crowd):
    return len(seen(crowd).outlines)


def test_the_wanted_velocity_is_full_speed_toward_the_corner_without_an_acceleration_limit():
    crowd, agent = one(strip_query(10).mesh, (1, 0, 1), (19, 0, 1))
    crowd.step(DT)
    assert agent.wanted_velocity == (3.5, 0.0, 0.0)
    assert agent.velocity == pytest.approx((8.0 * DT, 0.0, 0.0))


def test_near_the_end_the_wanted_speed_follows_the_arrival_rule():
    crowd, agent = one(strip_query(10).mesh, (1, 0, 1), (9, 0, 1), ALONE.replace(arrival_radius=0.01))
    while agent.state == MOVING:
        left = 9.0 - agent.position[0]
        crowd.step(DT)
        if agent.state == MOVING and left < 1.0:
            assert agent.wanted_velocity[0] == pytest.approx(max(3.5 * left, 0.25))
    assert agent.reached_target


def corner_world():
    """An L: along +X, round the wall vertex (6, 0, 2), along +Z."""
    return cell_mesh([*((x, 0) for x in range(4)), *((3, z) for z in range(1, 6))])


@pytest.mark.parametrize("clearance", [0.05, 0.2])
def test_an_inner_corner_is_aimed_at_past_the_wall_by_the_clearance(clearance):
    crowd, agent = one(corner_world(), (1, 0, 1), (7, 0, 11), ALONE.replace(wall_clearance=clearance))
    crowd.step(1e-9)
    start, corner, after = (corner.point for corner in seen(crowd).corners[:3])
    assert corner == (6.0, 0.0, 2.0)
    to_corner, from_corner = flat_distance(start, corner), flat_distance(corner, after)
    out = [(corner[i] - start[i]) / to_corner - (after[i] - corner[i]) / from_corner for i in (0, 2)]
    size = math.hypot(*out)
    aim = [corner[i] + (2 * clearance + 0.01) * out[i // 2] / size for i in (0, 2)]
    way = (aim[0] - start[0], aim[1] - start[2])
    wanted = agent.wanted_velocity
    assert math.hypot(wanted[0], wanted[2]) == pytest.approx(3.5)
    assert (wanted[0], wanted[2]) == pytest.approx(tuple(3.5 * w / math.hypot(*way) for w in way))
    assert out[0] > 0
    assert out[1] < 0


def test_a_corner_without_a_bend_to_see_is_aimed_at_itself():
    # With three corners at most the one after the next is still seen; a link's entry is never aimed past.
    cells = [(0, 0), (1, 0), (5, 0), (6, 0)]
    mesh = cell_mesh(cells, links=[OffMeshLink((3, 0, 1.5), (11, 0, 0.5))])
    crowd, agent = one(mesh, (1, 0, 0.5), (13, 0, 1))
    crowd.step(1e-9)
    way = (2.0, 1.0)
    assert agent.wanted_velocity[2] / agent.wanted_velocity[0] == pytest.approx(way[1] / way[0])


def test_the_agent_never_walks_past_the_end_and_lands_on_it():
    for dt in (DT, 0.3, 1.0, 5.0):
        crowd, agent = one(strip_query(10).mesh, (1, 0, 1), (13, 0, 1), ALONE.replace(
            arrival_radius=0.0, max_acceleration=1e6, path=FollowerOptions(slow_radius=0)))
        while agent.state == MOVING:
            crowd.step(dt)
            assert agent.position[0] <= 13.0
        assert agent.position == (13.0, 0.0, 1.0)
        assert agent.reached_target


def test_the_agent_never_walks_past_an_entry_and_crosses_within_plan():
    cells = [*((x, 0) for x in range(4)), (8, 0), (9, 0)]
    mesh = cell_mesh(cells, links=[OffMeshLink((7, 0, 1), (17, 0, 1))])
    crowd, agent = one(mesh, (1, 0, 1), (19, 0, 1), ALONE.replace(
        radius=0.01, max_acceleration=1e6, path=FollowerOptions(slow_radius=0, off_mesh_trigger_radius=0.001)))
    steps = 0
    while agent.state == MOVING:
        crowd.step(0.4)
        assert agent.position[0] <= 7.0
    assert agent.state == FollowerState.OFF_MESH_LINK
    assert agent.position == (7.0, 0.0, 1.0)
    while agent.state == FollowerState.OFF_MESH_LINK:
        crowd.step(0.4)
        steps += 1
    assert steps == math.ceil(10.0 / 3.5 / 0.4)
    assert agent.position == (17.0, 0.0, 1.0)


def test_a_crossing_the_host_animates_waits_for_the_host():
    cells = [*((x, 0) for x in range(4)), (8, 0), (9, 0)]
    mesh = cell_mesh(cells, links=[OffMeshLink((7, 0, 1), (17, 0, 1))])
    crowd, agent = one(mesh, (5, 0, 1), (19, 0, 1), ALONE.replace(path=FollowerOptions(off_mesh_mode=OffMeshMode.HOST)))
    while agent.state == MOVING:
        crowd.step(DT)
    for _ in range(100):
        crowd.step(DT)
    assert (agent.state, agent.position) == (FollowerState.OFF_MESH_LINK, (7.0, 0.0, 1.0))
    agent.complete_off_mesh_link()
    assert agent.position == (17.0, 0.0, 1.0)


def test_the_agent_stays_on_the_mesh_through_every_corner():
    field = maze(8, seed=6, loops=3)
    query = NavMeshQuery(field.mesh)
    crowd, agent = one(field.mesh, (1, 0, 1), (29, 0, 29))
    while agent.state == MOVING:
        crowd.step(0.1)
        ref, point = query.find_nearest_poly(agent.position, (0.01, 0.01, 0.01))
        assert ref
        assert is_on_surface(query, ref, agent.position)
        assert flat_distance(point, agent.position) <= 1e-9
        assert crowd.step_count < 3000
    assert agent.reached_target


def test_remaining_distance_counts_down_by_the_displacement():
    crowd, agent = one(grid(10, 10).mesh, (1, 0, 1), (17, 0, 13))
    crowd.step(DT)
    while agent.state == MOVING:
        before = agent.remaining_distance
        crowd.step(DT)
        assert agent.remaining_distance <= before
        if agent.state == MOVING:
            left = flat_distance(agent.position, (17, 0, 13))
            assert agent.remaining_distance == pytest.approx(left, abs=1e-9)


def test_a_corridor_cut_to_its_capacity_is_extended_when_a_quarter_has_been_walked():
    crowd, _agent = one(strip_query(200).mesh, (1, 0, 1), (399, 0, 1), ALONE.replace(
        max_speed=20.0, max_acceleration=1e4, path=FollowerOptions(corridor_capacity=64)))
    lengths = []
    for _ in range(300):
        crowd.step(0.05)
        lengths.append(corridor_length(crowd))
    assert lengths[0] in (63, 64)
    grown = [(a, b) for a, b in pairwise(lengths) if b > a]
    assert len(grown) >= 2
    # The step that extends may walk on into the next quad; the last extension reaches the target.
    assert all(47 <= a <= 49 for a, _b in grown)
    assert all(63 <= b <= 64 for _a, b in grown[:-1])


def test_a_corridor_of_fewer_than_16_polygons_is_extended_at_once():
    crowd, agent = one(strip_query(60).mesh, (1, 0, 1), (119, 0, 1), ALONE.replace(
        max_speed=10.0, max_acceleration=1e4, path=FollowerOptions(corridor_capacity=12)))
    for _ in range(40):
        crowd.step(0.05)
        assert agent.position[0] > 110 or corridor_length(crowd) >= 11


def test_an_agent_within_its_arrival_radius_of_a_cut_end_does_not_wait_for_ever():
    # Quads of 5 cm: the end of a full corridor lies within the arrival radius all along.
    mesh = cell_mesh([(x, 0) for x in range(400)], cell=0.05)
    crowd, agent = one(mesh, (0.02, 0, 0.02), (19.9, 0, 0.02), ALONE.replace(
        arrival_radius=4.0, path=FollowerOptions(corridor_capacity=64)))
    for _ in range(900):
        crowd.step(DT)
    assert agent.state == ARRIVED
    assert agent.reached_target
    assert 15.5 < agent.position[0]


def test_a_standing_agent_whose_ground_is_replaced_stands_on_the_new_ground():
    query = strip_query(6)
    crowd, agent = one(query.mesh, (3, 0, 1), None)
    query.mesh.replace_tile(query.mesh.tile_data(0, 0))
    crowd.step(DT)
    assert (agent.state, agent.position) == (FollowerState.IDLE, (3.0, 0.0, 1.0))
    assert seen(crowd).outlines == [query.mesh.poly_vertices(ref_at(query, 3, 1))]


def test_an_agent_that_makes_no_way_at_full_speed_counts_stuck_time_as_a_lone_one_does():
    wall = FollowerOptions(stuck_window=0.5, max_stuck_recoveries=0, stuck_progress=1.0, corner_clearance=0.0)
    crowd, agent = one(strip_query(30).mesh, (1, 0, 1), (59, 0, 1), ALONE.replace(path=wall, max_acceleration=1.0))
    for _ in range(40):
        crowd.step(DT)
    # Speeding up it made less than the full half second's way.
    assert agent.state == FollowerState.STUCK
