"""Classes written in Python are classes of the engine: registered, documented, called, saved."""

import pytest

VALUES = {
    "truth": "false",
    "count": "41",
    "ratio": "0.1",
    "mode": "SampleValues.RUN",
    "layers": "SampleValues.LOW | SampleValues.HIGH",
    "text": '"näh\\n\\"q\\" 日本"',
    "label": '&"a name"',
    "path": '^"../Other:position"',
    "point2": "Vector2(0.5, -2)",
    "point": "Vector3(-1.5, 1e-7, 3e8)",
    "cell": "Vector3i(-1, 2, 2147483647)",
    "color": "Color(0.1, 0.2, 0.3, 0.4)",
    "plane": "Plane(0, 1, 0, 2.5)",
    "box": "AABB(Vector3(1, 2, 3), Vector3(4, 5, 6))",
    "basis": "Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 10))",
    "transform": "Transform3D(Basis.from_euler(Vector3(0.3, 0.2, 0.1)), Vector3(7, 8, 9))",
    "items": '[1, 2.5, "x", Vector3(1, 2, 3), [true, null]]',
    "table": '{"a": 1, 2: Vector2(1, 2), &"c": [1]}',
    "raw": "PackedByteArray([0, 1, 127, 128, 255])",
    "ints": "PackedInt32Array([-2147483648, 0, 2147483647])",
    "longs": "PackedInt64Array([-9223372036854775807, 0, 9223372036854775807])",
    "floats": "PackedFloat32Array([0.5, -2.25, 1e9])",
    "doubles": "PackedFloat64Array([0.5, -2.25, 1e300])",
    "points": "PackedVector3Array([Vector3(1, 2, 3), Vector3(-4, 5.5, 6)])",
    "colors": "PackedColorArray([Color(1, 0, 0), Color(0, 0.5, 0, 0.25)])",
    "words": 'PackedStringArray(["", "ä", "long text"])',
    "hidden": "12",
    "positive": "2.5",
}
SET_ALL = "".join(f"\tv.{name} = {value}\n" for name, value in VALUES.items())
COMPARE_ALL = "".join(f'\tif v.{name} != {value}: bad.append("{name}")\n' for name, value in VALUES.items())


def test_classes_are_registered_with_bases_properties_signals_and_enums(project):
    run = project.run("""
func _ready():
	var found = {}
	for name in ["SampleValues", "SampleSettings", "SampleWalker", "Keeper", "Thing"]:
		found[name] = [ClassDB.class_exists(name), ClassDB.get_parent_class(name)]
	var signals = ClassDB.class_get_signal("SampleWalker", "moved")
	var arguments = signals.args.map(func(a): return [a.name, a.type])
	var list = {}
	for row in ClassDB.class_get_property_list("SampleValues", true):
		list[row.name] = [row.type, row.hint, row.hint_string, row.usage]
	var groups = ClassDB.class_get_property_list("SampleValues", true).filter(func(r): return r.usage & 320)
	proof([found, arguments, list, groups.map(func(r): return r.name), SampleValues.RUN, SampleValues.HIGH,
		ClassDB.class_get_enum_list("SampleValues", true), ClassDB.is_class_enum_bitfield("SampleValues", "Layers"),
		ClassDB.class_get_property_default_value("SampleValues", "point")])
""")
    found, arguments, rows, groups, running, high, enums, bits, default = run.proof
    assert found == {
        "SampleValues": [True, "Node"],
        "SampleSettings": [True, "Resource"],
        "SampleWalker": [True, "Node3D"],
        "Keeper": [True, "Node"],
        "Thing": [True, "RefCounted"],
    }
    assert arguments == [["distance", 3], ["where", 9]]
    assert groups == ["Numbers", "Texts", "Plain", "Values", "Collections"]
    assert rows["ratio"] == [3, 1, "0,1,0.001", 6]
    assert rows["count"] == [2, 1, "0,100,1,or_greater", 6]
    assert rows["mode"] == [2, 2, "Sleep:0,Walk:1,Run:5", 6 | 65536]
    assert rows["layers"] == [2, 6, "Low:1,High:2", 6 | 512]
    assert rows["point"][2] == "suffix:m"
    assert rows["hidden"][3] == 2
    assert rows["doubled"][3] & 2 == 0
    assert rows["settings"][1:3] == [17, "SampleSettings"]
    assert (running, high, sorted(enums), bits) == (5, 2, ["Layers", "Mode"], True)
    assert default == "(1.0, 2.0, 3.0)"
    assert run.errors == []


@pytest.mark.parametrize("ending", ["tscn", "scn"])
def test_properties_of_every_type_survive_a_saved_scene(project, ending):
    save = f"""
func _ready():
	var v = SampleValues.new()
{SET_ALL}
	v.settings = SampleSettings.new()
	v.settings.speed = 4.5
	v.settings.data = PackedByteArray([1, 2, 3])
	v.name = "V"
	var scene = PackedScene.new()
	scene.pack(v)
	var status = ResourceSaver.save(scene, "res://saved.{ending}")
	v.free()
	proof(status)
"""
    load = f"""
func _ready():
	var bad = []
	var v = load("res://saved.{ending}").instantiate()
{COMPARE_ALL}
	if v.settings.speed != 4.5 or v.settings.data != PackedByteArray([1, 2, 3]): bad.append("settings")
	v.free()
	proof(bad)
"""
    saved = project.run(save)
    assert (saved.proof, saved.errors) == (0, [])
    loaded = project.run(load)
    assert (loaded.proof, loaded.errors) == ([], [])


@pytest.mark.parametrize("ending", ["tres", "res"])
def test_a_resource_is_saved_by_itself_and_bytes_stay_exact(project, ending):
    run = project.run(f"""
func _ready():
	var settings = SampleSettings.new()
	var data = PackedByteArray()
	for i in 1000: data.append((i * 7919) & 255)
	settings.data = data
	settings.speed = 9.75
	ResourceSaver.save(settings, "res://settings.{ending}")
	var other = ResourceLoader.load("res://settings.{ending}", "", ResourceLoader.CACHE_MODE_IGNORE)
	proof([other is SampleSettings, other != settings, other.data == data, other.speed, other.touched])
""")
    assert (run.proof, run.errors) == ([True, True, True, 9.75, 1], [])


def test_gdscript_calls_methods_with_every_type_and_gets_the_same_back(project):
    checks = "".join(f"\tcheck(v, {value})\n" for value in VALUES.values())
    run = project.run(f"""
var bad = []

func check(v, value):
	var back = v.echo(value)
	if back != value or typeof(back) != typeof(value): bad.append([str(value), str(back)])

func _ready():
	var v = SampleValues.new()
	add_child(v)
{checks}
	check(v, null)
	check(v, v)
	check(v, Quaternion(0, 0.6, 0, 0.8))
	check(v, Rect2(1, 2, 3, 4))
	check(v, Transform2D(0.5, Vector2(1, 2)))
	check(v, Projection.IDENTITY)
	check(v, RID())
	check(v, get_viewport().get_viewport_rid())
	check(v, Callable(self, "check"))
	check(v, Signal(self, "ready"))
	proof(bad)
""")
    wrong = [pair for pair in run.proof if not pair[0].startswith(("a name", "{"))]
    assert (wrong, run.errors) == ([], [])


def test_arguments_are_converted_by_annotation_and_defaults_are_known_to_gdscript(project):
    run = project.run("""
func _ready():
	var v: SampleValues = SampleValues.new()
	add_child(v)
	var typed: Vector3 = v.half(Vector3(2, 4, 6))
	var total: float = v.sum_floats(PackedFloat64Array([1.5, 2, 3]))
	var settings: SampleSettings = v.make_settings(2.5)
	var name: String = v.parent_name(v)
	proof([v.add(1), v.add(1, 2), v.add(1, 2, "y"), v.call("add", 1.0), typed, total, settings.speed, name,
		v.parent_name(null), v.make_bytes(300).size(), v.make_bytes(300)[299], v.call_back(func(x): return x * 3, 5),
		v.kind_of(1), v.kind_of(1.5), v.kind_of("a"), v.kind_of([]), v.kind_of(v), v.kind_of(Vector3())])
""")
    assert run.errors == []
    assert run.proof[:8] == ["1.5x", "3.0x", "3.0y", "1.5x", "(1.0, 2.0, 3.0)", 6.5, 2.5, "Main"]
    assert run.proof[8:12] == ["", 300, 43, 15]
    assert run.proof[12:] == ["int", "float", "str", "list", "SampleValues", "Vector3"]


def test_a_wrong_call_is_an_engine_error_and_changes_nothing(project):
    run = project.run("""
func _ready():
	var v = SampleValues.new()
	add_child(v)
	v.set("positive", -3.0)
	v.set("positive", NAN)
	v.set("mode", 3)
	v.set("point", "no point")
	proof([v.positive, v.mode, v.point, v.is_processing()])
""")
    assert run.proof == [1.0, 0, "(1.0, 2.0, 3.0)", False]
    assert len(run.errors) == 3
    assert "SampleValues.positive: must be finite and not negative, not -3.0" in run.errors[0]
    assert "mode must be one of SLEEP, WALK, RUN, not 3" in run.errors[2]
    assert "Traceback" not in run.output


def test_computed_and_hidden_properties_follow_the_others(project):
    run = project.run("""
func shown(v) -> bool:
	for row in v.get_property_list():
		if row.name == "hidden": return row.usage & PROPERTY_USAGE_EDITOR != 0
	return false

func _ready():
	var v = SampleValues.new()
	add_child(v)
	v.count = 21
	var before = shown(v)
	v.mode = SampleValues.RUN
	proof([v.doubled, before, shown(v), SampleHandle.new().get_rid().get_id()])
""")
    assert run.proof == [42, False, True, 77]


def test_virtual_functions_and_notifications_come_in_order_with_the_engines_times(project):
    run = project.run("""
var distance = 0.0
var started = 0

func _ready():
	var walker = SampleWalker.new()
	walker.moved.connect(func(step, where): distance += step)
	walker.started.connect(func(): started += 1)
	add_child(walker)
	for tick in 30: await get_tree().physics_frame
	var at = walker.position.x
	var log = walker.log
	var deltas = walker.deltas()
	remove_child(walker)
	proof([at, distance, started, log, deltas, walker.log])
	walker.free()
""")
    at, distance, started, log, deltas, after = run.proof
    assert at == pytest.approx(30 * 2.0 / 60, abs=2 * 2.0 / 60 + 1e-5)
    assert distance == pytest.approx(at, abs=1e-5)
    assert started == 1
    assert log == ["parented", "enter", "ready", "transform"]
    assert after[4:] == ["exit", "unparented"]
    assert deltas == pytest.approx([1 / 60, 1 / 60])
    assert run.errors == []


def test_the_editor_shows_reference_text_and_configuration_warnings(project):
    project.write("level.tscn", '[gd_scene format=3]\n[node name="V" type="SampleValues"]\ntruth = false\n')
    run = project.run_in_editor("""
func texts(node: Node, found: Array) -> Array:
	if node is RichTextLabel: found.append(node.get_parsed_text())
	for child in node.get_children(true): texts(child, found)
	return found

func tooltips(node: Node, found: Array) -> Array:
	if node is Tree and node.get_root():
		var item = node.get_root()
		while item:
			for button in item.get_button_count(0): found.append(item.get_button_tooltip_text(0, button))
			item = item.get_next_in_tree()
	for child in node.get_children(true): tooltips(child, found)
	return found

func act():
	EditorInterface.open_scene_from_path("res://level.tscn")
	EditorInterface.get_script_editor().goto_help("class_name:SampleValues")
	for frame in 20: await get_tree().process_frame
	var pages = texts(EditorInterface.get_script_editor(), [])
	var hints = tooltips(EditorInterface.get_base_control(), [])
	proof([pages.filter(func(t): return "SampleValues" in t), hints.filter(func(t): return "truth" in t)])
""")
    pages, hints = run.proof
    page = "\n".join(pages)
    for name in (*VALUES, "doubled", "echo", "add", "half", "WALK", "HIGH"):
        assert name in page
    for text in ("A truth.", "Numbers and text, two of them optional.", "Holds one value of every", "What to do."):
        assert text in page
    assert any("Set truth." in hint and "Then look again." in hint for hint in hints)
    assert run.errors == []
