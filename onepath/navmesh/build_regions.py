"""Tiles from the arrays of Godot navigation meshes: several regions, placed in space, become one mesh."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from onepath.buffers import filled
from onepath.errors import OutOfRangeError
from onepath.geometry import checked_integer
from onepath.navmesh.build_input import checked_coordinates, read_polygons, read_vertices
from onepath.navmesh.build_polygons import repaired_tiles
from onepath.navmesh.build_soup import PolygonSoup
from onepath.navmesh.filter import AREA_COUNT
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import TileData

#: A transform that leaves everything in place.
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MeshRegion:
    """What one NavigationRegion3D contributes.

    Attributes:
        vertices: as ``NavigationMesh.vertices``: a flat sequence of 3 · V numbers, or V triples.
        polygons: as ``NavigationMesh.get_polygon(i)`` for each i: sequences of vertex indices.
        transform: where the region is: 12 numbers as Godot writes a Transform3D, the basis row by row, then the origin.
        area: area id (0..63) of its polygons.
        flags: 16 flag bits of its polygons (such as the low bits of the region's navigation layers).
    """

    vertices: Iterable
    polygons: Iterable
    transform: Sequence[float] = IDENTITY
    area: int = 0
    flags: int = 1


def tiles_from_regions(regions, tile_size=None, origin=(0.0, 0.0), max_climb=0.9, weld=None, merge=False,
                     height_tolerance=0.05) -> tuple[list[TileData], BuildReport]:
    """Build tiles from regions, welded into one mesh.

    Godot's polygons run clockwise seen from above and are turned round, so the report names all of them as rewound.

    Args:
        regions: a :class:`MeshRegion` or a sequence of them.
        tile_size, origin, max_climb, weld, merge, height_tolerance: as in
            :func:`onepath.navmesh.build_polygons.tiles_from_polygons`.

    Returns:
        (tiles, report); the report's indices count vertices and polygons through all regions in order.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it (``regions`` for anything inside them).
    """
    regions = [regions] if isinstance(regions, MeshRegion) else _listed(regions)
    xyz = array("d")
    first = array("i", [0])
    index = array("i")
    areas = array("B")
    flags = array("H")
    for region in regions:
        vertices = _placed(_triples(region.vertices), region.transform)
        starts, corners = read_polygons("regions", region.polygons, len(vertices) // 3)
        base = len(xyz) // 3
        index.extend(array("i", [vertex + base for vertex in corners]))
        first.extend(array("i", [start + first[-1] for start in starts[1:]]))
        count = len(starts) - 1
        areas.extend(filled("B", count, checked_integer("regions", region.area, 0, AREA_COUNT - 1)))
        flags.extend(filled("H", count, checked_integer("regions", region.flags, 0, 0xFFFF)))
        xyz.extend(vertices)
    soup = PolygonSoup(xyz, first, index, array("i", range(len(first) - 1)))
    return repaired_tiles(soup, areas, flags, tile_size, origin, max_climb, weld, merge, height_tolerance)


def _listed(regions) -> list[MeshRegion]:
    try:
        regions = list(regions)
    except TypeError:
        raise OutOfRangeError("regions", "must be MeshRegions") from None
    if not all(isinstance(region, MeshRegion) for region in regions):
        raise OutOfRangeError("regions", "must be MeshRegions")
    return regions


def _triples(vertices) -> array:
    """Return flat or grouped vertices as a ``d`` column."""
    if not hasattr(vertices, "shape") or len(vertices.shape) == 1:
        try:
            column = array("d", vertices)
        except (TypeError, OverflowError):
            return read_vertices("regions", vertices)
        if len(column) % 3:
            raise OutOfRangeError("regions", "vertices must be three numbers each")
        return checked_coordinates("regions", column)
    return read_vertices("regions", vertices)


def _placed(vertices: array, transform) -> array:
    """Return vertices moved by a transform."""
    try:
        xx, xy, xz, yx, yy, yz, zx, zy, zz, ox, oy, oz = numbers = tuple(map(float, transform))
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError("regions", "a transform must be 12 numbers, the basis by rows and the origin") from None
    if not all(map(isfinite, numbers)):
        raise OutOfRangeError("regions", "a transform must be finite")
    if numbers == IDENTITY:
        return vertices
    placed = array("d")
    for x, y, z in zip(vertices[0::3], vertices[1::3], vertices[2::3]):
        placed.extend((xx * x + xy * y + xz * z + ox, yx * x + yy * y + yz * z + oy, zx * x + zy * y + zz * z + oz))
    return checked_coordinates("regions", placed)
