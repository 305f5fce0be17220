"""Python classes as engine classes.

Inside the engine this package is called `godot`. A class that derives from an engine class and carries `@register`
becomes a class of the engine: nodes and resources with properties, signals, methods, documentation. README.md beside
this file shows how.
"""

from __future__ import annotations

import sys
from typing import Any

import _godot
from _godot import (
    CONSTANTS,
    Object,
    PackedArray,
    Value,
    emit_vectors,
    fill_multimesh,
    instance_id,
    is_stopped,
    notice_changes,
    object_from_id,
    read_nodes,
    singleton,
    write_nodes,
)

from .declare import method, on, prop, signal
from .failures import FreedObjectError, Refused, describe
from .register import engine_class, register, registered
from .values import (
    AABB,
    RID,
    Basis,
    Callable,
    Color,
    NodePath,
    PackedByteArray,
    PackedColorArray,
    PackedFloat32Array,
    PackedFloat64Array,
    PackedInt32Array,
    PackedInt64Array,
    PackedStringArray,
    PackedVector2Array,
    PackedVector3Array,
    PackedVector4Array,
    Plane,
    Projection,
    Quaternion,
    Rect2,
    Rect2i,
    Signal,
    StringName,
    Transform2D,
    Transform3D,
    Vector2,
    Vector2i,
    Vector3,
    Vector3i,
    Vector4,
    Vector4i,
)
from .values import SMALL as _SMALL

_farewells: list[Any] = []


def new(name: str) -> Any:
    """A new object of an engine or registered class; a node belongs to nobody until it is added to the tree."""
    return singleton("ClassDB").instantiate(name)


def packed(name: str, source: Any) -> PackedArray:
    """A packed array of the engine ("PackedColorArray") with a copy of a buffer or sequence.

    Needed only where no annotation says the type: inside a dict or list, or for an argument that is a Variant.
    """
    return _godot.packed(_godot.TYPES[name], source)


def is_editor() -> bool:
    """Whether this process is the editor."""
    return bool(singleton("Engine").is_editor_hint())


def at_exit(function):
    """Calls a function when the engine takes the addon down, before Python ends; works as a decorator."""
    _farewells.append(function)
    return function


def warn(text: str) -> None:
    """One warning in the engine's output."""
    _report(1, text)


def error(text: str) -> None:
    """One error in the engine's output."""
    _report(2, text)


def _report(kind: int, text: str) -> None:
    code = sys._getframe(2)
    _godot.report(kind, text, code.f_code.co_name, code.f_code.co_filename, code.f_lineno)


class _Output:
    """Python's print goes where the engine's print goes: the editor's output panel and the terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self._rest = ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            _godot.report(0, line, "", "", 0)
        return len(text)

    def flush(self) -> None:
        if self._rest:
            self.write("\n")


def _editor_started() -> None:
    from .reference import class_reference

    for cls in registered:
        _godot.load_help(class_reference(cls))


def _shutdown() -> None:
    import gc

    while _farewells:
        _farewells.pop()()
    sys.stdout.flush()
    gc.collect()


def __getattr__(name: str) -> Any:
    """Engine classes by name: `godot.Node3D`, `from godot import Resource`."""
    if name[:1].isupper():
        try:
            return engine_class(name)
        except LookupError as problem:
            raise AttributeError(str(problem)) from None
    raise AttributeError(f"module 'godot' has no attribute {name!r}")


_godot.setup(describe, FreedObjectError, {_godot.TYPES[kind.__name__]: kind for kind in _SMALL})
sys.stdout = _Output()
