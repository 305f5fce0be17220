"""Shortcuts of a corridor: along a ray, and by a small search; when they are taken and when nothing changes."""

import random

import pytest
from corridor_tools import (
    connected,
    corridor_to,
    flat_distance,
    flat_length,
    grid,
    polygon_query,
    random_point,
    ref_at,
    strip_query,
)
from meshes import cell_mesh, scatter, two_floors
from mode import scaled

from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.state import CORRIDOR_HEAD
from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.options import AgentOptions
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery


def with_path(query, cells, end, capacity=256):
    """A complete corridor through the given cells, whether or not a search would go that way."""
    refs = [ref_at(query, 2 * x + 1, 2 * z + 1) for x, z in cells]
    corridor = PathCorridor(capacity)
    corridor.reset(refs[-1], end)
    content = bytearray(corridor.to_bytes())
    x, z = cells[0]
    head = PathCorridor(capacity)
    head.reset(refs[0], (2.0 * x + 1, 0.0, 2.0 * z + 1))
    content[10:34] = head.to_bytes()[10:34]
    content[6:10] = len(refs).to_bytes(4, "little")
    content[CORRIDOR_HEAD:] = b"".join(ref.to_bytes(8, "little") for ref in refs)
    corridor.read(bytes(content))
    assert corridor.path == refs
    return corridor


DETOUR = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (3, 1), (3, 0), (4, 0)]


def test_a_ray_that_meets_the_corridor_again_replaces_the_way_between():
    query = grid(5, 3)
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    assert corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 20.0)
    assert corridor.path == [ref_at(query, 2 * x + 1, 1) for x in range(5)]
    assert corridor.is_complete
    assert not corridor.needs_replan


def test_the_same_ray_again_changes_nothing():
    query = grid(5, 3)
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    assert corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 20.0)
    before = corridor.to_bytes()
    assert not corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 20.0)
    assert corridor.to_bytes() == before


def test_a_ray_is_cut_to_its_range():
    query = grid(5, 3)
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    assert not corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 4.0)
    assert corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 5.5)
    assert corridor.path[:4] == [ref_at(query, 2 * x + 1, 1) for x in range(4)]


@pytest.mark.parametrize(("budget", "changes"), [(3, False), (4, True), (5, True)])
def test_a_ray_crosses_no_more_polygons_than_its_budget(budget, changes):
    query = grid(5, 3)
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    assert corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 20.0, None, budget) == changes


def test_a_budget_below_two_counts_as_two():
    query = grid(3, 2)
    corridor = with_path(query, [(0, 0), (0, 1), (1, 1), (1, 0), (2, 0)], (5.0, 0.0, 1.0))
    assert not corridor.optimize_visibility(query, (1.5, 0.0, 1.0), 20.0, None, 0)
    assert corridor.optimize_visibility(query, (5.0, 0.0, 1.0), 20.0, None, 0)
    assert corridor.path == [ref_at(query, x, 1) for x in (1, 3, 5)]


def test_a_ray_stopped_by_a_wall_or_a_refused_polygon_changes_nothing():
    cells = [(x, z) for z in range(3) for x in range(5) if (x, z) not in ((2, 0), (2, 1))]
    query = NavMeshQuery(cell_mesh(cells))
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    before = corridor.to_bytes()
    assert not corridor.optimize_visibility(query, (9.0, 0.0, 1.0), 20.0)
    open_query = grid(5, 3)
    corridor = with_path(open_query, DETOUR, (9.0, 0.0, 1.0))
    open_query.mesh.set_poly_area(ref_at(open_query, 5, 1), 7)
    assert not corridor.optimize_visibility(open_query, (9.0, 0.0, 1.0), 20.0, QueryFilter(forbidden_areas=[7]))
    assert len(before) == CORRIDOR_HEAD + 8 * len(DETOUR)


def test_a_straight_detour_through_more_polygons_than_the_corridor_holds_is_no_shortcut():
    # A long quad beside a row of small ones: two polygons by the corridor, six along the ray.
    from meshes import polygon_mesh

    vertices = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1), (3, 0, 1),
                (4, 0, 1), (0, 0, 2), (4, 0, 2)]
    polygons = [[0, 1, 6, 5], [1, 2, 7, 6], [2, 3, 8, 7], [3, 4, 9, 8], [5, 6, 7, 8, 9, 11, 10]]
    query = NavMeshQuery(polygon_mesh(vertices, polygons))
    corridor = corridor_to(query, (0.5, 0, 0.9), (3.5, 0, 0.9), capacity=3)
    refs = [ref_at(query, 0.5, 0.5), ref_at(query, 2, 1.5), ref_at(query, 3.5, 0.5)]
    content = bytearray(corridor.to_bytes())
    content[CORRIDOR_HEAD:] = b"".join(ref.to_bytes(8, "little") for ref in refs)
    content[6:10] = (3).to_bytes(4, "little")
    content[58:66] = refs[-1].to_bytes(8, "little")
    content[1] = 1
    corridor.read(bytes(content))
    before = corridor.to_bytes()
    assert not corridor.optimize_visibility(query, (3.5, 0.0, 0.9), 10.0)
    assert corridor.to_bytes() == before


def test_a_search_finds_the_short_way_round_and_joins_it_to_the_rest():
    query = grid(7, 3)
    corridor = with_path(query, [*DETOUR, (5, 0), (6, 0)], (13.0, 0.0, 1.0))
    assert corridor.optimize_topology(query, None, 64, 9)
    assert corridor.path == [ref_at(query, 2 * x + 1, 1) for x in range(7)]
    assert corridor.is_complete
    assert not corridor.optimize_topology(query, None, 64, 9)


def test_an_unfinished_search_changes_nothing():
    query = grid(7, 3)
    corridor = with_path(query, [*DETOUR, (5, 0), (6, 0)], (13.0, 0.0, 1.0))
    before = corridor.to_bytes()
    assert not corridor.optimize_topology(query, None, 1, 64)
    assert corridor.to_bytes() == before


def test_a_search_needs_three_polygons():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (3, 0, 1))
    assert len(corridor.path) == 2
    assert not corridor.optimize_topology(query, None, 64, 64)


def test_a_search_goes_no_further_than_its_window():
    query = grid(5, 3)
    corridor = with_path(query, DETOUR, (9.0, 0.0, 1.0))
    # The first three polygons go straight up; the way to the third is short already.
    assert not corridor.optimize_topology(query, None, 64, 3)
    assert corridor.optimize_topology(query, None, 64, 9)


def test_a_route_that_is_cheaper_but_not_shorter_to_walk_is_left():
    # Straight on leads through dear ground; round it is cheaper and longer.
    query = grid(5, 3)
    for x in (1, 2, 3):
        query.mesh.set_poly_area(ref_at(query, 2 * x + 1, 3), 5)
    dear = QueryFilter(costs={5: 50.0})
    corridor = with_path(query, [(x, 1) for x in range(5)], (9.0, 0.0, 3.0))
    before = corridor.to_bytes()
    assert not corridor.optimize_topology(query, dear, 128, 64)
    assert corridor.to_bytes() == before


def test_loops_made_by_a_splice_are_cut():
    query = grid(4, 3)
    # Away from the target and back: the searched way to polygon 4 meets a polygon of the rest.
    cells = [(1, 1), (1, 2), (0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1), (3, 1)]
    corridor = with_path(query, cells, (7.0, 0.0, 3.0))
    assert corridor.optimize_topology(query, None, 64, 6)
    assert connected(query, corridor)
    assert corridor.path[-1] == ref_at(query, 7, 3)
    assert len(corridor.path) < len(cells)


def pulled(query, corridor):
    return flat_length([corner.point for corner in corridor.find_corners(query, 4000)])


@pytest.mark.parametrize("world", ["scatter", "two floors"])
def test_topology_only_ever_shortens(world):
    rng = random.Random(3)
    field = scatter(20) if world == "scatter" else two_floors(14, link_count=5)
    planner, query = polygon_query(field.mesh), NavMeshQuery(field.mesh)
    changed = 0
    for _ in range(scaled(300, 12)):
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        corridor = corridor_to(planner, start, end)
        if not corridor.is_complete:
            continue
        before, window = pulled(query, corridor), rng.choice([5, 16, 64])
        whole = len(corridor.path) <= window
        if corridor.optimize_topology(query, None, 2000, window):
            changed += 1
            assert connected(query, corridor)
            assert corridor.is_complete
            # A window that ends in the middle of the corridor shortens the way to there.
            if world == "scatter" and whole:
                assert pulled(query, corridor) < before * (1 - 0.99e-4)
    assert changed > 0


def test_visibility_shortens_well_over_four_times_as_often_as_it_lengthens():
    rng = random.Random(4)
    field = scatter(24)
    planner = polygon_query(field.mesh)
    shorter = longer = 0
    for _ in range(scaled(400, 40)):
        _ref, start = random_point(rng, planner, field.refs)
        _ref, end = random_point(rng, planner, field.refs)
        corridor = corridor_to(planner, start, end)
        for _ in range(6):
            # As a follower does it: at the farthest of its corners within the range, from wherever it has walked to.
            near = [corner.point for corner in corridor.find_corners(planner, 8)[1:]
                    if flat_distance(corner.point, corridor.position) <= 10.0]
            if not near:
                break
            before = pulled(planner, corridor)
            if corridor.optimize_visibility(planner, near[-1], 10.0, None, 16):
                assert connected(planner, corridor)
                after = pulled(planner, corridor)
                shorter += after < before - 1e-9
                longer += after > before + 1e-9
            corridor.move_position(planner, near[0])
    assert shorter >= scaled(20, 3)
    assert shorter > 4 * longer


@pytest.mark.parametrize("dt", [1 / 20, 1 / 10, 1 / 6, 1 / 4])
@pytest.mark.parametrize("start, goal", [((40, 0, 16), (1, 0, 16)), ((1, 0, 16), (40, 0, 16)),
                                         ((16, 0, 1), (16, 0, 40)), ((16, 0, 40), (16, 0, 1))])
def test_who_walks_along_a_row_of_corners_does_not_turn_back_at_one(start, goal, dt):
    """Case 32: with long ticks an agent passes where four polygons meet now on this side, now on the other."""
    crowd = Crowd(grid(24, 24).mesh)
    agent = crowd.add(start, AgentOptions.humanoid().replace(max_acceleration=1e3))
    assert agent.set_destination(goal)
    ahead = [(b > a) - (b < a) for a, b in zip(start, goal)]
    walked, ticks = 0.0, 0
    while agent.state == FollowerState.MOVING:
        before = agent.position
        crowd.step(dt)
        ticks += 1
        assert sum(way * (b - a) for way, a, b in zip(ahead, before, agent.position)) >= 0.0
        walked += flat_distance(before, agent.position)
    assert agent.reached_target
    assert walked < 1.03 * 39
    # Slowing down on the last metre takes three quarters of a second.
    assert ticks * dt < 39 / 3.5 + 0.75
