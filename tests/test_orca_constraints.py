"""Half-planes of velocity space: against one neighbour and against one wall piece."""

import math
import random

import pytest

from onepath.errors import OutOfRangeError
from onepath.orca.constraints import OrcaConstraints


def signed_distance(half_plane, velocity):
    return sum(n * (v - p) for n, v, p in zip(half_plane.normal, velocity, half_plane.point))


def first_contact(position, velocity, radius):
    """Time at which a point moving from the origin reaches the disc around ``position``, or infinity."""
    a = velocity[0] ** 2 + velocity[1] ** 2
    b = velocity[0] * position[0] + velocity[1] * position[1]
    room = b * b - a * (position[0] ** 2 + position[1] ** 2 - radius ** 2)
    if room <= 0.0 or b <= 0.0:
        return math.inf
    return (b - math.sqrt(room)) / a


def random_pair(rng):
    relative = (rng.uniform(-6, 6), rng.uniform(-6, 6))
    return relative, (rng.uniform(-3, 3), rng.uniform(-3, 3)), (rng.uniform(-3, 3), rng.uniform(-3, 3))


def test_two_agents_that_each_keep_their_half_do_not_touch_within_the_horizon():
    rng = random.Random(5)
    for _ in range(2000):
        relative, v_i, v_j = random_pair(rng)
        radius = rng.uniform(0.2, 1.5)
        if math.hypot(*relative) <= radius * 1.01:
            continue
        share = rng.uniform(0, 1)
        mine = OrcaConstraints.for_agent(relative, v_i, v_j, radius, 2.0, 0.1, share)
        other = OrcaConstraints.for_agent((-relative[0], -relative[1]), v_j, v_i, radius, 2.0, 0.1, 1 - share)
        # The points lie on the lines: choosing them is just enough, and any allowed velocity is at least as good.
        ahead = [(p[0] + 1e-6 * n[0], p[1] + 1e-6 * n[1]) for p, n in (mine, other)]
        contact = first_contact(relative, (ahead[0][0] - ahead[1][0], ahead[0][1] - ahead[1][1]), radius)
        assert contact >= 2.0 - 1e-4


def test_the_point_is_the_smallest_change_that_leaves_the_velocity_obstacle():
    rng = random.Random(6)
    for _ in range(300):
        relative, v_i, v_j = random_pair(rng)
        radius = 1.0
        if math.hypot(*relative) <= radius * 1.05:
            continue
        plane = OrcaConstraints.for_agent(relative, v_i, v_j, radius, 2.0, 0.1, 1.0)
        change = math.dist(plane.point, v_i)
        inside = first_contact(relative, (v_i[0] - v_j[0], v_i[1] - v_j[1]), radius) < 2.0
        assert (signed_distance(plane, v_i) < 0) == inside or change < 1e-9
        # No direction leaves (or, from outside, enters) the obstacle with a change shorter by a hundredth.
        for k in range(64):
            turn = 2 * math.pi * k / 64
            tried = (v_i[0] - v_j[0] + 0.99 * change * math.cos(turn), v_i[1] - v_j[1] + 0.99 * change * math.sin(turn))
            assert (first_contact(relative, tried, radius) < 2.0) == inside


def test_agents_that_overlap_are_apart_after_one_step():
    rng = random.Random(7)
    for _ in range(500):
        relative, v_i, v_j = random_pair(rng)
        relative = (relative[0] * 0.1, relative[1] * 0.1)
        mine = OrcaConstraints.for_agent(relative, v_i, v_j, 1.5, 2.0, 0.1, 0.25).point
        other = OrcaConstraints.for_agent((-relative[0], -relative[1]), v_j, v_i, 1.5, 2.0, 0.1, 0.75).point
        after = [relative[k] - 0.1 * (mine[k] - other[k]) for k in range(2)]
        assert math.hypot(*after) == pytest.approx(1.5, abs=1e-9)


def test_share_scales_the_change_and_zero_changes_nothing():
    arguments = ((2.0, 0.3), (1.0, 0.0), (-1.0, 0.2), 1.0, 2.0, 0.1)
    whole = OrcaConstraints.for_agent(*arguments, 1.0)
    third = OrcaConstraints.for_agent(*arguments, 1 / 3)
    assert OrcaConstraints.for_agent(*arguments, 0.0).point == (1.0, 0.0)
    assert third.normal == whole.normal
    for axis in range(2):
        assert third.point[axis] - arguments[1][axis] == pytest.approx((whole.point[axis] - arguments[1][axis]) / 3)


def test_an_undefined_direction_leads_straight_away_or_to_plus_x():
    away = OrcaConstraints.for_agent((0.0, 0.5), (0.0, 5.0), (0.0, 0.0), 1.0, 2.0, 0.1)
    assert away.normal == (0.0, -1.0)
    assert OrcaConstraints.for_agent((0, 0), (1, 1), (1, 1), 1.0, 2.0, 0.1).normal == (1.0, 0.0)
    assert OrcaConstraints.for_agent((0, 0), (0, 0), (0, 0), 0.0, 2.0, 0.1).point == (0.0, 0.0)


def test_three_component_vectors_ignore_height_and_give_three_components():
    flat = OrcaConstraints.for_agent((2.0, 0.3), (1.0, 0.0), (-1.0, 0.2), 1.0, 2.0, 0.1)
    tall = OrcaConstraints.for_agent((2.0, 9.0, 0.3), (1.0, -4.0, 0.0), (-1.0, 7.0, 0.2), 1.0, 2.0, 0.1)
    assert tall.point == (flat.point[0], 0.0, flat.point[1])
    assert tall.normal == (flat.normal[0], 0.0, flat.normal[1])


def test_a_wall_lets_the_agent_use_up_its_distance_less_the_clearance_in_the_horizon():
    # The walkable side of a→b is +Z when b lies along +X from a.
    plane = OrcaConstraints.for_boundary((5.0, 2.0), (0.0, 0.0), (10.0, 0.0), 0.05, 0.5)
    assert plane.normal == (0.0, 1.0)
    assert plane.point == pytest.approx((0.0, -(2.0 - 0.05) / 0.5))
    pushed = OrcaConstraints.for_boundary((5.0, 0.01), (0.0, 0.0), (10.0, 0.0), 0.05, 0.5)
    assert pushed.point == pytest.approx((0.0, 0.08))


def test_a_wall_faces_only_agents_on_its_walkable_side_and_between_its_ends():
    def faces(x, z):
        return OrcaConstraints.for_boundary((x, z), (0.0, 0.0), (10.0, 0.0), 0.05, 1.0) is not None

    assert faces(5.0, 1.0)
    assert faces(5.0, 0.0)
    assert faces(5.0, -0.9e-6)
    assert not faces(5.0, -1.1e-6)
    assert faces(0.0500011, 1.0)
    assert not faces(0.0500009, 1.0)
    assert faces(9.9499989, 1.0)
    assert not faces(9.9499991, 1.0)
    assert not faces(-1.0, 1.0)
    assert not faces(11.0, 1.0)


def test_a_wall_without_length_gives_no_constraint():
    assert OrcaConstraints.for_boundary((1, 1), (0, 0), (0, 0), 0.0, 1.0) is None
    assert OrcaConstraints.for_boundary((1, 1), (0, 0), (1e-160, 0), 0.0, 1.0) is None


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1e-20, 1.0, 1e20, 1e160, 1e300, 1.7e308])
def test_results_are_finite_and_normals_are_unit_at_every_magnitude(size):
    rng = random.Random(8)
    for _ in range(300):
        def number():
            return rng.choice([0.0, -size, size, size * rng.uniform(-1, 1), rng.uniform(-1, 1)])

        plane = OrcaConstraints.for_agent((number(), number()), (number(), number()), (number(), number()),
                                          abs(number()), max(abs(number()), 1e-300), max(abs(number()), 1e-300))
        wall = OrcaConstraints.for_boundary((number(), number()), (number(), number()), (number(), number()),
                                            abs(number()), max(abs(number()), 1e-300))
        for half_plane in filter(None, (plane, wall)):
            assert all(math.isfinite(value) for value in half_plane.point)
            assert math.hypot(*half_plane.normal) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("field", "value"), [
    ("relative_position", (math.nan, 0)), ("relative_position", (1,)), ("relative_position", "far"),
    ("v_i", (0, math.inf)), ("v_j", (0, 0, 0, 0)), ("combined_radius", -1), ("time_horizon", 0), ("dt", -1),
    ("dt", math.nan), ("share", 1.5),
])
def test_bad_arguments_are_refused_by_name(field, value):
    arguments = {"relative_position": (2, 0), "v_i": (0, 0), "v_j": (0, 0), "combined_radius": 1, "time_horizon": 2,
                 "dt": 0.1, "share": 0.5}
    with pytest.raises(OutOfRangeError) as caught:
        OrcaConstraints.for_agent(**{**arguments, field: value})
    assert caught.value.field == field
