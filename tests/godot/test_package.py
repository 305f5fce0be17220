"""The package: unpacking it into a project is all that it takes, and the same build gives the same bytes."""

import ast
import fnmatch
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tokenize
import zipfile
from pathlib import Path

import pytest
import start_up
from crowd_project import LEVEL, addon_bin
from onepath_build.godot_bundle import find_python_licence
from onepath_build.godot_compile import ADDON, PLATFORM
from onepath_build.godot_stdlib import compiled
from onepath_build.package import write_package
from project import _PROOF_FUNCTION, MAIN_SCENE, start

SETTINGS = """config_version=5
[application]
config/name="somebody's game"
run/main_scene="res://main.tscn"
"""
WALKS = """
func _ready():
	open_level(10.0)
	var agent = walker(Vector3(-5, 0, -5), Vector3(4, 0, 4))
	await agent.target_reached
	proof([agent.is_target_reached(), at(agent).distance_to(Vector3(4, 0, 4)) < 0.5, crowd.state_hash().length()])
"""


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    target = tmp_path_factory.mktemp("package") / "onepath.zip"
    write_package(target, addon_bin())
    return target


@pytest.fixture
def game(tmp_path, package):
    """An empty project of somebody else, into which the package was unpacked."""
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "project.godot").write_text(SETTINGS)
    (folder / "main.tscn").write_text(MAIN_SCENE)
    (folder / "run.gd").write_text("extends Node\n" + LEVEL + WALKS + _PROOF_FUNCTION)
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    return folder


def open_in_editor(engine, folder):
    """Open a project, with a window where there is a screen for one.

    Without one Godot 4.6.3 aborts when it meets its first extension, whatever that does (one in C with a single empty
    class is enough), after it has noted it down; it is then opened once more, as a user would.
    """
    arguments = ["--editor", "--quit-after", "40"]
    windowed = engine.picture_command(folder, *arguments)
    if windowed is not None:
        return start(engine, windowed)
    known = folder / ".godot/extension_list.cfg"
    is_first = not known.is_file() and (folder / "addons").is_dir()
    run = start(engine, engine.headless(folder, *arguments))
    if is_first and run.status == -signal.SIGABRT and known.is_file():
        run = start(engine, engine.headless(folder, *arguments))
    return run


def complaints_about_the_addon(run):
    """A machine without a graphics card has errors of its own."""
    return [line for line in run.output.splitlines() if "OnePath" in line or "addons/onepath" in line]


# Run by the addon's own library and packages, outside of the engine.
LOADED_QUICKLY = """
import quick_start, onepath, dataclasses, json, sys
origins = {module.__spec__.origin for name, module in sys.modules.items() if name.startswith("onepath.")}
codes = [inner for code in dataclasses.exec.__self__.codes.values() for inner in code.co_consts]
made = [part for code in codes if hasattr(code, "co_consts") for part in code.co_consts]
facts = {"libraries": sorted(name.rpartition("/")[2] for name in origins if name.endswith(".so"))}
facts["inspect"] = "inspect" in sys.modules
facts["ready"] = any(onepath.CrowdOptions.__init__.__code__ is part for part in made)
@dataclasses.dataclass
class WithoutDocstring: number: int
facts["asked"] = WithoutDocstring.__doc__ == "WithoutDocstring(number: int)"
print(json.dumps(facts))
"""


def play(engine, folder):
    return start(engine, engine.headless(folder, "--quit-after", "3000"))


def test_the_same_build_gives_the_same_bytes(package, tmp_path):
    copied = tmp_path / "later"
    shutil.copytree(addon_bin(), copied)  # other dates, another order in the folder
    write_package(tmp_path / "again.zip", copied)
    assert (tmp_path / "again.zip").read_bytes() == package.read_bytes()


def test_modules_are_compiled_to_the_same_bytes_whatever_the_build_has_loaded():
    sources = [(Path(module.__file__), f"{module.__name__}.py") for module in (ast, fnmatch, tokenize)]
    before = compiled(sources)
    kept = [sys.intern(chr(code)) for code in range(256)]  # marks strings of the modules in what a process writes itself
    assert compiled(sources) == before
    assert all(data.startswith(importlib.util.MAGIC_NUMBER) for data in before)
    assert kept


def test_it_holds_the_addon_alone_with_its_licences_in_less_than_25_mb(package):
    with zipfile.ZipFile(package) as archive:
        names = archive.namelist()
        size = sum(entry.file_size for entry in archive.infolist())
        inside = f"addons/onepath/bin/{PLATFORM}/onepath_python"
        licence = archive.read(f"{inside}/LICENSE.Python.txt")
        ours = archive.read("addons/onepath/LICENSE")
    assert all(name.startswith("addons/onepath/") for name in names)
    assert not [name for name in names if name.endswith((".c", ".h", ".uid", ".import")) or "numpy" in name]
    assert {"addons/onepath/onepath.gdextension", "addons/onepath/THIRD_PARTY.md"} <= set(names)
    assert licence == find_python_licence().read_bytes()
    assert b"PYTHON SOFTWARE FOUNDATION LICENSE" in licence
    assert ours == (ADDON / "LICENSE").read_bytes()
    assert size < 25e6


def test_the_core_comes_from_one_library_with_code_that_was_made_before():
    inside = addon_bin() / "onepath_python"
    path = os.pathsep.join(str(inside / name) for name in ("stdlib.zip", "lib-dynload", "packages"))
    command = [sys.executable, "-P", "-S", "-B", "-c", LOADED_QUICKLY]
    done = subprocess.run(command, env={"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"libraries": ["linked_modules.so"], "inspect": False, "ready": True, "asked": True}
    assert not list((inside / "packages/onepath").rglob("*.so"))


def test_unpacked_into_an_empty_project_its_nodes_work_also_after_the_project_has_moved(engine, game, tmp_path):
    opened = open_in_editor(engine, game)
    assert (opened.status, complaints_about_the_addon(opened)) == (0, [])
    run = play(engine, game)
    assert (run.proof, run.errors) == ([True, True, 16], [])
    moved = tmp_path / "else where" / "game"
    moved.parent.mkdir()
    game.rename(moved)
    run = play(engine, moved)
    assert (run.proof, run.errors) == ([True, True, 16], [])


def test_a_project_from_which_it_was_removed_opens_and_runs(engine, game):
    open_in_editor(engine, game)
    shutil.rmtree(game / "addons")
    asks = "extends Node\nfunc _ready(): proof(ClassDB.class_exists('NavCrowd'))\n"
    (game / "run.gd").write_text(asks + _PROOF_FUNCTION)
    assert open_in_editor(engine, game).status == 0
    assert play(engine, game).proof is False


def test_the_same_game_starts_with_and_without_the_addon(engine, tmp_path, capsys):
    """What it costs is told, not judged: other programs run beside a test."""
    times = start_up.measure(engine, tmp_path, 3)
    with capsys.disabled():
        print(f"\nstart-up: {start_up.report(times)}")
    assert [len(spent) for spent in times.values()] == [3, 3]
