"""Small Godot projects for the engine tests: written to a folder, run headless, judged by what they print as proof."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from onepath_build import godot_bundle, godot_compile, godot_quick
from onepath_build.godot_engine import Engine, find_engine
from onepath_build.places import BUILD

CLASSES = Path(__file__).with_name("classes")
EXTENSION = "addons/onepath/onepath.gdextension"
PROOF = "PROOF "
MAIN_SCENE = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://run.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
"""
SETTINGS = """config_version=5
[application]
config/name="test"
run/main_scene="res://main.tscn"
[debug]
file_logging/enable_file_logging=false
"""


@dataclass
class Run:
    """One finished run of the engine."""

    status: int
    output: str

    @property
    def proof(self):
        """What the scene handed over with `print("PROOF ", JSON.stringify(...))`; a run without it has failed."""
        found = re.findall(rf"^{PROOF}(.*)$", self.output, re.MULTILINE)
        assert found, f"no proof in the output (exit code {self.status}):\n{self.output[-6000:]}"
        return json.loads(found[-1])

    @property
    def errors(self) -> list[str]:
        """The first line of each error and warning that the engine printed."""
        return re.findall(r"^(?:\x1b\[[0-9;]*m)*((?:USER |SCRIPT )?(?:ERROR|WARNING): .*)$", self.output, re.MULTILINE)


class Project:
    """A project with the binding and the sample classes as its addon."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self.folder, self.engine = folder, engine
        folder.mkdir(parents=True, exist_ok=True)
        self.write("project.godot", SETTINGS)
        self.write("main.tscn", MAIN_SCENE)
        self.write("run.gd", "extends Node\n")
        self.write(".godot/extension_list.cfg", f"res://{EXTENSION}\n")
        shutil.copytree(self.built_bin(), self.addon, copy_function=os.link)
        shutil.copyfile(godot_compile.ADDON / "onepath.gdextension", folder / EXTENSION)

    def built_bin(self) -> Path:
        """The folder with what is tested."""
        return sample_bin()

    @property
    def addon(self) -> Path:
        return self.folder / "addons/onepath/bin" / godot_compile.PLATFORM

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, body: str, *arguments: str, frames: int = 600) -> Run:
        """Run a scene whose root node's script has this text; it ends itself with `proof(value)`."""
        self.write("run.gd", "extends Node\n" + body + _PROOF_FUNCTION)
        command = self.engine.headless(self.folder, "--quit-after", str(frames), *arguments)
        return start(self.engine, command)

    def run_in_editor(self, body: str) -> Run:
        """Open the project in the editor without a window; a plugin calls this text's `act()` once all is scanned."""
        self.write("addons/driver/plugin.cfg", _DRIVER_SETTINGS)
        self.write("addons/driver/driver.gd", _DRIVER + body + _PROOF_FUNCTION)
        enabled = '[editor_plugins]\nenabled=PackedStringArray("res://addons/driver/plugin.cfg")\n'
        self.write("project.godot", SETTINGS + enabled)
        return start(self.engine, self.engine.headless(self.folder, "--editor", "--quit-after", "2000"))

    def import_pass(self) -> Run:
        """Open the project in the editor without a window, let it import everything, and close it."""
        command = self.engine.headless(self.folder, "--editor", "--quit-after", "20")
        return start(self.engine, command)


# Godot 4.6 can hang when it quits while threads of its worker pool go to sleep, with or without an addon.
_PROOF_FUNCTION = """

func proof(value: Variant) -> void:
	print("PROOF ", JSON.stringify(value, "", false, true))
	OS.delay_msec(200)
	get_tree().quit()
"""


_DRIVER_SETTINGS = """[plugin]
name="driver"
description="drives the editor in a test"
author="tests"
version="1"
script="driver.gd"
"""
_DRIVER = """@tool
extends EditorPlugin

func _ready() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning(): await get_tree().process_frame
	for frame in 10: await get_tree().process_frame
	act()
"""


def start(engine: Engine, command: list[str], seconds: float = 120) -> Run:
    done = subprocess.run(
        command,
        env=engine.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    return Run(done.returncode, done.stdout)


EXPORT_PRESET = """[preset.0]
name="Linux"
platform="Linux"
runnable=true
export_filter="all_resources"
include_filter=""
exclude_filter=""
export_path=""
[preset.0.options]
custom_template/release="{template}"
binary_format/embed_pck=false
binary_format/architecture="x86_64"
"""


def export(engine: Engine, project: Path, folder: Path) -> None:
    """Export a project with the release template as the program `game` in a new folder."""
    template = engine.template("release")
    assert template is not None, "this engine has no export templates: install them, or unset GODOT"
    (project / "export_presets.cfg").write_text(EXPORT_PRESET.format(template=template), encoding="utf-8")
    folder.mkdir(parents=True)
    made = start(engine, engine.headless(project, "--export-release", "Linux", str(folder / "game")))
    assert made.errors == []
    assert (folder / "game").is_file(), made.output


def play_exported(engine: Engine, folder: Path, *arguments: str) -> Run:
    """Run an exported game with nothing in its environment: no PATH, no library path, no home."""
    command = engine.exported(folder / "game", "--headless", *arguments)
    return start(engine, ["env", "-i", "-C", "/", "HOME=/nonexistent", *command])


def sample_bin() -> Path:
    """The built bin folder with the sample classes; made once for all test processes."""
    with building():
        libraries = godot_compile.build_libraries(find_engine())
        packages = {"godot": godot_compile.ADDON / "binding", "sample_classes": CLASSES}
        modules = [path for folder in packages.values() for path in sorted(folder.rglob("*.py"))]
        parts = [libraries.host, libraries.binding, *godot_quick.SOURCES, *modules]
        key = hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()
        target, stamp = BUILD / "godot/samples/bin", BUILD / "godot/samples/key"
        if not stamp.is_file() or stamp.read_text() != key or not target.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            godot_bundle.lay_out(libraries, target, packages, "import godot, sample_classes\n")
            stamp.write_text(key)
    return target


@contextlib.contextmanager
def building():
    """Only one test process builds at a time."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / "godot.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
