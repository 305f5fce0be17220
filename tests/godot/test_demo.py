"""The demo project: each scene runs in the engine without an error line and does what it is there to show."""

import json
import re
import shutil

import pytest
from crowd_project import addon_bin
from onepath_build import demo
from onepath_build.godot import SIZE_LIMIT_MB
from project import building, export, play_exported, start


@pytest.fixture(scope="session")
def demo_project(tmp_path_factory, engine):
    """A fresh copy of the demo with the addon, imported; shared by the tests of one process."""
    folder = tmp_path_factory.mktemp("demo") / "demo_project"
    shutil.copytree(demo.PROJECT, folder, ignore=shutil.ignore_patterns(".godot", "addons"))
    built = addon_bin()
    with building():
        demo.prepare(engine, folder, built)
    return folder


@pytest.fixture
def play(engine, demo_project):
    return lambda scene, seconds, *arguments: demo.run_scene(engine, scene, seconds, *arguments, project=demo_project)


def test_the_editor_opens_imports_and_closes_the_demo_without_an_error_line(engine, demo_project):
    run = start(engine, engine.headless(demo_project, "--editor", "--quit-after", "20"))
    assert (run.status, run.errors) == (0, [])


def test_the_menu_leads_to_every_scene_of_the_project(play, demo_project):
    shown = play("menu", 1)
    folders = {path.name for path in (demo_project / "scenes").iterdir() if any(path.glob("*.tscn"))} - {"menu"}
    assert shown == {"scene": "menu", "scenes": len(folders), "missing": 0}
    assert folders | {"menu"} == set(demo.SCENES)


def test_sixty_walk_on_two_floors_and_arrive_in_the_same_state_each_time(play):
    first = play("two_floors", demo.SECONDS)
    assert first["agents"] == 60 and first["ticks"] == 600
    assert first["arrivals"] >= 20
    assert play("two_floors", demo.SECONDS)["hash"] == first["hash"]


def test_walkers_get_through_the_door(play):
    shown = play("door", 40)
    assert shown["agents"] == 60
    assert shown["arrivals"] > 20


def test_two_thousand_walk_without_nodes(play):
    shown = play("multimesh", 6)
    assert shown["agents"] == 2000
    assert shown["arrivals"] > 20


def test_a_saved_game_goes_on_in_a_new_process_to_the_same_state(play):
    first = play("save_load", 4, "--save")
    again = play("save_load", 2, "--load")
    assert first["steps"] == again["steps"] == 239
    assert (first["hash"], first["arrivals"]) == (again["hash"], again["arrivals"])


def test_a_lone_walker_goes_round_walls_from_target_to_target(play):
    shown = play("lone_follower", 12, "--overlay")
    assert shown["arrivals"] >= 1
    assert shown["corners"] >= 3


def test_a_rolled_back_crowd_ends_in_the_state_of_the_one_that_heard_orders_at_once(play):
    shown = play("rollback", 312 / 60)
    assert shown["guest_hash"] == shown["hash"]
    assert shown["rollbacks"] == 4
    assert shown["different_ticks"] == 4 * 12  # from each order until it arrives, and no tick longer


def test_beside_the_engines_agents_ours_stay_on_the_mesh_and_clear_of_each_other(play):
    shown = play("versus_engine", 20)
    assert shown["reached"]["OnePath"] == shown["agents"] == 28
    assert shown["off_mesh"]["OnePath"] == shown["overlaps"]["OnePath"] == 0


def test_the_exported_demo_walks_elsewhere_without_python_to_the_same_state(engine, demo_project, play, tmp_path):
    """With the release template, from another folder, and with no Python but the addon's own."""
    copied = tmp_path / "demo_project"
    shutil.copytree(demo_project, copied)
    settings = copied / "project.godot"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("res://scenes/menu/menu.tscn", demo.scene_path("two_floors")), encoding="utf-8")
    export(engine, copied, tmp_path / "out")
    shutil.rmtree(copied)
    player = tmp_path / "some where" / "else"
    player.parent.mkdir()
    (tmp_path / "out").rename(player)
    beside = [path for path in player.rglob("*") if path.is_file() and path.name not in ("game", "game.pck")]
    assert sum(path.stat().st_size for path in beside) < SIZE_LIMIT_MB * 1e6
    run = play_exported(engine, player, "--fixed-fps", "60", "--", "--seconds=5")
    # Debian's release template says this of every container that goes, also in a game of one label without any addon.
    assert [line for line in run.errors if "Attempt to disconnect a nonexistent connection" not in line] == []
    shown = json.loads(re.search(r"^DEMO (.*)$", run.output, re.MULTILINE)[1])
    assert shown["ticks"] == 300 and shown["agents"] == 60
    assert shown == play("two_floors", 5)
