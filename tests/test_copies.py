"""What can be copied and pickled, and what says how to make a second one instead."""

import copy
import pickle

import pytest
from corridor_tools import sent, strip_query
from meshes import cell_mesh

from onepath import (
    AgentOptions,
    CorridorReplan,
    Crowd,
    CrowdOptions,
    CrowdStateError,
    FollowerOptions,
    NavMeshFormatError,
    OutOfRangeError,
    PathCorridor,
    PathFollower,
    QueryFilter,
)

WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps}


def crowd_of_one():
    crowd = Crowd(cell_mesh([(x, z) for x in range(4) for z in range(4)]))
    crowd.add((1, 0, 1)).set_destination((7, 0, 7))
    return crowd


UNCOPIED = {
    "Crowd": (crowd_of_one, "save_state"),
    "Agent": (lambda: crowd_of_one().get_agent(0), "get_agent"),
    "PathFollower": (PathFollower, "to_bytes"),
    "PathCorridor": (PathCorridor, "to_bytes"),
    "CorridorReplan": (CorridorReplan, "begin"),
    "TiledNavMesh": (lambda: crowd_of_one().mesh, "save_state"),
    "NavMeshQuery": (lambda: strip_query(3), "NavMeshQuery of the mesh"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", UNCOPIED)
def test_what_shares_memory_refuses_to_be_copied_and_says_what_to_do(name, way):
    make, instead = UNCOPIED[name]
    thing = make()
    with pytest.raises(TypeError, match=f"{name} objects cannot be copied or pickled; .*{instead}"):
        WAYS[way](thing)


def test_what_the_refusals_say_makes_a_second_one():
    crowd = crowd_of_one()
    second = Crowd(crowd.mesh)
    second.restore_state(crowd.save_state())
    for _ in range(5):
        crowd.step(0.1)
        second.step(0.1)
    assert second.save_state() == crowd.save_state()
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    other, corridor = PathFollower(follower.options), PathCorridor(follower.corridor.capacity)
    other.read(follower.to_bytes())
    corridor.read(follower.corridor.to_bytes())
    follower.step(query, 0.1)
    other.step(query, 0.1)
    assert other.to_bytes() == follower.to_bytes()
    assert corridor.path == follower.corridor.path


@pytest.mark.parametrize("value", [
    AgentOptions(radius=0.4, path=FollowerOptions(corridor_capacity=9)), FollowerOptions.small(),
    CrowdOptions(max_threads=3, filter=QueryFilter(costs={2: 3.5}, forbidden_areas=(4, 7))),
    QueryFilter(include=3, exclude=4, costs={0: 2.0, 9: 0.5}, forbidden_areas=(1,)),
], ids=lambda value: type(value).__name__)
def test_settings_and_filters_are_values_that_can_be_copied_and_sent(value):
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
        assert hash(other) == hash(value)


@pytest.mark.parametrize("error", [
    OutOfRangeError("dt", "is odd"), CrowdStateError("magic", 4, "is odd"), NavMeshFormatError("salt", 7, "is odd"),
], ids=lambda error: type(error).__name__)
def test_errors_can_be_sent_to_another_process(error):
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)
