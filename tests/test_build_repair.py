"""Concave outlines are split, T-junctions joined, crowded edges reported: meshes as they come."""

from itertools import pairwise
from math import cos, pi, sin
from random import Random

import pytest
from build_checks import area_of, delaunay_like, faults, flat, islands, outlines, shared_edges, total_area
from mode import scaled

from onepath.navmesh.build_polygons import tiles_from_polygons

L_SHAPE = [(0, 0, 0), (2, 0, 0), (2, 0, 1), (1, 0, 1), (1, 0, 2), (0, 0, 2)]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("first", range(6))
def test_an_l_becomes_two_convex_polygons_that_are_joined(first, turned):
    order = [(first + step) % 6 for step in range(6)]
    (tile,), report = tiles_from_polygons(L_SHAPE, [order[::-1] if turned else order])
    assert faults([tile]) == []
    assert tile.poly_count == 2
    assert shared_edges(tile) == {(0, 1)}
    assert total_area([tile]) == 3.0
    assert report.split_concave == (0,)
    assert not any(x > 1.0 and z > 1.0 for outline in outlines([tile]) for x, _, z in outline)


def test_a_comb_keeps_its_area_and_hangs_together():
    teeth = 40
    points = [(2 * teeth, -1), (2 * teeth, 0)]
    for tooth in reversed(range(teeth)):
        points += [(2 * tooth + 1, 0), (2 * tooth + 1, 5), (2 * tooth, 5), (2 * tooth, 0)]
    points.append((0, -1))
    (tile,), report = tiles_from_polygons(flat(*points), [list(range(len(points)))], weld=1e-5)
    assert faults([tile]) == []
    assert total_area([tile]) == pytest.approx(2 * teeth + 5 * teeth)
    assert islands(tile) == 1
    assert tile.poly_count <= 3 * teeth
    assert report.split_concave == (0,)


def test_a_circle_of_many_vertices_is_cut_into_polygons_of_at_most_sixteen():
    circle = [(10 * cos(2 * pi * k / 100), 0.0, 10 * sin(2 * pi * k / 100)) for k in range(100)]
    (tile,), report = tiles_from_polygons(circle, [list(range(100))])
    assert faults([tile]) == []
    assert total_area([tile]) == pytest.approx(area_of(circle))
    assert islands(tile) == 1
    assert report.split_large == (0,)
    assert report.split_concave == ()


def test_a_long_edge_is_joined_to_two_half_edges():
    vertices = flat((0, 0), (2, 0), (2, 1), (1, 1), (0, 1), (0, 2), (1, 2), (2, 2))
    (tile,), report = tiles_from_polygons(vertices, [[0, 1, 2, 4], [4, 3, 6, 5], [3, 2, 7, 6]])
    assert faults([tile]) == []
    assert shared_edges(tile) == {(0, 1), (0, 2), (1, 2)}
    assert report.split_edges == (0,)


def test_a_vertex_beside_the_long_edge_bends_it_and_stays_convex():
    for offset in (4e-3, -4e-3):
        vertices = flat((0, 0), (2, 0), (2, 1), (1, 1 + offset), (0, 1), (0, 2), (1, 2), (2, 2))
        (tile,), _ = tiles_from_polygons(vertices, [[0, 1, 2, 4], [4, 3, 6, 5], [3, 2, 7, 6]], weld=5e-3)
        assert faults([tile]) == []
        assert islands(tile) == 1


def test_edges_that_overlap_by_halves_are_joined_on_the_common_half():
    vertices = flat((0, 0), (2, 0), (2, 1), (0, 1), (1, 1), (3, 1), (3, 2), (1, 2))
    (tile,), report = tiles_from_polygons(vertices, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert shared_edges(tile) == {(0, 1)}
    assert report.split_edges == (0, 1)


def test_two_quads_nearly_a_metre_apart_are_not_joined():
    vertices = flat((0, 0), (1, 0), (1, 1), (0, 1), (1.9, 0), (2.9, 0), (2.9, 1), (1.9, 1))
    (tile,), report = tiles_from_polygons(vertices, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert islands(tile) == 2
    assert report.split_edges == ()


@pytest.mark.parametrize(("height", "joined"), [(0.5, True), (0.9, True), (1.0, False)])
def test_a_junction_is_joined_up_to_max_climb(height, joined):
    vertices = flat((0, 0), (2, 0), (2, 1), (1, 1), (0, 1), (0, 2), (1, 2), (2, 2))
    vertices[3] = (1.0, height, 1.0)
    (tile,), _ = tiles_from_polygons(vertices, [[0, 1, 2, 4], [4, 3, 6, 5], [3, 2, 7, 6]], max_climb=0.9)
    assert ((0, 1) in shared_edges(tile)) == joined


def test_the_corner_of_a_platform_over_the_rim_of_the_floor_bends_nothing():
    floor = flat((0, 0), (4, 0), (4, 4), (0, 4))
    platform = [(x, 0.5, z) for x, _, z in flat((1, 0), (3, 0), (3, 2), (1, 2))]
    (tile,), report = tiles_from_polygons(floor + platform, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert [{y for _, y, _ in outline} for outline in outlines([tile])] == [{0.0}, {0.5}]
    assert report.split_edges == ()


def test_of_three_polygons_on_an_edge_two_are_joined_and_the_third_is_reported():
    vertices = [(0, 0, 0), (0, 0, 1), (-1, 0, 0), (1, 0, 0), (1, 2, 0)]
    (tile,), report = tiles_from_polygons(vertices, [[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    assert shared_edges(tile) == {(0, 1)}
    assert report.crowded_edges == (2,)


def test_triangles_quads_and_larger_polygons_may_be_mixed():
    vertices = flat((0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1), (1, 2), (0, 2), (-1, 1))
    polygons = [[0, 1, 4, 5], [1, 2, 3], [4, 3, 1], [5, 4, 6, 7, 8], [0, 5, 8]]
    (tile,), report = tiles_from_polygons(vertices, polygons)
    assert faults([tile]) == []
    assert tile.poly_count == 5
    assert islands(tile) == 1
    assert report.dropped == ()


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("seed", range(3))
def test_a_spoilt_triangulation_is_made_whole_again(seed, shift):
    """Every polygon with vertices of its own, jittered, shuffled, wound at random, with repeats and rubbish."""
    random = Random(seed)
    side = scaled(30, 8)
    points, polygons = delaunay_like(random, side, side, 0.3)
    area = sum(area_of([points[vertex] for vertex in poly]) for poly in polygons)
    vertices, spoilt = [], []
    for poly in polygons:
        outline = []
        for vertex in poly:
            x, y, z = (value + random.uniform(-1e-5, 1e-5) for value in points[vertex])
            outline += [len(vertices)] * random.choice((1, 1, 1, 2))
            vertices.append((x + shift, y, z - shift))
        turn = random.randrange(len(outline))
        outline = outline[turn:] + outline[:turn]
        spoilt.append(outline[::-1] if random.random() < 0.5 else outline)
    rubbish = [[0, 0, 0], [0, 1], [2, 2, 3, 3]]
    spoilt += rubbish
    random.shuffle(spoilt)
    (tile,), report = tiles_from_polygons(vertices, spoilt, weld=1e-4)
    assert faults([tile]) == []
    assert tile.poly_count == len(polygons)
    assert tile.vertex_count == len(points)
    assert islands(tile) == 1
    assert len(shared_edges(tile)) == 3 * side * side - 2 * side
    assert total_area([tile]) == pytest.approx(area, rel=1e-4)
    assert len(report.dropped_degenerate) == len(rubbish)


def star_outline(random, corners):
    """Return a simple outline that is anything but convex."""
    return [(radius * cos(2 * pi * k / corners), 0.0, radius * sin(2 * pi * k / corners))
            for k, radius in enumerate(random.uniform(1.0, 8.0) for _ in range(corners))]


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_random_concave_outlines_keep_their_area_in_joined_convex_pieces(shift):
    random = Random(5)
    for corners in [*range(4, scaled(60, 20)), 200]:
        star = [(x + shift, y, z + shift) for x, y, z in star_outline(random, corners)]
        (tile,), report = tiles_from_polygons(star, [list(range(corners))], weld=1e-6)
        assert faults([tile]) == []
        assert total_area([tile]) == pytest.approx(area_of(star), rel=1e-6)
        assert islands(tile) == 1
        assert report.incomplete == ()


def test_a_brick_wall_of_random_bricks_is_joined_everywhere():
    """Rows of bricks whose joints do not meet: nothing but T-junctions."""
    random = Random(11)
    length, rows = 20, scaled(20, 5)
    vertices, bricks = [], []
    joints = 0
    for row in range(rows):
        ends = [0.0, *sorted(random.uniform(0.0, length) for _ in range(15)), float(length)]
        joints += len(ends) - 2
        for low, high in pairwise(ends):
            start = len(vertices)
            vertices += flat((low, row), (high, row), (high, row + 1), (low, row + 1))
            bricks.append([start, start + 1, start + 2, start + 3])
    (tile,), _ = tiles_from_polygons(vertices, bricks, weld=1e-5)
    assert faults([tile]) == []
    assert tile.poly_count == len(bricks)
    assert total_area([tile]) == pytest.approx(length * rows)
    # Within a row each joint joins two bricks; between rows each stretch between joints of either does.
    assert len(shared_edges(tile)) == joints + (rows - 1) * (2 * 15 + 1)
