"""The build's promises that a reader of the README relies on."""

import re
import subprocess
import sys
import tomllib

from mode import ROOT

sys.path.append(str(ROOT / "site_scons"))

from onepath_build import toolchain

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
