"""The targets `demo`, `compare` and `pictures`: the demo project in the engine, with and without a window."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import environment, godot_bundle
from .failure import BuildStop
from .godot_engine import Engine, find_engine
from .places import BUILD, CORE, ROOT
from .targets import Targets

PROJECT = ROOT / "demo_project"
OUT = BUILD / "demo"
PICTURES = ROOT / "addons" / "onepath" / "docs" / "pictures"
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
OVERLAY = {"two_floors", "save_load"}
_PICTURE_KB = 200
_PICTURE_WIDTH = 800


def register(targets: Targets) -> None:
    targets.add("demo", "open a crowd on two floors (without a display: run it and print)", demo, ["addon"])
    targets.add("compare", "measure NavAgent beside the engine's NavigationAgent3D", compare, ["core"])
    targets.add("pictures", "make the documentation's pictures of the demo scenes (needs Xvfb)", pictures, ["addon"])


def demo() -> int:
    engine = find_engine()
    prepare(engine)
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
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


def pictures() -> int:
    engine = find_engine()
    prepare(engine)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for scene, seconds in SCENES.items():
        full = OUT / f"{scene}.png"
        overlay = ("--overlay",) if scene in OVERLAY else ()
        if draw_scene(engine, scene, seconds, full, *overlay) is None:
            raise BuildStop("Pictures need Xvfb: install it (Debian, Ubuntu: apt install xvfb).")
        small = PICTURES / f"{scene}.png"
        shutil.copyfile(full, small)
        size = small.stat().st_size // 1000
        print(f"{small.relative_to(ROOT)}: {size} kB", flush=True)
        if size >= _PICTURE_KB:
            raise BuildStop(f"{small.relative_to(ROOT)} takes {size} kB, more than the {_PICTURE_KB} kB it may take.")
    return 0


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
    output = _run(engine, engine.command("--headless", "--path", str(project), "--import"), 300)
    _stop_on_errors(output, "The import of the demo project")
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
    return _reported(_run(engine, command, 300), scene)


def draw_scene(engine: Engine, scene: str, seconds: float, picture: Path, *arguments: str) -> dict | None:
    """The same on a virtual screen, with a picture of the end; None where there is no Xvfb."""
    own = ("--", f"--seconds={seconds}", f"--picture={picture}", *arguments)
    size = ("--resolution", f"{_PICTURE_WIDTH}x{_PICTURE_WIDTH * 9 // 16}")
    command = engine.picture_command(PROJECT, *size, scene_path(scene), *own)
    if command is None:
        return None
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.unlink(missing_ok=True)
    result = _reported(_run(engine, command, 600), scene)
    if not picture.is_file():
        raise BuildStop(f"The scene {scene} ran but drew no picture.")
    return result


def _run(engine: Engine, command: list[str], seconds: float) -> str:
    try:
        done = subprocess.run(
            command, env=engine.environment(), capture_output=True, text=True, errors="replace", timeout=seconds,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BuildStop(f"The engine did not end within {seconds:.0f} s: {' '.join(command[-4:])}") from None
    return done.stdout + done.stderr


def _reported(output: str, scene: str) -> dict:
    _stop_on_errors(output, f"The scene {scene}")
    found = re.search(r"^DEMO (.*)$", output, re.MULTILINE)
    if found is None:
        raise BuildStop(f"The scene {scene} reported nothing; its last words: {output.strip()[-600:]}")
    return json.loads(found[1])


def _stop_on_errors(output: str, what: str) -> None:
    found = re.search(r"^(?:\x1b\[[0-9;]*m)*((?:USER |SCRIPT )?ERROR: .*(?:\n.*){0,3})", output, re.MULTILINE)
    if found:
        raise BuildStop(f"{what} had an error: {found[1]}")
