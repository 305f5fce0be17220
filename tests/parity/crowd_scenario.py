"""Four crowds (scattered obstacles, a door, two floors with links, edits underfoot) folded into one hash.

Run it by hand against the package that PYTHONPATH chooses:

    PYTHONPATH=build/core:tests python -P tests/parity/crowd_scenario.py
"""

from scenarios.crowds import SCENARIOS

import onepath
from onepath.packing import fnv1a_64

AGENTS = {"scatter": 34, "door": 12, "floors": 12, "edits": 14}
TICKS = 60


def run(threads=1):
    """Return the hash of each crowd's state at every fifth tick, all in one."""
    hashes = []
    for name, make in SCENARIOS.items():
        scenario = make(AGENTS[name], threads)
        for tick in range(TICKS):
            scenario.step(tick)
            if tick % 5 == 0:
                hashes.append(scenario.crowd.state_hash())
    return fnv1a_64(b"".join(value.to_bytes(8, "little") for value in hashes))


if __name__ == "__main__":
    print("compiled" if onepath.COMPILED else "interpreted", f"{run():016x}")
