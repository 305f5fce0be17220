"""What holds for every test: the build under test is the intended one, and random examples are the same every time."""

import os

import hypothesis
import hypothesis.configuration
from mode import ROOT, scaled

import onepath

hypothesis.configuration.set_hypothesis_home_dir(ROOT / "build" / "hypothesis")
hypothesis.settings.register_profile(
    "onepath", derandomize=True, deadline=None, database=None, max_examples=scaled(200, 30)
)
hypothesis.settings.load_profile("onepath")


def pytest_configure() -> None:
    expected = os.environ.get("ONEPATH_EXPECT")
    found = "compiled" if onepath.COMPILED else "interpreted"
    assert expected in (None, found), f"the tests were to run {expected}, but {onepath.__file__} is {found}"


def pytest_report_header() -> str:
    return f"onepath: {'compiled' if onepath.COMPILED else 'interpreted'}, {onepath.__file__}"
