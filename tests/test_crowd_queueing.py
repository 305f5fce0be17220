"""Agents that queue at off-mesh links (``CrowdOptions.queue_at_links``): who enters when, and what never happens."""

from itertools import pairwise

import pytest
from meshes import cell_mesh
from mode import scaled
from scenarios.walks import Walk

from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.corridors.states import FollowerState
from onepath.crowds.options import AgentOptions, CrowdOptions
from onepath.navmesh.link_data import OffMeshLink

QUEUE = CrowdOptions(queue_at_links=True)
SMALL = AgentOptions.small()
CROSSING = FollowerState.OFF_MESH_LINK
#: The ends of the only link between the two islands.
WEST, EAST = (23.0, 0.0, 16.0), (29.0, 0.0, 16.0)


def islands(options=QUEUE, *, one_way=False, links=None):
    """Return a walk on two islands joined by a link of 6 m."""
    cells = [(x, z) for x in range(12) for z in range(16)]
    mesh = cell_mesh([*cells, *((x + 14, z) for x, z in cells)],
                     links=links or [OffMeshLink(WEST, EAST, bidirectional=not one_way)])
    return Walk(mesh, options=options, settling=0)


def streams(count, agent=SMALL, options=QUEUE):
    """Return a walk of so many agents on either island, each bound for the place of one on the other."""
    walk = islands(options)
    apart = max(1.2, 2.4 * agent.radius)
    for k in range(count):
        x, z = 1.6 + apart * (k // 8), 2 + apart * (k % 8)
        walk.add((x, 0, z), (52 - x, 0, z + 0.3), agent)
        walk.add((52 - x, 0, z + 0.3), (x, 0, z), agent)
    return walk


def crossers(walk):
    return [agent for agent in walk.crowd if agent.state == CROSSING]


def near(walk, count, x=WEST[0], z=WEST[2], apart=0.7, goal=(45.0, 0.0, 16.0), agent=SMALL):
    """Add agents in a row that ends 1.5 before a link's end."""
    return [walk.add((x - 1.5 - apart * k, 0, z), goal, agent) for k in range(count)]


@pytest.mark.parametrize("agent", [SMALL, AgentOptions.humanoid()], ids=["small", "humanoid"])
def test_two_streams_over_one_link_take_turns_and_keep_apart(agent):
    """Measured, compiled: 0.36 of 0.6 and 0.17 of 1.2 deep at most; 0.56 and 1.15 without queueing."""
    walk = streams(scaled(20, 2), agent)
    together = 0
    for _ in range(scaled(100, 45) * 60):
        walk.step()
        on_link = crossers(walk)
        assert len({one.destination[0] > 26 for one in on_link}) <= 1, "both directions at once"
        places = sorted(one.position[0] for one in on_link)
        assert all(b - a >= 2 * agent.radius - 1e-9 for a, b in pairwise(places))
        together = max(together, len(on_link))
        for one in walk.arrived():
            walk.crowd.remove(one)
        if not len(walk.crowd):
            break
    assert len(walk.crowd) == 0
    assert walk.off_mesh == 0
    assert together >= scaled(3, 1)
    assert walk.overlap <= 0.65 * 2 * agent.radius


def test_without_queueing_agents_enter_at_once_and_come_down_on_each_other():
    walk = islands(CrowdOptions())
    near(walk, 4)
    near(walk, 4, z=WEST[2] + 0.7)
    walk.step(300)
    assert walk.links == 8
    assert walk.overlap > 0.2


def test_agents_at_one_entry_follow_one_another_so_that_each_has_left_when_the_next_lands():
    walk = islands(one_way=True)
    near(walk, 4)
    near(walk, 4, z=WEST[2] + 0.7)
    walk.step(600)
    assert walk.links == 8
    assert walk.overlap <= 0.1


def test_one_alone_crosses_as_it_does_without_queueing():
    ways = []
    for options in (CrowdOptions(), QUEUE):
        walk = islands(options)
        agent, = near(walk, 1)
        way = []
        for _ in range(240):
            walk.step(look=False)
            way.append((agent.position, agent.velocity, agent.state))
        ways.append(way)
    assert ways[0] == ways[1]
    assert ways[0][-1][0][0] > EAST[0]


def test_whose_turn_it_is_changes_so_that_an_endless_stream_holds_nobody_up():
    walk = islands()
    lone = walk.add((EAST[0] + 2, 0, 16), (2, 0, 16), SMALL)
    stream = near(walk, 12)
    for step in range(1500):
        walk.step(look=False)
        for agent in stream:
            if agent.position[0] > 32:
                agent.warp((WEST[0] - 4, 0, 16 + (step % 5 - 2)))
                agent.set_destination((45, 0, 16))
        if lone.position[0] < WEST[0]:
            break
    assert lone.position[0] < WEST[0]


def test_one_who_stands_at_the_exit_for_good_is_not_waited_for():
    walk = islands()
    standing = walk.add(EAST, options=SMALL)
    agent, = near(walk, 1)
    walk.step(scaled(420, 420))
    assert agent.position[0] > EAST[0]
    assert standing.state == FollowerState.IDLE


def test_walkers_that_cannot_leave_the_exit_are_waited_for_only_so_long():
    walk = islands(links=[OffMeshLink((23.5, 0, 16), (28.5, 0, 16))])
    fast = AgentOptions(radius=0.3, max_speed=2.5, path=FollowerOptions(corridor_capacity=64, off_mesh_speed=100.0))
    # Its ground has nothing but the exit on it: it walks there for ever.
    heavy = walk.add((28.5, 0, 16), (28.5, 0, 16), SMALL)
    agent, = near(walk, 1, x=23.5, agent=fast)
    for step in range(600):
        heavy.set_destination((28.5 + 0.5 * (step % 2), 0, 16.5))
        heavy.warp((28.5, 0, 16))
        heavy.set_destination((45, 0, 30))
        walk.step(look=False)
        if step == 50:
            assert agent.state == FollowerState.MOVING
        if agent.position[0] > 28:
            break
    assert 28 < agent.position[0]


def test_of_agents_whose_link_the_game_crosses_one_is_on_it_at_a_time():
    walk = islands()
    manual = SMALL.replace(path=FollowerOptions(corridor_capacity=64, off_mesh_mode=OffMeshMode.HOST))
    agents = near(walk, 3, agent=manual)
    crossed = 0
    for _ in range(scaled(900, 600)):
        walk.step(look=False)
        on_link = crossers(walk)
        assert len(on_link) <= 1
        if on_link and walk.crowd.step_count % 40 == 0:
            on_link[0].complete_off_mesh_link()
            crossed += 1
    assert crossed == 3
    assert all(agent.position[0] > EAST[0] for agent in agents)


@pytest.mark.parametrize("how", ["disabled", "removed"])
def test_who_waits_at_a_link_that_goes_waits_no_longer(how):
    walk = islands()
    near(walk, 4)
    while not crossers(walk):
        walk.step()
    waiting = [agent for agent in walk.crowd if agent.state == FollowerState.MOVING]
    if how == "disabled":
        walk.mesh.set_link_enabled(0, False)
    else:
        walk.mesh.remove_link(0)
    walk.step(scaled(600, 300))
    assert walk.links == 1
    assert all(agent.state != CROSSING and agent.position[0] < WEST[0] + 1 for agent in waiting)
    assert walk.off_mesh == 0
    if how == "disabled":
        walk.mesh.set_link_enabled(0, True)
        walk.step(scaled(900, 600))
        assert walk.links == 4


def test_one_that_is_removed_while_it_crosses_holds_nobody_up():
    walk = islands()
    near(walk, 2)
    while not crossers(walk):
        walk.step()
    walk.crowd.remove(crossers(walk)[0])
    walk.step()
    assert len(crossers(walk)) <= 1
    walk.step(scaled(400, 400))
    assert [agent.position[0] > EAST[0] for agent in walk.crowd] == [True]


def test_waiting_agents_count_no_time_towards_being_stuck():
    walk = islands(one_way=True)
    patient = SMALL.replace(path=FollowerOptions(corridor_capacity=64, stuck_window=0.5, max_stuck_recoveries=0,
                                                 off_mesh_mode=OffMeshMode.HOST))
    first, second = near(walk, 2, agent=patient)
    walk.step(scaled(400, 400), look=False)
    assert first.state == CROSSING
    assert second.state == FollowerState.MOVING


def waiting_crowd(threads):
    walk = streams(scaled(40, 17), options=CrowdOptions(queue_at_links=True, max_threads=threads))
    for agent in walk.crowd:
        x, _, z = agent.position
        agent.warp((0.2 * x + (20.5 if x < 26 else 21.5), 0, 0.5 * z + 12.5))
        agent.set_destination((52 - agent.position[0], 0, 16))
    return walk


def test_waiting_does_not_depend_on_threads_nor_on_restores():
    steps = scaled(240, 70)
    ends = set()
    for threads in (1, 2, 3, 7, 16):
        walk = waiting_crowd(threads)
        for step in range(steps):
            walk.step(look=False)
            if threads == 3 and step % 7 == 0:
                walk.crowd.restore_state(walk.crowd.save_state())
        assert walk.crowd.state_hash() not in ends or len(ends) == 1
        ends.add(walk.crowd.state_hash())
        if threads == 1:
            assert crossers(walk)
    assert len(ends) == 1


def test_the_bytes_do_not_tell_who_waits():
    walk = waiting_crowd(1)
    walk.step(scaled(120, 20), look=False)
    state = walk.crowd.save_state()
    other = Walk(walk.mesh, options=QUEUE)
    other.crowd.restore_state(state)
    for _ in range(scaled(120, 20)):
        walk.step(look=False)
        other.step(look=False)
        assert other.crowd.save_state() == walk.crowd.save_state()
