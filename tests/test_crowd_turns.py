"""A crowd takes one call at a time: from threads, from within a call, and in a process that was forked off."""

import gc
import os
import subprocess
import sys
import threading
import time

import pytest
from meshes import cell_mesh, scatter
from mode import ROOT, scaled
from scenarios.crowds import SCENARIOS
from scenarios.walks import DT, scattered_places

import onepath
from onepath.crowds.crowd import Crowd
from onepath.crowds.options import AgentOptions, CrowdOptions
from onepath.errors import OnePathError, OutOfRangeError

THREADED = CrowdOptions(max_threads=3)


def big_crowd(count, options=THREADED):
    field = scatter(24)
    crowd = Crowd(field.mesh, options)
    places = scattered_places(field, count, 3, 0.9)
    for place, goal in zip(places, reversed(places)):
        crowd.add(place).set_destination(goal)
    return crowd


CALLS = {
    "step": lambda crowd, agent, state, both: crowd.step(DT),
    "save_state": lambda crowd, agent, state, both: crowd.save_state(),
    "save_state_into": lambda crowd, agent, state, both: crowd.save_state_into(bytearray(1)),
    "save_state_with_mesh": lambda crowd, agent, state, both: crowd.save_state_with_mesh(),
    "state_size": lambda crowd, agent, state, both: crowd.state_size(),
    "state_hash": lambda crowd, agent, state, both: crowd.state_hash(),
    "restore_state": lambda crowd, agent, state, both: crowd.restore_state(state),
    "restore_state_with_mesh": lambda crowd, agent, state, both: crowd.restore_state_with_mesh(both),
    "add": lambda crowd, agent, state, both: crowd.add(agent.position),
    "remove": lambda crowd, agent, state, both: crowd.remove(agent),
    "set_destination": lambda crowd, agent, state, both: agent.set_destination((1, 0, 1)),
    "follow": lambda crowd, agent, state, both: agent.follow((1, 0, 1)),
    "warp": lambda crowd, agent, state, both: agent.warp((1, 0, 1)),
    "stop": lambda crowd, agent, state, both: agent.stop(),
    "set_options": lambda crowd, agent, state, both: agent.set_options(AgentOptions(radius=0.2)),
    "complete_off_mesh_link": lambda crowd, agent, state, both: agent.complete_off_mesh_link(),
}


class Asking(dict):
    """Tiles whose owner calls the crowd when the restore asks for them."""

    def __init__(self, call):
        super().__init__()
        self._call = call

    def __bool__(self):
        return True

    def values(self):
        self._call()
        return []


@pytest.mark.parametrize("name", CALLS)
def test_a_call_from_within_a_restore_is_refused_and_nothing_is_half_changed(name):
    crowd = SCENARIOS["edits"](6).crowd
    both, state, agent = crowd.save_state_with_mesh(True), crowd.save_state(), crowd.get_agent(2)
    for _ in range(3):
        crowd.step(DT)
    crowd.mesh.set_poly_area(crowd.mesh.tile_polygons(0, 0)[0], 9)
    before = crowd.save_state_with_mesh()
    with pytest.raises(OnePathError, match="another call to this crowd is under way"):
        crowd.restore_state_with_mesh(both, Asking(lambda: CALLS[name](crowd, agent, state, both)))
    assert crowd.save_state_with_mesh() == before
    assert agent.active
    crowd.restore_state_with_mesh(both)
    assert crowd.save_state() == state


if sys.version_info >= (3, 12):  # before that, Python code has no way to be a buffer

    class Buffer:
        """Bytes whose owner is asked for them, and told when they are given back."""

        def __init__(self, content, call):
            self._content, self._call = content, call

        def __buffer__(self, flags):
            self._call()
            return memoryview(self._content)

        def __release_buffer__(self, view):
            self._call()

    def test_a_buffer_that_calls_the_crowd_when_it_is_read_disturbs_nothing():
        crowd = SCENARIOS["scatter"](6).crowd
        both, state = crowd.save_state_with_mesh(), crowd.save_state()
        crowd.step(DT)
        calls = []

        def call():
            calls.append(crowd.state_hash())
            crowd.restore_state(state)

        crowd.restore_state(Buffer(state, call))
        assert crowd.save_state() == state
        crowd.restore_state_with_mesh(Buffer(both, call))
        assert crowd.save_state() == state
        assert len(calls) == 4


class Point:
    """A place whose coordinates are only known after a call."""

    def __init__(self, call):
        self._call = call

    def __iter__(self):
        self._call()
        return iter((1.0, 0.0, 1.0))


@pytest.mark.parametrize("name", ["set_destination", "follow", "warp"])
def test_an_agent_that_leaves_while_its_goal_is_read_takes_no_order(name):
    crowd = Crowd(cell_mesh([(x, z) for x in range(4) for z in range(4)]))
    agent = crowd.add((5, 0, 5))
    with pytest.raises(OutOfRangeError, match="no longer in a crowd"):
        getattr(agent, name)(Point(lambda: crowd.remove(agent)))
    state = crowd.save_state()
    with pytest.raises(OutOfRangeError, match="no longer in a crowd"):
        agent.stop()
    assert crowd.save_state() == state


def test_calls_from_other_threads_during_steps_are_served_in_between_or_refused():
    crowd = big_crowd(scaled(300, 40))
    state, both, known = crowd.save_state(), crowd.save_state_with_mesh(), {crowd.state_hash()}
    rounds = scaled(60, 4)
    for _ in range(rounds):
        crowd.step(DT)
        known.add(crowd.state_hash())
    crowd.restore_state(state)
    hashes, refusals, errors = [], [], []

    def attempt(call):
        try:
            return call()
        except OnePathError as error:
            refusals.append(str(error))
        except BaseException as error:
            errors.append(error)

    def disturb():
        for _ in range(rounds):
            hashes.append(attempt(crowd.state_hash))
            for call in (lambda: crowd.restore_state(state), crowd.state_size,
                         lambda: crowd.restore_state_with_mesh(both)):
                attempt(call)
                time.sleep(0.001)

    threads = [threading.Thread(target=disturb) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(rounds):
        attempt(lambda: crowd.step(DT))
        time.sleep(0.0005)
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(hashes) <= known | {None}
    assert set(refusals) <= {"another call to this crowd is under way; a crowd takes one at a time"}
    assert crowd.state_hash() in known


FORKED = """
import os, sys, warnings
warnings.simplefilter("ignore")  # Python warns of a fork beside threads, which is what is tried here
from test_crowd_turns import DT, big_crowd
crowd = big_crowd(int(sys.argv[1]))
crowd.step(DT)
crowd.step(DT)
read, write = os.pipe()
child = os.fork()
for _ in range(3):
    crowd.step(DT)
if child == 0:
    os.write(write, crowd.state_hash().to_bytes(8, "little"))
    os._exit(0)
print(int.from_bytes(os.read(read, 8), "little") == crowd.state_hash())
os.waitpid(child, 0)
"""


if hasattr(os, "fork"):

    def test_a_crowd_steps_on_with_its_threads_in_a_process_that_was_forked_off():
        package = ROOT if not onepath.COMPILED else os.path.dirname(os.path.dirname(onepath.__file__))
        path = os.pathsep.join((str(package), str(ROOT / "tests")))
        found = subprocess.run(
            [sys.executable, "-P", "-c", FORKED, str(scaled(150, 70))], check=True, stdout=subprocess.PIPE, timeout=300,
            env={**os.environ, "PYTHONPATH": path}).stdout
        assert found.split() == [b"True"]


def worker_threads():
    return {thread for thread in threading.enumerate() if thread.name.startswith("onepath-")}


def test_the_threads_of_a_crowd_that_is_collected_end():
    before = worker_threads()
    crowd = big_crowd(scaled(150, 70))
    crowd.step(DT)
    started = worker_threads() - before
    assert len(started) == 2
    crowd.itself = crowd  # only a collection of cycles finds it
    del crowd
    gc.collect()
    for thread in started:
        thread.join(60)
        assert not thread.is_alive()
