"""The tables of what is specified name tests that exist."""

import re

import pytest
from mode import ROOT

TESTS = ROOT / "tests"
TABLES = sorted(TESTS.glob("spec_table_*.md"))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_test_named_in_a_table_exists(table):
    defined = set()
    for module in TESTS.rglob("test_*.py"):
        defined.update(re.findall(r"^ *(?:async )?def test_(\w+)", module.read_text(encoding="utf-8"), re.MULTILINE))
    rows = [line for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    named = {name.removeprefix("test_") for row in rows for name in re.findall(r"`(\w+)`", row.rsplit("|", 2)[1])}
    assert named
    assert named - defined == set()


def test_there_is_a_table():
    assert TABLES
