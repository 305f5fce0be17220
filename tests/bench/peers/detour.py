"""Detour and DetourCrowd from Debian's librecast-dev, driven through a small C++ program built on the spot.

The library is looked for on the system first; failing that, its two packages are fetched and unpacked under the build
folder with the ordinary package client. The system is never changed and nothing here needs to be root.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("detour_bench.cpp")
HEADER = SOURCE.with_name("detour_world.hpp")
PACKAGES = ("librecast-dev", "librecast1")
HEADER_FOLDER = Path("usr/include/recastnavigation")
_FETCH_SECONDS = 120


class PeerMissing(Exception):
    """A peer cannot be had here; the text says why."""


class Detour:
    """The running C++ program: one command in, one JSON answer out."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, *words: object) -> dict[str, Any]:
        """Send one command and return its answer; RuntimeError when the program refused it or has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        command = " ".join(_word(word) for word in words)
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the Detour program ended at '{command}' with status {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"the Detour program refused '{command}': {answer['error']}")
        return answer

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(timeout=10)


def _word(word: object) -> str:
    if not isinstance(word, Path):
        return str(word)
    return '"' + str(word).replace("\\", "\\\\").replace('"', '\\"') + '"'


def start(build: Path) -> tuple[Detour, str]:
    """Return the running program and what it was built from; PeerMissing when it cannot be built here."""
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise PeerMissing("no C++ compiler (g++ or clang++) to build its program with")
    root, origin = _find_library(build / "librecast")
    program = build / "detour_bench"
    _compile(compiler, root, program)
    return Detour(program), origin


def _find_library(private: Path) -> tuple[Path, str]:
    """Return the root under which the headers and libraries lie, and a word on where they come from."""
    for root, origin in ((Path("/"), "librecast-dev of the system"), (private / "root", "librecast-dev, unpacked")):
        if (root / HEADER_FOLDER / "DetourCrowd.h").is_file() and _library_folder(root) is not None:
            return root, origin
    _fetch(private)
    return private / "root", "librecast-dev, unpacked"


def _library_folder(root: Path) -> Path | None:
    found = sorted((root / "usr/lib").glob("**/libDetourCrowd.so"))
    return found[0].parent if found and found[0].exists() else None


def _fetch(private: Path) -> None:
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise PeerMissing(f"librecast-dev is not installed, and there is no {tool} to fetch it with")
    packages, root = private / "packages", private / "root"
    packages.mkdir(parents=True, exist_ok=True)
    root.mkdir(exist_ok=True)
    print("fetching librecast-dev into the build folder ...", flush=True)
    if not _download(packages, ()):
        own = _private_state(private)
        if not (_run(["apt-get", *own, "update"], packages) and _download(packages, own)):
            raise PeerMissing("librecast-dev is not installed and could not be fetched (no network?)")
    for package in sorted(packages.glob("*.deb")):
        if not _run(["dpkg-deb", "-x", str(package), str(root)], packages):
            raise PeerMissing(f"{package.name} could not be unpacked")
    if _library_folder(root) is None:
        raise PeerMissing("the fetched librecast-dev holds no libDetourCrowd.so")


def _private_state(private: Path) -> tuple[str, ...]:
    """Options that make the package client keep its lists and cache under the build folder."""
    options = []
    for key, name in (("Dir::State", "state"), ("Dir::State::Lists", "state/lists"), ("Dir::Cache", "cache")):
        folder = (private / name).resolve()
        (folder / "partial").mkdir(parents=True, exist_ok=True)
        options += ["-o", f"{key}={folder}"]
    (private / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    return (*options, "-o", "Dir::State::status=/var/lib/dpkg/status")


def _download(folder: Path, options: Sequence[str]) -> bool:
    return _run(["apt-get", *options, "download", *PACKAGES], folder)


def _run(command: Sequence[str], folder: Path) -> bool:
    # The client would drop to a user of its own that cannot write here.
    if command[0] == "apt-get":
        command = [command[0], "-qq", "-o", "APT::Sandbox::User=root", *command[1:]]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=_FETCH_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _compile(compiler: str, root: Path, program: Path) -> None:
    newest = max(SOURCE.stat().st_mtime, HEADER.stat().st_mtime)
    if program.exists() and program.stat().st_mtime > newest:
        return
    libraries = _library_folder(root)
    assert libraries is not None
    command = [compiler, "-O2", "-std=c++17", f"-I{root / HEADER_FOLDER}", str(SOURCE), "-o", str(program)]
    command += [f"-L{libraries}", "-lDetourCrowd", "-lDetour", f"-Wl,-rpath,{libraries.resolve()}"]
    print("building the Detour program ...", flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PeerMissing("its program does not compile here: " + (done.stderr.strip().splitlines() or ["?"])[0])
