"""What the tests of the builders measure on tiles, independently of how the builders work."""

from fractions import Fraction
from itertools import pairwise


def flat(*points):
    """Return points on the ground from pairs of x and z."""
    return [(float(x), 0.0, float(z)) for x, z in points]


def delaunay_like(random, rows, columns, jitter):
    """Return a jittered grid of points and its cells cut into triangles along a random diagonal."""
    def near(value):
        return value + random.uniform(-jitter, jitter)

    points = [(near(column), random.uniform(-0.2, 0.2), near(row))
              for row in range(rows + 1) for column in range(columns + 1)]
    polygons = []
    for row in range(rows):
        for column in range(columns):
            a = row * (columns + 1) + column
            b, c, d = a + 1, a + columns + 2, a + columns + 1
            polygons += [[a, b, c], [a, c, d]] if random.random() < 0.5 else [[a, b, d], [b, c, d]]
    return points, polygons


def outlines(tiles):
    """Return the corners of every polygon as (x, y, z), tile after tile."""
    return [[tuple(tile.vertices[3 * vertex:3 * vertex + 3]) for vertex in poly]
            for tile in tiles for poly in tile.polygons()]


def area_of(outline):
    """Return the exact area of an outline in X/Z, positive in the library's direction."""
    points = [(Fraction(x), Fraction(z)) for x, _, z in outline]
    return float(sum(ax * bz - az * bx for (ax, az), (bx, bz) in zip(points, points[1:] + points[:1])) / 2)


def total_area(tiles):
    """Return the sum of the areas of all polygons."""
    return sum(area_of(outline) for outline in outlines(tiles))


def dent(outline):
    """Return how far a corner lies on the wrong side of an edge at most."""
    deepest = 0.0
    for (ax, _, az), (bx, _, bz) in zip(outline, outline[1:] + outline[:1]):
        length = ((bx - ax) ** 2 + (bz - az) ** 2) ** 0.5
        for x, _, z in outline:
            deepest = max(deepest, -((bx - ax) * (z - az) - (bz - az) * (x - ax)) / length)
    return deepest


def faults(tiles):
    """Return what is wrong with tiles, in words; an empty list if nothing is."""
    found = []
    for outline in outlines(tiles):
        ground = [(x, z) for x, _, z in outline]
        if not 3 <= len(outline) <= 16:
            found.append(f"{len(outline)} vertices")
        elif len(set(ground)) < len(ground):
            found.append(f"repeated vertex in {outline}")
        elif area_of(outline) <= 0.0:
            found.append(f"area {area_of(outline)}")
        elif dent(outline) > 4e-6:
            found.append(f"bent inwards by {dent(outline)}")
    for tile in tiles:
        places = set(zip(tile.vertices[0::3], tile.vertices[1::3], tile.vertices[2::3]))
        if len(places) < tile.vertex_count:
            found.append(f"{tile.vertex_count - len(places)} vertices of tile {tile.key} in the place of others")
    if len({tile.key for tile in tiles}) < len(tiles):
        found.append("two tiles in one place")
    return found


def shared_edges(tile):
    """Return the pairs of polygons that share both vertices of an edge, as {(a, b)} with a < b."""
    owner = {}
    for number, poly in enumerate(tile.polygons()):
        for a, b in zip(poly, poly[1:] + poly[:1]):
            owner.setdefault((a, b), number)
    return {(poly, owner[b, a]) for (a, b), poly in owner.items() if (b, a) in owner and poly < owner[b, a]}


def islands(tile):
    """Return how many connected groups of polygons a tile has."""
    group = list(range(tile.poly_count))

    def root(poly):
        while group[poly] != poly:
            poly = group[poly]
        return poly

    for a, b in sorted(shared_edges(tile)):
        group[root(a)] = root(b)
    return len({root(poly) for poly in group})


def height_at(outline, x, z):
    """Return the height of an outline's fan of triangles at its first vertex, or ``None`` outside it."""
    ax, ay, az = outline[0]
    for (bx, by, bz), (cx, cy, cz) in pairwise(outline[1:]):
        whole = (bx - ax) * (cz - az) - (bz - az) * (cx - ax)
        if whole <= 0.0:
            continue
        b = ((x - ax) * (cz - az) - (z - az) * (cx - ax)) / whole
        c = ((bx - ax) * (z - az) - (bz - az) * (x - ax)) / whole
        if b >= -1e-9 and c >= -1e-9 and b + c <= 1.0 + 1e-9:
            return ay + b * (by - ay) + c * (cy - ay)
    return None
