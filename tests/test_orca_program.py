"""The linear program against brute force over velocity space, and against RVO2."""

import math
import random
import struct

import pyrvo
import pytest
from mode import scaled

from onepath.errors import OutOfRangeError
from onepath.orca.constraints import HalfPlane, OrcaConstraints
from onepath.orca.program import OrcaLinearProgram

SCENES = scaled(400, 60)


def violation(constraints, velocity):
    return max((n[0] * (p[0] - velocity[0]) + n[1] * (p[1] - velocity[1]) for p, n in constraints), default=-math.inf)


def random_half_plane(rng, spread):
    turn = rng.uniform(0, 2 * math.pi)
    return HalfPlane((rng.uniform(-spread, spread), rng.uniform(-spread, spread)), (math.cos(turn), math.sin(turn)))


def velocity_samples(speed, *special):
    """Points all over the speed disc, with its rim, and a fine patch around each special velocity."""
    yield from ((speed * r / 30 * math.cos(math.pi * k / 60), speed * r / 30 * math.sin(math.pi * k / 60))
                for r in range(31) for k in range(120))
    for x, z in special:
        for size in (1e-1, 1e-3):
            for k in range(48):
                near = (x + size * math.cos(math.pi * k / 24), z + size * math.sin(math.pi * k / 24))
                if math.hypot(*near) <= speed:
                    yield near


def test_a_satisfiable_program_gives_the_nearest_allowed_velocity():
    rng = random.Random(1)
    solved = 0
    for _ in range(SCENES):
        constraints = [random_half_plane(rng, 1.0) for _ in range(rng.randrange(1, 6))]
        wanted = (rng.uniform(-3, 3), rng.uniform(-3, 3))
        velocity = OrcaLinearProgram.solve(constraints, rng.randrange(len(constraints) + 1), 2.0, wanted)
        if violation(constraints, velocity) > 1e-9:
            continue
        solved += 1
        for sample in velocity_samples(2.0, velocity):
            if violation(constraints, sample) <= 0.0:
                assert math.dist(velocity, wanted) <= math.dist(sample, wanted) + 1e-9
    assert solved > SCENES // 3


def test_unsatisfiable_neighbours_are_violated_as_little_as_the_hard_constraints_allow():
    rng = random.Random(2)
    unsatisfiable = 0
    for _ in range(SCENES):
        hard_count = rng.randrange(0, 3)
        constraints = [random_half_plane(rng, 0.8) for _ in range(hard_count)]
        constraints += [random_half_plane(rng, 2.5) for _ in range(rng.randrange(2, 8))]
        hard, soft = constraints[:hard_count], constraints[hard_count:]
        velocity = OrcaLinearProgram.solve(constraints, hard_count, 2.0, (1.0, 0.5))
        if violation(hard, velocity) > 1e-9 or violation(soft, velocity) <= 1e-9:
            continue
        unsatisfiable += 1
        for sample in velocity_samples(2.0, velocity):
            if violation(hard, sample) <= 0.0:
                assert violation(soft, velocity) <= violation(soft, sample) + 1e-9
    assert unsatisfiable > SCENES // 4


def test_unsatisfiable_hard_constraints_are_violated_as_little_as_possible_and_soft_ones_left_out():
    rng = random.Random(3)
    unsatisfiable = 0
    for _ in range(SCENES):
        hard = [random_half_plane(rng, 2.5) for _ in range(rng.randrange(2, 7))]
        soft = [random_half_plane(rng, 2.5) for _ in range(3)]
        velocity = OrcaLinearProgram.solve(hard + soft, len(hard), 2.0, (1.0, 0.5))
        if violation(hard, velocity) <= 1e-9:
            continue
        unsatisfiable += 1
        assert velocity == OrcaLinearProgram.solve(hard, len(hard), 2.0, (1.0, 0.5))
        for sample in velocity_samples(2.0, velocity):
            assert violation(hard, velocity) <= violation(hard, sample) + 1e-9
    assert unsatisfiable > SCENES // 4


def test_without_constraints_the_wanted_velocity_is_kept_or_cut_to_the_speed():
    assert OrcaLinearProgram.solve([], 0, 2.0, (1.0, -0.5)) == (1.0, -0.5)
    assert OrcaLinearProgram.solve([], 0, 2.0, (6.0, 0.0, 8.0)) == pytest.approx((1.2, 0.0, 1.6))
    assert OrcaLinearProgram.solve([], 0, 0.0, (6.0, 8.0)) == (0.0, 0.0)


def test_parallel_half_planes_meet_in_the_middle():
    left, right = HalfPlane((-1.0, 0.0), (-1.0, 0.0)), HalfPlane((2.0, 0.0), (1.0, 0.0))
    assert OrcaLinearProgram.solve([left, right], 0, 5.0, (0.0, 0.0))[0] == pytest.approx(0.5)
    assert OrcaLinearProgram.solve([right, left], 2, 5.0, (0.0, 0.0))[0] == pytest.approx(0.5)
    assert OrcaLinearProgram.solve([left, right], 1, 5.0, (0.0, 0.0))[0] == pytest.approx(-1.0)
    twice = [HalfPlane((1.0, 0.0), (1.0, 0.0)), HalfPlane((2.0, 7.0), (1.0, 0.0))]
    assert OrcaLinearProgram.solve(twice, 0, 5.0, (0.0, 1.0)) == pytest.approx((2.0, 1.0))


def test_a_half_plane_out_of_reach_pulls_as_far_as_the_speed_allows():
    assert OrcaLinearProgram.solve([HalfPlane((9.0, 0.0), (1.0, 0.0))], 0, 2.0, (0.0, 1.0)) == pytest.approx((2.0, 0.0))


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1e-9, 1.0, 1e9, 1e60, 1e160, 1e300])
def test_the_result_is_finite_and_never_faster_than_the_speed(size):
    rng = random.Random(4)
    for _ in range(400):
        def number():
            return rng.choice([0.0, size, -size, size * rng.uniform(-1, 1), rng.uniform(-3, 3)])

        normals = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (1.0, 1e-13), (0.6, 0.8), (-0.6, -0.8), (1e-300, 1e-300),
                   (1e300, 1.0)]
        constraints = [((number(), number()), rng.choice(normals)) for _ in range(rng.randrange(0, 7))]
        speed = abs(number())
        x, z = OrcaLinearProgram.solve(constraints, rng.randrange(len(constraints) + 1), speed, (number(), number()))
        assert math.isfinite(x)
        assert math.isfinite(z)
        assert math.hypot(x, z) <= speed * (1 + 1e-12)


@pytest.mark.parametrize(("field", "arguments"), [
    ("constraints", ([((math.nan, 0), (1, 0))], 0, 1.0, (0, 0))),
    ("constraints", ([((0, 0), (0, 0))], 0, 1.0, (0, 0))),
    ("hard_count", ([], 1, 1.0, (0, 0))),
    ("hard_count", ([], 0.5, 1.0, (0, 0))),
    ("max_speed", ([], 0, -1.0, (0, 0))),
    ("max_speed", ([], 0, math.inf, (0, 0))),
    ("wanted", ([], 0, 1.0, (0, math.nan))),
])
def test_bad_arguments_are_refused_by_name(field, arguments):
    with pytest.raises(OutOfRangeError) as caught:
        OrcaLinearProgram.solve(*arguments)
    assert caught.value.field == field


def as_float(values):
    """Round to single precision, which is what RVO2 computes in."""
    return tuple(struct.unpack("f", struct.pack("f", value))[0] for value in values)


def open_scene(seed, spacing):
    rng = random.Random(seed)
    jitter = 0.2 * spacing
    corners = [(spacing * (k % 3), spacing * (k // 3)) for k in range(9)]
    places = [as_float((x + rng.uniform(-jitter, jitter), z + rng.uniform(-jitter, jitter))) for x, z in corners]
    return places, *([as_float((rng.uniform(-2, 2), rng.uniform(-2, 2))) for _ in places] for _ in range(2))


def solve_scene(places, velocities, wanted):
    solved = []
    for i, place in enumerate(places):
        others = sorted((j for j in range(len(places)) if j != i), key=lambda j: (math.dist(place, places[j]), j))
        constraints = [
            OrcaConstraints.for_agent((places[j][0] - place[0], places[j][1] - place[1]), velocities[i], velocities[j],
                                      1.2, 2.0, 1 / 60, 0.5) for j in others]
        solved.append(OrcaLinearProgram.solve(constraints, 0, 3.5, wanted[i]))
    return solved


def rounding_spread(seed, scene, solved):
    """How far each solved velocity moves when every input moves by one unit of single precision, twice over."""
    rng = random.Random(seed)
    spread = [0.0] * len(solved)
    for _ in range(6):
        moved = [[tuple(v * (1 + rng.choice((-1.2e-7, 1.2e-7))) for v in row) for row in part] for part in scene]
        for i, velocity in enumerate(solve_scene(*moved)):
            spread[i] = max(spread[i], math.dist(velocity, solved[i]))
    return spread


def test_velocities_agree_with_rvo2_on_open_scenes():
    """To 1e-6, and where single precision itself is coarser than that, to a few times its rounding."""
    close = total = 0
    for seed in range(SCENES // 4):
        scene = open_scene(seed, (2.5, 3.0, 5.0)[seed % 3])
        simulator = pyrvo.RVOSimulator(1 / 60, 30.0, 8, 2.0, 2.0, 0.6, 3.5)
        for place, velocity, wish in zip(*scene):
            agent = simulator.add_agent(place)
            simulator.set_agent_velocity(agent, velocity)
            simulator.set_agent_pref_velocity(agent, wish)
        simulator.do_step()
        solved = solve_scene(*scene)
        theirs = [simulator.get_agent_velocity(i) for i in range(len(solved))]
        gaps = [max(abs(v.x - x), abs(v.y - z)) for v, (x, z) in zip(theirs, solved)]
        total += len(gaps)
        close += sum(gap <= 1e-6 for gap in gaps)
        if max(gaps) > 1e-6:
            for gap, spread in zip(gaps, rounding_spread(seed, scene, solved)):
                assert gap <= 1e-6 + 12 * spread
    assert close >= 0.98 * total
