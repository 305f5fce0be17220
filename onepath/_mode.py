"""Tells compiled from interpreted, and lets interpreted modules use Cython's ``cimport`` spelling.

Modules import each other's kernels as ``from cython.cimports.onepath.x import f``. Cython resolves that from the
``.pxd`` file; an interpreter needs the name to lead to the plain module, which the finder below arranges.
"""

import importlib
import importlib.machinery
import sys
from typing import Any

import cython

COMPILED: bool = cython.compiled

_PREFIX = "cython.cimports."


class _CimportFinder:
    """Resolves ``cython.cimports.onepath.*`` to the module ``onepath.*`` itself (never to a second copy)."""

    def find_spec(self, fullname, path, target=None):
        if fullname == _PREFIX + "onepath" or fullname.startswith(_PREFIX + "onepath."):
            loader: Any = self
            return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)
        return None

    def create_module(self, spec):
        module = importlib.import_module(spec.name[len(_PREFIX):])
        self._real_spec = module.__spec__
        return module

    def exec_module(self, module):
        # The import system has just put the alias's spec on the module; give it back its own.
        module.__spec__ = sys.modules[module.__name__].__spec__ = self._real_spec


def _install() -> None:
    if not COMPILED and not any(isinstance(finder, _CimportFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _CimportFinder())
        # Cython's stand-in for the namespace has no __spec__, which the import system wants of a parent package.
        sys.modules["cython.cimports"].__dict__.setdefault("__spec__", None)


_install()
