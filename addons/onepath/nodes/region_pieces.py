"""A region's polygons cut along the tile grid, and tiles put together from the pieces of several regions.

A tile depends on nothing but the pieces that lie in it, in an order of their own. So a tile is the same whether the
level was loaded this way or came to be this way, and switching a small region costs the tiles that it touches, however
big the regions beside it are.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import onepath
from onepath.navmesh.build_regions import IDENTITY, MeshRegion, tiles_from_regions
from onepath.navmesh.tile_data import TileData

#: Vertices of different regions closer than this (m) are one. Not more: corners at tile borders must stay on them.
WELD = 1e-3
#: Single precision has this relative error; regions far from the origin are welded by what that comes to.
_SINGLE = 2.0 ** -23
_ORIGIN = (0.0, 0.0)


@dataclass(frozen=True)
class Grid:
    """How a mesh is built: side of its tiles (``None``: one tile), largest step, and whether polygons are merged."""

    tile_size: float | None
    max_climb: float
    merge: bool


class Placed:
    """Polygons at their place in the world, cut into tiles.

    Args:
        vertices: flat column of x, y, z.
        polygons: sequences of vertex indices.
        transform: 12 numbers, the basis by rows and the origin.
        grid: the tiles to cut along.

    Raises:
        onepath.OutOfRangeError: coordinates or indices that cannot be used.
    """

    def __init__(self, vertices, polygons, transform, grid: Grid) -> None:
        self.transform = transform
        region = MeshRegion(vertices, polygons, transform)
        weld = max(WELD, 4.0 * _SINGLE * max(abs(number) for number in transform[9:]))
        tiles, self.report = tiles_from_regions([region], grid.tile_size, _ORIGIN, grid.max_climb, weld, grid.merge)
        self.tiles = {(tile.tx, tile.tz): tile for tile in tiles}
        self.orders: dict = {}
        self.bounds = _bounds(tiles)

    def order(self, key) -> tuple:
        """What a tile's piece is sorted by: its content, not when or where in the scene the region came to be."""
        if key not in self.orders:
            tile = self.tiles[key]
            self.orders[key] = (tile.vertices.tobytes(), tile.indices.tobytes())
        return self.orders[key]

    @classmethod
    def still(cls, vertices, polygons, grid: Grid) -> Placed:
        """Return polygons that are in the world's coordinates already."""
        return cls(vertices, polygons, IDENTITY, grid)


def _bounds(tiles):
    """Least x and z and greatest x and z of tiles; ``None`` for none."""
    if not tiles:
        return None
    x, z = array("d"), array("d")
    for tile in tiles:
        x.extend(tile.vertices[0::3])
        z.extend(tile.vertices[2::3])
    return min(x), min(z), max(x), max(z)


def make_tile(key, pieces, grid: Grid) -> TileData | None:
    """Put a tile together.

    Args:
        key: its grid coordinates.
        pieces: (:class:`Placed`, area, flags) of each region that has something in this tile.
        grid: as the pieces were cut.
    """
    if not pieces:
        return None
    if len(pieces) == 1:
        placed, area, flags = pieces[0]
        return _coloured(placed.tiles[key], area, flags)
    pieces = sorted(pieces, key=lambda piece: (piece[0].order(key), piece[1], piece[2]))
    xyz, polygons, areas, flag_list = array("d"), [], array("B"), array("H")
    for placed, area, flags in pieces:
        tile = placed.tiles[key]
        base = len(xyz) // 3
        xyz.extend(tile.vertices)
        polygons += [[base + vertex for vertex in polygon] for polygon in tile.polygons()]
        areas.extend([area] * tile.poly_count)
        flag_list.extend([flags] * tile.poly_count)
    triples = list(zip(xyz[0::3], xyz[1::3], xyz[2::3]))
    made = onepath.TiledNavMesh.from_polygons(triples, polygons, areas=areas, flags=flag_list,
                                              tile_size=grid.tile_size, max_climb=grid.max_climb, weld=WELD)
    return made.tile_data(*key)


def _coloured(tile: TileData, area: int, flags: int) -> TileData:
    count = tile.poly_count
    return TileData(tile.tx, tile.tz, 0, tile.vertices, tile.sizes, tile.indices, array("B", [area]) * count,
                    array("H", [flags]) * count)


def put_tile(mesh, key, fresh: TileData | None) -> None:
    """Make a tile of a mesh what it should be; nothing is edited where it is that already."""
    present = mesh.tile_data(*key)
    if fresh is None:
        if present is not None:
            mesh.remove_tile(*key)
    elif present is None:
        mesh.add_tile(fresh)
    elif _outlines(present) != _outlines(fresh):
        mesh.replace_tile(fresh)
    elif present.areas != fresh.areas or present.flags != fresh.flags:
        _copy_attributes(mesh, present, fresh)


def _outlines(tile: TileData):
    """A tile's polygons by the places of their corners, which do not depend on how vertices are numbered."""
    values = tile.vertices
    return tile.sizes, [(values[3 * i], values[3 * i + 1], values[3 * i + 2]) for i in tile.indices]


def _copy_attributes(mesh, present: TileData, fresh: TileData) -> None:
    for number, ref in enumerate(mesh.tile_polygons(*present.key)):
        if present.areas[number] != fresh.areas[number]:
            mesh.set_poly_area(ref, fresh.areas[number])
        if present.flags[number] != fresh.flags[number]:
            mesh.set_poly_flags(ref, fresh.flags[number])
