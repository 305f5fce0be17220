"""The follower's parity scenario, restored and rerun, and with polygon nodes; its golden hash is in test_parity.py.

To make the value below anew after a change that is meant to change results (from the project's folder):

    PYTHONPATH=.:tests python -c "from parity.follower_scenario import run; print(hex(run(polygon_nodes=True)))"
"""

import pytest
from parity.follower_scenario import run
from test_parity import GOLDEN

from onepath.corridors.states import FollowerState

GOLDEN_POLYGON_NODES = 0x5CE59475B4FA8D64


def test_a_walk_among_edits_gives_the_golden_hash():
    assert f"{run():016x}" == f"{GOLDEN['follower_scenario']:016x}"


def test_restored_and_rerun_at_every_50th_step_it_gives_the_same_hash():
    assert run(rerun=True) == GOLDEN["follower_scenario"]


def test_the_scenario_goes_through_walking_crossing_and_arriving():
    seen = set()
    run(seen=seen)
    assert {FollowerState.MOVING, FollowerState.OFF_MESH_LINK, FollowerState.ARRIVED} <= seen


@pytest.mark.parametrize("rerun", [False, True])
def test_with_polygon_nodes_it_gives_a_golden_hash_of_its_own(rerun):
    assert run(rerun, polygon_nodes=True) == GOLDEN_POLYGON_NODES
