"""The targets `demo` and `compare`: the demo project in the engine, with and without a window."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path

from SCons.Script import GetOption

from . import environment, godot_bundle
from .failure import BuildStop
from .godot_engine import Engine, find_engine
from .places import BUILD, CORE, ROOT
from .targets import Targets

PROJECT = ROOT / "demo_project"
OUT = BUILD / "demo"
FIRST = "two_floors"
SECONDS = 10
# Game seconds after which each scene is worth a picture (the menu has no clock), and those shown with the overlay.
SCENES = {
    "menu": 1,
    "two_floors": 7,
    "door": 12,
    "multimesh": 4,
    "lone_follower": 6,
    "save_load": 8,
    "rollback": 5.2,
    "versus_engine": 7,
}
OVERLAY = set(SCENES) - {"menu"}
_PICTURE_WIDTH = 1280
# Scenes with so much detail that their pictures would be large files.
_SMALLER = {"multimesh": 800, "rollback": 1120}


def register(targets: Targets) -> None:
    targets.add("demo", "open a crowd on two floors (without a display: run it and print)", demo, ["addon"])
    targets.add("editor", "open the editor with the demo (--project=DIR: with that project)", editor, ["addon"],
                check_display)
    targets.add("compare", "measure NavAgent beside the engine's NavigationAgent3D", compare, ["core"])


def demo() -> int:
    engine = find_engine()
    prepare(engine)
    if _has_display():
        print("Opening the demo. Esc leads to the menu with the other scenes.", flush=True)
        command = engine.command("--path", str(PROJECT), scene_path(FIRST))
        return subprocess.run(command, env=engine.environment(), check=False).returncode
    result = run_scene(engine, FIRST, SECONDS)
    print(f"agents {result['agents']}, arrivals {result['arrivals']}, state {result['hash']}", flush=True)
    picture = OUT / f"{FIRST}.png"
    drawn = draw_scene(engine, FIRST, SECONDS, picture)
    if drawn is None:
        print("There is no display and no Xvfb here, so there is no picture (Debian, Ubuntu: apt install xvfb).")
    elif drawn["hash"] != result["hash"]:
        raise BuildStop(f"The run that drew {picture} ended in another state, {drawn['hash']}: please report this.")
    else:
        print(f"The same run, drawn, ends in the same state: {picture.relative_to(ROOT)}")
    return 0


def check_display() -> None:
    if not _has_display():
        raise BuildStop("The editor needs a display, and there is none here.")


def editor() -> int:
    engine = find_engine()
    project = Path(GetOption("project") or PROJECT)
    if project == PROJECT:
        prepare(engine)  # into any other one the target `addon` has installed what it built
    command = engine.command("--editor", "--path", str(project.resolve()))
    return subprocess.run(command, env=engine.environment(), check=False).returncode


def _has_display() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def compare() -> int:
    python = environment.ensure("build", "test")
    find_engine()
    return environment.run([python, "-P", ROOT / "tests" / "godot" / "compare_engine.py"], pythonpath=CORE)


def prepare(engine: Engine, project: Path = PROJECT, built: Path = godot_bundle.BIN) -> None:
    """Install the built addon into the demo project, and let the engine import both if either is new."""
    godot_bundle.install(project, built)
    wanted = f"{engine.version_text} {_sources_hash(project)}"
    stamp = project / ".godot" / "onepath-imported"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("Importing the demo project", flush=True)
    output = run(engine, engine.command("--headless", "--path", str(project), "--import"), 300)
    stop_on_errors(output, "The import of the demo project")
    stamp.write_text(wanted)


def _sources_hash(project: Path) -> str:
    """A hash of what an import looks at: the demo's own files, and the addon's except what is built."""
    digest = hashlib.sha256()
    for path in sorted(project.rglob("*")):
        inside = path.relative_to(project).parts
        if path.is_file() and inside[0] != ".godot" and "bin" not in inside and path.suffix not in (".uid", ".import"):
            digest.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def scene_path(scene: str) -> str:
    return f"res://scenes/{scene}/{scene}.tscn"


def run_scene(engine: Engine, scene: str, seconds: float, *arguments: str, project: Path = PROJECT) -> dict:
    """Run a scene without a window for some game seconds; return what it reported. An error line stops the build."""
    own = ("--", f"--seconds={seconds}", *arguments)
    command = engine.headless(project, "--quit-after", str(int(seconds * 60) + 600), scene_path(scene), *own)
    return _reported(run(engine, command, 300), scene)


def draw_scene(engine: Engine, scene: str, seconds: float, picture: Path, *arguments: str) -> dict | None:
    """The same on a virtual screen, with a picture of the end; None where there is no Xvfb."""
    own = ("--", f"--seconds={seconds}", f"--picture={picture}", *arguments)
    width = _SMALLER.get(scene, _PICTURE_WIDTH)
    size = ("--resolution", f"{width}x{width * 9 // 16}")
    command = engine.picture_command(PROJECT, *size, scene_path(scene), *own)
    if command is None:
        return None
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.unlink(missing_ok=True)
    result = _reported(run(engine, command, 600), scene)
    if not picture.is_file():
        raise BuildStop(f"The scene {scene} ran but drew no picture.")
    return result


def run(engine: Engine, command: list[str], seconds: float) -> str:
    """Run a command of the engine and return its output."""
    try:
        done = subprocess.run(
            command, env=engine.environment(), capture_output=True, text=True, errors="replace", timeout=seconds,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BuildStop(f"The engine did not end within {seconds:.0f} s: {' '.join(command[-4:])}") from None
    return done.stdout + done.stderr


def _reported(output: str, scene: str) -> dict:
    stop_on_errors(output, f"The scene {scene}")
    found = re.search(r"^DEMO (.*)$", output, re.MULTILINE)
    if found is None:
        raise BuildStop(f"The scene {scene} reported nothing; its last words: {output.strip()[-600:]}")
    return json.loads(found[1])


def stop_on_errors(output: str, what: str) -> None:
    found = re.search(r"^(?:\x1b\[[0-9;]*m)*((?:USER |SCRIPT )?ERROR: .*(?:\n.*){0,3})", output, re.MULTILINE)
    if found:
        raise BuildStop(f"{what} had an error: {found[1]}")
