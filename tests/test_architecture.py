"""The rules of the house, checked on the sources themselves."""

import ast
import importlib
import re
import subprocess
from pathlib import Path

import pytest
from bare_python import output_without_packages
from mode import ROOT

import onepath

PACKAGE = ROOT / "onepath"
MODULES = [PACKAGE / "__init__.py", *sorted(set(PACKAGE.rglob("*.py")) - {PACKAGE / "__init__.py"})]
MOST_LINES = 400

# Each part of the core may import itself and the parts named here.
BASE = {"_mode", "errors", "buffers", "geometry", "packing", "uncopied"}
MAY_IMPORT = {
    "_mode": set(),
    "errors": set(),
    "uncopied": set(),
    "buffers": {"errors"},
    "geometry": {"errors", "buffers"},
    "packing": {"errors", "buffers"},
    "navmesh": BASE,
    "queries": BASE | {"navmesh"},
    "corridors": BASE | {"navmesh", "queries"},
    "orca": BASE | {"navmesh", "queries"},
    "crowds": BASE | {"navmesh", "queries", "corridors", "orca"},
}

TOP_LEVEL = {
    ".ci", ".gitattributes", ".gitignore", "LICENSE", "README.md", "SConstruct", "addons", "demo_project", "onepath",
    "pyproject.toml", "site_scons", "tests",
}  # fmt: skip
BUILT = re.compile(
    r"\.(so|o|a|obj|lib|dll|dylib|pyd|pyc|pck|zip|whl)$|(^|/)(__pycache__|\.godot)/|^build/|^onepath/.*\.(c|html)$"
)



def part_of(module: Path) -> str:
    """The part of the core that a module belongs to: its folder, or its own name at the top of the package."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py").removesuffix(".pxd")


def dotted_name(module: Path) -> str:
    parts = module.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(text: str, module: Path) -> set[str]:
    """The full names of all that a module imports, at its top or inside its functions, `cython.cimports` included."""
    names: set[str] = set()
    package = dotted_name(module).split(".")
    if module.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            names.update(f"{source}.{alias.name}" for alias in node.names)
    return {name.removeprefix("cython.cimports.") for name in names}


def cimported_names(text: str) -> set[str]:
    """The modules of this package that a .pxd cimports."""
    return set(re.findall(r"^\s*(?:from|cimport)\s+(?:cython\.cimports\.)?(onepath[\w.]+)", text, re.MULTILINE))


def forbidden_imports(part: str, names: set[str]) -> set[str]:
    """Those of the imported names that lie in a part of the core which this part must not know."""
    parts = {name: name.split(".")[1] for name in names if name.startswith("onepath.")}
    return {name for name, other in parts.items() if other in MAY_IMPORT and other not in MAY_IMPORT[part] | {part}}


def tracked_files() -> list[str]:
    """The files under version control; in a source tree without a repository, those that ship with it."""
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "ls-files"]
    if (ROOT / ".git").exists():
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.splitlines()
    return [f"{path.name}/" if path.is_dir() else path.name for path in ROOT.iterdir() if path.name in TOP_LEVEL]


@pytest.mark.parametrize("module", MODULES[1:], ids=dotted_name)
def test_a_module_imports_only_from_the_parts_below_its_own(module):
    assert part_of(module) in MAY_IMPORT, "a new part of the core needs its place in MAY_IMPORT"
    names = imported_names(module.read_text(encoding="utf-8"), module)
    declarations = module.with_suffix(".pxd")
    if declarations.exists():
        names |= cimported_names(declarations.read_text(encoding="utf-8"))
    assert forbidden_imports(part_of(module), names) == set()


def test_the_import_rule_sees_every_way_of_importing():
    module = PACKAGE / "navmesh" / "mesh.py"
    text = (
        "import onepath.crowds.crowd\n"
        "from onepath import orca\n"
        "from ..queries.query import NavMeshQuery\n"
        "from cython.cimports.onepath.corridors import corridor\n"
        "def late():\n    from .. import crowds\n"
        "from .filter import QueryFilter\n"
        "from ..buffers import DoubleColumn\n"
    )
    assert forbidden_imports("navmesh", imported_names(text, module)) == {
        "onepath.crowds.crowd",
        "onepath.orca",
        "onepath.queries.query.NavMeshQuery",
        "onepath.corridors.corridor",
        "onepath.crowds",
    }
    declarations = "from onepath.queries.query cimport Query\ncimport onepath.buffers\n"
    assert forbidden_imports("navmesh", cimported_names(declarations)) == {"onepath.queries.query"}


@pytest.mark.parametrize("module", MODULES, ids=dotted_name)
def test_a_module_is_short_enough_to_be_read(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_the_constants_of_c_are_those_of_the_python_enumerations():
    seen = []
    for declarations in sorted(PACKAGE.rglob("*.pxd")):
        module = importlib.import_module(dotted_name(declarations))
        for name, body in re.findall(r"^cdef enum (\w+):\n((?: .*\n)+)", declarations.read_text("utf-8"), re.MULTILINE):
            members = {key: int(value) for key, value in re.findall(r"(\w+) = (\d+)", body)}
            assert members == {member.name: member.value for member in getattr(module, name)}, name
            seen.append(name)
    assert {"FollowerState", "CorridorFlag", "PathStatus", "CornerFlag"} <= set(seen)


def public_methods():
    """(name, method, its docstring) of each public method written in the classes that the package offers."""
    offered = [value for name in onepath.__all__ if isinstance(value := getattr(onepath, name), type)]
    for owner in {base for value in offered for base in value.__mro__ if base.__module__.startswith("onepath.")}:
        source = (ROOT / owner.__module__.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8")
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ClassDef) and statement.name == owner.__name__:
                for method in statement.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        name = f"{owner.__module__}.{owner.__name__}.{method.name}"
                        yield name, method, ast.get_docstring(method) or ""


def is_setter(method: ast.FunctionDef) -> bool:
    return any(".setter" in ast.unparse(mark) for mark in method.decorator_list)


def is_accessor(method: ast.FunctionDef) -> bool:
    return is_setter(method) or any("property" in ast.unparse(mark) for mark in method.decorator_list)


def checks_arguments(method: ast.FunctionDef) -> bool:
    names = [ast.unparse(node.func) for node in ast.walk(method) if isinstance(node, ast.Call)]
    return any(name.startswith("checked_") for name in names)


def test_what_the_package_offers_is_documented():
    methods = list(public_methods())
    assert len(methods) > 100
    undocumented = {name for name, method, text in methods if not text and not is_setter(method)}
    assert undocumented == set()
    for name, method, text in methods:
        if is_accessor(method) or not name.startswith(("onepath.corridors.", "onepath.queries.")):
            continue
        section = re.search(r"^Args:\n((?: .*\n?)*)", text, re.MULTILINE)
        described = re.findall(r"\w+", section.group(1)) if section else []
        arguments = [argument.arg for argument in method.args.args + method.args.kwonlyargs]
        assert set(arguments) - {"self", "cls"} <= set(described), f"{name} describes {described}"
        assert not checks_arguments(method) or "Raises:" in text, f"{name} does not say what it raises"


def test_every_module_imports_where_there_is_no_numpy_and_once_compiled_no_cython():
    names = [dotted_name(module) for module in MODULES]
    script = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)\nprint('all imported')\n"
    assert output_without_packages(script) == ["all imported"]


def test_the_core_knows_nothing_of_godot():
    importers = [
        module
        for module in MODULES
        if any("godot" in name.lower() for name in imported_names(module.read_text(encoding="utf-8"), module))
    ]
    assert importers == []


def test_the_tests_run_the_package_of_the_chosen_build():
    folder = ROOT if not onepath.COMPILED else ROOT / "build"
    assert Path(onepath.__file__).resolve().is_relative_to(folder)


def test_nothing_built_is_tracked():
    assert [name for name in tracked_files() if BUILT.search(name)] == []


def test_the_top_level_holds_what_the_architecture_names():
    assert {name.partition("/")[0] for name in tracked_files()} <= TOP_LEVEL
