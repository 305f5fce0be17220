"""A follower on ground that changes: stages 1 to 3, budgets and rounds, and that it never freezes in silence."""

import random

import pytest
from corridor_tools import (
    DT,
    flat_length,
    is_on_surface,
    placed,
    polygon_query,
    random_point,
    ref_at,
    sent,
    strip_query,
    walk,
)
from meshes import cell_mesh, scatter, strip
from mode import scaled

from onepath.corridors.options import FollowerOptions
from onepath.corridors.states import FollowerState, ReplanStatus
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery

MOVING, ARRIVED, NO_PATH = FollowerState.MOVING, FollowerState.ARRIVED, FollowerState.NO_PATH
PLAIN = FollowerOptions(optimize_interval=0, topology_interval=0)


def ring():
    """Two rows of 8 joined at both ends, in tiles of 2 × 3 cells: a short way (z = 0) and one round (z = 2)."""
    cells = [(x, z) for x in range(8) for z in (0, 2)] + [(0, 1), (7, 1)]
    return NavMeshQuery(cell_mesh(cells, tile_cells=2))


def test_the_way_closed_ahead_is_gone_round():
    query = ring()
    follower = sent(query, (1, 0, 1), (15, 0, 1))
    for _ in range(20):
        follower.step(query, DT)
    for ref in (ref_at(query, 9, 1), ref_at(query, 11, 1)):
        query.mesh.set_poly_flags(ref, 0)
    walk(query, follower)
    assert follower.reached_target


def test_a_break_beyond_the_look_ahead_is_repaired_when_the_corners_meet_it():
    query = ring()
    follower = sent(query, (1, 0, 1), (15, 0, 1), PLAIN.replace(validate_look_ahead=1))
    follower.step(query, DT)
    stood = follower.position
    query.mesh.remove_tile(2, 0)
    assert follower.step(query, DT) == MOVING
    assert follower.position == stood
    assert len(follower.corridor.path) == 4
    assert follower.corridor.needs_replan
    walk(query, follower)
    assert follower.state == ARRIVED


def test_the_middle_goes_and_returns_and_the_agent_arrives():
    query = strip_query(12, tile_cells=2)
    follower = sent(query, (1, 0, 1), (23, 0, 1))
    for _ in range(30):
        follower.step(query, DT)
    middle = query.mesh.remove_tile(3, 0)
    walk(query, follower)
    assert (follower.state, follower.reached_target) == (ARRIVED, False)
    assert follower.position[0] == pytest.approx(12.0, abs=0.02)
    query.mesh.add_tile(middle)
    assert follower.set_destination(query, (23, 0, 1))
    walk(query, follower)
    assert follower.reached_target


def test_ground_replaced_by_the_same_ground_every_second_changes_nothing_about_the_walk():
    query, still = (strip_query(20, tile_cells=4) for _ in range(2))
    follower, quiet = sent(query, (1, 0, 1), (39, 0, 1)), sent(still, (1, 0, 1), (39, 0, 1))
    for number in range(800):
        if number % 60 == 59:
            for tile in query.mesh.tiles():
                query.mesh.replace_tile(query.mesh.tile_data(*tile))
        follower.step(query, DT)
        quiet.step(still, DT)
        assert follower.position == quiet.position
        assert follower.velocity == quiet.velocity
        assert all(query.mesh.is_valid_ref(ref) for ref in follower.corridor.path[:8])
    assert follower.reached_target


def test_the_polygon_under_the_agent_goes_and_it_moves_to_the_nearest_edge():
    query = strip_query(12, tile_cells=2)
    follower = sent(query, (7, 0, 1), (23, 0, 1))
    query.mesh.remove_tile(1, 0)
    follower.step(query, DT)
    assert follower.position[0] == pytest.approx(8.0, abs=0.1)
    assert is_on_surface(query, follower.corridor.path[0], follower.position)
    walk(query, follower)
    assert follower.reached_target


@pytest.mark.parametrize("going", [True, False])
def test_without_ground_near_the_state_says_so(going):
    query = strip_query(12, tile_cells=6)
    follower = placed(query, (3, 0, 1))
    if going:
        follower.set_destination(query, (23, 0, 1))
    query.mesh.remove_tile(0, 0)
    assert follower.step(query, DT) == NO_PATH
    assert follower.velocity == (0.0, 0.0, 0.0)


def test_an_agent_on_lost_ground_walks_again_when_the_ground_returns():
    query = strip_query(12, tile_cells=6)
    follower = sent(query, (3, 0, 1), (23, 0, 1))
    ground = query.mesh.remove_tile(0, 0)
    assert follower.step(query, DT) == NO_PATH
    assert follower.set_destination(query, (23, 0, 1))
    assert follower.step(query, DT) == NO_PATH
    query.mesh.add_tile(ground)
    assert follower.set_destination(query, (23, 0, 1))
    walk(query, follower)
    assert follower.reached_target


def test_a_standing_agent_s_ground_is_replaced_and_it_stands_where_it_stood():
    query = strip_query(4)
    follower = placed(query, (3, 0, 1))
    query.mesh.replace_tile(query.mesh.tile_data(0, 0))
    follower.step(query, DT)
    assert (follower.state, follower.position) == (FollowerState.IDLE, (3.0, 0.0, 1.0))
    assert query.mesh.is_valid_ref(follower.corridor.path[0])


def test_a_target_that_loses_its_ground_is_no_path():
    query = strip_query(12, tile_cells=2)
    follower = sent(query, (1, 0, 1), (23, 0, 1), FollowerOptions(validate_look_ahead=64))
    query.mesh.remove_tile(5, 0)
    query.mesh.remove_tile(4, 0)
    assert follower.step(query, DT) == NO_PATH
    assert follower.velocity == (0.0, 0.0, 0.0)


def test_a_filter_that_refuses_the_agent_s_ground_relocates_it():
    query = strip_query(6)
    follower = sent(query, (3.5, 0, 1), (11, 0, 1))
    query.mesh.set_poly_area(ref_at(query, 3, 1), 5)
    refusing = QueryFilter(forbidden_areas=[5])
    follower.step(query, DT, refusing)
    assert follower.position[0] >= 4.0
    walk(query, follower, filter=refusing)
    assert follower.reached_target


def test_an_unfinished_search_is_not_walked_and_its_budget_doubles():
    query = strip_query(100)
    follower = sent(query, (1, 0, 1), (199, 0, 1), PLAIN.replace(replan_budget=10))
    assert follower.corridor.needs_replan
    stood = 0
    while follower.corridor.needs_replan:
        follower.step(query, DT)
        stood += follower.position == (1.0, 0.0, 1.0)
        assert follower.velocity == (0.0, 0.0, 0.0) or not follower.corridor.needs_replan
    # 10 in the call itself, then 20, 40, 80 standing; 160 is enough.
    assert stood == 3
    assert rounds(follower) == 4
    walk(query, follower)
    assert follower.reached_target


def rounds(follower):
    return int.from_bytes(follower.to_bytes()[11:15], "little")


def test_too_many_unfinished_searches_are_no_path():
    query = strip_query(100)
    follower = sent(query, (1, 0, 1), (199, 0, 1), PLAIN.replace(replan_budget=1, max_replan_rounds=3))
    steps = 0
    while follower.state == MOVING:
        follower.step(query, DT)
        steps += 1
    assert (follower.state, steps, rounds(follower)) == (NO_PATH, 2, 3)
    assert follower.set_destination(query, (5, 0, 1))
    assert rounds(follower) == 1


def test_running_out_of_nodes_counts_as_a_round_and_the_part_found_is_walked():
    query = NavMeshQuery(strip(60), max_nodes=16)
    follower = sent(query, (1, 0, 1), (119, 0, 1), PLAIN)
    assert rounds(follower) == 1
    follower.step(query, DT)
    assert follower.position[0] > 1.0
    assert rounds(follower) == 2
    walk(query, follower)
    assert follower.reached_target


def test_an_agent_at_the_end_of_a_corridor_to_be_extended_waits_and_is_not_stuck():
    query = strip_query(100)
    options = PLAIN.replace(replan_budget=1, arrival_radius=0.5, stuck_window=0.05, max_stuck_recoveries=0)
    follower = sent(query, (1, 0, 1), (199, 0, 1), options)
    content = bytearray(follower.to_bytes())
    for _ in range(4):
        follower.step(query, DT)
    assert follower.state == MOVING
    assert follower.position == (1.0, 0.0, 1.0)
    assert follower.to_bytes()[19:27] == content[19:27]


def test_with_small_budgets_every_reachable_target_is_reached():
    rng = random.Random(31)
    field = scatter(16)
    for make in (NavMeshQuery, polygon_query):
        query = make(field.mesh)
        for _ in range(scaled(15, 2)):
            _ref, start = random_point(rng, query, field.refs)
            _ref, end = random_point(rng, query, field.refs)
            follower = sent(query, start, end, PLAIN.replace(replan_budget=rng.choice([1, 5, 40])))
            walk(query, follower, 0.05)
            assert follower.reached_target


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_under_a_walker_never_take_it_off_the_mesh(seed):
    rng = random.Random(seed)
    field = scatter(12, tile_cells=4)
    mesh = field.mesh
    query = NavMeshQuery(mesh)
    follower = placed(query, random_point(rng, query, field.refs)[1], FollowerOptions(search_extents=(9, 4, 9)))
    removed = []
    seen = set()
    for _ in range(scaled(1500, 150)):
        if rng.random() < 0.1:
            tiles = mesh.tiles()
            edit = rng.randrange(4)
            if edit == 0 and len(removed) < 3:
                removed.append(mesh.remove_tile(*rng.choice(tiles)))
            elif edit == 1 and removed:
                mesh.add_tile(removed.pop(rng.randrange(len(removed))))
            elif edit == 2:
                mesh.replace_tile(mesh.tile_data(*rng.choice(tiles)))
            else:
                mesh.set_poly_flags(rng.choice(mesh.tile_polygons(*rng.choice(tiles))), rng.choice([0, 1, 1, 1]))
        if follower.state != MOVING or rng.random() < 0.02:
            refs = [ref for tile in mesh.tiles() for ref in mesh.tile_polygons(*tile)]
            follower.set_destination(query, random_point(rng, query, refs)[1])
        state = follower.step(query, 0.05)
        seen.add(state)
        if state != NO_PATH:
            assert mesh.is_valid_ref(follower.corridor.path[0])
            assert is_on_surface(query, follower.corridor.path[0], follower.position)
    assert MOVING in seen


def test_doors_that_toggle_twice_a_second_never_put_the_agent_off_the_mesh():
    query = ring()
    doors = [ref_at(query, 9, 1), ref_at(query, 9, 5)]
    # Turning round every second looks like being stuck, which is not what is asked here.
    follower = sent(query, (1, 0, 1), (15, 0, 1), FollowerOptions(stuck_window=0))
    for number in range(900):
        if number % 30 == 0:
            query.mesh.set_poly_flags(doors[0], number // 30 % 2)
            query.mesh.set_poly_flags(doors[1], 1 - number // 30 % 2)
        follower.step(query, DT)
        assert follower.state in (MOVING, ARRIVED)
        assert is_on_surface(query, follower.corridor.path[0], follower.position)
        if follower.state == ARRIVED and not follower.reached_target:
            follower.set_destination(query, (15, 0, 1))
    walk(query, follower)
    assert follower.reached_target


def test_a_polygon_node_replan_is_refined_at_once():
    rng = random.Random(3)
    field = scatter(24)
    query = polygon_query(field.mesh)
    differ = 0
    for _ in range(scaled(120, 12)):
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        plain = sent(query, start, end, PLAIN.replace(refine_budget=0))
        refined = sent(query, start, end, PLAIN.replace(refine_budget=2000))
        before, after = (flat_length([corner.point for corner in walker.corridor.find_corners(query, 4000)])
                         for walker in (plain, refined))  # fmt: skip
        assert refined.corridor.is_complete
        assert after <= before
        differ += after < before
    assert differ > 0


def test_an_unreachable_island_in_a_large_field_is_given_up_in_bounded_steps():
    width = scaled(60, 16)
    cells = [(x, z) for x in range(width) for z in range(width)] + [(width + 4, 4)]
    query = NavMeshQuery(cell_mesh(cells), max_nodes=scaled(16384, 2048))
    follower = sent(query, (1, 0, 1), (2.0 * width + 9, 0, 9), FollowerOptions(max_speed=20.0))
    points = walk(query, follower, 0.1)
    assert (follower.state, follower.reached_target) == (ARRIVED, False)
    assert points[-1][0] == pytest.approx(2.0 * width, abs=0.02)


def test_the_first_tick_after_placing_moves():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    assert follower.step(query, DT) == MOVING
    assert follower.velocity[0] > 0.0
    assert follower.corridor.replan(query) == ReplanStatus.SUCCESS
