"""Compiles the addon's host library and its Python binding, and makes the folder that lies beside them."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from . import toolchain
from .failure import BuildStop
from .godot_api import dump_interface, write_tables
from .godot_engine import Engine
from .places import BUILD, ROOT

ADDON = ROOT / "addons" / "onepath"
WORK = BUILD / "godot"
PLATFORM = f"linux.{platform.machine()}"
FOLDER = "onepath_python"
HOST = "libonepath_host.so"
BINDING = "libgodot_python.so"
STDLIB = "stdlib.zip"
HELP = "Copy the whole folder addons/onepath into the project again (in a checkout: scons addon)."
_DEFINES = {
    "HOST_ADDON": '"OnePath"',
    "HOST_HELP": f'"{HELP}"',
    "HOST_FOLDER": f'"{FOLDER}"',
    "HOST_BINDING": f'"{BINDING}"',
    "HOST_STDLIB": f'"{STDLIB}"',
    "HOST_MAIN": '"addon_main"',
    "HOST_ENTRY": "onepath_host_entry",
}


@dataclass(frozen=True)
class Libraries:
    """The two libraries that were built, and the Python that they run."""

    host: Path
    binding: Path
    libpython: Path


def find_libpython() -> Path:
    """The shared library of the Python that runs this build.

    Raises BuildStop when this Python was built without one.
    """
    name = sysconfig.get_config_var("INSTSONAME") or ""
    if ".so" in name:
        variables = ("LIBDIR", "LIBPL")
        folders = [Path(value) for key in variables if (value := sysconfig.get_config_var(key))]
        folders += [folder / (sysconfig.get_config_var("MULTIARCH") or "") for folder in folders]
        folders += [Path(sys.base_prefix) / "lib"]
        for folder in folders:
            if (folder / name).is_file():
                return folder / name
    raise BuildStop(
        f"The Python that runs scons ({sys.executable}) has no shared libpython, which the addon embeds: use the"
        " system's Python with its development package (Debian and Ubuntu: apt install python3-dev libpython3-dev) or"
        " one built with --enable-shared."
    )


def build_libraries(engine: Engine) -> Libraries:
    """Compile what has changed since the last build and return where the libraries are."""
    if sys.platform != "linux":
        raise BuildStop("The addon is built on Linux only; the core (scons core) builds everywhere.")
    compiler = toolchain.find_compiler()
    libpython = find_libpython()
    dump_interface(engine, WORK)
    native = sorted((ADDON / "binding" / "native").glob("*.c"))
    write_tables(WORK, [*native, *sorted((ADDON / "binding" / "native").glob("*.h"))])
    defines = {**_DEFINES, "HOST_LIBPYTHON": f'"{libpython.name}"'}
    flags = [*c_flags(), *(f"-D{name}={value}" for name, value in defines.items())]
    flags += ["-isystem", str(WORK), "-I", str(ADDON / "host")]
    host, binding = WORK / HOST, WORK / BINDING
    _build(compiler, flags, [ADDON / "host" / "host.c"], host, ["-ldl"])
    _build(compiler, flags, [*native, WORK / "godot_tables.c"], binding, ["-lm"])
    return Libraries(host, binding, libpython)


def c_flags() -> list[str]:
    """The flags of every C file of the addon, with the folder of Python's headers."""
    flags = ["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-strict-aliasing"]
    flags += ["-Wall", "-Wextra", "-Wno-cast-function-type", "-Wno-unused-function", "-g0"]
    headers = sysconfig.get_path("include")
    # Neither the folder of this checkout nor that of the headers, whose assertions name their file, gets in.
    flags += [f"-ffile-prefix-map={ROOT}=.", f"-ffile-prefix-map={headers}=python"]
    return [*flags, "-isystem", headers]


def compile_file(compiler: str, flags: list[str], source: Path, result: Path) -> None:
    """Compile one C file; raises BuildStop when the compiler has anything to say."""
    _run([*shlex.split(compiler), *flags, "-c", str(source), "-o", str(result)], source.name)


def link(compiler: str, objects: list[str], target: Path, libraries: list[str]) -> None:
    """Link object files into a shared library; raises BuildStop when the linker has anything to say."""
    flags = ["-shared", "-Wl,-s", "-Wl,-z,now"]
    _run([*shlex.split(compiler), *flags, *objects, "-o", str(target), *libraries], target.name)


def _build(compiler: str, flags: list[str], sources: list[Path], target: Path, libraries: list[str]) -> None:
    headers = [*(ADDON / "host").glob("*.h"), *(ADDON / "binding" / "native").glob("*.h"), *WORK.glob("*.h")]
    base = json.dumps([toolchain.describe(compiler), flags, sys.version, *(_digest(path) for path in sorted(headers))])
    jobs = [(source, WORK / "objects" / f"{source.stem}.o") for source in sources]
    (WORK / "objects").mkdir(parents=True, exist_ok=True)
    stale = [(source, result) for source, result in jobs if _is_stale(source, result, base)]
    if stale:
        print(f"Compiling {target.name} ({len(stale)} of {len(jobs)} files)", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda job: _compile(compiler, flags, job[0], job[1], base), stale))
    if stale or not target.is_file():
        link(compiler, [str(result) for _source, result in jobs], target, libraries)


def _is_stale(source: Path, result: Path, base: str) -> bool:
    stamp = result.with_suffix(".stamp")
    return not result.is_file() or not stamp.is_file() or stamp.read_text() != _stamp(source, base)


def _compile(compiler: str, flags: list[str], source: Path, result: Path, base: str) -> None:
    compile_file(compiler, flags, source, result)
    result.with_suffix(".stamp").write_text(_stamp(source, base))


def _stamp(source: Path, base: str) -> str:
    return hashlib.sha256(f"{base}{_digest(source)}".encode()).hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(command: list[str], name: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.stderr or done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        raise BuildStop(f"The C compiler failed on {name}; its own words are above.")
