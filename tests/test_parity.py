"""One source, the same bits: whole scenarios give their golden hashes on every build and with any number of threads.

How they are renewed: see tests/parity/golden.py.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest
from mode import ROOT
from parity import follower_scenario, golden

import onepath
from onepath.corridors.states import FollowerState

KNOWN = golden.known()


def test_every_scenario_has_a_golden_hash():
    assert list(KNOWN) == list(golden.SCENARIOS)


@pytest.mark.parametrize("name", golden.SCENARIOS)
def test_a_scenario_gives_its_golden_hash(name):
    assert f"{golden.SCENARIOS[name]():016x}" == KNOWN[name], golden.advice(name)


@pytest.mark.parametrize("name", golden.CROWDS)
def test_seven_threads_give_the_golden_hash(name):
    assert f"{golden.CROWDS[name](7):016x}" == KNOWN[name], golden.advice(name)


@pytest.mark.parametrize("nodes", ["", " with polygon nodes"])
def test_a_follower_that_is_not_restored_in_between_gives_the_golden_hash(nodes):
    found = follower_scenario.run(polygon_nodes=bool(nodes))
    assert f"{found:016x}" == KNOWN[f"follower{nodes}"], golden.advice(f"follower{nodes}")


def test_the_follower_walks_crosses_links_and_arrives():
    seen = set()
    follower_scenario.run(seen=seen)
    assert {FollowerState.MOVING, FollowerState.OFF_MESH_LINK, FollowerState.ARRIVED} <= seen


if onepath.COMPILED:  # the other builds are compared once

    def variants():
        """The builds to compare with: no optimisation, and clang where there is one."""
        clang = [("clang-O3", ["--compiler", "clang"])] if shutil.which("clang") else []
        return [("gcc-O0", ["--optimize", "0"]), *clang]

    @pytest.mark.parametrize(("build", "options"), variants(), ids=[name for name, _ in variants()])
    def test_every_build_gives_the_golden_hashes(build, options):
        # One test for all scenarios, so that tests that run at once never build into one folder. A module is compiled
        # again only when its sources or flags have changed.
        out = ROOT / "build" / f"core-{build}"
        builder = ROOT / "site_scons" / "onepath_build" / "compile_core.py"
        subprocess.run([sys.executable, builder, "--out", out, *options], check=True, capture_output=True, cwd=ROOT)
        path = os.pathsep.join((str(out), str(ROOT / "tests")))
        for threads in ("1", "7"):
            mode, hashes = subprocess.run(
                [sys.executable, "-P", golden.__file__, "--threads", threads], check=True, capture_output=True,
                text=True, env={**os.environ, "PYTHONPATH": path}, cwd=ROOT).stdout.split(" ", 1)
            assert mode == "compiled"
            assert json.loads(hashes) == KNOWN, f"{build}, {threads} threads. Renew them only by {golden.RENEW}"
