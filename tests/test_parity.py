"""One source, the same bits: whole scenarios give one hash however the package is built.

A golden value changes only with a change of behaviour that its commit explains. New values are printed by running the
scenario by hand, see the modules in tests/parity.
"""

import os
import shutil
import subprocess
import sys

import pytest
from mode import ROOT
from parity import query_scenario

import onepath

GOLDEN = {
    "query_scenario": 0x7F870DCDBDFFECF7,
    "follower_scenario": 0x06C6853279BA8C3C,
    "crowd_scenario": 0x14CFF2D39FF8B174,
}


def test_two_thousand_queries_and_two_hundred_edits_give_the_golden_hash():
    assert f"{query_scenario.run():016x}" == f"{GOLDEN['query_scenario']:016x}"


if onepath.COMPILED:  # the other builds are compared once

    def variants():
        """The builds to compare with: no optimisation, and clang where there is one."""
        clang = [("clang-O3", ["--compiler", "clang"])] if shutil.which("clang") else []
        return [("gcc-O0", ["--optimize", "0"]), *clang]

    @pytest.fixture(scope="module", params=variants(), ids=lambda variant: variant[0])
    def other_build(request):
        """A build of the package with other flags or another compiler."""
        name, options = request.param
        out = ROOT / "build" / f"core-{name}"
        builder = ROOT / "site_scons" / "onepath_build" / "compile_core.py"
        subprocess.run([sys.executable, builder, "--out", out, *options], check=True, capture_output=True, cwd=ROOT)
        return out

    @pytest.mark.parametrize("scenario", GOLDEN)
    def test_every_build_gives_the_golden_hash(other_build, scenario):
        path = os.pathsep.join((str(other_build), str(ROOT / "tests")))
        found = subprocess.run(
            [sys.executable, "-P", ROOT / "tests" / "parity" / f"{scenario}.py"], check=True, capture_output=True,
            text=True, env={**os.environ, "PYTHONPATH": path}, cwd=ROOT).stdout
        assert found.split() == ["compiled", f"{GOLDEN[scenario]:016x}"]
