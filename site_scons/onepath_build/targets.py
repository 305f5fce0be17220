"""Registering `scons` targets.

A group of targets is a module with a `register(targets)` function that calls `targets.add(...)`, and its name in
SConstruct's list. An action takes no arguments; it raises BuildStop with one sentence when it cannot go on, and
returns the exit status of a program that has already said what is wrong (None or 0 for success).
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from SCons.Errors import BuildError
from SCons.Script import AddOption, Default, Help, SConsignFile, SetOption

from .failure import BuildStop
from .places import BUILD

Action = Callable[[], int | None]


class Targets:
    """The named targets of this build, in the order in which `scons` lists them."""

    def __init__(self, environment: Any) -> None:
        self._environment = environment
        self._help: list[tuple[str, str]] = []
        BUILD.mkdir(exist_ok=True)
        SConsignFile(str(BUILD / "sconsign"))
        SetOption("no_progress", True)

    def add(
        self, name: str, summary: str, action: Action, needs: Sequence[str] = (), check: Action | None = None
    ) -> None:
        """Make `scons NAME` run the action, after the targets named in `needs`; `summary` is its line in the help.

        check: what can already be judged before those targets are built; it runs first.
        """
        if check is not None:
            self._alias(f"{name}-check", (), check)
            needs = [f"{name}-check", *needs]
        self._alias(name, needs, action)
        self._help.append((name, summary))

    def _alias(self, name: str, needs: Sequence[str], action: Action) -> None:
        def run(target: object, source: object, env: object) -> int:
            try:
                return action() or 0
            except BuildStop as failure:
                raise BuildError(errstr=str(failure)) from None

        alias = self._environment.Alias(name, list(needs), self._environment.Action(run, cmdstr=None))
        self._environment.AlwaysBuild(alias)

    def option(self, name: str, summary: str, default: str) -> None:
        """Declare a command-line option `--NAME=VALUE`, read with `SCons.Script.GetOption`."""
        AddOption(f"--{name}", dest=name.replace("-", "_"), type="string", default=default, help=summary)

    def finish(self) -> None:
        """Make the list of targets what `scons` prints when no target is named."""
        width = max(len(name) for name, _ in self._help)
        lines = ["Targets:"] + [f"  scons {name:<{width}}  {summary}" for name, summary in self._help]
        text = "\n".join(lines) + "\n\nEverything built goes to build/; delete that folder to start afresh.\n"
        Help(text)
        show = self._environment.Action(lambda target, source, env: sys.stdout.write(text) and None, cmdstr=None)
        alias = self._environment.Alias("help", [], show)
        self._environment.AlwaysBuild(alias)
        Default(alias)
