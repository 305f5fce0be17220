"""Makes the start quicker; the first module that the host's Python imports, before anything of the addon.

Three things cost much whenever a game starts, though nothing of them depends on the game: opening a shared library for
each compiled module, compiling the functions that dataclasses and named tuples write for themselves, and loading the
standard library's `inspect`, which dataclasses ask about classes without a docstring only.
"""

import marshal
import sys
from importlib.machinery import ModuleSpec

HERE = __file__.rpartition("/")[0]


class _LinkedModules:
    """Finds the compiled modules that were linked into one library, and makes them."""

    def __init__(self, library) -> None:
        self.library, self.names = library, frozenset(library.names())

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, origin=self.library.__file__) if name in self.names else None

    def create_module(self, spec):
        return self.library.create(spec)

    def exec_module(self, module) -> None:
        self.library.execute(module)


class _ReadyCode:
    """`exec` and `eval` for texts whose code was made when the addon was built; any other text is compiled."""

    def __init__(self) -> None:
        with open(f"{HERE}/ready_code.bin", "rb") as file:
            self.codes = marshal.load(file)

    def exec(self, text, names, local=None) -> None:
        exec(self.codes.get(text, text), names, local)

    def eval(self, text, names):
        return eval(self.codes.get(text, text), names)


def _on_demand(name: str):
    """A stand-in for a module, which loads the real one when something of it is asked for."""
    module = type(sys)(name)
    module.__dict__["__getattr__"] = lambda attribute: getattr(__import__(name), attribute)
    return module


def prepare() -> None:
    """Put all of it in place, except in an interpreter that somebody else has started and uses."""
    import linked_modules

    sys.meta_path.insert(0, _LinkedModules(linked_modules))
    if "dataclasses" in sys.modules or "collections" in sys.modules:
        return
    import collections

    ready = _ReadyCode()
    collections.eval = ready.eval  # type: ignore[attr-defined]
    sys.modules["inspect"] = _on_demand("inspect")
    try:
        import dataclasses
    finally:
        del sys.modules["inspect"]
    dataclasses.exec = ready.exec  # type: ignore[attr-defined]


prepare()
