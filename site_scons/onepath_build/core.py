"""The target `core`: the compiled package in build/core."""

from . import environment, toolchain
from .places import CORE, ROOT
from .targets import Targets

COMPILE = ROOT / "site_scons" / "onepath_build" / "compile_core.py"


def register(targets: Targets) -> None:
    targets.add("core", "compile the package onepath into build/core (PYTHONPATH=build/core runs it)", build)


def build() -> int:
    toolchain.check_compiler(toolchain.find_compiler())  # says what is missing before anything is downloaded
    return environment.run([environment.ensure("build"), COMPILE, "--out", CORE])
