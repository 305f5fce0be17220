"""Fields of known shape for tests: scattered obstacles, mazes, two floors, merged polygons, thin triangles.

Each generator is a function of its arguments alone. Cells are 2 × 2 units unless said otherwise; the quad of cell
(x, z) spans [2x, 2x + 2] × [2z, 2z + 2].
"""

import random
from array import array
from dataclasses import dataclass, field

from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.tile_data import TileData

CELL = 2.0
_MASK = (1 << 64) - 1


class Lcg:
    """The 64-bit linear congruential generator of the benchmark recipe."""

    def __init__(self, seed: int):
        self.state = seed & _MASK

    def next(self) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & _MASK
        return self.state >> 32

    def unit(self) -> float:
        return self.next() / 4294967296.0


@dataclass
class Field:
    """A mesh, the polygons of its largest connected part in order of creation, and how to pick points on them."""

    mesh: TiledNavMesh
    refs: list[int] = field(default_factory=list)

    def __post_init__(self):
        if not self.refs:
            self.refs = largest_part(self.mesh)

    def place(self, rng: random.Random) -> tuple[int, tuple[float, float, float]]:
        """Return a polygon of the largest part and a point well inside it."""
        ref = rng.choice(self.refs)
        return ref, inner_point(self.mesh.poly_vertices(ref), rng)

    def pairs(self, count: int, seed: int):
        """Return ``count`` random (start ref, start, end ref, end)."""
        rng = random.Random(seed)
        return [self.place(rng) + self.place(rng) for _ in range(count)]


def inner_point(vertices, rng: random.Random) -> tuple[float, float, float]:
    """Return a random convex combination of a flat polygon's vertices."""
    weights = [0.05 + rng.random() for _ in vertices]
    total = sum(weights)
    x, y, z = (sum(w * v[axis] for w, v in zip(weights, vertices)) / total for axis in range(3))
    return (x, y, z)


def all_refs(mesh: TiledNavMesh) -> list[int]:
    return [ref for tile in mesh.tiles() for ref in mesh.tile_polygons(*tile)]


def largest_part(mesh: TiledNavMesh) -> list[int]:
    """Return the polygons of the largest part whose polygons can all reach each other (one-way links apart)."""
    seen, best = set(), []
    for first in all_refs(mesh):
        if first in seen:
            continue
        seen.add(first)
        part = [first]
        for ref in part:
            for other, _kind in mesh.neighbours(ref):
                if other not in seen:
                    seen.add(other)
                    part.append(other)
        if len(part) > len(best):
            best = part
    return best


def cell_tiles(cells, *, cell=CELL, tile_cells=32, height=0.0, layer=0, area=0) -> list[TileData]:
    """Return the tiles of a set of (x, z) cells: a quad per cell, in row-major order, vertices shared within a tile.

    ``height`` is a number or a function of vertex grid coordinates; ``area`` a number or a function of (x, z).
    """
    height_at = height if callable(height) else lambda _x, _z: height
    area_at = area if callable(area) else lambda _x, _z: area
    tiles: dict[tuple[int, int], TileData] = {}
    vertex_of: dict[tuple[int, int], dict[tuple[int, int], int]] = {}
    for x, z in sorted(cells, key=lambda c: (c[1], c[0])):
        key = (x // tile_cells, z // tile_cells)
        tile = tiles.setdefault(key, TileData(key[0], key[1], layer))
        vertices = vertex_of.setdefault(key, {})
        for corner in ((x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)):
            if corner not in vertices:
                vertices[corner] = len(vertices)
                tile.vertices.extend((corner[0] * cell, float(height_at(*corner)), corner[1] * cell))
            tile.indices.append(vertices[corner])
        tile.sizes.append(4)
        tile.areas.append(area_at(x, z))
        tile.flags.append(1)
    return [tiles[key] for key in sorted(tiles, key=lambda k: (k[1], k[0]))]


def cell_mesh(cells, *, links=(), tile_cells=32, cell=CELL, height=0.0, area=0) -> TiledNavMesh:
    """Return a mesh with a quad per cell."""
    tiles = cell_tiles(cells, cell=cell, tile_cells=tile_cells, height=height, area=area)
    return TiledNavMesh._from_tiles(tiles, links, (0.0, 0.0), tile_cells * cell)


def polygon_mesh(vertices, polygons, *, areas=None, links=()) -> TiledNavMesh:
    """Return a mesh of one tile from clean convex polygons given as lists of vertex numbers."""
    tile = TileData(vertices=array("d", [c for v in vertices for c in v]))
    for number, polygon in enumerate(polygons):
        tile.sizes.append(len(polygon))
        tile.indices.extend(polygon)
        tile.areas.append(areas[number] if areas else 0)
        tile.flags.append(1)
    return TiledNavMesh._from_tiles([tile], links)


def strip(length: int, *, tile_cells=32) -> TiledNavMesh:
    """Return a straight row of cells along +X."""
    return cell_mesh([(x, 0) for x in range(length)], tile_cells=tile_cells)


def scatter_cells(width: int, seed: int | None = None, blocked: int = 120) -> list[tuple[int, int]]:
    """Return the free cells of the recipe's field: ``blocked`` per mille of ``width`` × ``width`` cells are missing."""
    rng = Lcg(1000 + width if seed is None else seed)
    return [(x, z) for z in range(width) for x in range(width) if rng.next() % 1000 >= blocked]


def scatter(width: int = 64, *, blocked: int = 120, tile_cells=32, area=0) -> Field:
    """Return the recipe's field of scattered obstacles."""
    return Field(cell_mesh(scatter_cells(width, blocked=blocked), tile_cells=tile_cells, area=area))


def maze_cells(width: int, seed: int, loops: int = 0) -> list[tuple[int, int]]:
    """Return the cells of a perfect maze of ``width`` × ``width`` rooms one cell apart; ``loops`` more walls opened."""
    rng = random.Random(seed)
    rooms = {(0, 0)}
    cells = {(0, 0)}
    stack = [(0, 0)]
    while stack:
        x, z = stack[-1]
        ways = [(dx, dz) for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1))
                if 0 <= x + dx < width and 0 <= z + dz < width and (x + dx, z + dz) not in rooms]
        if not ways:
            stack.pop()
            continue
        dx, dz = rng.choice(ways)
        cells.update({(2 * x + dx, 2 * z + dz), (2 * x + 2 * dx, 2 * z + 2 * dz)})
        rooms.add((x + dx, z + dz))
        stack.append((x + dx, z + dz))
    for _ in range(loops):
        x, z = rng.randrange(width - 1), rng.randrange(width - 1)
        cells.add((2 * x + 1, 2 * z) if rng.random() < 0.5 else (2 * x, 2 * z + 1))
    return sorted(cells, key=lambda c: (c[1], c[0]))


def maze(width: int = 20, *, seed: int = 7, loops: int = 30, tile_cells=32) -> Field:
    """Return a maze with a few loops."""
    return Field(cell_mesh(maze_cells(width, seed, loops), tile_cells=tile_cells))


def two_floors(width: int = 32, *, seed: int = 11, link_count: int = 8, tile_cells=32) -> Field:
    """Return two floors of scattered obstacles, 3 apart, joined by off-mesh links between cell centres."""
    rng = random.Random(seed)
    lower = scatter_cells(width, 2000 + seed)
    upper = scatter_cells(width, 3000 + seed)
    links = []
    while len(links) < link_count:
        x, z = rng.choice(lower)
        up = rng.choice(upper)
        if abs(up[0] - x) + abs(up[1] - z) <= 4:
            start = (CELL * x + 1.0, 0.0, CELL * z + 1.0)
            end = (CELL * up[0] + 1.0, 3.0, CELL * up[1] + 1.0)
            links.append(OffMeshLink(start, end, bidirectional=len(links) % 3 != 2))
    tiles = (cell_tiles(lower, tile_cells=tile_cells) + cell_tiles(upper, tile_cells=tile_cells, height=3.0, layer=1))
    return Field(TiledNavMesh._from_tiles(tiles, links, (0.0, 0.0), tile_cells * CELL))


def rectangles(cells) -> list[tuple[int, int, int, int]]:
    """Cover cells by rectangles x0, z0, x1, z1 (ends excluded): runs along X, put together with equal runs below."""
    free = set(cells)
    done, result = set(), []
    for x, z in sorted(free, key=lambda c: (c[1], c[0])):
        if (x, z) in done:
            continue
        x1 = x
        while (x1, z) in free and (x1, z) not in done and x1 - x < 5:
            x1 += 1
        z1 = z + 1
        while z1 - z < 4 and all((i, z1) in free and (i, z1) not in done for i in range(x, x1)):
            z1 += 1
        done.update((i, j) for i in range(x, x1) for j in range(z, z1))
        result.append((x, z, x1, z1))
    return result


def _indexed(outlines) -> tuple[list[tuple[float, float, float]], list[list[int]]]:
    number: dict[tuple[int, int], int] = {}
    polygons = [[number.setdefault(corner, len(number)) for corner in outline] for outline in outlines]
    return [(CELL * x, 0.0, CELL * z) for x, z in number], polygons


def merged(width: int = 64, *, blocked: int = 120) -> Field:
    """Return the field of scattered obstacles with its cells merged into rectangles of up to 5 × 4 cells.

    Where a rectangle's corner lies on another's side, that side is cut there, so polygons have 4 to 16 vertices.
    """
    parts = rectangles(scatter_cells(width, blocked=blocked))
    corners = {corner for x0, z0, x1, z1 in parts for corner in ((x0, z0), (x1, z0), (x1, z1), (x0, z1))}
    outlines = []
    for x0, z0, x1, z1 in parts:
        outline = ([(x, z0) for x in range(x0, x1)] + [(x1, z) for z in range(z0, z1)]
                   + [(x, z1) for x in range(x1, x0, -1)] + [(x0, z) for z in range(z1, z0, -1)])
        outlines.append([corner for corner in outline if corner in corners])
    return Field(polygon_mesh(*_indexed(outlines)))


def thin_triangles(width: int = 48, *, blocked: int = 120) -> Field:
    """Return the field of scattered obstacles with each run of cells along X cut into long thin triangles."""
    free = set(scatter_cells(width, blocked=blocked))
    outlines = []
    for x, z in sorted(free, key=lambda c: (c[1], c[0])):
        if (x - 1, z) in free:
            continue
        end = x
        while (end, z) in free:
            end += 1
        outlines += [[(x, z + 1), (i, z), (i + 1, z)] for i in range(x, end)]
        outlines += [[(end, z), (i + 1, z + 1), (i, z + 1)] for i in range(x, end)]
    return Field(polygon_mesh(*_indexed(outlines)))
