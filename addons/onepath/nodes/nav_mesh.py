"""OnePathNavMesh: a navigation mesh kept as a resource."""

import godot
from godot import NavigationMesh, Node3D, Resource, method, prop, register

import onepath
from onepath.navmesh.build_regions import MeshRegion


@register
class OnePathNavMesh(Resource):
    """A navigation mesh that is built once, in the editor or by code, and saved with the project.

    A NavCrowd with such a mesh does not look at the scene's navigation regions. The mesh is kept as bytes, so that
    it comes back from a text or binary resource file exactly as it was made.
    """

    data = prop(godot.PackedByteArray, doc="The mesh as the library saves it. Made by the methods of this class.")

    @method
    def build_from_navigation_mesh(self, navigation_mesh: NavigationMesh, tile_size: float = 16.0,
                                   merge_polygons: bool = False) -> bool:
        """Builds the mesh from one of the engine's, which must be baked.

        Returns [code]false[/code], and keeps what it has, when that is empty. A [param tile_size] of 0 makes one tile.
        """
        vertices = [tuple(vertex) for vertex in navigation_mesh.get_vertices()] if navigation_mesh else []
        polygons = [list(navigation_mesh.get_polygon(number))
                    for number in range(navigation_mesh.get_polygon_count() if navigation_mesh else 0)]
        if not vertices or not polygons:
            return False
        self._keep(onepath.TiledNavMesh.from_godot(MeshRegion(vertices, polygons), merge=merge_polygons,
                                                   tile_size=tile_size if tile_size > 0.0 else None))
        return True

    @method
    def build_from_crowd(self, crowd: Node3D) -> bool:
        """Builds the mesh from the regions and links that a NavCrowd would use.

        Returns [code]false[/code], and keeps what it has, when there is no baked region.
        """
        from .mesh_source import MeshSource

        source = MeshSource(crowd)
        try:
            mesh = source.build()
        finally:
            source.dispose()
        if mesh.poly_count == 0:
            return False
        self._keep(mesh)
        return True

    @method
    def get_polygon_count(self) -> int:
        """Returns the number of polygons; 0 for an empty or damaged mesh."""
        mesh = self.load()
        return mesh.poly_count if mesh is not None else 0

    def _keep(self, mesh) -> None:
        self.data = mesh.to_bytes()
        self.emit_changed()

    def load(self):
        """Return the :class:`onepath.TiledNavMesh`, or ``None`` without data; damaged data is a Godot error."""
        data = bytes(self.data)
        if not data:
            return None
        try:
            return onepath.TiledNavMesh.from_bytes(data)
        except onepath.NavMeshFormatError as error:
            godot.error(f"OnePathNavMesh {self.resource_path}: the data is damaged ({error}). Bake the mesh again.")
            return None
