"""The targets `addon` and `test-engine`: the Godot addon in addons/onepath/bin, and its tests in a real engine."""

from pathlib import Path

from SCons.Script import GetOption

from . import environment, godot_bundle, godot_compile
from .failure import BuildStop
from .godot_engine import find_engine
from .places import CORE, ROOT
from .targets import Targets

SIZE_LIMIT_MB = 25


def register(targets: Targets) -> None:
    targets.option("project", "a Godot project's folder, into which `scons addon` installs the addon", "")
    summary = "build the addon into addons/onepath/bin (--project=DIR installs it there)"
    targets.add("addon", summary, addon, ["core"], check_project)
    summary = "run the tests that need a Godot engine (found, or fetched into the user's cache)"
    targets.add("test-engine", summary, test, ["core"])


def check_project() -> None:
    project = GetOption("project")
    if project and not (Path(project) / "project.godot").is_file():
        raise BuildStop(f"--project={project} is no Godot project: there is no project.godot in that folder.")


def addon() -> int:
    project = GetOption("project")
    libraries = godot_compile.build_libraries(find_engine())
    godot_bundle.lay_out(libraries, godot_bundle.BIN, godot_bundle.addon_packages(), "import godot, onepath_nodes\n")
    size = sum(path.stat().st_size for path in godot_bundle.BIN.rglob("*") if path.is_file()) / 1e6
    if size > SIZE_LIMIT_MB:
        raise BuildStop(f"The built addon takes {size:.1f} MB, more than the {SIZE_LIMIT_MB} MB that it may take.")
    print(f"Built {godot_bundle.BIN.relative_to(ROOT)} ({size:.1f} MB)", flush=True)
    if project:
        count = godot_bundle.install(Path(project))
        print(f"Installed {count} files into {Path(project) / 'addons' / 'onepath'}", flush=True)
    return 0


def test() -> int:
    python = environment.ensure("build", "test")
    find_engine()  # fetched here, with its progress line, and not inside a test
    arguments = ["-P", "-m", "pytest", "tests/godot", "-m", "engine", "-n", "auto", "--dist=worksteal"]
    return environment.run([python, *arguments], pythonpath=CORE)
