"""Builds the package `onepath` into a folder: modules that say `import cython` are compiled, all others are copied.

A program of its own, run by the Python of build/venv, so that other variants can be built beside build/core:

    build/venv/bin/python site_scons/onepath_build/compile_core.py --out build/core-O0 --optimize 0

The C files and what is remembered between runs go to the folder `work/NAME` beside the result. A module is compiled
again when its text, a .pxd that it uses, the compiler, its flags or Cython's directives have changed.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: make the package importable instead of its folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from onepath_build import toolchain
from onepath_build.failure import BuildStop
from onepath_build.places import ROOT

DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": True,
    "binding": True,
    "embedsignature": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "nonecheck": False,
    "cdivision": True,
    "profile": False,
    # What follows `if cython.compiled: return ...` is the interpreted half of the function.
    "warn.unreachable": False,
}
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
_IMPORTS_CYTHON = re.compile(r"^import cython\b", re.MULTILINE)
_LINES_OF_PROGRESS = 15


@dataclass(frozen=True)
class Variant:
    """One build of the core: where it goes and how its C is compiled."""

    out: Path
    compiler: str
    optimize: int
    annotate: bool = False

    @property
    def work(self) -> Path:
        return self.out.parent / "work" / self.out.name

    def settings(self) -> str:
        """All that changes a compiled module besides its sources."""
        import Cython

        flags = toolchain.compile_flags(self.compiler, self.optimize) + toolchain.link_flags()
        parts = [Cython.__version__, sys.version, self.compiler, toolchain.describe(self.compiler), self.annotate]
        return json.dumps([*parts, *flags, DIRECTIVES], sort_keys=True)


def build(variant: Variant, jobs: int) -> None:
    """Bring the variant's folder up to date with the sources, `jobs` compilations at a time.

    Raises BuildStop when a module does not compile; what Cython or the compiler said has then been printed.
    """
    compiled, copied = find_sources()
    _remove_leftovers(variant.out, compiled, copied)
    for source in copied:
        _copy_if_changed(ROOT / source, variant.out / source)
    record = _read_record(variant)
    wanted = fingerprints(compiled, variant.settings())
    stale = [
        source
        for source in compiled
        if record.get(source.as_posix()) != wanted[source] or not (variant.out / _target(source)).exists()
    ]
    if stale:
        _compile_all(variant, stale, wanted, record, jobs)


def find_sources() -> tuple[list[Path], list[Path]]:
    """The package's modules relative to the root: those to compile, and those to copy."""
    compiled: list[Path] = []
    copied: list[Path] = []
    for path in sorted((ROOT / "onepath").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        (compiled if _IMPORTS_CYTHON.search(text) else copied).append(path.relative_to(ROOT))
    return compiled, copied


def _target(source: Path) -> Path:
    return source.with_name(source.stem + SUFFIX)


def _remove_leftovers(out: Path, compiled: list[Path], copied: list[Path]) -> None:
    """A module that was renamed, deleted or turned from compiled to copied must not be importable any more."""
    expected = {out / _target(source) for source in compiled} | {out / source for source in copied}
    for path in (out / "onepath").rglob("*"):
        if path.is_file() and path not in expected and "__pycache__" not in path.parts:
            path.unlink()


def _copy_if_changed(source: Path, target: Path) -> None:
    content = source.read_bytes()
    if not target.exists() or target.read_bytes() != content:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def fingerprints(sources: list[Path], settings: str) -> dict[Path, str]:
    """For each module a hash of its text, of every .pxd that it uses, directly or through another, and the settings."""
    from Cython.Build.Dependencies import create_dependency_tree
    from Cython.Compiler.Main import CompilationOptions, Context

    tree = create_dependency_tree(Context.from_options(CompilationOptions(include_path=[])), quiet=True)
    result = {}
    for source in sources:
        digest = hashlib.sha256(settings.encode())
        for name in sorted(str(name) for name in tree.all_dependencies(str(source))):
            if not os.path.isabs(name):  # absolute ones are Cython's own, which its version stands for
                digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes() + b"\0")
        result[source] = digest.hexdigest()
    return result


def _read_record(variant: Variant) -> dict[str, str]:
    try:
        return json.loads((variant.work / "built.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _write_record(variant: Variant, record: dict[str, str]) -> None:
    (variant.work / "built.json").write_text(json.dumps(record, indent=1), encoding="utf-8")


def _compile_all(
    variant: Variant, stale: list[Path], wanted: dict[Path, str], record: dict[str, str], jobs: int
) -> None:
    start = time.monotonic()
    how = f"{variant.compiler}, -O{variant.optimize}"
    print(f"Compiling {len(stale)} modules into {variant.out} with {how}", flush=True)
    variant.work.mkdir(parents=True, exist_ok=True)
    for source in stale:
        record.pop(source.as_posix(), None)
    _write_record(variant, record)
    # Large modules first, so that no core is left with the longest one at the end.
    order = sorted(stale, key=lambda source: -(ROOT / source).stat().st_size)
    failed = []
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(stale))) as pool:
        results = pool.imap_unordered(_compile_one, [(variant, source) for source in order])
        for count, (source, succeeded) in enumerate(results, 1):
            if succeeded:
                record[source.as_posix()] = wanted[source]
                _write_record(variant, record)
            else:
                failed.append(source.as_posix())
            if count * _LINES_OF_PROGRESS // len(stale) > (count - 1) * _LINES_OF_PROGRESS // len(stale):
                print(f"  {count} of {len(stale)} after {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        raise BuildStop(f"These modules do not compile, for the reasons printed above: {', '.join(sorted(failed))}.")


def _compile_one(job: tuple[Variant, Path]) -> tuple[Path, bool]:
    """Translate and compile one module, in a process of the pool."""
    variant, source = job
    from Cython.Compiler.Errors import CompileError as CythonError
    from setuptools.errors import BaseError, CCompilerError

    try:
        _compile_module(variant, source)
    except (CythonError, CCompilerError, BaseError) as error:
        print(f"{source}: {error}", file=sys.stderr, flush=True)
        return source, False
    return source, True


def _compile_module(variant: Variant, source: Path) -> None:
    # setuptools first: it puts its own distutils in place, which Cython then finds.
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    from Cython.Build import cythonize  # isort: skip

    class Build(build_ext):
        def build_extensions(self) -> None:
            if not toolchain.uses_msvc():
                self.compiler.compiler_so = toolchain.without_unwanted(self.compiler.compiler_so)
                self.compiler.linker_so = toolchain.without_unwanted(self.compiler.linker_so)
            super().build_extensions()

    if variant.compiler != "msvc":
        os.environ["CC"] = variant.compiler
    extension = Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        extra_compile_args=toolchain.compile_flags(variant.compiler, variant.optimize),
        extra_link_args=toolchain.link_flags(),
    )
    (translated,) = cythonize(
        [extension],
        build_dir=str(variant.work / "c"),
        compiler_directives=DIRECTIVES,
        annotate=variant.annotate,
        force=True,
        quiet=True,
    )
    command = Build(Distribution({"ext_modules": [translated]}))
    command.build_lib = str(variant.out)
    command.build_temp = str(variant.work / "objects")
    command.force = True
    command.ensure_finalized()
    command.run()


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the package onepath, compiled, into a folder.")
    parser.add_argument("--out", type=Path, default=Path("build/core"), help="the folder (default: build/core)")
    parser.add_argument("--optimize", type=int, choices=range(4), default=3, help="optimisation level (default: 3)")
    parser.add_argument("--compiler", help="C compiler's command, such as gcc or clang (default: as found)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilations at a time")
    parser.add_argument("--annotate", action="store_true", help="also write Cython's annotated HTML beside the C files")
    arguments = parser.parse_args()
    try:
        compiler = toolchain.find_compiler(arguments.compiler)
        out = arguments.out.resolve()
        # Cython names modules relative to the package's parent, and object files lie under their C file's whole path.
        os.chdir(ROOT)
        out = out.relative_to(ROOT) if out.is_relative_to(ROOT) else out
        build(Variant(out, compiler, arguments.optimize, arguments.annotate), max(1, arguments.jobs))
    except BuildStop as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
