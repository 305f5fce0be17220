"""The guides do what they say: every block of GDScript in them runs in an engine."""

import re

import pytest
from onepath_build import demo, pictures
from onepath_build.godot_compile import ADDON
from onepath_build.places import ROOT

GUIDES = ADDON / "docs"
README = ROOT / "README.md"
SETUP = """
func guide(node_path := "res://guide.gd") -> Node:
	var node = load(node_path).new()
	node.crowd = crowd
	add_child(node)
	return node

func populate() -> void:
	for i in 6: walker(Vector3(-8 + 3 * i, 0, -6), Vector3(8 - 3 * i, 0, 6))
"""


def blocks(name):
    text = (README if name == README.name else GUIDES / name).read_text(encoding="utf-8")
    return re.findall(r"^```gdscript\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def play_guide(level):
    """Runs a scene in which a guide's only block is the script res://guide.gd."""

    def play(name, body):
        (block,) = blocks(name)
        level.write("guide.gd", block)
        run = level.play(SETUP + body)
        assert run.errors == []
        return run.proof

    return play


def test_every_block_of_every_guide_is_tested_here():
    counts = {path.name: len(blocks(path.name)) for path in [README, *GUIDES.glob("*.md")]}
    assert {name: count for name, count in counts.items() if count} == {
        "README.md": 1, "changing_levels.md": 1, "rollback.md": 1, "saving.md": 1}
    assert "```gdscript" not in (ADDON / "README.md").read_text(encoding="utf-8")


def test_pictures_that_the_texts_show_are_there_and_small():
    for text in [README, ADDON / "README.md", *GUIDES.glob("*.md"), ROOT / "demo_project/README.md"]:
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text.read_text(encoding="utf-8")):
            assert (text.parent / picture).stat().st_size < 200_000, picture
    drawn = {path.name for path in (GUIDES / "pictures").iterdir()}
    assert drawn == {f"{name}.png" for name in [*demo.SCENES, *pictures.EDITOR]}


def test_the_readmes_first_scene_walks_and_goes_on_after_a_restart(level):
    """Five walkers round two walls; saved under way by one process and loaded by another."""
    (block,) = blocks("README.md")
    level.write("first.gd", block)
    body = """
func _ready():
	var scene = load("res://first.gd").new()
	add_child(scene)
	var agents = scene.find_children("NavAgent", "NavAgent", true, false)
	await ticks(60)
	var seen = [agents.size(), scene.load_crowd() if LOADS else scene.save_crowd()]
	await ticks(60)
	seen.append(scene.crowd.state_hash())
	await ticks(900)
	for agent in agents: seen.append(agent.is_target_reached())
	var event = InputEventKey.new()
	event.pressed = true
	event.keycode = KEY_F9
	Input.parse_input_event(event)
	await ticks(2)
	proof(seen + [scene.crowd.get_positions()[0].x < 6.0])
"""
    first, again = (level.play(body.replace("LOADS", loads)) for loads in ("false", "true"))
    assert (first.errors, again.errors) == ([], [])
    assert first.proof == again.proof == [5, 0, first.proof[2], True, True, True, True, True, True]


@pytest.mark.parametrize("ending", ["res", "tres"])
def test_a_saved_crowd_walks_on_to_the_same_hash(play_guide, ending):
    saved, loaded, first, again = play_guide("saving.md", f"""
func _ready():
	open_level()
	crowd.process_callback = NavCrowd.MANUAL
	populate()
	var game = guide()
	for i in 50: crowd.step(1.0 / 60.0)
	var saved = game.save_game("user://crowd.{ending}")
	for i in 100: crowd.step(1.0 / 60.0)
	var first = crowd.state_hash()
	var loaded = game.load_game("user://crowd.{ending}")
	for i in 100: crowd.step(1.0 / 60.0)
	proof([saved, loaded, first, crowd.state_hash()])
""")
    assert (saved, loaded) == (0, 0)
    assert first == again


def test_an_order_that_comes_late_gives_the_state_that_it_gives_in_time(play_guide):
    late, in_time = play_guide("rollback.md", """
func _ready():
	var hashes = []
	for late in [true, false]:
		open_level()
		crowd.process_callback = NavCrowd.MANUAL
		var agents = []
		for i in 6: agents.append(crowd.add_agent(Vector3(-8 + 3 * i, 0, -6)))
		var game = guide()
		for agent in agents: game.order_at(0, agent, Vector3(8 - 3 * agent, 0, 6))
		if not late: game.order_at(20, agents[2], Vector3(0, 0, 9))
		for i in 50: game.advance()
		if late: game.order_at(20, agents[2], Vector3(0, 0, 9))
		for i in 50: game.advance()
		hashes.append(crowd.state_hash())
		world.free()
	proof(hashes)
""")
    assert late == in_time


def test_a_bridge_and_a_ladder_are_switched_under_walkers(play_guide):
    waiting, over, changes = play_guide("changing_levels.md", """
func _ready():
	open_level(0)
	floor_at(-10, -3, -2, 3)
	floor_at(2, -3, 10, 3)
	var game = guide()
	game.bridge = floor_at(-2, -1, 2, 1)
	game.ladder = NavigationLink3D.new()
	game.ladder.start_position = Vector3(-5, 0, 2)
	game.ladder.end_position = Vector3(5, 0, 2)
	world.add_child(game.ladder)
	game.raise_ladder()
	game.open_bridge(false)
	var changes = [0]
	crowd.navigation_mesh_changed.connect(func(): changes[0] += 1)
	var agent = walker(Vector3(-8, 0, 0), Vector3(8, 0, 0))
	await ticks(240)
	var waiting = at(agent)
	game.open_bridge(true)
	await ticks(400)
	proof([waiting.x, at(agent).distance_to(Vector3(8, 0, 0)), changes[0]])
""")
    assert -3.5 <= waiting <= -1.9
    assert over <= 0.3
    assert changes >= 1
