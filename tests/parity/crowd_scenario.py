"""Crowds (obstacles, a door, two floors with links, edits underfoot, queues at links), each folded into a hash."""

from scenarios.crowds import SCENARIOS

from onepath.packing import fnv1a_64

#: Scenario → (agents, ticks): small enough for interpreted runs. A thread has work from 32 agents on, so the first
#: crowd keeps seven busy and the others two.
SIZES = {"scatter": (200, 16), "door": (40, 45), "floors": (40, 60), "edits": (40, 60), "queues": (40, 60)}


def run(name, threads=1):
    """Return the hash of a crowd's states, every fourth one, all in one."""
    agents, ticks = SIZES[name]
    scenario = SCENARIOS[name](agents, threads)
    hashes = []
    for tick in range(ticks):
        scenario.step(tick)
        if tick % 4 == 3:
            hashes.append(scenario.crowd.state_hash())
    return fnv1a_64(b"".join(value.to_bytes(8, "little") for value in [*hashes, scenario.crowd.state_hash()]))
