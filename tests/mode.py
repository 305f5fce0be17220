"""How the tests run: against the compiled core or interpreted, and how much of a heavy test interpreted Python gets."""

from pathlib import Path

import onepath

ROOT = Path(__file__).resolve().parents[1]


def scaled(compiled: int, interpreted: int) -> int:
    """A number of rounds: the first against the compiled core, the second, smaller one when the core is interpreted."""
    return compiled if onepath.COMPILED else interpreted
