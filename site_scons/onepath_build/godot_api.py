"""Asks the engine for its extension interface and writes the call tables that the binding's C sources use.

Nothing is copied by hand: the C sources name what they call (`gd.variant_destroy`, `BUILTIN(Array, resize)`,
`METHOD(Node3D, set_global_position)`, `CONSTRUCT(String, StringName)`, `UTILITY(print)`), and this module looks each of
them up in the header and the JSON that the engine itself dumps.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .godot_engine import Engine, EngineUnavailable

HEADER = "gdextension_interface.h"
API = "extension_api.json"
PRECISION = "float_64"
# The engine classes whose virtual functions a class of the binding may override.
VIRTUAL_BASES = ("Object", "RefCounted", "Resource", "Node", "Node3D")
_LOOKUPS = """\
#define WITH_NAME(variable, text) uint64_t variable; gd.string_name_new_with_utf8_chars(&variable, text)
#define DROP_NAME(variable) gd.variant_get_ptr_destructor(GDEXTENSION_VARIANT_TYPE_STRING_NAME)(&variable)
static GDExtensionMethodBindPtr find_method(const char *owner, const char *method, int64_t hash) {
	WITH_NAME(class_name, owner);
	WITH_NAME(name, method);
	GDExtensionMethodBindPtr found = gd.classdb_get_method_bind(&class_name, &name, hash);
	DROP_NAME(class_name);
	DROP_NAME(name);
	return found;
}
static GDExtensionPtrBuiltInMethod find_builtin(int type, const char *method, int64_t hash) {
	WITH_NAME(name, method);
	GDExtensionPtrBuiltInMethod found = gd.variant_get_ptr_builtin_method(type, &name, hash);
	DROP_NAME(name);
	return found;
}
static GDExtensionPtrUtilityFunction find_utility(const char *function, int64_t hash) {
	WITH_NAME(name, function);
	GDExtensionPtrUtilityFunction found = gd.variant_get_ptr_utility_function(&name, hash);
	DROP_NAME(name);
	return found;
}"""
_DECLARATIONS = """\
extern struct godot_interface gd;
extern struct godot_methods godot_methods;
extern struct godot_builtins godot_builtins;
extern struct godot_constructors godot_constructors;
extern struct godot_utilities godot_utilities;
extern const struct godot_virtual godot_virtuals[];
extern const struct godot_constant godot_constants[];
extern const char *const godot_type_names[];
extern const uint8_t godot_type_sizes[];
#define METHOD(owner, name) godot_methods.owner##__##name
#define BUILTIN(owner, name) godot_builtins.owner##__##name
#define CONSTRUCT(type, source) godot_constructors.type##__##source
#define UTILITY(name) godot_utilities.name"""
# The interface functions that the generated lookups themselves call.
_LOOKUP_FUNCTIONS = {
    "string_name_new_with_utf8_chars",
    "classdb_get_method_bind",
    "variant_get_ptr_builtin_method",
    "variant_get_ptr_constructor",
    "variant_get_ptr_destructor",
    "variant_get_ptr_utility_function",
}
GLOBAL_ENUMS = ("PropertyHint", "PropertyUsageFlags", "Error")


def dump_interface(engine: Engine, folder: Path) -> None:
    """Writes the engine's header and JSON into a folder, unless they are there from the same engine."""
    stamp = folder / "engine-version.txt"
    if stamp.is_file() and stamp.read_text() == engine.version_text and (folder / API).is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    arguments = ("--headless", "--dump-gdextension-interface", "--dump-extension-api-with-docs")
    done = subprocess.run(
        engine.command(*arguments), cwd=folder, env=engine.environment(), capture_output=True, text=True, check=False
    )
    if not (folder / HEADER).is_file() or not (folder / API).is_file():
        words = done.stderr.strip()[-300:]
        raise EngineUnavailable(f"Godot {engine.version_text} did not write its interface: {words}")
    stamp.write_text(engine.version_text)


def write_tables(folder: Path, sources: Iterable[Path]) -> None:
    """Writes godot_tables.h and godot_tables.c for what the C sources use, into the folder with the dumps."""
    text = "\n".join(path.read_text() for path in sources)
    api = json.loads((folder / API).read_text())
    if api["header"].get("precision", "single") != "single":
        raise EngineUnavailable("This Godot is built with double precision; the single precision build is needed.")
    tables = _Tables(api, (folder / HEADER).read_text(), text)
    _write_if_changed(folder / "godot_tables.h", tables.header())
    _write_if_changed(folder / "godot_tables.c", tables.source())


def _write_if_changed(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


class _Tables:
    """What the sources use, looked up once, and the two files made from it."""

    def __init__(self, api: dict[str, Any], interface: str, text: str) -> None:
        self.classes = {entry["name"]: entry for entry in api["classes"]}
        self.builtins = {entry["name"]: entry for entry in api["builtin_classes"]}
        self.utilities = {entry["name"]: entry for entry in api["utility_functions"]}
        self.enums = [entry for entry in api["global_enums"] if entry["name"] in GLOBAL_ENUMS]
        self.sizes = _sizes(api)
        self.types = _variant_types(interface, self.sizes)
        self.functions = _interface_functions(
            interface, sorted(_LOOKUP_FUNCTIONS | set(re.findall(r"\bgd\.(\w+)", text)))
        )
        self.methods = sorted(set(re.findall(r"\bMETHOD\((\w+), (\w+)\)", text)))
        self.members = sorted(set(re.findall(r"\bBUILTIN\((\w+), (\w+)\)", text)))
        self.constructors = sorted(set(re.findall(r"\bCONSTRUCT\((\w+), (\w+)\)", text)))
        self.calls = sorted(set(re.findall(r"\bUTILITY\((\w+)\)", text)))

    def header(self) -> str:
        lines = ["/* Written at build time from the engine's own description of itself. */", "#pragma once"]
        lines += [f'#include "{HEADER}"', ""]
        lines += [f"#define SIZE_{name} {size}" for name, size in self.sizes.items()]
        lines += ["", "struct godot_interface {"]
        lines += [f"\t{kind} {name};" for name, kind, _required in self.functions]
        lines += ["};", "struct godot_methods {"]
        lines += [f"\tGDExtensionMethodBindPtr {owner}__{name};" for owner, name in self.methods]
        lines += ["};", "struct godot_builtins {"]
        lines += [f"\tGDExtensionPtrBuiltInMethod {owner}__{name};" for owner, name in self.members]
        lines += ["};", "struct godot_constructors {"]
        lines += [f"\tGDExtensionPtrConstructor {owner}__{source};" for owner, source in self.constructors]
        lines += ["};", "struct godot_utilities {"]
        lines += [f"\tGDExtensionPtrUtilityFunction {name};" for name in self.calls]
        lines += ["};", "struct godot_virtual {", "\tconst char *name;", "\tuint32_t hash;", "\tint result;"]
        lines += ["\tint count;", "\tuint8_t types[8];", "};"]
        lines += ["struct godot_constant {", "\tconst char *name;", "\tint64_t value;", "};"]
        lines += [*_DECLARATIONS.splitlines()]
        lines += ["/* Fills the tables; returns NULL, or the name of what this engine does not have. */"]
        lines += ["const char *godot_load_interface(GDExtensionInterfaceGetProcAddress find);"]
        lines += ["const char *godot_load_methods(void);", ""]
        return "\n".join(lines)

    def source(self) -> str:
        lines = ['#include "godot_tables.h"', ""]
        lines += [line.removeprefix("extern ") for line in _DECLARATIONS.splitlines()[:5]]
        names = ", ".join(f'"{name}"' for name in self.types)
        sizes = ", ".join(str(self.sizes[name]) for name in self.types)
        lines += [f"const char *const godot_type_names[] = {{{names}, 0}};"]
        lines += [f"const uint8_t godot_type_sizes[] = {{{sizes}}};"]
        lines += ["const struct godot_virtual godot_virtuals[] = {", *self._virtual_rows()]
        lines += ["\t{0, 0, 0, 0, {0}},", "};"]
        lines += ["const struct godot_constant godot_constants[] = {"]
        lines += [f'\t{{"{value["name"]}", {value["value"]}}},' for enum in self.enums for value in enum["values"]]
        lines += ["\t{0, 0},", "};", "", "const char *godot_load_interface(GDExtensionInterfaceGetProcAddress find) {"]
        for name, kind, required in self.functions:
            lines.append(f'\tgd.{name} = ({kind})(void (*)(void))find("{name}");')
            if required:
                lines.append(f'\tif (!gd.{name}) return "{name}";')
        lines += ["\treturn 0;", "}", "", *_LOOKUPS.splitlines(), "", "const char *godot_load_methods(void) {"]
        lines += [*self._method_rows(), *self._member_rows(), *self._constructor_rows(), *self._utility_rows()]
        lines += ["\treturn 0;", "}", ""]
        return "\n".join(lines)

    def _virtual_rows(self) -> list[str]:
        rows = []
        for owner in VIRTUAL_BASES:
            for method in self.classes[owner].get("methods", []):
                arguments = [self._type_id(argument["type"]) for argument in method.get("arguments", [])]
                if not method["is_virtual"] or len(arguments) > 8:
                    continue
                returned = method.get("return_value")
                result = self._type_id(returned["type"]) if returned else -1
                types = ", ".join(str(number) for number in arguments) or "0"
                rows.append(f'\t{{"{method["name"]}", {method["hash"]}u, {result}, {len(arguments)}, {{{types}}}}},')
        return rows

    def _type_id(self, text: str) -> int:
        if text.startswith(("enum::", "bitfield::")):
            text = "int"
        elif text.startswith("typedarray::"):
            text = "Array"
        elif text.startswith("typeddictionary::"):
            text = "Dictionary"
        elif text == "Variant":
            text = "Nil"
        return self.types.index(text if text in self.types else "Object")

    def _method_rows(self) -> list[str]:
        rows = []
        for owner, name in self.methods:
            number = _find(self.classes[owner]["methods"], name, owner)["hash"]
            field = f"godot_methods.{owner}__{name}"
            rows.append(f'\tif (!({field} = find_method("{owner}", "{name}", {number}))) return "{owner}.{name}";')
        return rows

    def _member_rows(self) -> list[str]:
        rows = []
        for owner, name in self.members:
            number = _find(self.builtins[owner]["methods"], name, owner)["hash"]
            field, kind = f"godot_builtins.{owner}__{name}", self.types.index(owner)
            rows.append(f'\tif (!({field} = find_builtin({kind}, "{name}", {number}))) return "{owner}.{name}";')
        return rows

    def _constructor_rows(self) -> list[str]:
        rows = []
        for owner, source in self.constructors:
            wanted = [] if source == "nothing" else source.split("_and_")
            for entry in self.builtins[owner]["constructors"]:
                if [argument["type"] for argument in entry.get("arguments", [])] == wanted:
                    kind, index = self.types.index(owner), entry["index"]
                    field = f"godot_constructors.{owner}__{source}"
                    rows.append(f"\t{field} = gd.variant_get_ptr_constructor({kind}, {index});")
                    break
            else:
                raise EngineUnavailable(f"This Godot cannot make a {owner} from {source}; 4.4 or newer is needed.")
        return rows

    def _utility_rows(self) -> list[str]:
        rows = []
        for name in self.calls:
            field, number = f"godot_utilities.{name}", self.utilities[name]["hash"]
            rows.append(f'\tif (!({field} = find_utility("{name}", {number}))) return "{name}";')
        return rows


def _find(methods: list[dict[str, Any]], name: str, owner: str) -> dict[str, Any]:
    for method in methods:
        if method["name"] == name:
            return method
    raise EngineUnavailable(f"This Godot has no {owner}.{name}; 4.4 or newer is needed.")


def _sizes(api: dict[str, Any]) -> dict[str, int]:
    for entry in api["builtin_class_sizes"]:
        if entry["build_configuration"] == PRECISION:
            return {row["name"]: row["size"] for row in entry["sizes"]}
    raise EngineUnavailable(f"This Godot describes no {PRECISION} build; 4.4 or newer is needed.")


def _variant_types(interface: str, sizes: dict[str, int]) -> list[str]:
    """The names of the Variant types in the order of their numbers."""
    rows = re.findall(r"GDEXTENSION_VARIANT_TYPE_(\w+) = (\d+),", interface)
    plain = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in sizes}
    ordered = sorted((int(number), name) for name, number in rows if name != "VARIANT_MAX")
    return [plain[name.replace("_", "").lower()] for _number, name in ordered]


def _interface_functions(interface: str, used: list[str]) -> list[tuple[str, str, bool]]:
    """For each used function: its name, its type in the header, and whether every supported engine has it."""
    known = {}
    pattern = re.compile(r"@name (\w+)\s.*?@since (\d+)\.(\d+).*?\(\*(GDExtensions?Interface\w+)\)", re.DOTALL)
    for name, major, minor, kind in pattern.findall(interface):
        known[name] = (kind, (int(major), int(minor)) <= (4, 4) and not name.startswith("editor_"))
    missing = [name for name in used if name not in known]
    if missing:
        raise EngineUnavailable(f"This Godot has no {', '.join(missing)} in its extension interface.")
    return [(name, *known[name]) for name in used]
