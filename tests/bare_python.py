"""Runs scripts where the packages that the core must do without are not to be had."""

import subprocess
import sys

import onepath

BLOCK = """
import importlib.abc
import sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked}:
            raise ImportError(f"{{name}} is blocked here")

sys.meta_path.insert(0, Blocker())
"""


def output_without_packages(script: str) -> list[str]:
    """The lines that a script prints in a process of its own without numpy and, once the core is compiled, Cython."""
    blocked = {"numpy", "cython", "Cython"} if onepath.COMPILED else {"numpy"}
    command = [sys.executable, "-P", "-c", BLOCK.format(blocked=blocked) + script]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()
