"""A follower on unchanging ground: placing, sending, steering, walking, arriving, being stuck, bad input."""

import math
import random

import pytest
from corridor_tools import (
    DT,
    distance,
    flat_distance,
    flat_length,
    grid,
    is_on_surface,
    placed,
    polygon_query,
    random_point,
    ref_at,
    sent,
    strip_query,
    walk,
)
from meshes import all_refs, cell_mesh, inner_point, maze, merged, polygon_mesh, scatter, strip
from mode import scaled

from onepath.corridors.options import FollowerOptions
from onepath.corridors.path_follower import PathFollower
from onepath.corridors.states import FollowerState
from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.queries.query import NavMeshQuery

MOVING, ARRIVED, NO_PATH, IDLE, STUCK = (FollowerState.MOVING, FollowerState.ARRIVED, FollowerState.NO_PATH,
                                         FollowerState.IDLE, FollowerState.STUCK)  # fmt: skip
PLAIN = FollowerOptions(optimize_interval=0, topology_interval=0)


def test_placing_puts_the_agent_on_the_nearest_polygon_idle():
    query = strip_query(4)
    follower = placed(query, (3.0, 1.5, 2.5))
    assert follower.state == IDLE
    assert follower.position == pytest.approx((3.0, 0.0, 2.0))
    assert follower.velocity == (0.0, 0.0, 0.0)
    assert follower.destination == follower.position
    assert (follower.remaining_distance, follower.reached_target) == (0.0, False)
    assert follower.corridor.path == [ref_at(query, 3, 1)]


def test_placing_where_no_accepted_polygon_is_near_changes_nothing():
    query = strip_query(4)
    follower = placed(query, (3, 0, 1))
    before = follower.to_bytes()
    assert not follower.place(query, (30, 0, 1))
    assert not follower.place(query, (1, 0, 1), QueryFilter(include=2))
    assert follower.to_bytes() == before
    assert not placed(query, (3, 0, 1), FollowerOptions(search_extents=(1, 1, 1))).place(query, (9.5, 0, 1))


def test_a_follower_never_placed_has_no_path():
    query = strip_query(3)
    follower = PathFollower()
    assert follower.state == IDLE
    assert not follower.set_destination(query, (1, 0, 1))
    assert follower.state == NO_PATH
    assert follower.step(query, DT) == NO_PATH


def test_sending_plans_at_once_and_the_first_step_moves():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    assert follower.state == MOVING
    assert follower.corridor.is_complete
    assert follower.destination == (11.0, 0.0, 1.0)
    assert follower.step(query, DT) == MOVING
    assert follower.position[0] > 1.0


def test_no_polygon_near_the_destination_is_no_path():
    query = strip_query(4)
    follower = placed(query, (1, 0, 1))
    assert not follower.set_destination(query, (30, 0, 1))
    assert follower.state == NO_PATH
    assert follower.set_destination(query, (5, 0, 1))
    assert follower.state == MOVING


def test_start_and_target_in_one_polygon_give_a_straight_line():
    query = NavMeshQuery(polygon_mesh([(0, 0, 0), (50, 0, 0), (50, 0, 50), (0, 0, 50)], [[0, 1, 2, 3]]))
    rng = random.Random(1)
    for _ in range(scaled(1000, 20)):
        start, end = ((rng.uniform(0, 50), 0.0, rng.uniform(0, 50)) for _ in range(2))
        follower = sent(query, start, end)
        points = walk(query, follower, dt=0.25)
        assert follower.reached_target
        assert flat_distance(points[-1], end) <= 0.01
        assert flat_length(points) <= flat_distance(start, end) + 1e-9


def test_velocity_turns_toward_the_wanted_one_by_acceleration_times_dt():
    query = strip_query(12)
    follower = sent(query, (1, 0, 1), (23, 0, 1), PLAIN)
    speeds = []
    for _ in range(40):
        follower.step(query, DT)
        speeds.append(follower.velocity[0])
    for number, speed in enumerate(speeds, 1):
        assert speed == pytest.approx(min(8.0 * DT * number, 3.5))


def test_arrival_slows_with_the_way_left_but_not_below_the_minimum():
    query = strip_query(12)
    follower = sent(query, (1, 0, 1), (11, 0, 1), PLAIN)
    seen_slow = False
    while follower.state == MOVING:
        left = 11.0 - follower.position[0]
        before = follower.velocity[0]
        follower.step(query, DT)
        if left < 1.0 and follower.state == MOVING:
            wanted = max(3.5 * left, 0.25)
            slowest = before - 8.0 * DT
            assert follower.velocity[0] == pytest.approx(max(wanted, slowest), abs=1e-9)
            seen_slow = seen_slow or wanted == 0.25
    assert seen_slow
    assert follower.state == ARRIVED


def test_without_a_slow_radius_the_agent_arrives_at_full_speed():
    query = strip_query(12)
    follower = sent(query, (1, 0, 1), (11, 0, 1), PLAIN.replace(slow_radius=0))
    speeds = []
    while follower.state == MOVING:
        follower.step(query, DT)
        speeds.append(follower.velocity[0])
    assert speeds[-2] == pytest.approx(3.5)
    assert follower.position[0] >= 10.99


def test_the_minimum_speed_never_exceeds_the_speed():
    query = strip_query(4)
    follower = sent(query, (1, 0, 1), (5, 0, 1), FollowerOptions(max_speed=0.1, arrival_min_speed=5.0))
    for _ in range(200):
        follower.step(query, DT)
        assert follower.velocity[0] <= 0.1 + 1e-12


@pytest.mark.parametrize("radius", [0.0, 0.01, 0.3, 2.0])
def test_the_agent_arrives_within_the_arrival_radius_and_not_before(radius):
    query = strip_query(8)
    follower = sent(query, (1, 0, 1), (13, 0, 1), FollowerOptions(arrival_radius=radius))
    while follower.state == MOVING:
        left = 13.0 - follower.position[0]
        follower.step(query, DT)
    assert follower.state == ARRIVED
    assert follower.reached_target
    assert 13.0 - follower.position[0] <= max(radius, 1e-9)
    assert left <= radius + 3.5 * DT


def test_standing_exactly_at_the_arrival_distance_counts_as_arrived():
    query = strip_query(8)
    follower = sent(query, (1, 0, 1), (3, 0, 1), FollowerOptions(arrival_radius=2.0))
    assert follower.step(query, DT) == ARRIVED
    assert follower.position == (1.0, 0.0, 1.0)
    assert follower.velocity == (0.0, 0.0, 0.0)
    follower = sent(query, (1, 0, 1), (3, 0, 1), FollowerOptions(arrival_radius=math.nextafter(2.0, 0.0)))
    assert follower.step(query, DT) == MOVING


def test_a_waypoint_nearer_than_the_arrival_radius_changes_nothing():
    query = grid(6, 6)
    options = FollowerOptions(arrival_radius=0.1)
    follower = sent(query, (1, 0, 1), (9, 0, 9), options)
    walk(query, follower)
    assert flat_distance(follower.position, (9, 0, 9)) <= 0.1


def test_the_remaining_distance_counts_down_to_the_end():
    query = grid(6, 6)
    follower = sent(query, (1, 0, 1), (9, 0, 5))
    assert follower.remaining_distance == math.inf
    follower.step(query, DT)
    previous = follower.remaining_distance
    assert previous == pytest.approx(flat_distance(follower.position, (9, 0, 5)))
    while follower.state == MOVING:
        follower.step(query, DT)
        assert follower.remaining_distance < previous
        assert follower.remaining_distance == pytest.approx(flat_distance(follower.position, (9, 0, 5)), abs=1e-9)
        previous = follower.remaining_distance


def test_the_remaining_distance_is_infinite_while_the_end_is_not_among_the_corners():
    query = NavMeshQuery(maze(8, seed=3, loops=0).mesh)
    follower = sent(query, (1, 0, 1), (29, 0, 29), FollowerOptions(max_corners=3))
    follower.step(query, DT)
    assert follower.remaining_distance == math.inf
    walk(query, follower)
    assert follower.remaining_distance <= 0.01


def test_velocity_is_displacement_over_dt_in_3d():
    # A ramp that rises 1 in 2.
    query = NavMeshQuery(polygon_mesh([(0, 0, 0), (20, 10, 0), (20, 10, 4), (0, 0, 4)], [[0, 1, 2, 3]]))
    follower = sent(query, (1, 0.5, 2), (15, 7.5, 2))
    for _ in range(60):
        before = follower.position
        follower.step(query, DT)
        moved = tuple((b - a) / DT for a, b in zip(before, follower.position))
        assert follower.velocity == pytest.approx(moved)
    assert follower.velocity[1] == pytest.approx(0.5 * follower.velocity[0])
    assert follower.velocity[0] == pytest.approx(3.5)


@pytest.mark.parametrize("height", [-2.0, 0.9, 2.5])
@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_the_height_of_pivot_and_target_changes_neither_arrival_nor_the_way(height, slope):
    vertices = [(x, slope * x, z) for x, z in ((0, 0), (10, 0), (20, 0), (20, 6), (10, 6), (0, 6))]
    query = NavMeshQuery(polygon_mesh(vertices, [[0, 1, 4, 5], [1, 2, 3, 4]]))

    def trace(lift):
        follower = sent(query, (2, slope * 2 + lift, 1), (17, slope * 17 + lift, 5))
        return [(x, z) for x, _y, z in walk(query, follower)]

    assert trace(height) == trace(0.0)


def test_several_corners_can_be_rounded_in_one_step():
    query = NavMeshQuery(maze(4, seed=1, loops=0).mesh)
    far = FollowerOptions(max_speed=200.0, max_acceleration=1e6, slow_radius=0, stuck_window=0)
    follower = sent(query, (1, 0, 1), (13, 0, 13), far)
    length = flat_length([corner.point for corner in follower.corridor.find_corners(query)])
    hops = 0
    while follower.state == MOVING:
        follower.step(query, 0.05)
        hops += 1
    assert follower.reached_target
    assert hops <= length / 10.0 + 12
    assert hops >= 2


def test_the_walk_is_as_long_as_the_taut_string():
    rng = random.Random(2)
    field = scatter(16)
    query = NavMeshQuery(field.mesh)
    for _ in range(scaled(25, 3)):
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        follower = sent(query, start, end, PLAIN)
        corners = follower.corridor.find_corners(query, 4000)
        points = walk(query, follower)
        assert follower.reached_target
        length = flat_length([corner.point for corner in corners])
        assert flat_length(points) == pytest.approx(length, rel=0.03, abs=0.02)
        assert flat_length(points) <= length + 1e-6


def test_every_position_is_on_the_surface_of_the_first_corridor_polygon():
    rng = random.Random(6)
    field = scatter(16)
    query = NavMeshQuery(field.mesh)
    for _ in range(scaled(20, 2)):
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        follower = sent(query, start, end)
        while follower.state == MOVING:
            follower.step(query, 0.1)
            assert is_on_surface(query, follower.corridor.path[0], follower.position)


def test_a_step_of_five_seconds_stays_on_the_mesh_and_below_the_speed():
    query = NavMeshQuery(maze(8, seed=5, loops=4).mesh)
    follower = sent(query, (1, 0, 1), (29, 0, 29))
    for _ in range(100):
        follower.step(query, DT)
    before = follower.position
    follower.step(query, 5.0)
    assert is_on_surface(query, follower.corridor.path[0], follower.position)
    assert distance(before, follower.position) <= 3.5 * 5.0 + 1e-9
    assert distance(follower.velocity, (0, 0, 0)) <= 3.5 + 1e-9


@pytest.mark.parametrize("dt", [0.0, -1.0, float("nan"), float("inf"), "soon", None])
def test_a_bad_dt_is_named_and_changes_nothing(dt):
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    follower.step(query, DT)
    before = follower.to_bytes()
    with pytest.raises(OutOfRangeError) as caught:
        follower.step(query, dt)
    assert caught.value.field == "dt"
    assert follower.to_bytes() == before


@pytest.mark.parametrize("dt", [5e-324, 1e-300, 1e300, 1.7e308])
def test_the_strangest_dt_leaves_a_state_that_can_be_saved_and_read(dt):
    query = grid(6, 6)
    follower = sent(query, (1, 0, 1), (11, 0, 9))
    for _ in range(3):
        follower.step(query, dt)
        copy = PathFollower()
        copy.read(follower.to_bytes())
        assert copy.to_bytes() == follower.to_bytes()


@pytest.mark.parametrize("bad", [(float("nan"), 0, 0), (0, float("-inf"), 0), (2.0**21, 0, 0), (1, 2), 5])
def test_a_bad_position_is_named_and_changes_nothing(bad):
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    before = follower.to_bytes()
    calls = {"to": lambda: follower.set_destination(query, bad), "p": lambda: follower.place(query, bad)}
    for name, call in calls.items():
        with pytest.raises(OutOfRangeError) as caught:
            call()
        assert caught.value.field == name
    with pytest.raises(OutOfRangeError):
        follower.move_destination(query, bad)
    assert follower.to_bytes() == before


def test_without_a_destination_600_steps_change_no_byte():
    query = strip_query(4)
    follower = placed(query, (1, 0, 1))
    before = follower.to_bytes()
    for _ in range(600):
        assert follower.step(query, DT) == IDLE
    assert follower.to_bytes() == before


def test_stopping_forgets_the_destination_and_stands():
    query = strip_query(12)
    follower = sent(query, (1, 0, 1), (23, 0, 1))
    for _ in range(60):
        follower.step(query, DT)
    follower.stop()
    stood = follower.position
    assert follower.step(query, DT) == IDLE
    assert (follower.position, follower.velocity, follower.destination) == (stood, (0.0, 0.0, 0.0), stood)


def test_after_arrival_nothing_moves_and_no_byte_changes():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    walk(query, follower)
    follower.step(query, DT)
    before = follower.to_bytes()
    for _ in range(60):
        assert follower.step(query, DT) == ARRIVED
    assert follower.to_bytes() == before
    assert follower.velocity == (0.0, 0.0, 0.0)


def test_an_unreachable_target_is_walked_to_as_near_as_the_surface_goes():
    query = NavMeshQuery(cell_mesh([*((x, z) for x in range(4) for z in range(3)), (8, 1)]))
    follower = sent(query, (1, 0, 1), (17, 0, 3))
    points = walk(query, follower)
    assert follower.state == ARRIVED
    assert not follower.reached_target
    assert follower.position == pytest.approx((8.0, 0.0, 3.0), abs=0.011)
    assert all(y == 0.0 for _x, y, _z in points)
    for _ in range(60):
        follower.step(query, DT)
    assert follower.velocity == (0.0, 0.0, 0.0)


def test_unreachable_targets_are_walked_to_as_near_as_brute_force_over_the_reachable_polygons_comes():
    """Case 6, where polygons are large: the one that comes nearest is not the one that is entered nearest."""
    field = merged(12, blocked=420)
    query = NavMeshQuery(field.mesh)
    rng = random.Random(8)
    partial = 0
    for _ in range(scaled(80, 15)):
        start_ref, end_ref = rng.choice(all_refs(field.mesh)), rng.choice(all_refs(field.mesh))
        start, end = (inner_point(field.mesh.poly_vertices(ref), rng) for ref in (start_ref, end_ref))
        follower = sent(query, start, end)
        walk(query, follower)
        reachable = [start_ref]
        for ref in reachable:
            reachable += [other for other, _kind in field.mesh.neighbours(ref) if other not in reachable]
        gap = min(math.dist(query.closest_point_on_poly(ref, end)[0], end) for ref in reachable)
        assert (follower.state, follower.reached_target) == (ARRIVED, end_ref in reachable)
        assert math.dist(follower.position, end) <= gap + 0.011
        partial += end_ref not in reachable
    assert partial >= scaled(10, 3)


def test_a_target_beside_the_mesh_is_reached_at_the_nearest_point():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (9, 0.5, 3.5))
    walk(query, follower)
    assert follower.reached_target
    assert follower.position == pytest.approx((9.0, 0.0, 2.0), abs=0.011)


def test_setting_an_equal_destination_every_step_changes_no_byte():
    for goal in ((19.0, 0.0, 5.0), (30.0, 0.0, 5.0)):
        query = NavMeshQuery(cell_mesh([*((x, z) for x in range(10) for z in range(4)), (15, 2)]))
        once, always = (sent(query, (1, 0, 1), goal) for _ in range(2))
        for _ in range(500):
            once.step(query, DT)
            always.set_destination(query, goal)
            always.step(query, DT)
            assert once.to_bytes() == always.to_bytes()
        assert once.state == ARRIVED


def test_an_agent_that_arrived_short_goes_on_when_asked_again_after_the_way_has_opened():
    query = strip_query(10, tile_cells=2)
    gap = query.mesh.remove_tile(2, 0)
    follower = sent(query, (1, 0, 1), (19, 0, 1))
    walk(query, follower)
    assert (follower.state, follower.reached_target) == (ARRIVED, False)
    query.mesh.add_tile(gap)
    assert follower.set_destination(query, (19, 0, 1))
    assert follower.state == MOVING
    walk(query, follower)
    assert follower.reached_target


def test_a_moving_target_is_chased_without_searching():
    field = scatter(20)
    query = NavMeshQuery(field.mesh)
    rng = random.Random(8)
    prey = sent(query, random_point(rng, query, field.refs)[1], random_point(rng, query, field.refs)[1],
                FollowerOptions(max_speed=2.0))
    hunters = [placed(query, random_point(rng, query, field.refs)[1]) for _ in range(scaled(20, 3))]
    for hunter in hunters:
        assert hunter.set_destination(query, prey.position)
    first = sum(distance(hunter.position, prey.position) for hunter in hunters)
    for _ in range(scaled(600, 200)):
        if prey.step(query, DT) != MOVING:
            prey.set_destination(query, random_point(rng, query, field.refs)[1])
        for hunter in hunters:
            assert hunter.move_destination(query, prey.position)
            hunter.step(query, DT)
            assert hunter.corridor.is_complete
    assert sum(distance(hunter.position, prey.position) for hunter in hunters) < 0.7 * first


def test_four_points_of_a_square_are_reached_lap_after_lap():
    query = grid(8, 8)
    square = [(3.0, 0.0, 3.0), (13.0, 0.0, 3.0), (13.0, 0.0, 13.0), (3.0, 0.0, 13.0)]
    for speed in (1.0, 7.0, 60.0):
        for rate in (10, 120):
            options = FollowerOptions(max_speed=speed, max_acceleration=8.0 * speed)
            follower = sent(query, (5, 0, 5), square[0], options)
            for number in range(scaled(40, 5)):
                walk(query, follower, 1.0 / rate, most=4000)
                assert follower.reached_target
                assert flat_distance(follower.position, square[number % 4]) <= 0.01
                follower.set_destination(query, square[(number + 1) % 4])


def test_a_corridor_shorter_than_the_way_is_extended_as_it_is_walked():
    query = NavMeshQuery(strip(scaled(5000, 600)))
    end = 2.0 * scaled(5000, 600) - 1
    fast = FollowerOptions(max_speed=100.0, max_acceleration=1000.0)
    follower = sent(query, (1, 0, 1), (end, 0, 1), fast)
    while follower.state == MOVING:
        follower.step(query, 0.2)
        assert len(follower.corridor.path) <= 256
    assert follower.reached_target
    assert follower.position[0] == pytest.approx(end, abs=0.011)


class Treadmill:
    """Moves a follower back to where it was after every step, as a host with a wall of its own might."""

    def __init__(self, follower):
        self.follower = follower
        self.home = follower.to_bytes()[51:75]

    def hold(self):
        content = bytearray(self.follower.to_bytes())
        content[51:75] = self.home
        content[203 + 10:203 + 34] = self.home
        self.follower.read(bytes(content))


def test_an_agent_without_progress_replans_and_is_then_stuck():
    query = strip_query(40)
    follower = sent(query, (21, 0, 1), (71, 0, 1), PLAIN)
    treadmill = Treadmill(follower)
    path = follower.corridor.path
    replans = 0
    for _ in range(60 * 5):
        follower.step(query, DT)
        if follower.state == STUCK:
            break
        replans += follower.corridor.needs_replan
        content = bytearray(follower.to_bytes())
        content[203 + 66:] = b"".join(ref.to_bytes(8, "little") for ref in path)
        content[203 + 6:203 + 10] = len(path).to_bytes(4, "little")
        follower.read(bytes(content))
        treadmill.hold()
    assert follower.state == STUCK
    assert replans == 2
    assert follower.velocity == (0.0, 0.0, 0.0)
    assert follower.step(query, DT) == STUCK
    assert follower.set_destination(query, (71, 0, 1))
    assert follower.state == MOVING


def test_a_window_of_zero_turns_stuck_detection_off():
    query = strip_query(40)
    follower = sent(query, (21, 0, 1), (71, 0, 1), PLAIN.replace(stuck_window=0))
    treadmill = Treadmill(follower)
    for _ in range(60 * 5):
        follower.step(query, DT)
        treadmill.hold()
    assert follower.state == MOVING
    assert follower.to_bytes()[19:27] == bytes(8)


def test_slow_walking_near_the_end_is_not_being_stuck():
    query = strip_query(10)
    options = FollowerOptions(slow_radius=18.0, arrival_min_speed=0.01, stuck_progress=1.0, max_stuck_recoveries=0)
    follower = sent(query, (1, 0, 1), (18, 0, 1), options)
    walk(query, follower, 0.1)
    assert follower.reached_target


def test_options_of_a_walking_follower_are_swapped_in_place():
    query = strip_query(20)
    follower = sent(query, (1, 0, 1), (39, 0, 1), PLAIN)
    for _ in range(60):
        follower.step(query, DT)
    before = follower.to_bytes()
    follower.set_options(PLAIN.replace(max_speed=1.0))
    assert follower.to_bytes() == before
    assert follower.options.max_speed == 1.0
    for _ in range(60):
        follower.step(query, DT)
    assert follower.velocity[0] == pytest.approx(1.0)
    with pytest.raises(OutOfRangeError) as caught:
        follower.set_options(PLAIN.replace(corridor_capacity=64))
    assert caught.value.field == "corridor_capacity"
    for call in (lambda: PathFollower("fast"), lambda: follower.set_options(None)):
        with pytest.raises(TypeError):
            call()


def test_a_polygon_node_follower_walks_as_well():
    rng = random.Random(12)
    field = scatter(16)
    query = polygon_query(field.mesh)
    for _ in range(scaled(10, 2)):
        _ref, start = random_point(rng, query, field.refs)
        _ref, end = random_point(rng, query, field.refs)
        follower = sent(query, start, end)
        walk(query, follower, 0.05)
        assert follower.reached_target
