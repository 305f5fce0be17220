"""Moving the agent and the target along a corridor: what is trimmed, what is grown, what is refused."""

import random

import pytest
from corridor_tools import (
    connected,
    corridor_to,
    grid,
    is_on_surface,
    random_point,
    ref_at,
    strip_query,
)
from meshes import maze, polygon_mesh, scatter, two_floors
from mode import scaled

from onepath.corridors.path_corridor import PathCorridor
from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import CornerFlag


def test_a_new_corridor_is_empty_and_refuses_to_move():
    query = strip_query(3)
    corridor = PathCorridor()
    assert (corridor.capacity, corridor.path, corridor.is_complete, corridor.needs_replan) == (256, [], False, False)
    assert not corridor.move_position(query, (1.0, 0.0, 1.0))
    assert not corridor.move_along(query, (1.0, 0.0, 1.0), 4)
    assert corridor.find_corners(query) is None
    assert not corridor.optimize_visibility(query, (1.0, 0.0, 1.0), 10.0)
    assert not corridor.optimize_topology(query)


@pytest.mark.parametrize("capacity", [1, 0, -5, 4097, 2.5, None])
def test_a_capacity_out_of_range_is_named(capacity):
    with pytest.raises(OutOfRangeError) as caught:
        PathCorridor(capacity)
    assert caught.value.field == "capacity"


@pytest.mark.parametrize("bad", [(float("nan"), 0, 0), (0, float("inf"), 0), (0, 0, 2.0**21), (1, 2), "abc", None])
def test_a_bad_position_is_named_and_changes_nothing(bad):
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    before = corridor.to_bytes()
    calls = {
        "to": [lambda: corridor.move_position(query, bad), lambda: corridor.move_target(query, bad),
               lambda: corridor.move_along(query, bad, 2), lambda: corridor.set_target(query, bad)],
        "point": [lambda: corridor.optimize_visibility(query, bad, 5.0)],
        "position": [lambda: corridor.reset(corridor.path[0], bad)],
    }  # fmt: skip
    for name, group in calls.items():
        for call in group:
            with pytest.raises(OutOfRangeError) as caught:
                call()
            assert caught.value.field == name
    assert corridor.to_bytes() == before


def test_budgets_windows_and_extents_out_of_range_are_named():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    before = corridor.to_bytes()
    for name, call in {
        "budget": lambda: corridor.replan(query, None, 0),
        "extents": lambda: corridor.replan(query, None, 10, (1, 0, 1)),
        "window": lambda: corridor.optimize_topology(query, None, 32, 2),
        "look_ahead": lambda: corridor.validate(query, None, 0),
        "limit": lambda: corridor.move_along(query, (1, 0, 1), 0),
        "range": lambda: corridor.optimize_visibility(query, (1, 0, 1), -1.0),
        "max_corners": lambda: corridor.find_corners(query, 0),
    }.items():
        with pytest.raises(OutOfRangeError) as caught:
            call()
        assert caught.value.field == name
    assert corridor.to_bytes() == before


@pytest.mark.parametrize("ref", [0, -1, 1 << 64, "7", None, 2.0])
def test_something_that_cannot_be_a_reference_does_not_reset(ref):
    corridor = PathCorridor()
    assert not corridor.reset(ref, (0, 0, 0))
    assert corridor.path == []


def test_a_query_or_filter_of_another_type_is_a_type_error():
    corridor = PathCorridor()
    with pytest.raises(TypeError):
        corridor.move_position("query", (0, 0, 0))
    with pytest.raises(TypeError):
        corridor.move_position(strip_query(2), (0, 0, 0), "filter")


def test_walking_ahead_trims_the_polygons_walked():
    query = strip_query(6)
    corridor = corridor_to(query, (1, 0, 1), (11, 0, 1))
    path = corridor.path
    assert len(path) == 6
    assert corridor.move_position(query, (5, 0, 0.5))
    assert corridor.path == path[2:]
    assert corridor.position == (5.0, 0.0, 0.5)
    assert corridor.is_complete
    assert not corridor.needs_replan


def test_a_step_aside_leads_back_through_the_polygons_walked():
    query = grid(4, 2)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    path = corridor.path
    assert corridor.move_position(query, (1, 0, 3))
    assert corridor.path == [ref_at(query, 1, 3), *path]
    assert corridor.move_position(query, (3, 0, 3))
    assert connected(query, corridor)
    assert corridor.path[0] == ref_at(query, 3, 3)
    assert corridor.path[-1] == path[-1]
    assert corridor.is_complete


def test_a_step_back_behind_the_start_is_led_back():
    query = strip_query(6)
    corridor = corridor_to(query, (7, 0, 1), (11, 0, 1))
    path = corridor.path
    assert corridor.move_position(query, (3, 0, 1))
    assert corridor.path == [ref_at(query, 3, 1), ref_at(query, 5, 1), *path]


def test_walking_into_a_wall_slides_along_it_and_stays_on_the_mesh():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    assert corridor.move_position(query, (3.0, 0.0, -5.0))
    assert corridor.position == pytest.approx((3.0, 0.0, 0.0))
    assert is_on_surface(query, corridor.path[0], corridor.position)


def test_a_walk_through_more_polygons_than_the_corridor_holds_is_refused():
    query = strip_query(9)
    corridor = corridor_to(query, (17, 0, 1), (17, 0, 1), capacity=4)
    before = corridor.to_bytes()
    assert not corridor.move_position(query, (1, 0, 1))
    assert corridor.to_bytes() == before
    assert corridor.move_position(query, (11, 0, 1))
    assert len(corridor.path) == 4


def test_a_far_end_that_no_longer_fits_is_cut_and_a_replan_wanted():
    query = strip_query(9)
    corridor = corridor_to(query, (9, 0, 1), (15, 0, 1), capacity=4)
    path = corridor.path
    assert len(path) == 4
    assert corridor.is_complete
    assert corridor.move_position(query, (7, 0, 1))
    assert corridor.path == [ref_at(query, 7, 1), *path[:3]]
    assert not corridor.is_complete
    assert corridor.needs_replan


def test_a_stale_or_refused_first_polygon_refuses_to_move():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    before = corridor.to_bytes()
    assert not corridor.move_position(query, (3, 0, 1), QueryFilter(include=2))
    query.mesh.replace_tile(query.mesh.tile_data(0, 0))
    assert not corridor.move_position(query, (3, 0, 1))
    assert not corridor.move_along(query, (3, 0, 1), 4)
    assert corridor.to_bytes() == before


def test_the_target_walked_ahead_lengthens_the_corridor():
    query = strip_query(6)
    corridor = corridor_to(query, (1, 0, 1), (5, 0, 1))
    assert corridor.move_target(query, (9, 0, 0.5))
    assert corridor.path == [ref_at(query, x, 1) for x in (1, 3, 5, 7, 9)]
    assert corridor.target == (9.0, 0.0, 0.5)
    assert corridor.target_ref == corridor.path[-1]
    assert corridor.is_complete


def test_the_target_walked_back_shortens_the_corridor_and_past_the_agent_turns_it_round():
    query = strip_query(6)
    corridor = corridor_to(query, (5, 0, 1), (11, 0, 1))
    assert corridor.move_target(query, (7, 0, 1))
    assert corridor.path == [ref_at(query, x, 1) for x in (5, 7)]
    assert corridor.move_target(query, (1, 0, 1))
    assert corridor.path == [ref_at(query, x, 1) for x in (5, 3, 1)]
    assert corridor.is_complete


def test_a_target_walk_that_would_not_fit_is_refused():
    query = strip_query(9)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1), capacity=5)
    before = corridor.to_bytes()
    assert not corridor.move_target(query, (17, 0, 1))
    assert corridor.to_bytes() == before
    assert corridor.move_target(query, (9, 0, 1))
    assert len(corridor.path) == 5


def test_the_target_of_an_incomplete_corridor_is_only_recorded():
    query = strip_query(6)
    corridor = corridor_to(query, (1, 0, 1), (5, 0, 1))
    corridor.set_target(query, (9, 0, 1))
    path = corridor.path
    assert corridor.move_target(query, (30.0, 0.0, 1.0))
    assert (corridor.path, corridor.target, corridor.target_ref) == (path, (30.0, 0.0, 1.0), 0)
    assert corridor.needs_replan
    assert not corridor.is_complete


def test_a_stale_target_polygon_refuses_to_move_the_target():
    query = strip_query(6, tile_cells=3)
    corridor = corridor_to(query, (1, 0, 1), (11, 0, 1))
    query.mesh.replace_tile(query.mesh.tile_data(1, 0))
    before = corridor.to_bytes()
    assert not corridor.move_target(query, (9, 0, 1))
    assert corridor.to_bytes() == before


def test_move_along_takes_the_agent_to_a_place_of_the_corridor_without_tracing():
    query = strip_query(6)
    corridor = corridor_to(query, (1, 0, 1), (11, 0, 1))
    path = corridor.path
    assert not corridor.move_along(query, (7, 0, 1), 3)
    assert corridor.path == path
    assert corridor.move_along(query, (7, 0, 1), 4)
    assert (corridor.path, corridor.position) == (path[3:], (7.0, 0.0, 1.0))
    assert not corridor.move_along(query, (7, 0, 2.5), 6)


def test_move_along_takes_the_furthest_polygon_on_a_tie():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 1), (7, 0, 1))
    path = corridor.path
    assert corridor.move_along(query, (4.0, 0.0, 1.0), 4)
    assert corridor.path == path[2:]


@pytest.mark.parametrize(("outside", "holds"), [(5e-8, True), (2e-7, False)])
def test_move_along_forgives_a_rounding_error_at_the_outline(outside, holds):
    query = strip_query(3)
    corridor = corridor_to(query, (1, 0, 1), (5, 0, 1))
    assert corridor.move_along(query, (3.0, 0.0, 2.0 + outside), 3) == holds
    if holds:
        assert corridor.position == (3.0, 0.0, 2.0)


def spiral():
    """Ground [0, 4] × [0, 2], a ramp up to 3 at x = 8, and a way round it back to a floor right above the ground."""
    number = {}

    def quad(x0, z0, x1, z1, low=3.0, high=3.0):
        corners = [(x0, low, z0), (x1, high, z0), (x1, high, z1), (x0, low, z1)]
        return [number.setdefault(corner, len(number)) for corner in corners]

    quads = [quad(0, 0, 4, 2, 0.0, 0.0), quad(4, 0, 8, 2, 0.0, 3.0), quad(8, 0, 10, 2), quad(8, 2, 10, 4),
             quad(4, 2, 8, 4), quad(0, 2, 4, 4), quad(0, 0, 4, 2)]  # fmt: skip
    return NavMeshQuery(polygon_mesh(list(number), quads))


@pytest.mark.parametrize(("height", "place"), [(0.0, 0), (1.4, 0), (1.5, 6), (1.6, 6), (3.0, 6)])
def test_move_along_takes_the_surface_nearest_in_height_the_furthest_along_on_a_tie(height, place):
    query = spiral()
    corridor = corridor_to(query, (1, 0, 1), (1, 3, 1))
    path = corridor.path
    assert len(path) == 7
    assert corridor.move_along(query, (2.0, height, 1.0), 7)
    assert corridor.path == path[place:]
    assert corridor.position == (2.0, 3.0 if place else 0.0, 1.0)


def test_the_first_corner_is_the_position_and_the_last_the_target():
    query = strip_query(5)
    corridor = corridor_to(query, (1, 0, 0.5), (9, 0, 1.5))
    corners = corridor.find_corners(query)
    assert [corner.point for corner in corners] == [(1.0, 0.0, 0.5), (9.0, 0.0, 1.5)]
    assert [corner.flags for corner in corners] == [CornerFlag.START, CornerFlag.END]
    assert corners[0].ref == corridor.path[0]
    assert corners[1].ref == corridor.path[-1]


def test_the_last_corner_of_an_incomplete_corridor_is_its_nearest_point_to_the_target():
    query = strip_query(9)
    corridor = corridor_to(query, (1, 0, 1), (17, 0, 1), capacity=3)
    corners = corridor.find_corners(query)
    assert corners[-1].point == pytest.approx((6.0, 0.0, 1.0))
    assert corners[-1].flags & CornerFlag.END


def test_position_and_target_in_one_place_are_one_corner_with_both_flags():
    query = strip_query(2)
    corridor = corridor_to(query, (1, 0, 1), (1, 0, 1))
    assert [corner.flags for corner in corridor.find_corners(query)] == [CornerFlag.START | CornerFlag.END]


def test_a_broken_corridor_has_no_corners():
    query = strip_query(6, tile_cells=3)
    corridor = corridor_to(query, (1, 0, 1), (11, 0, 1))
    assert len(corridor.find_corners(query)) == 2
    query.mesh.remove_tile(1, 0)
    assert corridor.find_corners(query) is None


def test_corners_beyond_the_most_asked_for_are_left_out():
    query = NavMeshQuery(maze(8, seed=3, loops=0).mesh)
    corridor = corridor_to(query, (1, 0, 1), (29, 0, 29))
    corners = corridor.find_corners(query)
    assert len(corners) > 4
    assert corridor.find_corners(query, 3) == corners[:3]


def test_moving_about_at_random_keeps_the_corridor_whole():
    rng = random.Random(9)
    for field in (scatter(16), two_floors(12, link_count=4)):
        query = NavMeshQuery(field.mesh)
        for _ in range(scaled(20, 4)):
            _ref, start = random_point(rng, query, field.refs)
            _ref, end = random_point(rng, query, field.refs)
            corridor = corridor_to(query, start, end, capacity=rng.choice([8, 24, 256]))
            for _ in range(40):
                base = corridor.target if rng.random() < 0.4 else corridor.position
                to = (base[0] + rng.uniform(-6, 6), base[1], base[2] + rng.uniform(-6, 6))
                if base == corridor.target:
                    corridor.move_target(query, to)
                else:
                    corridor.move_position(query, to)
                assert connected(query, corridor)
                assert len(corridor.path) <= corridor.capacity
                assert is_on_surface(query, corridor.path[0], corridor.position)
                assert corridor.is_complete == (corridor.path[-1] == corridor.target_ref and not corridor.needs_replan)
