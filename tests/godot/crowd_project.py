"""Projects with the whole addon, and the GDScript that their scenes share: small levels made by code."""

import hashlib

from onepath_build import godot_bundle, godot_compile, godot_quick
from onepath_build.godot_engine import find_engine
from onepath_build.places import BUILD
from project import Project, Run, building

# What every scene can call. A level is a set of rectangles; each becomes a NavigationRegion3D under `world`.
LEVEL = """
var world: Node3D
var crowd: NavCrowd

func region(corners: Array, parent: Node = null) -> NavigationRegion3D:
	var mesh = NavigationMesh.new()
	mesh.vertices = PackedVector3Array(corners)
	mesh.add_polygon(PackedInt32Array(range(corners.size())))
	var made = NavigationRegion3D.new()
	made.navigation_mesh = mesh
	(parent if parent else world).add_child(made)
	return made

func floor_at(x0: float, z0: float, x1: float, z1: float, y := 0.0) -> NavigationRegion3D:
	return region([Vector3(x0, y, z0), Vector3(x1, y, z0), Vector3(x1, y, z1), Vector3(x0, y, z1)])

func open_level(size := 20.0) -> NavCrowd:
	world = Node3D.new()
	add_child(world)
	if size > 0.0: floor_at(-size, -size, size, size)
	crowd = NavCrowd.new()
	world.add_child(crowd)
	return crowd

func walker(at: Vector3, target = null, body: Node3D = null) -> NavAgent:
	if body == null: body = Node3D.new()
	body.position = at
	var agent = NavAgent.new()
	body.add_child(agent)
	crowd.add_child(body)
	if target != null: agent.target_position = target
	return agent

func at(agent: NavAgent) -> Vector3: return agent.get_parent().global_position

func exact(v: Vector3) -> String: return "%s" % PackedVector3Array([v]).to_byte_array().hex_encode()

func ticks(count: int) -> void:
	for i in count: await get_tree().physics_frame
"""


class CrowdProject(Project):
    """A project with the built addon."""

    def built_bin(self):
        return addon_bin()

    def play(self, body: str, *arguments: str, frames: int = 6000) -> Run:
        """Run a scene with the functions above; see Project.run."""
        return self.run(LEVEL + body, *arguments, frames=frames)


def addon_bin():
    """The built bin folder of the addon with the core in build/core; made once for all test processes."""
    with building():
        libraries = godot_compile.build_libraries(find_engine())
        packages = godot_bundle.addon_packages()
        modules = [path for folder in packages.values() for path in sorted(folder.rglob("*.[ps][yo]"))]
        parts = [libraries.host, libraries.binding, *godot_quick.SOURCES, *modules]
        key = hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()
        target, stamp = BUILD / "godot/addon-under-test/bin", BUILD / "godot/addon-under-test/key"
        if not stamp.is_file() or stamp.read_text() != key or not target.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            godot_bundle.lay_out(libraries, target, packages, "import godot, onepath_nodes\n")
            stamp.write_text(key)
    return target
