"""Crowds rolled back: the same bits again, in place, in a new crowd, in a new process, for any number of threads."""

import os
import random
import subprocess
import sys

import pytest
from mode import ROOT, scaled
from parity import crowd_scenario
from scenarios.crowds import SCENARIOS
from test_parity import GOLDEN

import onepath

COUNT = scaled(30, 8)
AHEAD = scaled(60, 8)


@pytest.mark.parametrize("threads", [1, 7])
def test_the_crowd_scenario_gives_the_golden_hash_with_any_number_of_threads(threads):
    assert f"{crowd_scenario.run(threads):016x}" == f"{GOLDEN['crowd_scenario']:016x}"


def run_ahead(scenario, tick, steps=AHEAD):
    hashes = []
    for later in range(tick, tick + steps):
        scenario.step(later)
        hashes.append(scenario.crowd.state_hash())
    return hashes


def check_rollback(name, ticks, seed, referenced):
    """Save mesh and crowd at random ticks, go on, restore, go on again, and compare every state between."""
    rng = random.Random(seed)
    scenario = SCENARIOS[name](COUNT)
    tick = 0
    for round in range(ticks):
        for _ in range(rng.randrange(1, 12)):
            scenario.step(tick)
            tick += 1
        state = scenario.crowd.save_state_with_mesh(referenced and name != "edits")
        expected = run_ahead(scenario, tick)
        scenario.crowd.restore_state_with_mesh(state)
        assert run_ahead(scenario, tick) == expected
        if round % 2 == 0:
            scenario.crowd.restore_state_with_mesh(state)
        else:
            tick += AHEAD


@pytest.mark.parametrize("referenced", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_run_restored_at_a_random_tick_goes_the_same_way(name, referenced):
    check_rollback(name, scaled(5, 1), 1, referenced)


@pytest.mark.full
@pytest.mark.parametrize("referenced", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_runs_restored_at_fifty_random_ticks_go_the_same_way(name, referenced):
    check_rollback(name, scaled(50, 2), 2, referenced)


GO_ON = """
import sys
from scenarios.crowds import SCENARIOS
name, path, tick, ahead, count = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
scenario = SCENARIOS[name](count)
scenario.crowd.restore_state_with_mesh(open(path, "rb").read())
for later in range(tick, tick + ahead):
    scenario.step(later)
print(f"{scenario.crowd.state_hash():016x}")
"""


@pytest.mark.parametrize("name", ["scatter", "edits"])
def test_a_run_restored_in_a_new_process_goes_the_same_way(name, tmp_path):
    scenario = SCENARIOS[name](COUNT)
    for tick in range(10):
        scenario.step(tick)
    path = tmp_path / "state"
    path.write_bytes(scenario.crowd.save_state_with_mesh())
    expected = f"{run_ahead(scenario, 10)[AHEAD - 1]:016x}"
    package = str(ROOT if not onepath.COMPILED else os.path.dirname(os.path.dirname(onepath.__file__)))
    found = subprocess.run(
        [sys.executable, "-P", "-c", GO_ON, name, path, "10", str(AHEAD), str(COUNT)], check=True, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join((package, str(ROOT / "tests")))}).stdout
    assert found.split() == [expected]


def test_ids_slots_and_new_agents_go_on_as_in_the_saved_run():
    def go_on(scenario, tick):
        agents = list(scenario.crowd)
        scenario.crowd.remove(agents[3])
        scenario.crowd.remove(agents[1])
        scenario.crowd.add(agents[0].position)
        return run_ahead(scenario, tick, 10), [(agent.id, agent.slot) for agent in scenario.crowd]

    scenario = SCENARIOS["scatter"](COUNT)
    state = scenario.crowd.save_state()
    expected = go_on(scenario, 0)
    scenario.crowd.restore_state(state)
    assert go_on(scenario, 0) == expected


def test_equal_runs_give_one_hash_for_every_number_of_threads():
    found = set()
    for threads in (1, 2, 4, 8, 16):
        scenario = SCENARIOS["scatter"](scaled(70, 34), threads)
        found.add(run_ahead(scenario, 0, scaled(60, 4))[scaled(60, 4) - 1])
    assert len(found) == 1
