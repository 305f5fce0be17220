"""Compiles query_loops.pyx against the core, with the core's own flags, and imports it."""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("query_loops.pyx")


def load(build: Path) -> ModuleType:
    """Return the compiled module; it is built again when its text or a .pxd of the core has changed."""
    target = build / "loops"
    target.mkdir(parents=True, exist_ok=True)
    stamp = target / "stamp"
    wanted = _fingerprint()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print("compiling the loops over the queries ...", flush=True)
        _compile(target)
        stamp.write_text(wanted, encoding="utf-8")
    sys.path.insert(0, str(target))
    return importlib.import_module("query_loops")


def _fingerprint() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in (SOURCE, *sorted((ROOT / "onepath").rglob("*.pxd"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _compile(target: Path) -> None:
    sys.path.insert(0, str(ROOT / "site_scons"))
    from onepath_build import toolchain
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    from Cython.Build import cythonize  # isort: skip  (setuptools first: it brings the distutils that Cython finds)

    compiler = toolchain.find_compiler()
    extension = Extension(
        "query_loops",
        [str(SOURCE)],
        extra_compile_args=toolchain.compile_flags(compiler, 3),
        extra_link_args=toolchain.link_flags(),
    )
    translated = cythonize([extension], include_path=[str(ROOT)], build_dir=str(target / "c"), force=True, quiet=True)
    command = build_ext(Distribution({"ext_modules": translated}))
    command.build_lib, command.build_temp, command.force = str(target), str(target / "objects"), True
    command.ensure_finalized()
    command.run()
