"""The same input gives the same tiles to the last bit, in every build and on every machine.

After an intended change of the builders `PYTHONPATH=.:tests python tests/test_build_golden.py` prints the new value.
"""

from random import Random

from build_checks import delaunay_like

from onepath.navmesh.build_polygons import tiles_from_polygons
from onepath.packing import fnv1a_64

GOLDEN = 0x9454903b8a9c214d


def rough_level():
    """Return vertices and polygons with something for every step of the repair to do."""
    random = Random(2024)
    points, polygons = delaunay_like(random, 9, 9, 0.3)
    vertices = [(x + 0.001 * z, y, z) for x, y, z in points]
    polygons = [poly[::-1] if number % 3 else poly for number, poly in enumerate(polygons) if number % 11]
    for _ in range(12):
        # Concave arrowheads across and beside the rest.
        x, z, size = random.uniform(0, 12), random.uniform(0, 12), random.uniform(0.5, 3)
        start = len(vertices)
        bend = 0.4 * size
        vertices += [(x, 0.1, z), (x + size, 0.1, z + bend), (x, 0.2, z + size), (x + bend, 0.1, z + bend)]
        polygons.append([start, start + 1, start + 2, start + 3])
    for brick in range(10):
        # A long edge against short ones, and one polygon twice.
        start = len(vertices)
        low, high = 0.9 * brick, 0.9 * brick + 0.9
        vertices += [(low, 0, 20), (high, 0, 20), (high, 0, 21), (low, 0, 21)]
        polygons += [[start, start + 1, start + 2, start + 3]] * (1 + brick % 2)
    vertices += [(0, 0, 19), (9, 0, 19), (9, 0, 20), (0, 0, 20)]
    return vertices, [*polygons, [len(vertices) - 4, len(vertices) - 3, len(vertices) - 2, len(vertices) - 1]]


def digest():
    """Return the hash of everything that three ways of building the level give."""
    content = []
    for options in ({}, {"tile_size": 2.7, "origin": (-0.4, 0.3)}, {"tile_size": 5.3, "merge": True, "weld": 0.01}):
        tiles, report = tiles_from_polygons(*rough_level(), **options)
        for tile in tiles:
            content += [repr(tile.key).encode(), tile.vertices.tobytes(), tile.sizes.tobytes(), tile.indices.tobytes()]
        content.append(repr(report).encode())
    return fnv1a_64(b"".join(content))


def test_the_rough_level_has_its_golden_hash():
    assert f"{digest():016x}" == f"{GOLDEN:016x}"


if __name__ == "__main__":
    print(f"GOLDEN = 0x{digest():016x}")
