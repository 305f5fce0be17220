"""Layers of an agent: of what the crowd's filter allows, it walks where a polygon has one of its flags."""

import pytest

from onepath import AgentOptions, Crowd, CrowdOptions, FollowerState, OutOfRangeError, QueryFilter, TiledNavMesh

DT = 1.0 / 60.0


def swamp_and_way_round() -> TiledNavMesh:
    """A straight way over a swamp (flag 2) from x = 0 to 12, and a way round it (flag 1) over z = 4..6."""
    vertices = [(0, 0, 0), (4, 0, 0), (8, 0, 0), (12, 0, 0), (0, 0, 2), (4, 0, 2), (8, 0, 2), (12, 0, 2), (0, 0, 4),
                (4, 0, 4), (8, 0, 4), (12, 0, 4), (0, 0, 6), (4, 0, 6), (8, 0, 6), (12, 0, 6)]
    polygons = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [4, 5, 9, 8], [6, 7, 11, 10], [8, 9, 13, 12],
                [9, 10, 14, 13], [10, 11, 15, 14]]
    return TiledNavMesh.from_polygons(vertices, polygons, flags=[1, 2, 1, 1, 1, 1, 1, 1])


def walk(crowd: Crowd, agent) -> float:
    """Walk to (11, 0, 1), leave, and return the largest z on the way."""
    agent.set_destination((11, 0, 1))
    highest = 0.0
    for _ in range(1200):
        crowd.step(DT)
        highest = max(highest, agent.position[2])
    assert agent.state == FollowerState.ARRIVED and agent.reached_target
    crowd.remove(agent)
    return highest


def test_an_agent_without_the_layer_goes_round_and_one_with_it_straight_on():
    crowd = Crowd(swamp_and_way_round())
    assert walk(crowd, crowd.add((1, 0, 1), AgentOptions(layers=1))) > 3.9
    assert walk(crowd, crowd.add((1, 0, 1), AgentOptions(layers=3))) < 2.0
    assert walk(crowd, crowd.add((1, 0, 1))) < 2.0


def test_the_crowds_filter_counts_too():
    crowd = Crowd(swamp_and_way_round(), CrowdOptions(filter=QueryFilter(include=1)))
    assert walk(crowd, crowd.add((1, 0, 1), AgentOptions(layers=3))) > 3.9
    with pytest.raises(OutOfRangeError, match="no polygon is near"):
        crowd.add((1, 0, 1), AgentOptions(layers=2))


def test_a_restored_crowd_goes_on_the_same_with_mixed_layers_and_any_number_of_threads():
    hashes = set()
    for threads in (1, 4):
        crowd = Crowd(swamp_and_way_round(), CrowdOptions(max_threads=threads))
        for number in range(40):
            options = AgentOptions(radius=0.2, layers=3 if number % 3 == 2 else 1)
            agent = crowd.add((0.5 + number % 4, 0, 0.5 + number % 3 * 0.5), options)
            agent.set_destination((11, 0, 1))
        for _ in range(100):
            crowd.step(DT)
        state = crowd.save_state()
        other = Crowd(crowd.mesh, CrowdOptions(max_threads=5 - threads))
        other.restore_state(state)
        assert other.save_state() == state
        for _ in range(100):
            crowd.step(DT)
            other.step(DT)
        assert crowd.state_hash() == other.state_hash()
        hashes.add(crowd.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("value", [-1, 1 << 16, 1.5, "1", None])
def test_layers_are_sixteen_bits(value):
    with pytest.raises(OutOfRangeError, match="layers"):
        AgentOptions(layers=value)
