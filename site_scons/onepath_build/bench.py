"""The target `bench`: the benchmarks of tests/bench against the compiled core."""

from . import environment
from .places import CORE, ROOT
from .targets import Targets
from .tests import GROUPS


def register(targets: Targets) -> None:
    targets.add("bench", "measure the compiled core against its peers (tests/bench)", bench, ["core"])


def bench() -> int:
    python = environment.ensure(*GROUPS)
    return environment.run([python, "-P", ROOT / "tests" / "bench"], pythonpath=CORE)
