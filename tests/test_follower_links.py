"""Off-mesh links: entering, crossing by itself or by the host, leaving, and what happens when things change."""

import math

import pytest
from corridor_tools import DT, placed, ref_at, sent, walk
from meshes import cell_mesh

from onepath.corridors.debug import FollowerDebug
from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.corridors.states import FollowerState
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.queries.query import NavMeshQuery

MOVING, CROSSING, ARRIVED = FollowerState.MOVING, FollowerState.OFF_MESH_LINK, FollowerState.ARRIVED


def platforms(count=2, gap=4, **link_options):
    """Platforms of 3 quads in a row along +X, ``gap`` cells apart, joined by links between their facing ends."""
    step = 3 + gap
    cells = [(step * number + x, 0) for number in range(count) for x in range(3)]
    links = [OffMeshLink((2.0 * (step * n + 3) - 1, 0, 1), (2.0 * step * (n + 1) + 1, 0, 1), **link_options)
             for n in range(count - 1)]  # fmt: skip
    return NavMeshQuery(cell_mesh(cells, links=links, tile_cells=step))


def walk_to_entry(query, follower, dt=DT):
    while follower.state == MOVING:
        follower.step(query, dt)
    assert follower.state == CROSSING


def test_at_the_entry_the_crossing_begins_and_the_step_ends():
    query = platforms()
    follower = sent(query, (1, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    assert follower.position == (5.0, 0.0, 1.0)
    assert follower.corridor.position == (5.0, 0.0, 1.0)
    assert follower.corridor.path[0] == ref_at(query, 5, 1)
    crossing = FollowerDebug.collect(query, follower).crossing
    assert (crossing.start, crossing.end) == ((5.0, 0.0, 1.0), (15.0, 0.0, 1.0))
    assert crossing.exit_ref == ref_at(query, 15, 1)
    assert (crossing.elapsed, crossing.duration) == (0.0, 10.0 / 3.5)


@pytest.mark.parametrize("dt", [DT, 0.1, 0.7, 10.0])
def test_an_automatic_crossing_takes_duration_over_dt_steps_rounded_up(dt):
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower, dt)
    steps = 0
    while follower.state == CROSSING:
        before = follower.position
        follower.step(query, dt)
        steps += 1
        assert follower.velocity == pytest.approx(tuple((b - a) / dt for a, b in zip(before, follower.position)))
        if follower.state == CROSSING:
            assert follower.position[0] == pytest.approx(5.0 + 10.0 * (steps * dt) / (10.0 / 3.5))
    assert steps == math.ceil(10.0 / 3.5 / dt)
    assert follower.state == MOVING
    assert follower.position == (15.0, 0.0, 1.0)
    assert follower.corridor.path[0] == ref_at(query, 15, 1)


def test_the_duration_counts_height_too():
    cells = [(x, 0) for x in range(3)]
    query = NavMeshQuery(cell_mesh([*cells, (6, 0)], links=[OffMeshLink((5, 0, 1), (13, 6, 1))],
                                   height=lambda x, _z: 6.0 if x >= 6 else 0.0))
    follower = sent(query, (5, 0, 1), (13, 6, 1), FollowerOptions(off_mesh_speed=2.0))
    walk_to_entry(query, follower)
    assert FollowerDebug.collect(query, follower).crossing.duration == pytest.approx(5.0)
    walk(query, follower)
    assert follower.reached_target
    assert follower.position == pytest.approx((13.0, 6.0, 1.0), abs=0.011)


def test_the_agent_slows_before_an_entry_and_never_passes_it():
    query = platforms()
    follower = sent(query, (1, 0, 1), (19, 0, 1), FollowerOptions(off_mesh_trigger_radius=0.0))
    slowest = 3.5
    while follower.state == MOVING:
        assert follower.position[0] <= 5.0
        follower.step(query, DT)
        if follower.state == MOVING and follower.position[0] > 4.5:
            slowest = min(slowest, follower.velocity[0])
    assert slowest < 1.0
    assert follower.state == CROSSING


@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0])
def test_five_platforms_and_four_links_each_entered_exactly_once(speed):
    query = platforms(5)
    follower = sent(query, (1, 0, 1), (61, 0, 1), FollowerOptions(max_speed=speed, off_mesh_speed=speed))
    entered = 0
    before = follower.state
    while follower.state in (MOVING, CROSSING):
        follower.step(query, DT)
        entered += before == MOVING and follower.state == CROSSING
        before = follower.state
    assert entered == 4
    assert follower.reached_target


def test_a_wide_trigger_begins_the_crossing_from_a_distance():
    query = platforms()
    follower = sent(query, (1, 0, 1), (19, 0, 1), FollowerOptions(off_mesh_trigger_radius=2.0))
    nearest = 1e9
    while follower.state == MOVING:
        nearest = 5.0 - follower.position[0]
        follower.step(query, DT)
    assert 1.9 < nearest <= 2.06
    assert follower.position == (5.0, 0.0, 1.0)
    assert follower.velocity == (0.0, 0.0, 0.0)


def test_a_one_way_link_is_only_crossed_its_way():
    query = platforms(bidirectional=False)
    there = sent(query, (1, 0, 1), (19, 0, 1))
    walk(query, there)
    assert there.reached_target
    back = sent(query, (19, 0, 1), (1, 0, 1))
    walk(query, back)
    assert (back.state, back.reached_target) == (ARRIVED, False)
    assert back.position[0] > 13.9


def test_a_disabled_link_is_never_entered_however_often_it_is_toggled():
    query = platforms()
    (link_id, _link), = query.mesh.links()
    follower = sent(query, (1, 0, 1), (19, 0, 1))
    enabled = True
    for _ in range(600):
        enabled = not enabled
        query.mesh.set_link_enabled(link_id, enabled)
        before = follower.state
        follower.step(query, DT)
        if before == MOVING and follower.state == CROSSING:
            assert enabled
    if follower.state == ARRIVED:
        follower.set_destination(query, (19, 0, 1))
    query.mesh.set_link_enabled(link_id, True)
    follower.set_destination(query, (19, 0, 1))
    walk(query, follower)
    assert follower.reached_target


def test_a_link_that_the_filter_refuses_is_not_crossed():
    query = platforms(flags=4)
    follower = placed(query, (1, 0, 1))
    refusing = QueryFilter(exclude=4)
    follower.set_destination(query, (19, 0, 1), refusing)
    walk(query, follower, filter=refusing)
    assert not follower.reached_target
    assert follower.position[0] < 6.1


def test_of_two_links_between_the_same_polygons_the_accepted_one_is_crossed():
    cells = [(0, 0), (1, 0), (5, 0), (6, 0)]
    links = [OffMeshLink((3, 0, 0.5), (11, 0, 0.5), flags=4), OffMeshLink((3, 0, 1.5), (11, 0, 1.5))]
    query = NavMeshQuery(cell_mesh(cells, links=links))
    follower = placed(query, (1, 0, 0.5))
    refusing = QueryFilter(exclude=4)
    assert follower.set_destination(query, (13, 0, 0.5), refusing)
    while follower.state == MOVING:
        follower.step(query, DT, refusing)
    assert follower.position == (3.0, 0.0, 1.5)
    walk(query, follower, filter=refusing)
    assert follower.reached_target


@pytest.mark.parametrize("z", [1.0, 19.0])
def test_of_two_links_that_begin_at_one_place_the_one_that_the_path_takes_is_crossed(z):
    hall = [(0, 0, 0), (2, 0, 0), (2, 0, 2), (0, 0, 2)], [(10, 0, 0), (12, 0, 0), (12, 0, 20), (10, 0, 20)]
    links = [OffMeshLink((1, 0, 1), (11, 0, 1)), OffMeshLink((1, 0, 1), (11, 0, 19))]
    mesh = TiledNavMesh.from_polygons([*hall[0], *hall[1]], [[0, 1, 2, 3], [4, 5, 6, 7]], links=links)
    query = NavMeshQuery(mesh)
    follower = sent(query, (0.5, 0, 1), (11.5, 0, z))
    walk_to_entry(query, follower)
    assert FollowerDebug.collect(query, follower).crossing.end == (11.0, 0.0, z)
    walk(query, follower)
    assert follower.reached_target


HOST = FollowerOptions(off_mesh_mode=OffMeshMode.HOST)


def test_in_host_mode_nothing_moves_until_the_host_says_so():
    query = platforms()
    follower = sent(query, (1, 0, 1), (19, 0, 1), HOST)
    walk_to_entry(query, follower)
    before = follower.to_bytes()
    for _ in range(300):
        assert follower.step(query, DT) == CROSSING
    assert follower.to_bytes() == before
    assert follower.complete_off_mesh_link(query)
    assert (follower.state, follower.position) == (MOVING, (15.0, 0.0, 1.0))
    assert not follower.complete_off_mesh_link(query)
    walk(query, follower)
    assert follower.reached_target


def test_completing_an_automatic_crossing_ends_it_early():
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    follower.step(query, DT)
    assert follower.complete_off_mesh_link(query)
    assert follower.position == (15.0, 0.0, 1.0)


def test_a_destination_set_during_a_crossing_is_recorded_and_planned_after_it():
    query = platforms()
    follower = sent(query, (1, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    path = follower.corridor.path
    assert follower.set_destination(query, (3, 0, 1))
    assert (follower.state, follower.corridor.path) == (CROSSING, path)
    assert follower.destination == (3.0, 0.0, 1.0)
    walk(query, follower)
    assert follower.reached_target
    assert follower.position == pytest.approx((3.0, 0.0, 1.0), abs=0.011)


def test_stopping_during_a_crossing_ends_at_the_link_s_end():
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    follower.step(query, DT)
    follower.stop()
    walk(query, follower)
    assert (follower.state, follower.position) == (ARRIVED, (15.0, 0.0, 1.0))


def test_when_the_exit_s_ground_is_gone_the_agent_relocates_near_it():
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1), FollowerOptions(search_extents=(8, 4, 8)))
    walk_to_entry(query, follower)
    # The tile behind the link is replaced: its polygons have other references now.
    query.mesh.replace_tile(query.mesh.tile_data(1, 0))
    while follower.state == CROSSING:
        follower.step(query, DT)
    walk(query, follower)
    assert follower.reached_target


def test_when_no_ground_is_left_near_the_exit_the_state_says_so():
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    query.mesh.remove_tile(1, 0)
    walk(query, follower)
    assert follower.state == FollowerState.NO_PATH


def test_a_link_without_length_is_crossed_in_one_step():
    cells = [(x, 0) for x in range(3)]
    mesh = cell_mesh([*cells, (3, 0)], height=lambda x, _z: 5.0 if x > 3 else 0.0)
    assert mesh.poly_count == 4
    query = NavMeshQuery(cell_mesh([(x, 0) for x in range(6)], tile_cells=3,
                                   links=[OffMeshLink((5.9, 0, 1), (6.1, 0, 1), area=2)]))
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    walk(query, follower)
    assert follower.reached_target


def test_a_crossing_can_be_saved_and_read_at_any_step():
    query = platforms()
    follower = sent(query, (5, 0, 1), (19, 0, 1))
    walk_to_entry(query, follower)
    while follower.state in (MOVING, CROSSING):
        copy = placed(query, (1, 0, 1))
        copy.read(follower.to_bytes())
        follower.step(query, DT)
        copy.step(query, DT)
        assert copy.to_bytes() == follower.to_bytes()
    assert follower.reached_target
