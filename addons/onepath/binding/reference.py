"""The class reference that the editor shows, made from docstrings and declarations."""

from __future__ import annotations

import enum

from .declare import prop, signal
from .kinds import Kind, kind_of
from .register import _namespace


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def quoteattr(text: str) -> str:
    return '"' + escape(text).replace('"', "&quot;") + '"'


def class_reference(cls: type) -> str:
    """The class's page as the XML that the editor loads."""
    text = _clean(cls.__doc__)
    brief, _, rest = text.partition("\n")
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>']
    lines.append(f"<class name={quoteattr(cls.__name__)} inherits={quoteattr(cls.__mro__[1].__godot_class__)}>")
    lines.append(f"<brief_description>{escape(brief)}</brief_description>")
    lines.append(f"<description>{escape(rest or brief)}</description>")
    members = [*cls.__dict__.values()]
    namespace = _namespace(cls)
    lines += _section("methods", [_method(m, namespace) for m in members if getattr(m, "__godot_method__", False)])
    lines += _section("members", [_member(m) for m in members if isinstance(m, prop)])
    lines += _section("signals", [_signal(m, namespace) for m in members if isinstance(m, signal)])
    enums = [m for m in members if isinstance(m, type) and issubclass(m, enum.IntEnum | enum.IntFlag)]
    lines += _section("constants", [_constant(members, value) for members in enums for value in members])
    lines.append("</class>")
    return "\n".join(lines)


def _clean(text: str | None) -> str:
    """A docstring with a line for each paragraph, as the editor breaks its pages."""
    paragraphs = (text or "").strip().split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _section(name: str, rows: list[str]) -> list[str]:
    return [f"<{name}>", *rows, f"</{name}>"] if rows else []


def _typed(kind: Kind) -> str:
    attributes = f"type={quoteattr(kind.type_name())}"
    if isinstance(kind.python, type) and issubclass(kind.python, enum.Enum):
        attributes += f" enum={quoteattr(kind.class_name)}"
    return attributes


def _parameters(pairs, defaults=()) -> str:
    rows = []
    first = len(pairs) - len(defaults)
    for index, (name, kind) in enumerate(pairs):
        default = f" default={quoteattr(_literal(defaults[index - first]))}" if index >= first else ""
        rows.append(f'<param index="{index}" name={quoteattr(name)} {_typed(kind)}{default} />')
    return "".join(rows)


def _literal(value) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, enum.Enum):
        return str(int(value))
    if isinstance(value, str):
        return f'"{value}"'
    if hasattr(value, "_fields"):
        return f"{type(value).__name__}{tuple(value)!r}"
    return "[]" if value == () else repr(value)


def _method(function, namespace) -> str:
    code, hints = function.__code__, function.__annotations__
    names = code.co_varnames[1 : code.co_argcount]
    pairs = [(name, kind_of(hints.get(name, object), namespace)) for name in names]
    returned = hints.get("return", None)
    kind = 'type="void"' if returned in (None, "None") else _typed(kind_of(returned, namespace))
    return (
        f"<method name={quoteattr(function.__name__)}><return {kind} />"
        f"{_parameters(pairs, function.__defaults__ or ())}"
        f"<description>{escape(_clean(function.__doc__))}</description></method>"
    )


def _member(declared: prop) -> str:
    name = declared.name
    setter = "" if declared.read_only else f"set_{name}"
    default = "" if declared.default is None else f" default={quoteattr(_literal(declared.default))}"
    return (
        f'<member name={quoteattr(name)} {_typed(declared.kind)} setter="{setter}" getter="get_{name}"{default}>'
        f"{escape(_clean(declared.doc))}</member>"
    )


def _signal(declared: signal, namespace) -> str:
    pairs = [(name, kind_of(kind, namespace)) for name, kind in declared.arguments.items()]
    return (
        f"<signal name={quoteattr(declared.name)}>{_parameters(pairs)}"
        f"<description>{escape(_clean(declared.doc))}</description></signal>"
    )


def _constant(members: type[enum.IntEnum], value: enum.IntEnum) -> str:
    # Each member may say what it means in a dictionary `texts` of the class around it; the enum's docstring is for all.
    texts = getattr(members, "__godot_texts__", {})
    text = texts.get(value.name) or _clean(members.__doc__)
    flags = ' is_bitfield="true"' if issubclass(members, enum.IntFlag) else ""
    name, group = quoteattr(value.name), quoteattr(members.__name__)
    return f'<constant name={name} value="{int(value)}" enum={group}{flags}>{escape(text)}</constant>'
