"""Small worlds for tests of point queries, each a function of a shift along x and z: what they look like, to scale.

Cells are 2 × 2 units, tiles 8 × 8 (four cells a side) unless the world is one tile.
"""

import random
from itertools import pairwise

from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.tile_data import TileData

Point = tuple[float, float, float]

#: What the worlds are shifted by in tests that must not depend on the place.
SHIFTS = (0.0, 1e3, 1e5)


def world_of(outlines: list[list[Point]], shift: float = 0.0, tile_size: float | None = None) -> TiledNavMesh:
    """Make a mesh of convex outlines (vertices shared where equal); each goes to the tile of its middle."""
    tiles: dict[tuple[int, int], TileData] = {}
    numbers: dict[tuple[int, int], dict[Point, int]] = {}
    for outline in outlines:
        key = (0, 0)
        if tile_size is not None:
            middle = [sum(vertex[axis] for vertex in outline) / len(outline) for axis in (0, 2)]
            key = (int(middle[0] // tile_size), int(middle[1] // tile_size))
        tile = tiles.setdefault(key, TileData(*key))
        number = numbers.setdefault(key, {})
        for x, y, z in outline:
            vertex = (x + shift, y, z + shift)
            if vertex not in number:
                number[vertex] = len(number)
                tile.vertices.extend(vertex)
            tile.indices.append(number[vertex])
        tile.sizes.append(len(outline))
        tile.areas.append(0)
        tile.flags.append(1)
    return TiledNavMesh._from_tiles([tiles[key] for key in sorted(tiles)], (), (shift, shift), tile_size)


def rectangle(x0: float, z0: float, x1: float, z1: float, y: float = 0.0) -> list[Point]:
    return [(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)]


def open_cells(width: int, seed: int, blocked: float = 0.2) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [(x, z) for z in range(width) for x in range(width) if rng.random() >= blocked]


def grid(shift: float = 0.0) -> TiledNavMesh:
    """12 × 12 cells, every fifth missing."""
    cells = open_cells(12, 1)
    return world_of([rectangle(2.0 * x, 2.0 * z, 2.0 * x + 2, 2.0 * z + 2) for x, z in cells], shift, 8.0)


def hills(shift: float = 0.0) -> TiledNavMesh:
    """10 × 10 cells whose corners have heights of their own, so that quads are not planar."""
    rng = random.Random(5)
    height = {(x, z): 0.25 * rng.randrange(5) for x in range(11) for z in range(11)}
    outlines = []
    for x, z in open_cells(10, 2):
        corners = [(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)]
        outlines.append([(2.0 * i, height[i, k], 2.0 * k) for i, k in corners])
    return world_of(outlines, shift, 8.0)


def cut_rectangles(x0: float, z0: float, x1: float, z1: float, rng: random.Random) -> list[list[Point]]:
    """Cut a rectangle at random quarters of a unit until its parts are a few units large."""
    wide, deep = x1 - x0, z1 - z0
    if max(wide, deep) <= 2.0 or (max(wide, deep) <= 5.0 and rng.random() < 0.3):
        return [rectangle(x0, z0, x1, z1)]
    if wide >= deep:
        x = x0 + 0.25 * rng.randrange(2, int(4 * wide) - 1)
        return cut_rectangles(x0, z0, x, z1, rng) + cut_rectangles(x, z0, x1, z1, rng)
    z = z0 + 0.25 * rng.randrange(2, int(4 * deep) - 1)
    return cut_rectangles(x0, z0, x1, z, rng) + cut_rectangles(x0, z, x1, z1, rng)


def with_corners_on_sides(outlines: list[list[Point]]) -> list[list[Point]]:
    """Give every outline the corners of others that lie on its sides, so that neighbours share whole edges."""
    corners = sorted({vertex for outline in outlines for vertex in outline})
    result = []
    for outline in outlines:
        grown = []
        for a, b in zip(outline, outline[1:] + outline[:1]):
            dx, dz = b[0] - a[0], b[2] - a[2]
            length2 = dx * dx + dz * dz
            between = []
            for c in corners:
                along = ((c[0] - a[0]) * dx + (c[2] - a[2]) * dz) / length2
                off = abs((c[0] - a[0]) * dz - (c[2] - a[2]) * dx) / length2**0.5
                if 1e-7 < along < 1 - 1e-7 and off < 1e-9:
                    between.append((along, c))
            grown += [a, *(c for _, c in sorted(between))]
        result.append(grown)
    assert max(map(len, result)) <= 16
    return result


def rectangles(shift: float = 0.0) -> TiledNavMesh:
    """3 × 3 tiles of rectangles of many sizes, every sixth missing: borders have whole, covered and open pieces."""
    rng = random.Random(3)
    outlines = []
    for tz in range(3):
        for tx in range(3):
            parts = cut_rectangles(8.0 * tx, 8.0 * tz, 8.0 * tx + 8, 8.0 * tz + 8, rng)
            outlines += with_corners_on_sides([part for part in parts if rng.random() > 0.16])
    return world_of(outlines, shift, 8.0)


def split_outline(outline: list[Point], rng: random.Random, pieces: int) -> list[list[Point]]:
    """Split a convex outline by random lines into convex pieces."""
    if pieces <= 1:
        return [outline]
    count = len(outline)
    first, second = rng.sample(range(count), 2)
    first, second = min(first, second), max(first, second)

    def on_side(i: int) -> Point:
        a, b = outline[i], outline[(i + 1) % count]
        t = rng.uniform(0.3, 0.7)
        return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]))

    p, q = on_side(first), on_side(second)
    left = [p, *outline[first + 1 : second + 1], q]
    right = [q, *outline[second + 1 :], *outline[: first + 1], p]
    share = pieces // 2
    return split_outline(left, rng, share) + split_outline(right, rng, pieces - share)


def shards(shift: float = 0.0) -> TiledNavMesh:
    """A square of 20 units in 48 convex pieces of any shape, every seventh missing, corners on sides collinear within
    rounding only."""
    rng = random.Random(12)
    outlines = split_outline([(x, 0.05 * x, z) for x, _, z in rectangle(0.0, 0.0, 20.0, 20.0)], rng, 48)
    outlines = with_corners_on_sides(outlines)
    return world_of([outline for i, outline in enumerate(outlines) if i % 7 != 3], shift)


def thin_triangles(shift: float = 0.0) -> TiledNavMesh:
    """Three strips along x, 6, 0.05 and 4 deep, cut into triangles as thin as 0.25 by 6; some missing."""
    rows = [(0.0, 0.25), (6.0, 5.0), (6.05, 5.0), (10.05, 0.5)]
    outlines: list[list[Point]] = []
    for (z0, step0), (z1, step1) in pairwise(rows):
        below = [step0 * i for i in range(int(20 / step0) + 1)]
        above = [step1 * i for i in range(int(20 / step1) + 1)]
        i = k = 0
        while i + 1 < len(below) or k + 1 < len(above):
            if k + 1 == len(above) or (i + 1 < len(below) and below[i + 1] <= above[k + 1]):
                outlines.append([(below[i], 0.0, z0), (below[i + 1], 0.0, z0), (above[k], 0.0, z1)])
                i += 1
            else:
                outlines.append([(above[k + 1], 0.0, z1), (above[k], 0.0, z1), (below[i], 0.0, z0)])
                k += 1
    return world_of([outline for i, outline in enumerate(outlines) if i % 11 != 5], shift)


def two_floors(shift: float = 0.0) -> TiledNavMesh:
    """A floor of 7 × 7 cells at 0, one of 6 × 6 at 3 above it, and a ramp between them along the far side."""
    outlines = [rectangle(2.0 * x, 2.0 * z, 2.0 * x + 2, 2.0 * z + 2) for x in range(7) for z in range(6)
                if (x, z) not in ((2, 2), (4, 3))]
    outlines.append(rectangle(12.0, 12.0, 14.0, 14.0))
    for x in range(6):
        low, high = 3.0 - 0.5 * x, 2.5 - 0.5 * x
        outlines.append([(2.0 * x, low, 12.0), (2.0 * x + 2, high, 12.0), (2.0 * x + 2, high, 14.0),
                         (2.0 * x, low, 14.0)])
    outlines.append(rectangle(-2.0, 12.0, 0.0, 14.0, 3.0))
    outlines += [rectangle(2.0 * x - 2, 2.0 * z, 2.0 * x, 2.0 * z + 2, 3.0) for x in range(6) for z in range(6)
                 if (x, z) != (3, 3)]
    return world_of(outlines, shift)


WORLDS = {make.__name__: make for make in (grid, hills, rectangles, shards, thin_triangles, two_floors)}


def all_refs(mesh: TiledNavMesh) -> list[int]:
    """Every polygon, by tile and number."""
    return [ref for tile in mesh.tiles() for ref in mesh.tile_polygons(*tile)]


def place_in(mesh: TiledNavMesh, ref: int, rng: random.Random) -> Point:
    """A random point of a polygon's outline at a height of no meaning."""
    vertices = mesh.poly_vertices(ref)
    weights = [rng.random() + 1e-3 for _ in vertices]
    total = sum(weights)
    return tuple(sum(w * v[axis] for w, v in zip(weights, vertices)) / total for axis in range(3))
