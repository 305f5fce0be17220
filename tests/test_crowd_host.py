"""What a host reads of a crowd and writes to it by slot: places, directions, changes, bodies."""

from array import array

import pytest

from onepath import AgentOptions, Crowd, FollowerState, TiledNavMesh
from onepath.crowds.hosting import (
    CHANGE_CORNER,
    CHANGE_PATH,
    CHANGE_STATE,
    ROLE_BODY,
    ROLE_OWN_NODE,
    ROLE_TURNS,
    CrowdHost,
)

DT = 1.0 / 60.0


def corner_mesh() -> TiledNavMesh:
    """An L: along x at z = 0..2, then along z at x = 8..10."""
    vertices = [(0, 0, 0), (8, 0, 0), (10, 0, 0), (0, 0, 2), (8, 0, 2), (10, 0, 2), (8, 0, 10), (10, 0, 10)]
    return TiledNavMesh.from_polygons(vertices, [[0, 1, 4, 3], [1, 2, 5, 4], [4, 5, 7, 6]])


@pytest.fixture
def crowd():
    return Crowd(corner_mesh())


def steps(crowd, host, count):
    """Step and return the changes of slot 0, in order."""
    changes = []
    for _ in range(count):
        host.before_step()
        crowd.step(DT)
        found = host.after_step(DT)
        changes += [host.columns["change"][slot] for slot in host.columns["changed"][:found] if slot == 0]
    return changes


def test_a_walk_is_told_as_its_path_its_states_and_the_corner(crowd):
    host = CrowdHost(crowd)
    agent = crowd.add((1, 0, 1))
    host.enter(agent.slot, 0.5, ROLE_OWN_NODE)
    assert steps(crowd, host, 3) == [CHANGE_STATE]
    agent.set_destination((9, 0, 9))
    host.touch(agent.slot)
    assert steps(crowd, host, 600) == [CHANGE_STATE | CHANGE_PATH, CHANGE_CORNER, CHANGE_STATE]
    assert agent.state == FollowerState.ARRIVED
    assert tuple(host.columns["place"][:3]) == (agent.position[0], 0.5, agent.position[2])


def test_a_target_reached_in_the_step_after_it_was_set_is_told(crowd):
    host = CrowdHost(crowd)
    agent = crowd.add((1, 0, 1))
    host.enter(agent.slot, 0.0, 0)
    for _ in range(3):
        agent.set_destination((1.1, 0, 1) if agent.destination[0] != 1.1 else (1, 0, 1))
        host.touch(agent.slot)
        assert steps(crowd, host, 1)[0] & CHANGE_STATE
        assert agent.state == FollowerState.ARRIVED


def test_directions_are_shown_while_walking_and_remembered_for_those_that_are_drawn(crowd):
    host = CrowdHost(crowd)
    turned, drawn = crowd.add((1, 0, 0.5)), crowd.add((1, 0, 1.5), AgentOptions(radius=0.3))
    host.enter(turned.slot, 0.0, ROLE_OWN_NODE | ROLE_TURNS)
    host.enter(drawn.slot, 0.0, 0)
    for agent in (turned, drawn):
        agent.set_destination((7, 0, agent.position[2]))
        host.touch(agent.slot)
    steps(crowd, host, 60)
    assert host.columns["turn"][0] > 3.0
    assert host.columns["turn"][3] == 0.0
    assert host.gather_drawn() == 1
    assert tuple(host.columns["drawn"][:3]) == drawn.position
    assert host.columns["drawn_heading"][0] > 2.0
    steps(crowd, host, 240)
    assert tuple(host.columns["turn"][:3]) == (0.0, 0.0, 0.0)
    host.gather_drawn()
    assert host.columns["drawn_heading"][0] != 0.0


def test_columns_without_gaps_skip_free_slots(crowd):
    agents = [crowd.add((1 + number, 0, 1)) for number in range(4)]
    host = CrowdHost(crowd)
    crowd.remove(agents[1])
    assert host.gather("position").tolist() == [1.0, 0.0, 1.0, 3.0, 0.0, 1.0, 4.0, 0.0, 1.0]
    assert len(host.gather("velocity")) == 9


def test_an_agent_follows_its_body_along_the_surface(crowd):
    host = CrowdHost(crowd)
    agent = crowd.add((1, 0, 1))
    host.enter(agent.slot, 0.9, ROLE_OWN_NODE | ROLE_BODY)
    agent.set_destination((9, 0, 9))
    steps(crowd, host, 10)
    assert host.follow(array("d", [2.0, 0.9, 1.0]), 0.5) == []
    assert agent.position == (2.0, 0.0, 1.0)
    assert agent.velocity == pytest.approx((2.0, 0.0, 0.0))
    assert host.follow(array("d", [2.0, 0.9, -0.5]), 0.0) == []
    assert agent.position == (2.0, 0.0, 0.0), "it stays on the mesh"
    assert agent.velocity == pytest.approx((2.0, 0.0, 0.0)), "without a time the velocity stays"
    assert agent.state == FollowerState.MOVING


def test_a_body_that_jumped_or_may_be_on_another_floor_is_told(crowd):
    host = CrowdHost(crowd)
    agent = crowd.add((1, 0, 1))
    host.enter(agent.slot, 0.0, ROLE_OWN_NODE | ROLE_BODY)
    assert host.follow(array("d", [9.0, 0.0, 9.0]), DT) == [0]
    assert agent.position == (1.0, 0.0, 1.0)
    assert host.follow(array("d", [1.5, 3.0, 1.0]), DT) == [0]
    assert agent.position == (1.5, 0.0, 1.0)


def test_what_a_host_reads_changes_no_byte():
    bytes_seen = []
    for hosted in (False, True):
        crowd = Crowd(corner_mesh())
        host = CrowdHost(crowd)
        for number in range(5):
            agent = crowd.add((1 + number, 0, 1))
            host.enter(agent.slot, 0.3, ROLE_OWN_NODE)
            agent.set_destination((9, 0, 9 - number))
        for _ in range(200):
            if hosted:
                host.before_step()
            crowd.step(DT)
            if hosted:
                host.after_step(DT)
                host.gather_drawn()
        bytes_seen.append(crowd.save_state())
    assert bytes_seen[0] == bytes_seen[1]
