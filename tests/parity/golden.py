"""The golden hashes of whole scenarios, kept in golden.json: the same on every build, or the builds differ.

They change only with a change of behaviour that its commit explains. From the project's folder, with the compiled
package built:

    PYTHONPATH=build/core:tests build/venv/bin/python -P tests/parity/golden.py --write

puts the new values into golden.json; without ``--write`` it prints what the package that PYTHONPATH chooses gives.
"""

import argparse
import json
from functools import partial
from pathlib import Path

from parity import crowd_scenario, follower_scenario, query_scenario

import onepath

FILE = Path(__file__).with_name("golden.json")
RENEW = "PYTHONPATH=build/core:tests build/venv/bin/python -P tests/parity/golden.py --write"

CROWDS = {name: partial(crowd_scenario.run, name) for name in crowd_scenario.SIZES}
#: Scenario → a function that returns its hash.
SCENARIOS = {
    "query": query_scenario.run,
    **CROWDS,
    "follower": partial(follower_scenario.run, rerun=True),
    "follower with polygon nodes": partial(follower_scenario.run, rerun=True, polygon_nodes=True),
}


def known() -> dict[str, str]:
    """Return scenario → its golden hash."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def found(threads: int = 1) -> dict[str, str]:
    """Run all scenarios, crowds with so many threads; return scenario → its hash."""
    hashes = {name: run() for name, run in SCENARIOS.items() if name not in CROWDS}
    hashes |= {name: run(threads) for name, run in CROWDS.items()}
    return {name: f"{hashes[name]:016x}" for name in SCENARIOS}


def advice(name: str) -> str:
    """Return what to do when a scenario's hash is another one."""
    return f"the scenario '{name}' goes another way; if it is meant to, say why in the commit and renew it: {RENEW}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1, help="worker threads of crowds (default: 1)")
    parser.add_argument("--write", action="store_true", help="put the hashes into golden.json")
    arguments = parser.parse_args()
    hashes = found(arguments.threads)
    print("compiled" if onepath.COMPILED else "interpreted", json.dumps(hashes))
    if arguments.write:
        FILE.write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
