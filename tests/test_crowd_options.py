"""Settings of agents and crowds: presets, ranges, and the follower they lead to."""

import math
from dataclasses import FrozenInstanceError

import pytest

from onepath.corridors.options import FollowerOptions
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.errors import OutOfRangeError


def test_the_presets_have_the_stated_values():
    humanoid, small, large = AgentOptions.humanoid(), AgentOptions.small(), AgentOptions.large()
    assert (humanoid.radius, humanoid.max_speed, humanoid.max_acceleration) == (0.6, 3.5, 8)
    assert humanoid.arrival_radius == 0.25
    assert (humanoid.priority, humanoid.quality, humanoid.wall_clearance) == (1, AvoidanceQuality.MEDIUM, 0.05)
    assert (humanoid.separation_distance, humanoid.separation_weight, humanoid.side_preference) == (0, 0.3, 0.05)
    assert (small.radius, small.max_speed, small.max_acceleration, small.arrival_radius) == (0.3, 2.5, 6, 0.3)
    assert (large.radius, large.max_speed, large.max_acceleration, large.arrival_radius) == (1.5, 3, 5, 0.6)
    for preset in (humanoid, small, large):
        assert not (preset.group_arrival or preset.yield_and_return or preset.height or preset.squeeze)


def test_a_crowd_has_the_stated_defaults():
    options = CrowdOptions()
    assert (options.max_agents, options.max_threads, options.filter) == (65536, 1, None)
    assert (options.max_query_nodes, options.max_walls_per_agent, options.wall_refresh_distance) == (16384, 48, 1.0)
    assert (options.max_walls_avoided, options.record_constraints, options.replan_budget_per_step) == (8, False, 0)
    assert (options.wall_horizon, options.queue_at_links) == (0.5, False)


def test_quality_sets_neighbours_and_horizon():
    assert [quality.max_neighbors for quality in AvoidanceQuality] == [0, 4, 8, 12]
    assert [quality.time_horizon for quality in AvoidanceQuality] == [0.0, 1.5, 2.0, 2.5]


def test_neighbours_are_looked_for_as_far_as_two_agents_can_meet_within_the_horizon():
    assert AgentOptions().neighbor_distance == 2 * 0.6 + 3.5 * 2.0
    assert AgentOptions(separation_distance=20.0).neighbor_distance == 20.0
    assert AgentOptions(quality=AvoidanceQuality.HIGH).wall_reach == 1.25 * 3.5 + 0.05


def test_the_follower_is_a_humanoid_that_stands_in_queues():
    follower = AgentOptions(max_speed=2.0, max_acceleration=3.0, arrival_radius=0.4).to_follower_options()
    assert (follower.max_speed, follower.max_acceleration, follower.arrival_radius) == (2.0, 3.0, 0.4)
    assert (follower.corridor_capacity, follower.stuck_window) == (64, 0.0)
    assert follower.off_mesh_trigger_radius == 1.2
    assert follower.corner_clearance == pytest.approx(0.11)


def test_path_options_are_kept_but_for_what_the_agent_sets():
    path = FollowerOptions(corridor_capacity=128, stuck_window=2.0, off_mesh_trigger_radius=5.0, slow_radius=0.5)
    follower = AgentOptions(path=path).to_follower_options()
    assert (follower.corridor_capacity, follower.stuck_window) == (128, 2.0)
    assert (follower.off_mesh_trigger_radius, follower.slow_radius) == (5.0, 0.5)
    assert follower.max_speed == 3.5


@pytest.mark.parametrize("field", [
    "radius", "height", "max_speed", "max_acceleration", "arrival_radius", "priority", "wall_clearance",
    "separation_distance", "separation_weight", "side_preference", "squeeze", "quality", "group_arrival",
    "yield_and_return",
    "path",
])
def test_agent_settings_out_of_range_are_named(field):
    for bad in (math.nan, math.inf, -math.inf, 1e10, -3.0, "big"):
        with pytest.raises(OutOfRangeError) as caught:
            AgentOptions(**{field: bad})
        assert caught.value.field == field


@pytest.mark.parametrize("field", ["radius", "max_speed", "max_acceleration", "priority"])
def test_some_settings_must_be_above_zero(field):
    with pytest.raises(OutOfRangeError):
        AgentOptions(**{field: 0.0})


@pytest.mark.parametrize(("field", "bad"), [
    ("max_agents", 0), ("max_agents", 2.5), ("max_threads", 0), ("max_threads", 65), ("max_query_nodes", 1),
    ("max_walls_per_agent", 0), ("max_walls_per_agent", 257), ("wall_refresh_distance", -1.0),
    ("wall_refresh_distance", math.nan), ("max_walls_avoided", -1), ("record_constraints", 2),
    ("replan_budget_per_step", -1), ("wall_horizon", 0.0), ("wall_horizon", 1.5),
    ("queue_at_links", 2), ("queue_at_links", None),
])
def test_crowd_settings_out_of_range_are_named(field, bad):
    with pytest.raises(OutOfRangeError) as caught:
        CrowdOptions(**{field: bad})
    assert caught.value.field == field


def test_a_filter_is_a_filter():
    with pytest.raises(TypeError):
        CrowdOptions(filter=lambda ref: True)


def test_options_are_frozen_and_replaced_with_a_check():
    options = AgentOptions()
    with pytest.raises(FrozenInstanceError):
        options.radius = 1.0
    assert options.replace(radius=1.0).radius == 1.0
    with pytest.raises(OutOfRangeError):
        options.replace(radius=-1.0)
    assert CrowdOptions().replace(max_threads=4).max_threads == 4
