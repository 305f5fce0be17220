"""The build's own virtual environment, build/venv, with the pinned requirements of pyproject.toml.

Requirements come in the groups of `[project.optional-dependencies]`; a target names the groups that it needs. What is
installed is remembered with a hash of its requirements, so that a second run only compares.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from .failure import BuildStop
from .places import BUILD, ROOT

VENV = BUILD / "venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RECORD = VENV / "onepath-requirements.json"
LOG = BUILD / "prepare.log"
ALONE = {"peers"}  # groups whose packages are installed without what they depend on


def ensure(*groups: str) -> Path:
    """The Python of build/venv, with the requirements of these groups installed.

    groups: names under `[project.optional-dependencies]` in pyproject.toml.
    Raises BuildStop when the environment cannot be made or a requirement cannot be installed.
    """
    pinned = _pinned_requirements()
    record = _read_record()
    if record.get("python") != _identity():
        _make_venv()
        record = {"python": _identity()}
    wanted = {group: _fingerprint(pinned[group]) for group in groups}
    for group in groups:
        if record.get(group) != wanted[group]:
            print(f"Installing {', '.join(pinned[group])} into build/venv", flush=True)
            _install(PYTHON, [*(["--no-deps"] if group in ALONE else []), *pinned[group]])
            record[group] = wanted[group]
            RECORD.write_text(json.dumps(record, indent=1), encoding="utf-8")
    return PYTHON


def run(
    command: Sequence[str | Path], *, pythonpath: Path | None = None, extra: Mapping[str, str] | None = None
) -> int:
    """Run a program in the source tree's root and return its exit status.

    pythonpath: the only entry of the program's PYTHONPATH; None for no PYTHONPATH at all.
    extra: environment variables on top of the caller's.
    """
    environment = _clean_environment()
    if pythonpath is not None:
        environment["PYTHONPATH"] = str(pythonpath)
    environment.update(extra or {})
    return subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False).returncode


def _pinned_requirements() -> dict[str, list[str]]:
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["optional-dependencies"]


def _fingerprint(requirements: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(requirements)).encode()).hexdigest()


def _identity() -> str:
    return f"{sys.version} at {sys.base_prefix} for {VENV}"


def _read_record() -> dict[str, str]:
    try:
        return json.loads(RECORD.read_text(encoding="utf-8")) if PYTHON.exists() else {}
    except (OSError, ValueError):
        return {}


def _clean_environment() -> dict[str, str]:
    """The caller's environment without what would lead the virtual environment's Python to other packages."""
    environment = dict(os.environ)
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"):
        environment.pop(name, None)
    environment["PIP_USER"] = "0"
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return environment


def _make_venv() -> None:
    print(f"Making the virtual environment build/venv with Python {sys.version.split()[0]}", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    # Debian leaves ensurepip out of its plain python3; venv then cannot put pip into what it makes.
    has_ensurepip = importlib.util.find_spec("ensurepip") is not None
    status = _logged([sys.executable, "-m", "venv", VENV]) if has_ensurepip else _make_venv_with_virtualenv()
    if status != 0 or not PYTHON.exists():
        raise BuildStop(
            f"The virtual environment build/venv could not be made with {sys.executable}:"
            f" install its venv module (on Debian and Ubuntu: apt install python3-venv); details are in {_shown(LOG)}."
        )


def _make_venv_with_virtualenv() -> int:
    if importlib.util.find_spec("pip") is None:
        return 1
    folder = BUILD / "virtualenv"
    shutil.rmtree(folder, ignore_errors=True)
    _install(Path(sys.executable), ["--target", str(folder), *_pinned_requirements()["virtualenv"]])
    return _logged([sys.executable, "-m", "virtualenv", "--quiet", VENV], {"PYTHONPATH": str(folder)})


def _install(python: Path, arguments: list[str]) -> None:
    # A user who lets pip work only inside virtual environments is not touched by a --target in the build folder.
    command: list[str | Path] = [python, "-m", "pip", "install", "--progress-bar=off", *arguments]
    status = _logged(command, {"PIP_REQUIRE_VIRTUALENV": "0"})
    if status != 0:
        raise BuildStop(
            f"pip could not install {' '.join(part for part in arguments if '==' in part)}: check the network"
            f" connection and pip's configuration and run scons again (pip's own words are in {_shown(LOG)})."
        )


def _logged(command: Sequence[str | Path], extra: Mapping[str, str] | None = None) -> int:
    with open(LOG, "a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(str(part) for part in command)}\n")
        log.flush()
        environment = _clean_environment() | dict(extra or {})
        return subprocess.run(
            [str(part) for part in command], cwd=ROOT, env=environment, stdout=log, stderr=log, check=False
        ).returncode


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT))
