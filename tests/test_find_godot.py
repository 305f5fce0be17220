"""Which Godot is used: the one named by GODOT, else one on the PATH, else a private copy; problems are one sentence."""

import sys
from pathlib import Path

import pytest
from mode import ROOT

sys.path.append(str(ROOT / "site_scons"))

from onepath_build import godot_engine, godot_fetch
from onepath_build.failure import BuildStop


@pytest.fixture(autouse=True)
def clean_machine(tmp_path, monkeypatch):
    """A machine with nothing on its PATH and an empty cache folder."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GODOT", raising=False)
    godot_engine.find_engine.cache_clear()
    yield
    godot_engine.find_engine.cache_clear()


def program(path: Path, answer: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


def test_the_engine_named_by_godot_comes_first(tmp_path, monkeypatch):
    program(tmp_path / "bin/godot", "4.5.stable")
    named = program(tmp_path / "mine", "4.4.1.stable.official.abc")
    monkeypatch.setenv("GODOT", str(named))
    engine = godot_engine.find_engine()
    assert engine.command("--headless") == [str(named), "--headless"]
    assert (engine.version, engine.root) == ((4, 4, 1), None)


def test_an_engine_on_the_path_is_used_when_it_is_new_enough(tmp_path):
    found = program(tmp_path / "bin/godot", "4.6.stable.official")
    assert godot_engine.find_engine().prefix == (str(found),)


def test_an_older_engine_on_the_path_gives_way_to_the_private_copy(tmp_path):
    program(tmp_path / "bin/godot", "4.2.2.stable.official")
    with pytest.raises(BuildStop, match=r"no apt-get to fetch one with: set GODOT to a Godot 4\.4 or newer"):
        godot_engine.find_engine()


def test_a_wrong_godot_variable_is_said_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("GODOT", str(tmp_path / "nothing"))
    with pytest.raises(BuildStop, match="which is no program"):
        godot_engine.find_engine()
    monkeypatch.setenv("GODOT", str(program(tmp_path / "old", "4.3.stable")))
    with pytest.raises(BuildStop, match=r"GODOT is Godot 4\.3\.stable; 4\.4 or newer is needed"):
        godot_engine.find_engine()
    monkeypatch.setenv("GODOT", str(program(tmp_path / "other", "hello")))
    with pytest.raises(BuildStop, match="does not say its version"):
        godot_engine.find_engine()


def test_a_fetch_that_fails_leaves_nothing_behind(tmp_path):
    program(tmp_path / "bin/dpkg-deb", "")
    apt = program(tmp_path / "bin/apt-get", "")
    answers = '*indextargets*) echo "mirror:/x Debian";; *) echo "E: no route" >&2; exit 100;;'
    apt.write_text(f'#!/bin/sh\ncase "$*" in {answers} esac\n')
    with pytest.raises(BuildStop, match=r"Could not read Debian's package lists .E: no route.: check the network"):
        godot_fetch.fetch_private_copy()
    assert [path.name for path in (tmp_path / "cache/onepath").iterdir()] == ["godot.lock"]
