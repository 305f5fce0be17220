"""Finds a Godot 4.4 or newer and knows how to start it, headless or with pictures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from . import godot_fetch
from .godot_fetch import EngineUnavailable

OLDEST = (4, 4)
MULTIARCH = "x86_64-linux-gnu"


@dataclass(frozen=True)
class Engine:
    """One Godot: how to call its editor binary, its export templates, and what their processes need.

    `prefix` is the argument vector up to and including the editor binary; `root` is the private copy's
    root or None for an engine of the user's own.
    """

    prefix: tuple[str, ...]
    version: tuple[int, int, int]
    version_text: str
    root: Path | None = None
    variables: dict[str, str] = field(default_factory=dict)

    def command(self, *arguments: str) -> list[str]:
        """The whole argument vector for the editor binary."""
        return [*self.prefix, *arguments]

    def headless(self, project: Path, *arguments: str) -> list[str]:
        """The argument vector for a run of a project without a display and with a fixed 60 ticks a second."""
        return self.command("--headless", "--path", str(project), "--fixed-fps", "60", *arguments)

    def environment(self) -> dict[str, str]:
        """The environment for every run: the caller's, plus where the software renderer lies."""
        return {**os.environ, **self.variables}

    def exported(self, binary: Path, *arguments: str) -> list[str]:
        """The argument vector for a game that was exported with `template`.

        A game takes the folder and the name of its data from the program that the kernel started. For the private copy
        that is the copy's dynamic loader, which is therefore put beside the game under the game's name.
        """
        if self.root is None:
            return [str(binary), *arguments]
        loader, *options = loader_prefix(self.root)
        beside = binary.with_suffix(".loader")
        shutil.copyfile(loader, beside)
        beside.chmod(0o755)
        return [str(beside), *options, str(binary), *arguments]

    def template(self, kind: str = "release") -> Path | None:
        """The export template ("release" or "debug") that belongs to this engine, or None."""
        if self.root is not None:
            return self.root / "usr/bin" / f"godot-template-{kind}"
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        major, minor, patch = self.version
        number = f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"
        installed = Path(data) / "godot/export_templates" / f"{number}.stable" / f"linux_{kind}.x86_64"
        return installed if installed.is_file() else None

    def picture_command(self, project: Path, *arguments: str) -> list[str] | None:
        """The argument vector for a run with a virtual screen and the software renderer; None without Xvfb."""
        xvfb = shutil.which("xvfb-run")
        if xvfb is None:
            return None
        options = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy", "--fixed-fps", "60"]
        screen = [xvfb, "-a", "-s", "-screen 0 1280x720x24"]
        return [*screen, *self.command("--path", str(project), *options, *arguments)]


def loader_prefix(root: Path) -> list[str]:
    """The private copy's own dynamic loader and library path, to be put before one of its binaries."""
    libraries = root / "usr/lib" / MULTIARCH
    return [
        str(root / "usr/lib64/ld-linux-x86-64.so.2"),
        "--library-path",
        f"{libraries}:{libraries / 'pulseaudio'}",
    ]


@cache
def find_engine() -> Engine:
    """The engine that builds and tests use: $GODOT, else `godot` on the PATH, else the private copy.

    Raises EngineUnavailable with one sentence that says what to do.
    """
    named = os.environ.get("GODOT")
    if named:
        path = shutil.which(named)
        if path is None:
            raise EngineUnavailable(f"GODOT is set to {named!r}, which is no program: set it to a Godot editor binary.")
        engine = _probe((path,), None)
        if engine.version[:2] < OLDEST:
            raise EngineUnavailable(f"GODOT is Godot {engine.version_text}; 4.4 or newer is needed.")
        return engine
    on_path = shutil.which("godot")
    if on_path is not None:
        engine = _probe((on_path,), None)
        if engine.version[:2] >= OLDEST:
            return engine
    root = godot_fetch.fetch_private_copy()
    return _probe((*loader_prefix(root), str(root / "usr/bin/godot")), root)


def _probe(prefix: tuple[str, ...], root: Path | None) -> Engine:
    done = subprocess.run([*prefix, "--version"], capture_output=True, text=True, check=False, timeout=60)
    found = re.search(r"^(\d+)\.(\d+)(?:\.(\d+))?\S*", done.stdout, re.MULTILINE)
    if found is None:
        reason = (done.stderr or done.stdout).strip().splitlines()[:1]
        detail = reason[0] if reason else f"exit code {done.returncode}"
        raise EngineUnavailable(f"{prefix[-1]} does not say its version ({detail}): {godot_fetch.HOW_ELSE}.")
    version = (int(found[1]), int(found[2]), int(found[3] or 0))
    variables = {}
    if root is not None:
        variables["LIBGL_DRIVERS_PATH"] = str(root / "usr/lib" / MULTIARCH / "dri")
    return Engine(prefix, version, found[0], root, variables)
