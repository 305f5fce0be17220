"""The build's promises that a reader of the README relies on."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from bare_python import output_without_packages
from mode import ROOT

sys.path.append(str(ROOT / "site_scons"))

from onepath_build import compile_core, toolchain

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_continuous_integration_runs_the_readmes_test_line():
    (line,) = re.findall(r"^ *(pip install scons && scons test)$", README, re.MULTILINE)
    assert line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_every_requirement_of_the_build_is_pinned_to_one_version():
    with open(ROOT / "pyproject.toml", "rb") as file:
        groups = tomllib.load(file)["project"]["optional-dependencies"]
    requirements = [requirement for group in groups.values() for requirement in group]
    assert requirements
    assert [text for text in requirements if not re.fullmatch(r"[\w.-]+==[\w.]+(; .+)?", text)] == []


def test_no_flag_of_the_python_or_the_caller_relaxes_the_arithmetic():
    command = "gcc -O2 -Ofast -ffast-math -march=native -mfma -ffp-contract=fast -flto=auto -g -fPIC -Wl,-O1 -DNDEBUG"
    assert toolchain.without_unwanted(command.split()) == ["gcc", "-fPIC", "-Wl,-O1", "-DNDEBUG"]


def test_a_compiler_gets_flags_that_forbid_contraction():
    compiler = toolchain.find_compiler()
    flags = toolchain.compile_flags(compiler, 3)
    forbids_contraction = "/fp:precise" if compiler == "msvc" else "-ffp-contract=off"
    assert forbids_contraction in flags


def test_a_missing_compiler_is_one_sentence_and_no_traceback():
    compile_core = ROOT / "site_scons" / "onepath_build" / "compile_core.py"
    arguments = ["--compiler", "no-such-compiler", "--out", "build/never"]
    run = subprocess.run([sys.executable, compile_core, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert re.fullmatch(r"No C compiler was found \(looked for no-such-compiler\): install one [^\n]+\.\n", run.stderr)


def test_a_changed_declaration_compiles_the_modules_that_use_it_again(tmp_path, monkeypatch):
    """`far` uses `near`'s declarations, which use `base`'s; `alone` uses none."""
    package = tmp_path / "onepath"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.pxd").write_text("ctypedef double number\n")
    (package / "near.py").write_text("import cython\n")
    (package / "near.pxd").write_text("from onepath.base cimport number\ncdef number twice(number x)\n")
    (package / "far.py").write_text("import cython\nfrom cython.cimports.onepath.near import twice\n")
    (package / "alone.py").write_text("import cython\n")
    monkeypatch.setattr(compile_core, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)

    compiled, copied = compile_core.find_sources()
    before = compile_core.fingerprints(compiled, "settings")
    (package / "base.pxd").write_text("ctypedef long number\n")
    after = compile_core.fingerprints(compiled, "settings")

    assert copied == [Path("onepath/__init__.py")]
    assert {path.stem for path in compiled if before[path] != after[path]} == {"far", "near"}
    assert {path.stem for path in compiled} == {"alone", "far", "near"}


def test_the_readmes_example_prints_what_it_says_without_any_other_package():
    ((example, printed),) = re.findall(r"```python\n(.*?)```.*?```text\n(.*?)```", README, re.DOTALL)
    assert output_without_packages(example) == printed.splitlines()
