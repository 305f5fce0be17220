"""The targets `lint`, `test` and `test-full`."""

from pathlib import Path

from . import environment, godot
from .places import CORE, ROOT
from .targets import Targets

GROUPS = ("build", "test", "peers")


def register(targets: Targets) -> None:
    targets.add("lint", "check style and types (ruff, mypy)", lint)
    targets.add("test", "lint, then the tests: core compiled and interpreted, nodes in Godot", test, ["core", "lint"])
    targets.add("test-full", "run all tests that need no engine, the long ones too, compiled", test_full, ["core"])


def lint() -> int:
    python = environment.ensure(*GROUPS)
    checks = (["ruff", "check", "--quiet", "."], ["mypy"])
    return next((status for check in checks if (status := environment.run([python, "-m", *check]))), 0)


def test() -> int:
    selection = "not full and not engine"
    return _pytest("compiled", CORE, selection) or _pytest("interpreted", ROOT, selection) or godot.test()


def test_full() -> int:
    return _pytest("compiled", CORE, "not engine")


def _pytest(mode: str, package_folder: Path, selection: str) -> int:
    print(f"Tests, {mode}", flush=True)
    # -P keeps the working folder off sys.path, where the sources would hide the compiled package.
    arguments = ["-P", "-m", "pytest", "tests", "-m", selection, "-n", "auto", "--dist=worksteal"]
    return environment.run(
        [environment.ensure(*GROUPS), *arguments], pythonpath=package_folder, extra={"ONEPATH_EXPECT": mode}
    )
