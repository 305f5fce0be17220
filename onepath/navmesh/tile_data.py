"""The polygons of one tile as plain columns: what builders make, edits exchange and files hold."""

from array import array
from dataclasses import dataclass, field

#: A polygon has 3 to this many vertices.
MAX_POLY_VERTICES = 16
#: A tile has at most this many polygons (24 bits of a reference).
MAX_TILE_POLYS = 1 << 24


@dataclass(eq=True)
class TileData:
    """One tile. Polygons are convex in X/Z and all run in the library's direction (see :mod:`onepath.geometry`).

    A polygon's surface is the fan of triangles at its first vertex. Where that is the first or last of vertices in line
    in X/Z, to within rounding, they must be in line in height, too; else the outline has to begin at another vertex.

    Two polygons of a tile are neighbours where they share both vertex *indices* of an edge.

    Attributes:
        tx, tz: grid coordinates of the tile.
        layer: tells tiles at the same coordinates apart.
        vertices: ``d`` column, x, y, z of each vertex, world units.
        sizes: ``B`` column, vertices of each polygon (3..16).
        indices: ``i`` column, vertex indices, polygon after polygon.
        areas: ``B`` column, area id (0..63) of each polygon.
        flags: ``H`` column, flags of each polygon.
    """

    tx: int = 0
    tz: int = 0
    layer: int = 0
    vertices: array = field(default_factory=lambda: array("d"))
    sizes: array = field(default_factory=lambda: array("B"))
    indices: array = field(default_factory=lambda: array("i"))
    areas: array = field(default_factory=lambda: array("B"))
    flags: array = field(default_factory=lambda: array("H"))

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.vertices) // 3

    @property
    def poly_count(self) -> int:
        """Number of polygons."""
        return len(self.sizes)

    @property
    def key(self) -> tuple[int, int, int]:
        """Where the tile goes: (tx, tz, layer)."""
        return (self.tx, self.tz, self.layer)

    def polygons(self) -> list[list[int]]:
        """Return the vertex indices of each polygon."""
        result = []
        start = 0
        for size in self.sizes:
            result.append(list(self.indices[start:start + size]))
            start += size
        return result

    def copy(self) -> "TileData":
        """Return an independent copy."""
        return TileData(self.tx, self.tz, self.layer, self.vertices[:], self.sizes[:], self.indices[:], self.areas[:],
                        self.flags[:])
