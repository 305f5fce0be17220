"""The guides do what they say: every block of GDScript in them runs in an engine."""

import re

import pytest
from onepath_build.godot_compile import ADDON

GUIDES = ADDON / "docs"
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
    text = (GUIDES / name).read_text(encoding="utf-8")
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
    counts = {path.name: len(blocks(path.name)) for path in GUIDES.glob("*.md")}
    assert {name: count for name, count in counts.items() if count} == {
        "changing_levels.md": 1, "rollback.md": 1, "saving.md": 1}


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
