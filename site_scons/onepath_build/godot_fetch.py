"""Fetches a private copy of Godot from Debian's archive into the user's cache folder.

Nothing of the system is changed: apt runs with its own state, cache and sources, only downloads,
and the packages are unpacked side by side into one root that carries its own loader and libraries.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from .failure import BuildStop

SUITE = "forky"
PACKAGES = (
    "godot",
    "godot-template-release",
    "godot-template-debug",
    "libgl1-mesa-dri",
    "libegl1",
    "libgl1",
    "libglx-mesa0",
    "libegl-mesa0",
)
HOW_ELSE = "set GODOT to a Godot 4.4 or newer editor binary, or put `godot` on the PATH"


class EngineUnavailable(BuildStop):
    """No Godot could be found or fetched; the message says what to do."""


def cache_folder() -> Path:
    """The user's cache folder for this project (made when it is first written to)."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "onepath"


def private_root() -> Path:
    """Where the private copy lies once it is complete; the folder exists only when it is whole."""
    return cache_folder() / f"godot-{SUITE}-{platform.machine()}"


def fetch_private_copy() -> Path:
    """Returns the root of the private copy, fetching it first if it is not there.

    Raises EngineUnavailable with one sentence that says what to do. Two builds started at once fetch
    it once: the second waits for the first.
    """
    root = private_root()
    if root.is_dir():
        return root
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise EngineUnavailable(f"No Godot found, and this system has no {tool} to fetch one with: {HOW_ELSE}.")
    root.parent.mkdir(parents=True, exist_ok=True)
    with _lock(root.parent / "godot.lock"):
        if not root.is_dir():
            _fetch_into(root)
    return root


def _fetch_into(root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="godot-fetch-", dir=root.parent) as scratch_name:
        scratch = Path(scratch_name)
        archives = _download(scratch)
        unpacked = scratch / "root"
        unpacked.mkdir()
        with _progress(f"unpacking {len(archives)} packages", unpacked):
            for archive in archives:
                _run(["dpkg-deb", "-x", str(archive), str(unpacked)], "unpack the downloaded packages")
        # A rename is the only step that makes the copy visible, so it is never half there.
        unpacked.rename(root)


def _download(scratch: Path) -> list[Path]:
    for folder in ("state/lists/partial", "cache/archives/partial", "etc"):
        (scratch / folder).mkdir(parents=True)
    (scratch / "status").touch()
    (scratch / "etc/sources.list").write_text(f"deb {_mirror()} {SUITE} main\n")
    options = {
        "Dir::State": scratch / "state",
        "Dir::State::status": scratch / "status",
        "Dir::Cache": scratch / "cache",
        "Dir::Etc::sourcelist": scratch / "etc/sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::Etc::preferences": "/dev/null",
        "Dir::Etc::preferencesparts": "/dev/null",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Acquire::Retries": "3",
    }
    # A configuration file, not -o: apt runs the system's clean-up hooks (they empty the archive folder) otherwise.
    lines = [f'{name} "{value}";' for name, value in options.items()]
    lines += ["#clear APT::Update::Post-Invoke;", "#clear DPkg::Post-Invoke;"]
    config = scratch / "etc/apt.conf"
    config.write_text("\n".join(lines) + "\n")
    apt = ["apt-get", "-c", str(config), "-y", "-q"]
    with _progress("reading the package lists", scratch / "state"):
        _run([*apt, "update"], "read Debian's package lists")
    archives = scratch / "cache/archives"
    with _progress("downloading (about 220 MB)", archives):
        _run([*apt, "--download-only", "install", *PACKAGES], "download Godot's packages")
    found = sorted(archives.glob("*.deb"))
    if not found:
        raise EngineUnavailable(f"Debian's {SUITE} suite gave no Godot packages: {HOW_ELSE}.")
    return found


def _mirror() -> str:
    """The mirror of the machine's own configuration: the first one that serves Debian itself."""
    text = _run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)", "Created-By: Packages"],
        "read the machine's package sources",
    )
    rows = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    rows.sort(key=lambda row: not (len(row) == 2 and row[1] == "Debian"))
    for row in rows:
        if "security" not in row[0]:
            return row[0]
    raise EngineUnavailable(f"This system's package sources name no Debian mirror: {HOW_ELSE}.")


def _run(command: list[str], purpose: str) -> str:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()
        detail = reason[0] if reason else f"exit code {done.returncode}"
        raise EngineUnavailable(f"Could not {purpose} ({detail}): check the network, or {HOW_ELSE}.")
    return done.stdout


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("godot: another build is fetching it; waiting for that", file=sys.stderr, flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _progress(label: str, folder: Path) -> Iterator[None]:
    """One line on stderr that shows, about once a second on a terminal, how much has arrived in a folder."""
    live = sys.stderr.isatty()
    finished = threading.Event()
    started = time.monotonic()
    if not live:
        print(f"godot: {label} …", file=sys.stderr, flush=True)

    def report() -> None:
        while not finished.wait(1.0):
            print(f"\rgodot: {label} … {_megabytes(folder):4d} MB", end="", file=sys.stderr, flush=True)

    watcher = threading.Thread(target=report, daemon=True)
    if live:
        watcher.start()
    try:
        yield
    finally:
        finished.set()
        if live:
            watcher.join()
        seconds = time.monotonic() - started
        print(f"{chr(13) if live else ''}godot: {label} … {_megabytes(folder)} MB in {seconds:.0f} s", file=sys.stderr)


def _megabytes(folder: Path) -> int:
    total = 0
    for parent, _folders, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size
    return total // 1_000_000
