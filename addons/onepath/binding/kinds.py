"""From Python annotations to the engine's types."""

from __future__ import annotations

import enum
import types
from typing import Any, NamedTuple

from _godot import CONSTANTS, TYPES, Object

from . import values

USAGE_DEFAULT = CONSTANTS["PROPERTY_USAGE_DEFAULT"]
USAGE_ENUM = CONSTANTS["PROPERTY_USAGE_CLASS_IS_ENUM"]
USAGE_BITS = CONSTANTS["PROPERTY_USAGE_CLASS_IS_BITFIELD"]
USAGE_VARIANT = CONSTANTS["PROPERTY_USAGE_NIL_IS_VARIANT"]
HINT_NONE = CONSTANTS["PROPERTY_HINT_NONE"]

_NUMBERS: dict[Any, int] = {
    bool: TYPES["bool"],
    int: TYPES["int"],
    float: TYPES["float"],
    str: TYPES["String"],
    list: TYPES["Array"],
    dict: TYPES["Dictionary"],
    bytes: TYPES["PackedByteArray"],
    Object: TYPES["Object"],
    **{kind: TYPES[kind.__name__] for kind in (*values.SMALL, *values.SHOWN)},
}
NAMES = {number: name for name, number in TYPES.items()}
# What a property holds before anybody sets it; packed arrays and lists start empty.
_EMPTY = {int: 0, float: 0.0, bool: False, str: "", list: [], dict: {}, bytes: b""}


class Kind(NamedTuple):
    """An engine type with what the engine wants to know besides its number."""

    number: int
    class_name: str = ""
    usage: int = USAGE_DEFAULT
    python: Any = None

    def described(self, name: str, hint: int = HINT_NONE, hint_string: str = "", usage: int | None = None):
        """The tuple that the C side takes."""
        usage = self.usage if usage is None else usage | (self.usage & ~USAGE_DEFAULT)
        return (self.number, name, self.class_name, hint, hint_string, usage)

    def type_name(self) -> str:
        """The type as the class reference spells it."""
        if self.number == TYPES["Nil"]:
            return "Variant"
        if self.class_name and self.number == TYPES["Object"]:
            return self.class_name
        return NAMES[self.number]

    def empty(self) -> Any:
        """The value that a property of this type starts with when none is given."""
        if self.python in _EMPTY:
            return _EMPTY[self.python]
        if isinstance(self.python, type) and issubclass(self.python, enum.Enum):
            return next(iter(self.python))
        if self.python in values.SMALL:
            return self.python()
        return () if self.number >= TYPES["PackedByteArray"] else None


def kind_of(annotation: Any, namespace: dict[str, Any] | None = None) -> Kind:
    """The engine type of an annotation.

    annotation: bool, int, float, str, list, dict, a class of `values`, an engine or registered class, an IntEnum or
    IntFlag inside a registered class, `X | None` of those, Any or object for a Variant, or text of one of them.
    Raises TypeError for anything else.
    """
    if isinstance(annotation, str):
        annotation = eval(annotation, namespace or {})
    if isinstance(annotation, types.UnionType):
        rest = [part for part in annotation.__args__ if part is not type(None)]
        annotation = rest[0] if len(rest) == 1 else Any
    if isinstance(annotation, types.GenericAlias):
        annotation = annotation.__origin__
    if annotation in (Any, object):
        return Kind(TYPES["Nil"], "", USAGE_DEFAULT | USAGE_VARIANT, Any)
    if annotation in _NUMBERS:
        return Kind(_NUMBERS[annotation], "", USAGE_DEFAULT, annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.IntEnum | enum.IntFlag):
        usage = USAGE_BITS if issubclass(annotation, enum.IntFlag) else USAGE_ENUM
        return Kind(TYPES["int"], annotation.__qualname__, USAGE_DEFAULT | usage, annotation)
    if isinstance(annotation, type) and issubclass(annotation, Object):
        return Kind(TYPES["Object"], annotation.__godot_class__, USAGE_DEFAULT, annotation)
    raise TypeError(f"the engine has no type for {annotation!r}")
