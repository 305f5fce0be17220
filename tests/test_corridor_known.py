"""What a crowd knows of its corridors from earlier steps changes nothing: forgetting it gives the same bits."""

import random

import pytest
from mode import scaled
from scenarios.crowds import SCENARIOS

COUNT = scaled(30, 8)
TICKS = scaled(300, 40)


def forget(crowd):
    column = crowd._followers.columns["known_revision"]
    for slot in range(len(column)):
        column[slot] = -1


def knows_strings(crowd):
    """How many agents' corners are known for the mesh as it is."""
    columns, revision = crowd._followers.columns, crowd.mesh.store.revision
    return sum(
        columns["known_revision"][agent.slot] == revision and columns["string_count"][agent.slot] > 1 for agent in crowd
    )


def disturb(scenario, rng):
    """Do to one agent what a host may do between steps."""
    agent = rng.choice(list(scenario.crowd))
    goal = rng.choice(scenario.goals)
    kind = rng.randrange(6)
    if kind == 0:
        agent.warp(goal)
    elif kind == 1:
        agent.stop()
    elif kind == 2:
        agent.set_destination(goal)
    elif kind == 3:
        agent.follow(tuple(c + rng.uniform(-0.5, 0.5) * (axis != 1) for axis, c in enumerate(agent.destination)))
    elif kind == 4:
        agent.set_options(agent.options.replace(layers=rng.choice((0x00FF, 0xFFFF))))
    else:
        state = scenario.crowd.save_state()
        scenario.crowd.step(0.1)
        scenario.crowd.restore_state(state)


def run(name, forgets):
    """Return the hash of every state, and the sum of what was known before the steps."""
    scenario = SCENARIOS[name](COUNT)
    rng = random.Random(8)
    hashes, known = [], 0
    for tick in range(TICKS):
        known += knows_strings(scenario.crowd)
        if forgets:
            forget(scenario.crowd)
        scenario.step(tick)
        if tick % 4 == 3:
            disturb(scenario, rng)
        hashes.append(scenario.crowd.state_hash())
    return hashes, known


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_crowd_that_forgets_what_it_knows_goes_the_same_way(name):
    expected, known = run(name, False)
    assert known > TICKS // 4
    assert run(name, True)[0] == expected
