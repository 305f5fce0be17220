"""The stated bounds of crowds: all arrive, nobody leaves the mesh, overlaps stay small, threads change nothing."""

import math
import random
import tracemalloc
from itertools import pairwise

import pytest
from meshes import Field, cell_mesh, scatter, scatter_cells, two_floors
from mode import scaled
from scenarios.walks import DT, Walk, plain, scattered_places

from onepath.corridors.states import FollowerState
from onepath.crowds.options import AgentOptions, CrowdOptions
from onepath.queries.query import NavMeshQuery

SMALL = AgentOptions.small()


def route_length(query, start, goal):
    start_ref, start = query.find_nearest_poly(start)
    goal_ref, goal = query.find_nearest_poly(goal)
    route = query.find_path(start_ref, goal_ref, start, goal)
    corners = [corner.point for corner in query.find_straight_path(start, goal, route.refs)]
    return sum(math.dist(a, b) for a, b in pairwise(corners))


def seeded_run(seed, width=20):
    """Six agents on a field of scattered obstacles, removed as they arrive; return the walk and its verdict."""
    field = Field(cell_mesh(scatter_cells(width, seed=seed % 25)))
    query = NavMeshQuery(field.mesh)
    walk = Walk(field.mesh)
    starts, goals = (scattered_places(field, 6, 2 * seed + k, 1.3) for k in range(2))
    longest = max(route_length(query, start, goal) for start, goal in zip(starts, goals))
    for start, goal in zip(starts, goals):
        walk.add(start, goal, SMALL)
    free = longest / SMALL.max_speed
    return walk, walk.run(3 * free + 10, remove=True), free


def check_seeded_runs(seeds):
    deepest = []
    for seed in seeds:
        walk, seconds, free = seeded_run(seed)
        assert seconds <= 3 * free + 10, f"seed {seed}: {list(walk.crowd)}"
        assert walk.off_mesh == 0, f"seed {seed}"
        deepest.append(walk.overlap)
    assert max(deepest) <= 0.18
    return deepest


def test_seeded_runs_of_six_agents_arrive_in_time_on_the_mesh():
    check_seeded_runs(range(scaled(25, 1)))


@pytest.mark.full
def test_a_thousand_seeded_runs():
    deepest = check_seeded_runs(range(scaled(1000, 6)))
    assert sum(depth > 0.05 for depth in deepest) <= 8


def crossing_streams(count):
    """Two streams that cross at right angles on an open square and keep their order."""
    walk = Walk(cell_mesh([(x, z) for z in range(30) for x in range(30)]))
    columns = math.ceil(count / 2 / 8)
    for k in range(count):
        lane, rank = (k // 2) // columns, (k // 2) % columns
        along, across = 2.0 + 1.6 * rank, 21.0 + 2.2 * lane
        if k % 2 == 0:
            walk.add((along, 0, across), (along + 40.0, 0, across), SMALL)
        else:
            walk.add((across, 0, along), (across, 0, along + 40.0), SMALL)
    return walk


def check_arrival(walk, seconds, overlap):
    assert walk.run(seconds) < seconds, [agent for agent in walk.crowd if agent.state != FollowerState.ARRIVED]
    assert walk.off_mesh == 0
    assert walk.overlap <= overlap


@pytest.mark.parametrize("count", scaled((20, 60), (4,)))
def test_crossing_streams_arrive(count):
    check_arrival(crossing_streams(count), 60.0, 0.034)


@pytest.mark.full
def test_crossing_streams_at_full_size():
    check_arrival(crossing_streams(150), 90.0, 0.034)


def door(count):
    """Everybody from one room into the next through a door of two cells."""
    cells = [(x, z) for z in range(12) for x in range(25) if x != 12 or z in (5, 6)]
    walk = Walk(cell_mesh(cells))
    rows = math.ceil(count / 5)
    for k in range(count):
        row, column = k % rows, k // rows
        x, z = 2.0 + 1.5 * column, 1.0 + 22.0 / rows * row
        walk.add((x, 0, z), (50.0 - x, 0, z), SMALL)
    return walk


@pytest.mark.parametrize("count", scaled((20, 40), (4,)))
def test_crowds_pass_a_door_of_two_cells(count):
    check_arrival(door(count), 90.0, 0.034)


@pytest.mark.full
def test_sixty_pass_a_door_of_two_cells():
    check_arrival(door(60), 120.0, 0.034)


def floors(count, seed=11, queue=False):
    """Agents on two floors, some of whose ways lead over links; removed as they arrive.

    Who leaves a link lands where it lands, as the text says, so overlaps count from a second after that: two that enter
    a link within a moment of each other come down on one another (up to 0.60 of 0.6 deep, 160 agents, compiled). Where
    agents queue at links they count from the landing.
    """
    field = two_floors(32, seed=seed, link_count=12)
    walk = Walk(field.mesh, options=CrowdOptions(queue_at_links=True), settling=0) if queue else Walk(field.mesh)
    starts, goals = scattered_places(field, count, seed, 1.2), scattered_places(field, count, seed + 1, 1.3)
    for start, goal in zip(starts, goals):
        walk.add(start, goal, SMALL)
    return walk


def check_floors(count, seconds, links, seed=11, queue=False):
    walk = floors(count, seed, queue)
    assert walk.run(seconds, remove=True) < seconds, list(walk.crowd)
    assert walk.off_mesh == 0
    assert walk.overlap <= 0.30
    assert walk.links >= links


def test_agents_on_two_floors_arrive_over_links():
    check_floors(scaled(60, 4), 200.0, scaled(15, 0))


@pytest.mark.full
def test_a_hundred_and_sixty_on_two_floors():
    check_floors(scaled(160, 20), 300.0, scaled(50, 2))


@pytest.mark.parametrize("seed", scaled((7, 11), (11,)))
def test_agents_that_queue_at_links_do_not_come_down_on_each_other(seed):
    check_floors(scaled(60, 4), 200.0, scaled(15, 0), seed, queue=True)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(scaled(24, 1)))
def test_a_hundred_and_sixty_that_queue_at_links_do_not_come_down_on_each_other(seed):
    check_floors(scaled(160, 20), 100.0, scaled(50, 0), seed, queue=True)


def threaded_state(threads, count, steps):
    field = scatter(32)
    walk = Walk(field.mesh, threads=threads)
    rng = random.Random(3)
    for place in scattered_places(field, count, 3, 0.8):
        walk.add(place, field.place(rng)[1], AgentOptions())
    walk.step(steps, look=False)
    return walk.crowd.save_state()


def test_one_two_five_and_sixteen_threads_give_the_same_bytes():
    count, steps = scaled(300, 70), scaled(150, 3)
    states = {threaded_state(threads, count, steps) for threads in (1, 2, 5, 16)}
    assert len(states) == 1


def test_steady_steps_allocate_nothing():
    field = scatter(24)
    walk = Walk(field.mesh)
    rng = random.Random(5)
    for place in scattered_places(field, scaled(120, 12), 5, 0.8):
        walk.add(place, field.place(rng)[1], AgentOptions())
    walk.step(scaled(60, 5), look=False)
    crowd = walk.crowd
    state = crowd.save_state()
    buffer = bytearray(2 * len(state))
    crowd.state_hash()
    crowd.restore_state(state)
    tracemalloc.start()
    try:
        used = {}
        for name, work in (("step", lambda: crowd.step(DT)), ("size", crowd.state_size), ("hash", crowd.state_hash),
                           ("save", lambda: crowd.save_state_into(buffer)),
                           ("restore", lambda: crowd.restore_state(state))):
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            for _ in range(scaled(60, 5)):
                work()
            now, peak = tracemalloc.get_traced_memory()
            used[name] = now - before
            if name == "step" and scaled(True, False):
                used["step, at its worst"] = peak - before
    finally:
        tracemalloc.stop()
    assert {name: size for name, size in used.items() if size > 4096} == {}


def test_memory_per_agent_is_below_two_and_a_half_kilobytes():
    mesh = cell_mesh([(x, z) for z in range(10) for x in range(10)])
    walk = Walk(mesh)
    for k in range(1000):
        walk.add((1 + k % 18, 0, 1 + k // 18 % 18))
    store, followers = walk.crowd._store, walk.crowd._followers
    size = sum(len(column) * column.itemsize for owner in (store, followers) for column in owner.columns.values())
    assert size / 1000 <= 2500


def test_one_long_step_leaves_everybody_on_the_mesh_and_nobody_too_fast():
    field = scatter(16)
    walk = Walk(field.mesh)
    rng = random.Random(7)
    for place in scattered_places(field, scaled(40, 6), 7, 1.2):
        walk.add(place, field.place(rng)[1], plain())
    walk.step(scaled(100, 10))
    walk.step(1, 5.0)
    assert walk.off_mesh == 0
    assert max(math.hypot(*velocity) for velocity in walk.crowd.velocities()) <= 3.5 * (1 + 1e-9)


def test_options_of_the_crowd_do_not_change_what_steps_do():
    def hashed(options):
        field = scatter(12)
        walk = Walk(field.mesh, options=options)
        for place in scattered_places(field, 10, 9, 1.0):
            walk.add(place, field.place(random.Random(9))[1], plain())
        walk.step(scaled(60, 6), look=False)
        return walk.crowd.state_hash()

    expected = hashed(CrowdOptions())
    for options in (CrowdOptions(max_threads=3), CrowdOptions(record_constraints=True), CrowdOptions(max_agents=10)):
        assert hashed(options) == expected
