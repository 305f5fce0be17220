"""How a class says what the engine and the editor see of it: properties, signals, methods, notifications."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import _godot
from _godot import CONSTANTS

from .kinds import Kind, kind_of

_UNSET: Any = object()
_CALLED = (bool, int, float, str)


class prop:  # noqa: N801 (written like a function where it is used)
    """A property of a registered class, stored in the engine's scenes and shown in the inspector.

    kind: its type, as for `kind_of`. default: its first value (of a list or dict: a copy for each instance).
    doc: its text in the class reference. group, subgroup: headings that begin with this property in the inspector.
    limits: (lowest, highest) or (lowest, highest, step) for a slider; `or_more=True` lets a user type more.
    suffix: the unit that the inspector shows.
    hint, hint_string: any other PropertyHint by its name ("NODE_PATH_VALID_TYPES").
    stored, shown: whether it is saved, whether the inspector shows it. read_only: no setter.

    Decorators for functions of the class: `checked` (instance, value) -> value before it is stored, may raise Refused;
    `changed` (instance) afterwards; `getter` (instance) and `setter` (instance, value) replace the storing.
    """

    def __init__(
        self,
        kind: Any,
        default: Any = _UNSET,
        doc: str = "",
        *,
        group: str | None = None,
        subgroup: str | None = None,
        limits: tuple[float, ...] | None = None,
        or_more: bool = False,
        suffix: str = "",
        hint: str = "",
        hint_string: str = "",
        stored: bool = True,
        shown: bool = True,
        read_only: bool = False,
    ) -> None:
        self.declared, self.default, self.doc = kind, default, doc
        self.group, self.subgroup = group, subgroup
        self.limits, self.or_more, self.suffix = limits, or_more, suffix
        self.hint, self.hint_string = hint, hint_string
        self.stored, self.shown, self.read_only = stored, shown, read_only
        self.name = ""
        self.kind: Kind | None = None
        self._check: Callable[[Any, Any], Any] | None = None
        self._changed: Callable[[Any], None] | None = None
        self._getter: Callable[[Any], Any] | None = None
        self._setter: Callable[[Any, Any], None] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def checked(self, function):
        self._check = function
        return function

    def changed(self, function):
        self._changed = function
        return function

    def getter(self, function):
        self._getter = function
        return function

    def setter(self, function):
        self._setter = function
        return function

    def settle(self, namespace: dict[str, Any]) -> Kind:
        """Work out type and default; called when the class is registered."""
        self.kind = kind_of(self.declared, namespace)
        if self.default is _UNSET:
            self.default = self.kind.empty()
        return self.kind

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self._getter is not None:
            return self._getter(instance)
        try:
            return instance.__dict__[self.name]
        except KeyError:
            if isinstance(self.default, list | dict):
                return instance.__dict__.setdefault(self.name, self.default.copy())
            return self.default

    def __set__(self, instance: Any, value: Any) -> None:
        python = self.kind.python if self.kind else None
        if python in _CALLED or (isinstance(python, type) and issubclass(python, enum.Enum | tuple)):
            value = self._shaped(python, value)
        if self._check is not None:
            value = self._check(instance, value)
        if self._setter is not None:
            self._setter(instance, value)
        else:
            instance.__dict__[self.name] = value
        if self._changed is not None:
            self._changed(instance)

    def _shaped(self, python: type, value: Any) -> Any:
        if isinstance(value, python):
            return value
        if issubclass(python, tuple):
            return python(*value)
        if issubclass(python, enum.IntEnum) and value not in list(python):
            from .failures import Refused

            raise Refused(f"{self.name} must be one of {', '.join(member.name for member in python)}, not {value!r}")
        return python(value)

    def hinted(self) -> tuple[int, str]:
        """The engine's hint and hint string."""
        if self.hint:
            return CONSTANTS[f"PROPERTY_HINT_{self.hint}"], self.hint_string
        kind = self.kind
        if self.limits:
            parts = [_plain(number) for number in self.limits]
            if len(parts) == 2:
                parts.append("1" if kind.python is int else "0.001")
            parts += ["or_greater"] if self.or_more else []
            parts += [f"suffix:{self.suffix}"] if self.suffix else []
            return CONSTANTS["PROPERTY_HINT_RANGE"], ",".join(parts)
        if self.suffix:
            return CONSTANTS["PROPERTY_HINT_NONE"], f"suffix:{self.suffix}"
        if isinstance(kind.python, type) and issubclass(kind.python, enum.Enum):
            flags = issubclass(kind.python, enum.IntFlag)
            names = ",".join(f"{_title(member.name)}:{int(member)}" for member in kind.python)
            return CONSTANTS["PROPERTY_HINT_FLAGS" if flags else "PROPERTY_HINT_ENUM"], names
        if kind.class_name and isinstance(kind.python, type) and issubclass(kind.python, _godot.Object):
            if getattr(kind.python, "__godot_resource__", False):
                return CONSTANTS["PROPERTY_HINT_RESOURCE_TYPE"], kind.class_name
            return CONSTANTS["PROPERTY_HINT_NODE_TYPE"], kind.class_name
        return CONSTANTS["PROPERTY_HINT_NONE"], self.hint_string

    def usage(self) -> int:
        usage = CONSTANTS["PROPERTY_USAGE_NONE"]
        usage |= CONSTANTS["PROPERTY_USAGE_STORAGE"] if self.stored and not self.read_only else 0
        usage |= CONSTANTS["PROPERTY_USAGE_EDITOR"] if self.shown else 0
        return usage | (CONSTANTS["PROPERTY_USAGE_READ_ONLY"] if self.read_only and self.shown else 0)


def _plain(number: float) -> str:
    return repr(number) if isinstance(number, int) else f"{number:g}"


def _title(name: str) -> str:
    return name.replace("_", " ").title()


class BoundSignal:
    """A signal of one instance."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def emit(self, *arguments: Any) -> None:
        _godot.emit(self.owner, self.name, *arguments)

    def connect(self, function: Callable[..., Any], flags: int = 0) -> None:
        self.owner.connect(self.name, function, flags)

    def disconnect(self, function: Callable[..., Any]) -> None:
        self.owner.disconnect(self.name, function)


class signal:  # noqa: N801
    """A signal of a registered class: `finished = signal("text for the reference", agent=int)`."""

    def __init__(self, doc: str = "", /, **arguments: Any) -> None:
        self.doc, self.arguments, self.name = doc, arguments, ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundSignal(instance, self.name)


def method(function):
    """Makes a function of a registered class callable by the engine; annotations say how values are converted."""
    function.__godot_method__ = True
    return function


def on(*notifications: str):
    """Calls a function of a registered class (instance only) on these notifications ("NOTIFICATION_PARENTED")."""

    def mark(function):
        function.__godot_notifications__ = notifications
        return function

    return mark
