"""Saved states of crowds: bit exact through files and processes, all or nothing, matched to nodes by path."""

import re

import pytest

GROUP = """
func group() -> void:
	open_level(0)
	floor_at(-12, -12, 12, 12)
	floor_at(12, -3, 30, 3)
	for i in 12:
		var body = Node3D.new()
		body.name = "Body%d" % i
		var agent = walker(Vector3(i % 4 * 2 - 9, 0.5, i / 4 * 2 - 9), Vector3(25 - i % 3, 0, i % 5 - 2), body)
		agent.name = "Agent"
		if i % 3 == 1: agent.preset = NavAgentSettings.SMALL
	for i in 4:
		crowd.set_agent_target(crowd.add_agent(Vector3(-10, 0, i * 2)), Vector3(20, 0, 1 - i))
	crowd.process_callback = NavCrowd.MANUAL

func run_steps(count: int) -> void:
	for i in count: crowd.step(1.0 / 60)
"""


def test_a_state_restored_from_text_or_binary_goes_on_to_the_same_hash(level):
    run = level.play(
        GROUP
        + """
func _ready():
	group()
	run_steps(100)
	var snapshot = crowd.save_snapshot()
	var early = crowd.state_hash()
	run_steps(50)
	var other = crowd.save_snapshot(CrowdSnapshot.NONE)
	run_steps(50)
	var hash = crowd.state_hash()
	var result = [snapshot.hash == early]
	for ending in ["tres", "res"]:
		ResourceSaver.save(snapshot, "res://state." + ending)
		var read = ResourceLoader.load("res://state." + ending, "", ResourceLoader.CACHE_MODE_IGNORE)
		result.append(read != snapshot and read.data == snapshot.data and read.agents == snapshot.agents)
		result.append(crowd.restore_snapshot(read))
		result.append(crowd.state_hash() == early)
		run_steps(100)
		result.append(crowd.state_hash() == hash)
		result.append(read.data == snapshot.data)
	result.append(crowd.restore_snapshot(other))
	run_steps(50)
	result.append(crowd.state_hash() == hash)
	proof(result)
"""
    )
    assert run.errors == []
    assert run.proof == [True, *[True, 0, True, True, True] * 2, 0, True]


def test_a_level_saved_with_its_walking_crowd_goes_on_in_another_process(level):
    saved = level.play(
        GROUP
        + """
func own(node: Node) -> void:
	for child in node.get_children():
		child.owner = world
		own(child)

func _ready():
	group()
	run_steps(100)
	crowd.snapshot = crowd.save_snapshot()
	own(world)
	var scene = PackedScene.new()
	scene.pack(world)
	ResourceSaver.save(scene, "res://level.tscn")
	run_steps(100)
	proof(crowd.state_hash())
"""
    )
    loaded = level.play("""
func _ready():
	world = load("res://level.tscn").instantiate()
	add_child(world)
	crowd = world.find_children("*", "NavCrowd", true, false)[0]
	var log = [crowd.get_agent_count(), crowd.get_node("Body0/Agent").get_agent_id()]
	for i in 100: crowd.step(1.0 / 60)
	proof([crowd.state_hash(), log, crowd.get_node("Body0").position.y])
""")
    assert (saved.errors, loaded.errors) == ([], [])
    found, (count, first), height = loaded.proof
    assert found == saved.proof
    assert re.fullmatch("[0-9a-f]{16}", found)
    assert (count, first, height) == (16, 0, 0.5)


# The last row's place in the data, and data with the checksum that belongs to it.
SIGNING = """
func row(data: PackedByteArray) -> int: return data.size() - 8 - 65

func signed(s: CrowdSnapshot, data: PackedByteArray) -> PackedByteArray:
	var end = data.size() - 8
	var content = data.slice(0, 16) + s.hash.to_ascii_buffer() + data.slice(16 + data.decode_s32(4), end)
	var sum = -3750763034362895579
	for byte in content: sum = (sum ^ byte) * 1099511628211
	data.encode_s64(end, sum)
	return data
"""


@pytest.mark.parametrize(
    ("damage", "error", "field"),
    [
        ("s.version = 3", 15, "version"),
        ("s.version = 1", 15, "version: it is 1, and this addon reads 2; save the crowd again"),
        ("s.data = s.data.slice(0, s.data.size() - 5)", 16, "data"),
        ("s.data = PackedByteArray([1, 2, 3])", 15, "data"),
        ("var d = s.data; d[d.size() / 2] ^= 4; s.data = d", 16, "hash"),
        ('s.hash = "0123456789abcdef"', 16, "hash"),
        ("var d = s.data; d[16] = 77; s.data = d", 16, "data"),
        ("var d = s.data; d[12] ^= 1; s.data = d", 16, "data: its checksum"),
        ("var d = s.data; d[d.size() - 20] ^= 1; s.data = d", 16, "data: its checksum"),
        ("var d = s.data; d[d.size() - 3] ^= 1; s.data = d", 16, "data: its checksum"),
        ("var d = s.data; d.encode_double(8, -1.0); s.data = signed(s, d)", 16, "data: its last step"),
        ("var d = s.data; d.encode_double(row(d) + 8, 3.5); s.data = signed(s, d)", 16, "data: the row of agent 15"),
        ("var d = s.data; d[row(d) + 16] = 2; s.data = signed(s, d)", 16, "data: the row of agent 15"),
        ("var d = s.data; d.encode_double(row(d) + 17, 3e6); s.data = signed(s, d)", 16, "data: the row of agent 15"),
        ("var d = s.data; d.encode_double(row(d) + 57, NAN); s.data = signed(s, d)", 16, "data: the row of agent 15"),
        ("var d = s.data; d.encode_s64(row(d), 3); s.data = signed(s, d)", 16, "data: the row of agent 3 is there twice"),
        ("s.data = PackedByteArray()", 15, "data"),
        ('s.agents = {"x": 3}', 30, "agents"),
    ],
)
def test_a_damaged_foreign_older_or_newer_state_is_an_error_that_names_the_field(level, damage, error, field):
    run = level.play(
        GROUP
        + SIGNING
        + f"""
func spoil(s: CrowdSnapshot) -> void:
	{damage}

func _ready():
	group()
	run_steps(60)
	var snapshot = crowd.save_snapshot()
	run_steps(30)
	var before = crowd.state_hash()
	spoil(snapshot)
	proof([crowd.restore_snapshot(snapshot), crowd.state_hash() == before, crowd.restore_snapshot(null)])
"""
    )
    assert run.proof == [error, True, 3]
    assert len(run.errors) == 1
    assert f"the snapshot cannot be restored: {field}" in run.errors[0]
    assert "Traceback" not in run.output


def test_any_few_changed_bytes_are_an_error_or_change_nothing_of_what_is_restored(level):
    run = level.play(
        GROUP
        + """
func places() -> Array: return crowd.get_children().map(func(body): return exact(body.position))

func _ready():
	group()
	run_steps(60)
	var results = []
	for mode in [CrowdSnapshot.NONE, CrowdSnapshot.REFERENCED, CrowdSnapshot.FULL]:
		var good = crowd.save_snapshot(mode)
		var hash = crowd.state_hash()
		var where = places()
		var random = RandomNumberGenerator.new()
		random.seed = 7 + mode
		var counts = {}
		for i in 300:
			var copy = good.duplicate()
			var data = good.data.duplicate()
			# Every second copy is damaged in the rows or the first bytes only.
			for k in 1 + i % 3:
				var at = random.randi() % data.size()
				if i % 2: at = random.randi() % (16 * 65 + 8 + 16)
				data[(at - 16 * 65 - 8 + data.size()) % data.size() if i % 2 else at] ^= 1 + random.randi() % 255
			copy.data = data
			var status = crowd.restore_snapshot(copy)
			var same = crowd.state_hash() == hash and places() == where
			var key = "%d %s" % [status, same]
			if data == good.data: key = "unchanged"
			counts[key] = counts.get(key, 0) + 1
		run_steps(5)
		results.append([counts, crowd.restore_snapshot(good), crowd.state_hash() == hash, places() == where])
	proof(results)
"""
    )
    for counts, *again in run.proof:
        assert set(counts) <= {"15 true", "16 true"}, counts
        assert sum(counts.values()) == 300
        assert again == [0, True, True]
    assert all("the snapshot cannot be restored: " in line for line in run.errors)


def test_nodes_are_matched_by_path_and_those_without_a_partner_are_told_or_added(level):
    run = level.play(
        GROUP
        + """
func _ready():
	group()
	run_steps(60)
	var snapshot = crowd.save_snapshot()
	var place = crowd.get_agent_position(3)
	crowd.get_node("Body3").free()
	var late = walker(Vector3(0, 0, 8), Vector3(0, 0, -8))
	run_steps(30)
	var status = crowd.restore_snapshot(snapshot)
	var count = crowd.get_agent_count()
	var fifth = crowd.get_node("Body5/Agent").get_agent_id()
	proof([status, count, crowd.get_agent_position(3) == place, late.get_agent_id(), fifth])
"""
    )
    assert run.proof == [0, 17, True, 16, 5]
    assert len(run.errors) == 1
    assert "3 (Body3/Agent)" in run.errors[0]


def test_twenty_runs_with_any_number_of_threads_have_one_hash(level):
    run = level.play(
        GROUP
        + """
func _ready():
	var hashes = {}
	for i in 20:
		group()
		crowd.thread_count = [1, 2, 4, 8, 16][i % 5]
		for k in 520: # so that each of 16 threads gets a group of 32
			var id = crowd.add_agent(Vector3(k % 26 * 0.9 - 11, 0, k / 26 * 1.1 - 10))
			crowd.set_agent_target(id, Vector3(24, 0, k % 5 - 2))
		run_steps(40)
		hashes[crowd.state_hash()] = true
		world.free()
	proof(hashes.size())
"""
    )
    assert (run.proof, run.errors) == (1, [])


def test_other_threads_and_another_filter_leave_a_walking_crowd_as_it_is(level):
    run = level.play(
        GROUP
        + """
func _ready():
	group()
	run_steps(60)
	var before = crowd.state_hash()
	crowd.thread_count = 3
	crowd.max_agents = 100
	crowd.area_costs = {1: 4.0}
	crowd.search_budget = 100
	var after = crowd.state_hash()
	run_steps(900)
	var done = 0
	for body in crowd.get_children():
		if body.get_child(0).is_navigation_finished(): done += 1
	proof([before == after, done])
"""
    )
    same, done = run.proof
    assert run.errors == []
    assert same is True
    assert done >= 1


BODIES = """
func bodies() -> Array: return crowd.get_children().filter(func(node): return node.get_child_count() == 1)

func moved_by_the_game() -> void:
	group()
	for body in bodies():
		var agent = body.get_child(0)
		agent.sync_mode = NavAgent.VELOCITY
		agent.velocity_computed.connect(func(velocity): body.position += 0.8 * velocity / 60)

func places() -> Array: return bodies().map(func(body): return body.position)

func put_back(where: Array) -> void:
	for i in where.size(): bodies()[i].position = where[i]
"""


def test_bodies_that_the_game_moves_go_on_as_they_would_have_here_and_in_another_process(level):
    first = level.play(
        GROUP
        + BODIES
        + """
func _ready():
	moved_by_the_game()
	run_steps(60)
	var snapshot = crowd.save_snapshot()
	var where = places()
	run_steps(60)
	var hash = crowd.state_hash()
	put_back(where)
	var status = crowd.restore_snapshot(snapshot)
	run_steps(60)
	var file = FileAccess.open("res://where.bin", FileAccess.WRITE)
	file.store_var(where)
	file.close()
	ResourceSaver.save(snapshot, "res://state.res")
	proof([status, hash, crowd.state_hash()])
"""
    )
    second = level.play(
        GROUP
        + BODIES
        + """
func _ready():
	moved_by_the_game()
	put_back(FileAccess.open("res://where.bin", FileAccess.READ).get_var())
	var status = crowd.restore_snapshot(load("res://state.res"))
	run_steps(60)
	proof([status, crowd.state_hash()])
"""
    )
    assert (first.errors, second.errors) == ([], [])
    status, straight, again = first.proof
    assert (status, again) == (0, straight)
    assert second.proof == [0, straight]
