"""What crowds cost, in the debugger's Monitors tab: step time, agents and new ways in the last tick, of all crowds."""

from __future__ import annotations

import weakref

import godot

_crowds: weakref.WeakSet = weakref.WeakSet()
_registered: list[str] = []


def watch(runtime) -> None:
    """Count a crowd from now on, until it is gone."""
    _crowds.add(runtime)
    if not _registered:
        performance = godot.singleton("Performance")
        for name, function in (("step_ms", _step_time), ("agents", _agents), ("replans", _replans)):
            performance.add_custom_monitor(f"onepath/{name}", function)
            _registered.append(f"onepath/{name}")


def _running() -> list:
    return [runtime for runtime in _crowds if runtime.crowd is not None]


def _step_time() -> float:
    return 1000.0 * sum(runtime.step_seconds for runtime in _running())


def _agents() -> int:
    return sum(len(runtime.crowd) for runtime in _running())


def _replans() -> int:
    return sum(runtime.replans for runtime in _running())


@godot.at_exit
def _leave() -> None:
    performance = godot.singleton("Performance")
    while _registered:
        performance.remove_custom_monitor(_registered.pop())
