"""The host library: it finds its parts wherever the project lies, and says in one error what is missing."""

import os
import shutil
import subprocess
import sysconfig

import pytest
from project import Project, export, play_exported

WORKS = "func _ready():\n\tproof(ClassDB.class_exists('SampleValues'))\n"


def complaint(run) -> str:
    """The one error of a run in which the addon could not start, while the game went on."""
    assert run.proof is False
    assert len(run.errors) == 1, run.output
    return run.errors[0]


def test_a_moved_project_works(project, tmp_path):
    moved = tmp_path / "another folder" / "with spaces ä"
    moved.parent.mkdir()
    project.folder.rename(moved)
    project.folder = moved
    run = project.run(WORKS)
    assert (run.proof, run.errors) == (True, [])


@pytest.mark.parametrize(
    "name", ["libgodot_python.so", "stdlib.zip", "libpython", "packages/godot/__init__.py", "packages/addon_main.py"]
)
def test_a_missing_part_is_one_error_that_says_what_to_do(project, name):
    inside = project.addon / "onepath_python"
    path = next(inside.glob(f"{name}*"))
    path.unlink()
    for cached in path.parent.glob(f"__pycache__/{path.stem}.*"):
        cached.unlink()
    text = complaint(project.run(WORKS))
    assert text.startswith("ERROR: OnePath: ")
    assert "Copy the whole folder addons/onepath into the project again" in text


def test_damaged_libraries_are_errors_not_crashes(project):
    inside = project.addon / "onepath_python"
    path = inside / "libgodot_python.so"
    path.unlink()
    path.write_bytes(b"not a library")
    assert "could not be loaded" in complaint(project.run(WORKS))


def test_the_editor_imports_and_closes_the_project_without_an_error_line(project):
    project.write("level.tscn", '[gd_scene format=3]\n[node name="V" type="SampleValues"]\ncount = 5\n')
    run = project.import_pass()
    assert (run.status, run.errors) == (0, [])
    assert (project.folder / ".godot/editor").is_dir()


def test_a_scene_saved_without_the_addon_has_its_data_when_it_is_back(project):
    project.write("level.tscn", '[gd_scene format=3]\n[node name="V" type="SampleValues"]\ncount = 5\ntext = "kept"\n')
    extension = project.folder / "addons/onepath/onepath.gdextension"
    extension.rename(extension.with_suffix(".hidden"))
    listing = project.folder / ".godot/extension_list.cfg"
    listing.unlink()
    resaved = project.run_in_editor("""
func act():
	EditorInterface.open_scene_from_path("res://level.tscn")
	await get_tree().process_frame
	var root = EditorInterface.get_edited_scene_root()
	var type = root.get_class()
	root.add_child(Node.new())
	root.get_child(0).owner = root
	proof([type, EditorInterface.save_scene()])
""")
    assert resaved.proof == ["MissingNode", 0]
    extension.with_suffix(".hidden").rename(extension)
    listing.write_text("res://addons/onepath/onepath.gdextension\n")
    run = project.run("""
func _ready():
	var node = load("res://level.tscn").instantiate()
	proof([node is SampleValues, node.count, node.text, node.get_child_count()])
""")
    assert run.proof == [True, 5, "kept", 1]


EXPORTED_SCRIPT = """extends Node
func _ready():
	var v = SampleValues.new()
	print("PROOF ", JSON.stringify(v.add(2)))
	v.free()
	get_tree().quit()
"""


def test_an_exported_game_runs_elsewhere_with_no_python_but_the_addons_own(project, tmp_path):
    project.write("run.gd", EXPORTED_SCRIPT)
    export(project.engine, project.folder, tmp_path / "out")
    shutil.rmtree(project.folder)
    (tmp_path / "out").rename(tmp_path / "player")
    names = {path.name for path in (tmp_path / "player").iterdir()}
    assert names == {"game", "game.pck", "libonepath_host.so", "onepath_python"}
    run = play_exported(project.engine, tmp_path / "player")
    assert (run.proof, run.errors) == ("2.5x", [])


OTHER_EXTENSION = r"""
#include <stddef.h>
#include <dlfcn.h>
typedef struct { int level; void *userdata; void (*up)(void *, int); void (*down)(void *, int); } setup_t;
static void up(void *data, int level) {
	(void)data;
	if (level != 2) return;
	void *python = dlopen(LIBPYTHON, RTLD_NOW | RTLD_LOCAL);
	if (!python) return;
	if (START) {
		((void (*)(int))dlsym(python, "Py_InitializeEx"))(0);
		((void *(*)(void))dlsym(python, "PyEval_SaveThread"))();
	}
}
static void down(void *data, int level) { (void)data; (void)level; }
unsigned char other_entry(void *find, void *library, setup_t *setup) {
	(void)find; (void)library;
	setup->level = 2;
	setup->userdata = NULL;
	setup->up = up;
	setup->down = down;
	return 1;
}
"""


def add_other_extension(project: Project, libpython: str, start: int) -> None:
    """A second addon that has brought Python into the process before this one starts."""
    source = project.write("addons/a_first/other.c", OTHER_EXTENSION)
    library = source.with_suffix(".so")
    defines = [f'-DLIBPYTHON="{libpython}"', f"-DSTART={start}"]
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-shared", "-fPIC", *defines, str(source), "-o", str(library), "-ldl"], check=True)
    source.unlink()
    project.write(
        "addons/a_first/first.gdextension",
        '[configuration]\nentry_symbol = "other_entry"\ncompatibility_minimum = "4.4"\n'
        '[libraries]\nlinux.x86_64 = "other.so"\n',
    )
    listing = project.folder / ".godot/extension_list.cfg"
    listing.write_text("res://addons/a_first/first.gdextension\n" + listing.read_text())


def test_the_same_python_already_running_in_the_process_is_joined(project):
    from onepath_build.godot_compile import find_libpython

    add_other_extension(project, str(find_libpython()), 1)
    run = project.run("func _ready():\n\tvar v = SampleValues.new()\n\tproof(v.add(2))\n\tv.free()\n")
    assert (run.proof, run.errors) == ("2.5x", [])


def test_another_python_in_the_process_is_refused_with_one_error(project):
    from onepath_build.godot_compile import find_libpython

    other = project.folder / "addons/a_first/libpython3.99.so.1.0"
    other.parent.mkdir(parents=True)
    shutil.copyfile(find_libpython(), other)
    add_other_extension(project, str(other), 0)
    text = complaint(project.run(WORKS))
    assert "libpython3.99.so.1.0" in text
    assert sysconfig.get_config_var("INSTSONAME") in text
