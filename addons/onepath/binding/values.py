"""The engine's small value types as named tuples, and names for those types that Python shows in another form.

Any sequence of the same shape is accepted where one of these is expected; the engine always gives back these classes.
"""

from __future__ import annotations

from collections import namedtuple


def _plus(self, other):
    return self.__class__(*(a + b for a, b in zip(self, other, strict=True)))


def _minus(self, other):
    return self.__class__(*(a - b for a, b in zip(self, other, strict=True)))


def _times(self, factor):
    return self.__class__(*(a * factor for a in self))


def _negative(self):
    return self.__class__(*(-a for a in self))


def _length(self):
    """The Euclidean length."""
    return sum(a * a for a in self) ** 0.5


def _vector(name: str, fields: str, zero):
    """A named tuple that adds, subtracts and scales by component instead of joining as tuples do."""
    base = namedtuple(name, fields, defaults=(zero,) * len(fields.split()))
    members = {"__slots__": (), "__module__": __name__, "__add__": _plus, "__sub__": _minus, "__mul__": _times}
    members.update({"__rmul__": _times, "__neg__": _negative, "length": _length})
    return type(name, (base,), members)


def _record(name: str, fields: str, *defaults):
    return type(name, (namedtuple(name, fields, defaults=defaults),), {"__slots__": (), "__module__": __name__})


Vector2 = _vector("Vector2", "x y", 0.0)
Vector2i = _vector("Vector2i", "x y", 0)
Vector3 = _vector("Vector3", "x y z", 0.0)
Vector3i = _vector("Vector3i", "x y z", 0)
Vector4 = _vector("Vector4", "x y z w", 0.0)
Vector4i = _vector("Vector4i", "x y z w", 0)
Color = _record("Color", "r g b a", 0.0, 0.0, 0.0, 1.0)
Plane = _record("Plane", "x y z d", 0.0, 0.0, 0.0, 0.0)
Quaternion = _record("Quaternion", "x y z w", 0.0, 0.0, 0.0, 1.0)
Rect2 = _record("Rect2", "position size", Vector2(), Vector2())
Rect2i = _record("Rect2i", "position size", Vector2i(), Vector2i())
AABB = _record("AABB", "position size", Vector3(), Vector3())
Basis = _record("Basis", "x y z", Vector3(1.0, 0.0, 0.0), Vector3(0.0, 1.0, 0.0), Vector3(0.0, 0.0, 1.0))
Transform3D = _record("Transform3D", "basis origin", Basis(), Vector3())
Transform2D = _record("Transform2D", "x y origin", Vector2(1.0, 0.0), Vector2(0.0, 1.0), Vector2())
Projection = _record(
    "Projection", "x y z w", Vector4(1.0), Vector4(0.0, 1.0), Vector4(0.0, 0.0, 1.0), Vector4(0.0, 0.0, 0.0, 1.0)
)


class NodePath(str):
    """A path to a node, as text."""

    __slots__ = ()


class StringName(str):
    """Text that the engine shall keep as a StringName; from the engine it comes as plain str."""

    __slots__ = ()


class RID(int):
    """A handle of one of the engine's servers; 0 is none."""

    __slots__ = ()


class PackedStringArray(list):
    """A list of str that the engine shall keep as a packed array."""

    __slots__ = ()


class _Shown:
    """A type for declarations only: its values have another form in Python."""

    def __new__(cls):
        raise TypeError(f"{cls.__name__} is for declarations; its values are {cls.__doc__}")


def _shown(name: str, form: str):
    return type(name, (_Shown,), {"__doc__": form, "__module__": __name__})


Callable = _shown("Callable", "Python functions or godot.Value")
Signal = _shown("Signal", "godot.Value with emit, connect, disconnect")
PackedByteArray = _shown("PackedByteArray", "buffers: bytes towards the engine, godot.PackedArray from it")
PackedInt32Array = _shown("PackedInt32Array", "buffers of format i")
PackedInt64Array = _shown("PackedInt64Array", "buffers of format q")
PackedFloat32Array = _shown("PackedFloat32Array", "buffers of format f")
PackedFloat64Array = _shown("PackedFloat64Array", "buffers of format d")
PackedVector2Array = _shown("PackedVector2Array", "buffers of format f, two numbers an item")
PackedVector3Array = _shown("PackedVector3Array", "buffers of format f, three numbers an item")
PackedColorArray = _shown("PackedColorArray", "buffers of format f, four numbers an item")
PackedVector4Array = _shown("PackedVector4Array", "buffers of format f, four numbers an item")

SMALL = (
    *(Vector2, Vector2i, Vector3, Vector3i, Vector4, Vector4i, Color, Plane, Quaternion, Rect2, Rect2i, AABB, Basis),
    *(Transform3D, Transform2D, Projection, NodePath, StringName, RID),
    PackedStringArray,
)
SHOWN = (
    *(Callable, Signal, PackedByteArray, PackedInt32Array, PackedInt64Array, PackedFloat32Array, PackedFloat64Array),
    *(PackedVector2Array, PackedVector3Array, PackedColorArray, PackedVector4Array),
)
