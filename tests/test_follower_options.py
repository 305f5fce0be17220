"""Follower options: the documented defaults and presets, copies, and ranges that name their field."""

import dataclasses

import pytest

from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.errors import OutOfRangeError

DEFAULTS = {
    "max_speed": 3.5, "max_acceleration": 8.0, "slow_radius": 1.0, "arrival_min_speed": 0.25, "arrival_radius": 0.01,
    "max_corners": 8, "validate_look_ahead": 8, "optimize_interval": 4, "optimize_range": 10.0, "optimize_budget": 16,
    "topology_interval": 16, "topology_budget": 32, "replan_budget": 2048, "max_replan_rounds": 16,
    "stuck_window": 1.0, "stuck_progress": 0.1, "max_stuck_recoveries": 2, "off_mesh_mode": OffMeshMode.AUTOMATIC,
    "off_mesh_speed": 3.5, "off_mesh_trigger_radius": 0.05, "search_extents": (2.0, 4.0, 2.0),
    "corridor_capacity": 256, "refine_budget": 128, "corner_clearance": 0.0,
}  # fmt: skip


def test_humanoid_has_the_documented_defaults_in_their_order():
    assert list(dataclasses.asdict(FollowerOptions.humanoid()).items()) == list(DEFAULTS.items())
    assert FollowerOptions() == FollowerOptions.humanoid()


def test_small_differs_in_four_fields():
    small = dataclasses.asdict(FollowerOptions.small())
    differing = {name: value for name, value in small.items() if value != DEFAULTS[name]}
    assert differing == {"max_speed": 2.5, "max_acceleration": 6.0, "slow_radius": 0.5, "off_mesh_speed": 2.5}


def test_replace_gives_a_changed_and_checked_copy():
    options = FollowerOptions.humanoid()
    assert options.replace(max_speed=7).max_speed == 7.0
    assert options.max_speed == 3.5
    with pytest.raises(OutOfRangeError):
        options.replace(max_speed=0)
    with pytest.raises(TypeError):
        options.replace(speed=1.0)


def test_options_cannot_be_changed_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        FollowerOptions().max_speed = 1.0


BAD_NUMBER = [float("nan"), float("inf"), -1.0, "fast", None, 1e30]


@pytest.mark.parametrize("value", BAD_NUMBER)
@pytest.mark.parametrize("name", [name for name, value in DEFAULTS.items() if isinstance(value, float)])
def test_a_number_out_of_range_is_named(name, value):
    with pytest.raises(OutOfRangeError) as caught:
        FollowerOptions(**{name: value})
    assert caught.value.field == name


@pytest.mark.parametrize("value", [-1, 1 << 40, 2.5, "many", None])
@pytest.mark.parametrize("name", [name for name, value in DEFAULTS.items() if type(value) is int])
def test_an_integer_out_of_range_is_named(name, value):
    with pytest.raises(OutOfRangeError) as caught:
        FollowerOptions(**{name: value})
    assert caught.value.field == name


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_speed", 0), ("max_acceleration", 0), ("off_mesh_speed", 0), ("corridor_capacity", 1),
     ("corridor_capacity", 4097), ("max_corners", 2), ("validate_look_ahead", 0), ("replan_budget", 0),
     ("max_replan_rounds", 0), ("stuck_progress", 1.5), ("off_mesh_mode", 2), ("off_mesh_mode", "host"),
     ("search_extents", (1, 2)), ("search_extents", (1, 0, 1)), ("search_extents", 3), ("search_extents", (1, 2, "x"))],
)  # fmt: skip
def test_the_edges_of_ranges_that_leave_something_out_are_named(name, value):
    with pytest.raises(OutOfRangeError) as caught:
        FollowerOptions(**{name: value})
    assert caught.value.field == name


def test_zero_switches_off_what_may_be_switched_off():
    names = ("slow_radius", "arrival_min_speed", "arrival_radius", "optimize_interval", "topology_interval",
             "refine_budget", "stuck_window", "max_stuck_recoveries", "corner_clearance",
             "off_mesh_trigger_radius")  # fmt: skip
    options = FollowerOptions(**dict.fromkeys(names, 0))
    assert all(getattr(options, name) == 0 for name in names)
