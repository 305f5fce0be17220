"""The pages in onepath/docs say what is so: their code runs, and prints what stands behind it."""

import contextlib
import io
import re

import pytest
from mode import ROOT

DOCS = ROOT / "onepath" / "docs"
#: Code, and what it prints if that is given.
BLOCK = r"^```python\n(.*?)^```(?:\n\n^```text\n(.*?)^```)?"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))


def test_there_is_a_page_for_each_part():
    assert PAGES == ["corridors.md", "crowds.md", "meshes.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page):
    names: dict = {}  # what a page uses it imports or makes itself
    blocks = re.findall(BLOCK, (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for code, printed in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(code, names)
        if printed:
            assert said.getvalue() == printed
