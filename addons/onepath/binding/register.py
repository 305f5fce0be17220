"""Tells the engine about a class that was written in Python."""

from __future__ import annotations

import enum
from typing import Any

import _godot
from _godot import Object

from .declare import prop, signal
from .kinds import kind_of

registered: list[type] = []
_engine_classes: dict[str, type] = {}
_engine_properties: dict[str, frozenset[str]] = {}


def engine_class(name: str) -> type:
    """A class of the engine by name, to derive from or to annotate with.

    Raises LookupError when the engine has no such class.
    """
    found = _engine_classes.get(name)
    if found is None:
        database = _godot.singleton("ClassDB")
        if not database.class_exists(name):
            raise LookupError(f"the engine has no class {name}")
        members = {"__godot_class__": name, "__godot_native__": name, "__module__": __name__}
        members["__godot_resource__"] = database.is_parent_class(name, "Resource")
        found = _engine_classes[name] = type(name, (Object,), members)
    return found


def register(cls: type) -> type:
    """Class decorator: makes the class known to the engine under its Python name.

    cls: derives from an engine class (`godot.Node3D`) or from a registered class, and has a docstring: its first
    sentence is the brief description in the class reference, all of it the description.
    """
    parent = cls.__mro__[1]
    native = cls.__godot_native__
    namespace = _namespace(cls)
    handle = _godot.register_class(
        cls,
        cls.__name__,
        parent.__godot_class__,
        native,
        cls.__dict__.get("__godot_icon__", ""),
        tuple(name for name in _functions(cls) if name.startswith("_")),
        _handlers(cls, native),
        hasattr(cls, "_validate_property"),
        _properties_of(native),
        bool(cls.__dict__.get("__godot_abstract__", False)),
    )
    cls.__godot_class__ = cls.__name__
    for value in cls.__dict__.values():
        if isinstance(value, type) and issubclass(value, enum.IntEnum | enum.IntFlag):
            _register_enum(handle, value)
    for value in cls.__dict__.values():
        if isinstance(value, prop):
            _register_property(handle, value, namespace)
        elif isinstance(value, signal):
            kinds = ((name, kind_of(kind, namespace)) for name, kind in value.arguments.items())
            _godot.register_signal(handle, value.name, tuple(kind.described(name) for name, kind in kinds))
        elif getattr(value, "__godot_method__", False):
            _register_method(handle, value, namespace)
    registered.append(cls)
    return cls


def _namespace(cls: type) -> dict[str, Any]:
    import sys

    return {**vars(sys.modules[cls.__module__]), **vars(cls), cls.__name__: cls}


def _functions(cls: type) -> list[str]:
    """Names of all functions that the class and its Python ancestors define."""
    names = {}
    for ancestor in cls.__mro__:
        if ancestor.__dict__.get("__godot_native__") == ancestor.__name__:
            break
        names.update({name: None for name, value in ancestor.__dict__.items() if callable(value)})
    return list(names)


def _handlers(cls: type, native: str) -> tuple[tuple[int, str], ...]:
    database = _godot.singleton("ClassDB")
    found = []
    for name in _functions(cls):
        for constant in getattr(getattr(cls, name), "__godot_notifications__", ()):
            found.append((database.class_get_integer_constant(native, constant), name))
    return tuple(found)


def _properties_of(native: str) -> frozenset[str]:
    """Names that belong to the engine's base class, so that `self.name = ...` reaches the engine."""
    found = _engine_properties.get(native)
    if found is None:
        rows = _godot.singleton("ClassDB").class_get_property_list(native)
        found = _engine_properties[native] = frozenset(row["name"] for row in rows if row["type"])
    return found


def _register_enum(handle: Any, members: type[enum.IntEnum]) -> None:
    name = members.__name__
    for member in members:
        _godot.register_constant(handle, name, member.name, int(member), issubclass(members, enum.IntFlag))


def _register_property(handle: Any, declared: prop, namespace: dict[str, Any]) -> None:
    kind = declared.settle(namespace)
    if declared.group is not None:
        _godot.register_group(handle, declared.group, False)
    if declared.subgroup is not None:
        _godot.register_group(handle, declared.subgroup, True)
    hint, hint_string = declared.hinted()
    described = kind.described(declared.name, hint, hint_string, declared.usage())
    _godot.register_property(handle, declared.name, described, declared.read_only)


def _register_method(handle: Any, function: Any, namespace: dict[str, Any]) -> None:
    code, hints = function.__code__, function.__annotations__
    names = code.co_varnames[1 : code.co_argcount]
    kinds = tuple(kind_of(hints.get(name, Any), namespace).described(name) for name in names)
    returned = hints.get("return", None)
    result = None if returned in (None, "None") else kind_of(returned, namespace).described("")
    _godot.register_method(handle, function.__name__, function.__name__, kinds, result, function.__defaults__ or ())
