"""Lays out what the built addon needs at run time: libraries, libpython, the used standard library, the packages."""

from __future__ import annotations

import importlib.util
import py_compile
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from .failure import BuildStop
from .godot_compile import ADDON, BINDING, FOLDER, HOST, PLATFORM, STDLIB, Libraries
from .godot_quick import add_quick_start
from .godot_stdlib import used_library, without_search_path, write_archive
from .places import CORE, ROOT

BIN = ADDON / "bin" / PLATFORM
# What of addons/onepath is source only and does not go into a project.
SOURCE_ONLY = ("host", "binding", "nodes", "bin")
MAIN = "addon_main.py"
LICENCE = "LICENSE.Python.txt"


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
    shutil.copyfile(find_python_licence(), inside / LICENCE)
    (inside / "packages" / MAIN).write_text(f"import quick_start\n{main}", encoding="utf-8")
    for name, folder in packages.items():
        _copy_package(folder, inside / "packages" / name)
    add_quick_start(inside / "packages", [name for name, folder in packages.items() if folder.is_relative_to(CORE)])
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
        if path.is_file() and path.suffix == ".py":
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


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


def find_python_licence() -> Path:
    """The licence text that the Python of this build brought along: in its library, or in the system's documentation.

    Raises BuildStop where there is none, since a bundle without it may not be given away.
    """
    version = sysconfig.get_python_version()
    documents = Path("/usr/share/doc")
    candidates = [Path(sysconfig.get_path("stdlib"), "LICENSE.txt")]
    candidates += [documents / f"{name}{version}" / "copyright" for name in ("libpython", "python")]
    candidates += [documents / f"libpython{version}-stdlib" / "copyright"]
    for path in candidates:
        if path.is_file():
            return path
    raise BuildStop(
        f"The licence text of Python {version}, which belongs into the addon, was not found: put the LICENSE file of"
        f" its source release at {candidates[0]}."
    )


def addon_files(built: Path = BIN) -> Iterator[tuple[Path, str]]:
    """Every file of the addon as it goes into a project, with its place below addons/onepath, sorted by that place.

    built: the bin folder of this platform.
    """
    files: dict[str, Path] = {}
    for path in ADDON.rglob("*"):
        place = path.relative_to(ADDON)
        hidden = any(part.startswith(".") and part != ".gdignore" for part in place.parts)
        if path.is_file() and place.parts[0] not in SOURCE_ONLY and not hidden:
            files[place.as_posix()] = path
    for path in built.rglob("*"):
        if path.is_file():
            files[f"bin/{PLATFORM}/{path.relative_to(built).as_posix()}"] = path
    for name in sorted(files):
        yield files[name], name


def install(project: Path, built: Path = BIN) -> int:
    """Copy the whole built addon into a project; returns how many files there are. Older files of it are replaced."""
    target = project / "addons" / "onepath"
    if target.resolve() == ADDON.resolve():
        return 0
    shutil.rmtree(target, ignore_errors=True)
    count = 0
    for path, place in addon_files(built):
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / place)
        count += 1
    return count
