"""What makes the addon's start quick: all compiled modules in one library, and code that is made at build time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import godot_compile, toolchain
from .failure import BuildStop
from .places import BUILD, CORE, ROOT

QUICK_START = godot_compile.ADDON / "host" / "quick_start.py"
SOURCES = (QUICK_START, Path(__file__))  # what decides about the result besides the packages
LINKED = "linked_modules"
CODE = "ready_code.bin"
_OBJECTS = BUILD / "work" / "core"
_GLUE = """/* Every compiled module of this library by its name, for the finder in quick_start.py. */
#include <Python.h>
#include <string.h>

{declarations}
static const struct {{ const char *name; PyObject *(*start)(void); }} modules[] = {{
{rows}
	{{NULL, NULL}},
}};

static PyObject *names(PyObject *self, PyObject *unused) {{
	(void)self, (void)unused;
	PyObject *list = PyList_New(0);
	for (int row = 0; list && modules[row].name; row++) {{
		PyObject *name = PyUnicode_FromString(modules[row].name);
		if (!name || PyList_Append(list, name) < 0) Py_CLEAR(list);
		Py_XDECREF(name);
	}}
	return list;
}}

static PyObject *create(PyObject *self, PyObject *spec) {{
	(void)self;
	PyObject *wanted = PyObject_GetAttrString(spec, "name"), *made = NULL;
	const char *name = wanted ? PyUnicode_AsUTF8(wanted) : NULL;
	for (int row = 0; name && !made && modules[row].name; row++) {{
		if (strcmp(modules[row].name, name) != 0) continue;
		PyObject *definition = modules[row].start(); /* borrowed: a static structure of the module */
		if (definition) made = PyModule_FromDefAndSpec((PyModuleDef *)definition, spec);
		if (!made) name = NULL;
	}}
	if (!made && !PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "no such module in this library");
	Py_XDECREF(wanted);
	return made;
}}

static PyObject *execute(PyObject *self, PyObject *module) {{
	(void)self;
	PyModuleDef *definition = PyModule_GetDef(module);
	if (!definition || PyModule_ExecDef(module, definition) < 0) return NULL;
	Py_RETURN_NONE;
}}

static PyMethodDef functions[] = {{
	{{"names", names, METH_NOARGS, NULL}},
	{{"create", create, METH_O, NULL}},
	{{"execute", execute, METH_O, NULL}},
	{{NULL, NULL, 0, NULL}},
}};
static PyModuleDef definition = {{
	PyModuleDef_HEAD_INIT, "linked_modules", NULL, -1, functions, NULL, NULL, NULL, NULL,
}};
PyMODINIT_FUNC PyInit_linked_modules(void) {{ return PyModule_Create(&definition); }}
"""
# Run by the Python that the addon embeds: notes each text for which dataclasses and named tuples want code.
_NOTE_TEXTS = """
import collections, dataclasses, importlib, marshal, sys
codes = {}
def note_exec(text, names, local=None):
    exec(codes.setdefault(text, compile(text, "<string>", "exec", dont_inherit=True)), names, local)
def note_eval(text, names):
    return eval(codes.setdefault(text, compile(text, "<string>", "eval", dont_inherit=True)), names)
collections.eval, dataclasses.exec = note_eval, note_exec
for name in sys.argv[1:]:
    importlib.import_module(name)
sys.stdout.buffer.write(marshal.dumps(dict(sorted(codes.items()))))
"""


def add_quick_start(target: Path, compiled: list[str]) -> None:
    """Put into a folder with an addon's packages what makes its start quick.

    compiled: names of the packages of which the compiled modules shall lie in one library; they are those of the core.
    """
    shutil.copyfile(QUICK_START, target / QUICK_START.name)
    (target / CODE).write_bytes(_ready_code(compiled))
    _link(target / f"{LINKED}.so", _compiled_modules(compiled))


def _ready_code(packages: list[str]) -> bytes:
    command = [sys.executable, "-P", "-S", "-B", "-c", _NOTE_TEXTS, *packages]
    environment = {**os.environ, "PYTHONPATH": str(CORE), "PYTHONHASHSEED": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        raise BuildStop(f"The built core cannot be imported: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _compiled_modules(packages: list[str]) -> dict[str, Path]:
    """The object file of each compiled module of these packages, by the module's name."""
    found: dict[str, Path] = {}
    for package in packages:
        for library in sorted((CORE / package).rglob("*.so")):
            source = library.relative_to(CORE).with_name(library.name.partition(".")[0])
            translated = (_OBJECTS / "c" / source).relative_to(ROOT)
            place = _OBJECTS / "objects" / translated.with_suffix(".o")
            if not place.is_file():
                missing = place.relative_to(ROOT)
                raise BuildStop(f"{missing} is missing: delete the folder build/core and run scons again.")
            found[".".join(source.parts)] = place
    return found


def _link(target: Path, modules: dict[str, Path]) -> None:
    compiler = toolchain.find_compiler()
    if not (renamer := shutil.which("objcopy")):
        raise BuildStop("objcopy was not found: install binutils (Debian and Ubuntu: apt install binutils).")
    work = godot_compile.WORK / "linked"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    objects = []
    for name, compiled in modules.items():
        # Modules of different packages have the same last name, after which Python calls a module's first function.
        renamed, start = work / f"{name}.o", f"PyInit_{name.rpartition('.')[2]}={_start_of(name)}"
        subprocess.run([renamer, f"--redefine-sym={start}", str(compiled), str(renamed)], check=True)
        objects.append(str(renamed))
    glue = work / "glue.c"
    declarations = "".join(f"PyObject *{_start_of(name)}(void);\n" for name in modules)
    rows = "\n".join(f'\t{{"{name}", {_start_of(name)}}},' for name in modules)
    glue.write_text(_GLUE.format(declarations=declarations, rows=rows))
    godot_compile.compile_file(compiler, godot_compile.c_flags(), glue, glue.with_suffix(".o"))
    godot_compile.link(compiler, [str(glue.with_suffix(".o")), *objects], target, ["-lm"])


def _start_of(name: str) -> str:
    return "start_" + name.replace(".", "_")
