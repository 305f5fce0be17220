"""OnePathNavMesh: a navigation mesh kept as a resource."""

from __future__ import annotations

import godot
from godot import NavigationMesh, Node3D, Resource, method, prop, register

import onepath
from onepath.navmesh.build_regions import MeshRegion

from .mesh_source import MeshSource
from .scene_regions import mesh_arrays
from .tuning import tile_side

_LARGEST = 1e6


@register
class OnePathNavMesh(Resource):
    """A navigation mesh that is built once, in the editor or by code, and saved with the project.

    A NavCrowd with such a mesh does not look at the scene's navigation regions. The mesh is kept as bytes, so that
    it comes back from a text or binary resource file exactly as it was made. Places are in global space.
    """

    data = prop(godot.PackedByteArray, doc="The mesh as the library saves it. Made by the methods of this class.")

    def __init__(self):
        self._reported = None  # damaged data that was reported

    @data.changed
    def _data_changed(self):
        self.emit_changed()

    @method
    def build_from_navigation_mesh(self, navigation_mesh: NavigationMesh | None, tile_size: float = 16.0,
                                   merge_polygons: bool = False, max_climb: float = 0.9) -> bool:
        """Builds the mesh from one of the engine's, which must be baked.

        Returns [code]false[/code], and keeps what it has, when that is empty or cannot be used. A [param tile_size] of
        0 makes one tile.
        """
        tile_side(tile_size, "tile_size")
        if not 0.0 <= max_climb <= _LARGEST:
            raise godot.Refused(f"max_climb must be in [0, {_LARGEST:g}], not {max_climb}")
        vertices, polygons = mesh_arrays(navigation_mesh) if navigation_mesh is not None else ((), [])
        if not polygons:
            return False
        try:
            mesh = onepath.TiledNavMesh.from_godot(MeshRegion(vertices, polygons), merge=merge_polygons,
                                                   tile_size=tile_size if tile_size > 0.0 else None,
                                                   max_climb=max_climb)
        except onepath.OutOfRangeError as fault:
            refused = fault if fault.field == "tile_size" else f"navigation_mesh cannot be used ({fault})"
            raise godot.Refused(refused) from None
        return self._keep(mesh)

    @method
    def build_from_crowd(self, crowd: Node3D | None) -> bool:
        """Builds the mesh from the regions and links that a NavCrowd in the tree would use.

        Returns [code]false[/code], and keeps what it has, when there is no baked region.
        """
        source = MeshSource(_crowd(crowd))
        try:
            mesh = source.build()
        finally:
            source.dispose()
        return self._keep(mesh)

    @method
    def copy_from_crowd(self, crowd: Node3D | None) -> bool:
        """Takes the mesh that a NavCrowd uses now, with all changes of its regions and links that it has noticed.

        Returns [code]false[/code], and keeps what it has, when the crowd has none.
        """
        runtime = _crowd(crowd).runtime
        return runtime.ready() and self._keep(runtime.mesh)

    @method
    def clear(self) -> None:
        """Forgets the mesh."""
        self.data = b""

    @method
    def is_empty(self) -> bool:
        """Returns whether there is no mesh, or none that can be read."""
        return self.load() is None

    @method
    def get_polygon_count(self) -> int:
        """Returns the number of polygons; 0 for an empty or damaged mesh."""
        mesh = self.load()
        return mesh.poly_count if mesh is not None else 0

    def _keep(self, mesh) -> bool:
        if mesh.poly_count == 0:
            return False
        self.data = mesh.to_bytes()
        return True

    def load(self):
        """Return the :class:`onepath.TiledNavMesh`, a new one each time, or ``None`` without usable data.

        Damaged data is reported once as a Godot error.
        """
        mesh, problem = self._read()
        if problem and self._reported != bytes(self.data):
            self._reported = bytes(self.data)
            godot.error(f"OnePathNavMesh {self.get_path() or '(not saved)'}: {problem}")
        return mesh

    def complaint(self) -> str:
        """Say why there is no mesh and what to do; empty when all is well. For configuration warnings."""
        mesh, problem = self._read()
        if mesh is None and not problem:
            return "The nav_mesh is empty: bake it, or clear it to use the scene's regions."
        return f"nav_mesh: {problem}" if problem else ""

    def _read(self):
        data = bytes(self.data)
        if not data:
            return None, ""
        try:
            return onepath.TiledNavMesh.from_bytes(data), ""
        except onepath.NavMeshFormatError as error:
            return None, f"the data is damaged or from another version ({error}): bake the mesh again."


def _crowd(node):
    if node is None or not node.is_class("NavCrowd") or not node.is_inside_tree():
        raise godot.Refused("crowd must be a NavCrowd that is in the tree")
    return node
