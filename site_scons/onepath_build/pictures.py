"""The target `pictures`: what the documentation shows, drawn by the demo project and by the editor."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from . import demo
from .failure import BuildStop
from .godot_engine import Engine, find_engine
from .places import BUILD, ROOT
from .targets import Targets

PICTURES = ROOT / "addons" / "onepath" / "docs" / "pictures"
EDITOR = ("editor", "reference")
_DRIVER = Path(__file__).with_name("picture_driver.gd")
_PLUGIN = '[plugin]\nname="driver"\ndescription=""\nauthor=""\nversion="1"\nscript="driver.gd"\n'
_SCENE = "two_floors"
_VIEW = """[editor_states]

3D={"viewports": [{"distance": 23.0, "position": Vector3(-0.5, 0, 0.5), "x_rotation": 0.75, "y_rotation": -0.3,
"gizmos": true, "grid": true, "half_res": false}], "show_grid": true, "show_origin": false, "viewport_mode": 1}
"""
_MOST_KB = 200


def register(targets: Targets) -> None:
    targets.add("pictures", "make the documentation's pictures: demo scenes, editor (needs Xvfb)", pictures, ["addon"])


def pictures() -> int:
    engine = find_engine()
    demo.prepare(engine)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for scene, seconds in demo.SCENES.items():
        overlay = ("--overlay",) if scene in demo.OVERLAY else ()
        if demo.draw_scene(engine, scene, seconds, demo.OUT / f"{scene}.png", *overlay) is None:
            raise BuildStop("Pictures need Xvfb: install it (Debian, Ubuntu: apt install xvfb).")
        _keep(demo.OUT / f"{scene}.png")
    draw_editor(engine, BUILD / "demo" / "editor")
    for name in EDITOR:
        _keep(demo.OUT / f"{name}.png")
    return 0


def draw_editor(engine: Engine, project: Path) -> None:
    """Draw the editor with a crowd that walks in a copy of the demo project, and the reference of its class."""
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(demo.PROJECT, project)
    driver = project / "addons" / "driver"
    driver.mkdir()
    shutil.copyfile(_DRIVER, driver / "driver.gd")
    (driver / "plugin.cfg").write_text(_PLUGIN, encoding="utf-8")
    settings = (project / "project.godot").read_text(encoding="utf-8")
    both = '"res://addons/onepath/plugin.cfg", "res://addons/driver/plugin.cfg"'
    settings = settings.replace('"res://addons/onepath/plugin.cfg"', both)
    (project / "project.godot").write_text(settings, encoding="utf-8")
    _aim(project / ".godot" / "editor")
    command = engine.picture_command(project, "--editor", "--resolution", "1280x720")
    if command is None:
        raise BuildStop("Pictures need Xvfb: install it (Debian, Ubuntu: apt install xvfb).")
    os.environ["ONEPATH_PICTURES"] = str(demo.OUT)
    output = demo.run(engine, command, 600)
    if "PICTURES DONE" not in output:
        raise BuildStop(f"The editor drew no pictures; its last words: {output.strip()[-600:]}")


def _aim(folder: Path) -> None:
    """Let the editor find the 3D view as it is to be, in the file where it keeps that for each scene."""
    scene = demo.scene_path(_SCENE)
    name = f"{_SCENE}.tscn-editstate-{hashlib.md5(scene.encode(), usedforsecurity=False).hexdigest()}.cfg"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(_VIEW, encoding="utf-8")


def _keep(full: Path) -> None:
    """Take a picture into the documentation, unless it is too large."""
    kept = PICTURES / full.name
    shutil.copyfile(full, kept)
    size = kept.stat().st_size // 1000
    print(f"{kept.relative_to(ROOT)}: {size} kB", flush=True)
    if size >= _MOST_KB:
        raise BuildStop(f"{kept.relative_to(ROOT)} takes {size} kB, more than the {_MOST_KB} kB it may take.")
