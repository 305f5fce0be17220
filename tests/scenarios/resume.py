"""Run as a program: take saved scenarios up again in a process of its own and print what becomes of them.

Read from standard input: a pickled (scenario's name, agents, steps, [(tick, state), …]).
"""

import pickle
import sys

from scenarios.crowds import SCENARIOS as CROWDS
from scenarios.follower import LoneFollower


def make(name, count):
    """Return a scenario: a crowd of ``count`` agents, or the follower."""
    return LoneFollower() if name == "follower" else CROWDS[name](count)


def go_on(scenario, tick, steps):
    """Do some ticks; return the hash after each."""
    hashes = []
    for later in range(tick, tick + steps):
        scenario.step(later)
        hashes.append(scenario.state_hash())
    return hashes


def main():
    name, count, steps, saved = pickle.load(sys.stdin.buffer)
    scenario = make(name, count)
    for tick, state in saved:
        scenario.restore(state)
        print(f"{go_on(scenario, tick, steps)[steps - 1]:016x}")


if __name__ == "__main__":
    main()
