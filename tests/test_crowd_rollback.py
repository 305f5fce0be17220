"""Crowds and followers rolled back: the same bits again, in place, in a new process, for any number of threads."""

import os
import pickle
import random
import subprocess
import sys

import pytest
from meshes import cell_mesh
from mode import ROOT, scaled
from scenarios import resume
from scenarios.crowds import SCENARIOS as CROWDS
from scenarios.walks import DT

import onepath
from onepath.crowds.crowd import Crowd

NAMES = [*CROWDS, "follower"]
AHEAD = 60


def check_rollback(name, count, ticks, length, referenced):
    """Save at random ticks of a long run, then go back to each in random order and on from there: equal bytes.

    A new process does the same, and stops at the same bits.
    """
    rng = random.Random(f"{name} {ticks}")
    chosen = set(rng.sample(range(length), ticks))
    scenario = resume.make(name, count)
    hashes, states, ends = [], {}, {}
    for tick in range(length + AHEAD):
        if tick in chosen:
            states[tick] = scenario.save(referenced)
        if tick - AHEAD in chosen:
            ends[tick - AHEAD] = scenario.save(referenced)
        hashes += resume.go_on(scenario, tick, 1)
    order = sorted(chosen)
    rng.shuffle(order)
    for tick in order:
        scenario.restore(states[tick])
        assert scenario.save(referenced) == states[tick]
        assert resume.go_on(scenario, tick, AHEAD) == hashes[tick:tick + AHEAD], tick
        if tick in ends:
            assert scenario.save(referenced) == ends[tick]
    saved = [(tick, states[tick]) for tick in order]
    check_new_process(name, count, saved, [hashes[tick + AHEAD - 1] for tick in order])


def check_new_process(name, count, saved, expected):
    package = ROOT if not onepath.COMPILED else os.path.dirname(os.path.dirname(onepath.__file__))
    path = os.pathsep.join((str(package), str(ROOT / "tests")))
    found = subprocess.run(
        [sys.executable, "-P", resume.__file__], input=pickle.dumps((name, count, AHEAD, saved)), check=True,
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}).stdout
    assert found.decode().split() == [f"{value:016x}" for value in expected]


@pytest.mark.parametrize("referenced", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_run_restored_at_random_ticks_goes_the_same_way_here_and_in_a_new_process(name, referenced):
    check_rollback(name, scaled(30, 6), scaled(5, 1), scaled(150, 12), referenced)


@pytest.mark.full
@pytest.mark.parametrize("referenced", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_runs_restored_at_fifty_random_ticks_go_the_same_way_here_and_in_a_new_process(name, referenced):
    check_rollback(name, scaled(60, 8), scaled(50, 2), scaled(1000, 40), referenced)


def test_ids_slots_and_new_agents_go_on_as_in_the_saved_run():
    def go_on(scenario, tick):
        agents = list(scenario.crowd)
        scenario.crowd.remove(agents[3])
        scenario.crowd.remove(agents[1])
        scenario.crowd.add(agents[0].position)
        return resume.go_on(scenario, tick, 10), [(agent.id, agent.slot) for agent in scenario.crowd]

    scenario = CROWDS["scatter"](scaled(30, 8))
    state = scenario.crowd.save_state()
    expected = go_on(scenario, 0)
    scenario.crowd.restore_state(state)
    assert go_on(scenario, 0) == expected


def test_equal_runs_give_one_hash_for_every_number_of_threads():
    found = set()
    for threads in (1, 2, 4, 8, 16):
        # Every group of 32 agents can have a thread of its own.
        scenario = CROWDS["scatter"](scaled(270, 34), threads)
        found.add(tuple(resume.go_on(scenario, 0, scaled(30, 3))))
    assert len(found) == 1


@pytest.mark.parametrize("name", CROWDS)
def test_a_run_restored_into_another_number_of_threads_goes_the_same_way(name):
    count = scaled(100, 34)
    one, seven = (CROWDS[name](count, threads) for threads in (1, 7))
    resume.go_on(one, 0, scaled(20, 2))
    seven.restore(one.save())
    assert resume.go_on(seven, 20, scaled(30, 3)) == resume.go_on(one, 20, scaled(30, 3))
    assert seven.save() == one.save()


@pytest.mark.parametrize("combined", [False, True])
def test_agents_whose_ways_end_short_do_not_search_again_because_of_a_restore(combined):
    def run(restores):
        mesh = cell_mesh([(x, z) for x in range(12) for z in range(2) if x != 7])
        crowd = Crowd(mesh)
        for z in (1, 3):
            crowd.add((1, 0, z)).set_destination((19, 0, 2))
        for _ in range(30):
            crowd.step(DT)
        mesh.set_poly_area(mesh.tile_polygons(0, 0)[20], 1)
        crowd.step(DT)
        if restores and combined:
            crowd.restore_state_with_mesh(crowd.save_state_with_mesh())
        elif restores:
            state = crowd.save_state()
            mesh.restore_state(mesh.save_state())
            crowd.restore_state(state)
        hashes = []
        for _ in range(200):
            crowd.step(DT)
            hashes.append(crowd.state_hash())
        return hashes

    assert run(True) == run(False)
