"""Lays out what the built addon needs at run time: libraries, libpython, the used standard library, the packages."""

from __future__ import annotations

import importlib.util
import py_compile
import shutil
import subprocess
from pathlib import Path

from .godot_compile import ADDON, BINDING, FOLDER, HOST, PLATFORM, STDLIB, Libraries
from .godot_stdlib import module_suffix, used_library, without_search_path, write_archive
from .places import CORE, ROOT

BIN = ADDON / "bin" / PLATFORM
# What of addons/onepath is source only and does not go into a project.
SOURCE_ONLY = ("host", "binding", "nodes", "bin")
MAIN = "addon_main.py"


def lay_out(libraries: Libraries, target: Path, packages: dict[str, Path], main: str) -> None:
    """Fill a bin folder afresh.

    packages: folders of Python packages by the name under which they are imported. main: text of the module that the
    host imports when the engine starts.
    """
    fresh = target.with_name(target.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    inside = fresh / FOLDER
    (inside / "packages").mkdir(parents=True)
    shutil.copyfile(libraries.host, fresh / HOST)
    shutil.copyfile(libraries.binding, inside / BINDING)
    _copy_library(libraries.libpython, inside / libraries.libpython.name)
    (inside / "packages" / MAIN).write_text(main, encoding="utf-8")
    for name, folder in packages.items():
        _copy_package(folder, inside / "packages" / name)
    roots, sources = _import_roots(packages, inside / "packages")
    library = used_library(roots, sources)
    write_archive(inside / STDLIB, library.archive)
    (inside / "lib-dynload").mkdir()
    for module in library.native:
        _copy_library(module, inside / "lib-dynload" / module.name)
    _precompile(inside / "packages")
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def addon_packages() -> dict[str, Path]:
    """The packages of the addon itself: the binding, the nodes and the compiled core."""
    return {"godot": ADDON / "binding", "onepath_nodes": ADDON / "nodes", "onepath": CORE / "onepath"}


def _import_roots(packages: dict[str, Path], bundled: Path) -> tuple[list[str], list[Path]]:
    """Every Python module of the packages, by name, with a folder where the sources of all of them are found."""
    names = [Path(MAIN).stem]
    for name, folder in packages.items():
        source = ROOT / name if folder.is_relative_to(CORE) else folder
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            names.append(".".join([name, *parts]).removesuffix(".__init__"))
    return names, [ROOT, bundled]  # sources before compiled modules, which tell nothing of their imports


def _copy_package(folder: Path, target: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (path.suffix == ".py" or path.name.endswith(module_suffix())):
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".py":
                shutil.copyfile(path, place)
            else:
                _copy_library(path, place)


def _copy_library(source: Path, target: Path) -> None:
    """A shared library without debug symbols and without the folders of the machine that built it."""
    shutil.copyfile(source.resolve(), target)
    target.chmod(0o755)
    if strip := shutil.which("strip"):
        subprocess.run([strip, "--strip-unneeded", str(target)], check=False, capture_output=True)
    target.write_bytes(without_search_path(target.read_bytes()))


def _precompile(folder: Path) -> None:
    """Bytecode beside each source, never compared with it, so that start-up is quick and writes nothing."""
    for path in sorted(folder.rglob("*.py")):
        shown = path.relative_to(folder).as_posix()
        cached = importlib.util.cache_from_source(str(path))
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(path), cached, shown, doraise=True, invalidation_mode=mode)


def install(project: Path, built: Path = BIN) -> int:
    """Copy the whole built addon into a project; returns how many files there are. Older files of it are replaced."""
    target = project / "addons" / "onepath"
    if target.resolve() == ADDON.resolve():
        return 0
    shutil.rmtree(target, ignore_errors=True)
    for path in sorted(ADDON.iterdir()):
        if path.name in SOURCE_ONLY or path.name.startswith("."):
            continue
        if path.is_dir():
            shutil.copytree(path, target / path.name)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / path.name)
    shutil.copytree(built, target / "bin" / PLATFORM)
    return sum(1 for path in target.rglob("*") if path.is_file())
