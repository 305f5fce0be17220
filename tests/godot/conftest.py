"""Every test in this folder runs a real engine."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "site_scons"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from crowd_project import CrowdProject
from onepath_build.godot_engine import find_engine
from project import Project


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.engine)


@pytest.fixture(scope="session")
def engine():
    return find_engine()


@pytest.fixture
def project(tmp_path, engine):
    return Project(tmp_path / "project", engine)


@pytest.fixture
def level(tmp_path, engine):
    """A project with the whole addon."""
    return CrowdProject(tmp_path / "project", engine)
