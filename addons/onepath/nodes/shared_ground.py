"""Meshes that walkers without a crowd share: one for each source and way of building, kept as long as it is used."""

from __future__ import annotations

import godot

import onepath

from .mesh_source import MeshSource

_shared: dict = {}


class SharedGround:
    """A mesh and a query on it; from regions and links it follows their changes."""

    def __init__(self, key, mesh, source) -> None:
        self.key = key
        self.mesh = mesh
        self.source = source
        self.query = onepath.NavMeshQuery(mesh)
        self.users = 0
        self.frame = -1

    def follow(self) -> None:
        """Take over changes of the scene, once in each physics frame."""
        frame = godot.singleton("Engine").get_physics_frames()
        if self.source is not None and frame != self.frame:
            self.frame = frame
            self.source.poll(self.mesh)

    def area_costs(self) -> dict[int, float]:
        """The cost of each area that has one."""
        return self.source.area_costs() if self.source is not None else {}

    def release(self) -> None:
        """Tell that one user has gone."""
        self.users -= 1
        if self.users == 0:
            _shared.pop(self.key, None)
            if self.source is not None:
                self.source.dispose()


class _Level:
    """What a MeshSource asks of a crowd, for a root node and the settings of a walker."""

    navigation_source = ""

    def __init__(self, root, settings) -> None:
        self.root = root
        self.tile_size, self.merge_polygons, self.max_climb = settings

    def get_parent(self):
        return self.root or None

    def get_tree(self):
        return self.root.get_tree()


def source_of(root, settings) -> MeshSource:
    """A source of the regions and links under a node; settings: tile_size, merge_polygons, max_climb."""
    return MeshSource(_Level(root, settings))


def ground_of(nav_mesh, root, settings) -> SharedGround | None:
    """The ground made of an OnePathNavMesh or else of what is under a root node; ``None`` where that gives none."""
    if nav_mesh is not None:
        key = ("resource", godot.instance_id(nav_mesh), bytes(nav_mesh.data))
    elif root is not None:
        key = ("scene", godot.instance_id(root), settings)
    else:
        return None
    if key not in _shared:
        source = None if nav_mesh is not None else source_of(root, settings)
        mesh = nav_mesh.load() if nav_mesh is not None else source.build()
        if mesh is None:
            return None
        _shared[key] = SharedGround(key, mesh, source)
    ground = _shared[key]
    ground.users += 1
    return ground


@godot.at_exit
def _let_go() -> None:
    _shared.clear()
