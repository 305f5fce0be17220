"""Straight paths: corners, their flags and polygons, links, and corridors that do not hold together."""

from itertools import pairwise

import pytest
from meshes import CELL, cell_mesh, maze, merged, polygon_mesh, scatter, strip, thin_triangles, two_floors
from mode import scaled
from oracles_path import ShortestPaths, path_length

from onepath import CornerFlag, NavMeshQuery, OffMeshLink, OutOfRangeError, QueryFilter

START, END, OFF_MESH = CornerFlag.START, CornerFlag.END, CornerFlag.OFF_MESH


def ref_at(mesh, x, z, y=0.0):
    return NavMeshQuery(mesh, 1).find_nearest_poly((x, y, z), (0.5, 0.5, 0.5))[0]


def cells_between(mesh, *cells):
    return [ref_at(mesh, CELL * x + 1.0, CELL * z + 1.0) for x, z in cells]


def l_bend(**options):
    """
    ..    from the left cell to the right one and down
     .
    """
    mesh = cell_mesh([(0, 0), (1, 0), (1, 1)], **options)
    return NavMeshQuery(mesh), cells_between(mesh, (0, 0), (1, 0), (1, 1))


@pytest.mark.parametrize("tile_cells", [32, 3, 1])
def test_a_straight_strip_of_ten_quads_has_two_corners(tile_cells):
    mesh = strip(10, tile_cells=tile_cells)
    query = NavMeshQuery(mesh)
    refs = cells_between(mesh, *((x, 0) for x in range(10)))
    for z in (0.0, 1.0, 1.7, 2.0):
        corners = query.find_straight_path((0.5, 0.0, z), (19.5, 0.0, z), refs)
        assert corners == [((0.5, 0.0, z), START, refs[0]), ((19.5, 0.0, z), END, refs[9])]


@pytest.mark.parametrize("tile_cells", [32, 1])
def test_a_bend_is_a_corner_that_enters_the_last_polygon_it_touches(tile_cells):
    query, refs = l_bend(tile_cells=tile_cells)
    corners = query.find_straight_path((0.5, 0.0, 1.5), (2.5, 0.0, 3.5), refs)
    assert corners == [
        ((0.5, 0.0, 1.5), START, refs[0]), ((2.0, 0.0, 2.0), 0, refs[2]), ((2.5, 0.0, 3.5), END, refs[2]),
    ]


def test_a_way_that_only_touches_a_vertex_does_not_bend():
    query, refs = l_bend()
    corners = query.find_straight_path((1.0, 0.0, 1.0), (3.0, 0.0, 3.0), refs)
    assert [corner.point for corner in corners] == [(1.0, 0.0, 1.0), (3.0, 0.0, 3.0)]


def test_equal_points_are_one_corner_with_the_flags_of_both():
    query, refs = l_bend()
    here = (1.0, 0.0, 1.0)
    assert query.find_straight_path(here, here, refs[:1]) == [(here, START | END, refs[0])]
    vertex = (2.0, 0.0, 2.0)
    corners = query.find_straight_path(vertex, (2.5, 0.0, 3.5), refs)
    assert [(corner.point, corner.flags) for corner in corners] == [(vertex, START), ((2.5, 0.0, 3.5), END)]
    corners = query.find_straight_path((0.5, 0.0, 1.5), vertex, refs)
    assert [(corner.point, corner.flags) for corner in corners] == [((0.5, 0.0, 1.5), START), (vertex, END)]


def test_a_target_beside_the_last_polygon_becomes_its_closest_point():
    query, refs = l_bend()
    corners = query.find_straight_path((0.5, 0.0, 1.0), (9.0, 5.0, 1.0), refs[:2])
    assert [corner.point for corner in corners] == [(0.5, 0.0, 1.0), (4.0, 0.0, 1.0)]
    above = query.find_straight_path((0.5, 0.0, 1.0), (3.0, 1.6, 1.0), refs[:2])
    assert above[-1].point == (3.0, 1.6, 1.0)


def test_in_a_perfect_maze_the_pulled_string_is_the_shortest_way():
    field = maze(scaled(16, 7), seed=3, loops=0)
    query, oracle = NavMeshQuery(field.mesh), ShortestPaths(field.mesh)
    for start_ref, start, end_ref, end in field.pairs(scaled(150, 15), seed=6):
        path = query.find_path(start_ref, end_ref, start, end)
        corners = query.find_straight_path(start, end, path.refs)
        shortest = oracle.length(start_ref, start, end_ref, end)
        assert path_length([corner.point for corner in corners]) == pytest.approx(shortest, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("make", [lambda: scatter(20), lambda: merged(20), lambda: thin_triangles(16), lambda: maze(8),
                                  lambda: two_floors(12)],
                         ids=["scatter", "merged", "thin_triangles", "maze", "two_floors"])
def test_no_two_corners_in_a_row_are_equal_and_fewer_corners_are_the_first_of_all(make):
    field = make()
    query = NavMeshQuery(field.mesh)
    vertices = [vertex for ref in field.refs for vertex in field.mesh.poly_vertices(ref)]
    for number, (start_ref, start, end_ref, end) in enumerate(field.pairs(scaled(100, 8), seed=2)):
        if number % 3 == 0:
            start, end = field.mesh.poly_vertices(start_ref)[0], field.mesh.poly_vertices(end_ref)[1]
        refs = query.find_path(start_ref, end_ref, start, end).refs
        corners = query.find_straight_path(start, end, refs)
        assert corners[0].flags & START
        assert corners[-1].flags & END
        for corner, following in pairwise(corners):
            assert corner.point != following.point
            assert refs.index(corner.ref) <= refs.index(following.ref)
        assert all(corner.point in vertices for corner in corners[1:-1] if not (corner.flags & OFF_MESH)
                   and field.mesh.links() == [])
        for most in (1, 2, 4):
            first = query.find_straight_path(start, end, refs, most)
            assert first == corners[:most]


def test_a_link_gives_its_entry_and_its_exit():
    """Two platforms; the link leaves from a corner of the first and arrives in the middle of the second."""
    mesh = cell_mesh([(0, 0), (1, 0), (5, 0), (6, 0)], links=[OffMeshLink((3.5, 0.0, 0.5), (11.0, 0.0, 1.0))])
    query = NavMeshQuery(mesh)
    refs = cells_between(mesh, (0, 0), (1, 0), (5, 0), (6, 0))
    corners = query.find_straight_path((0.5, 0.0, 1.5), (13.5, 0.0, 1.5), refs)
    assert corners == [
        ((0.5, 0.0, 1.5), START, refs[0]), ((3.5, 0.0, 0.5), OFF_MESH, refs[1]), ((11.0, 0.0, 1.0), 0, refs[2]),
        ((13.5, 0.0, 1.5), END, refs[3]),
    ]
    assert query.find_straight_path((0.5, 0.0, 1.5), (13.5, 0.0, 1.5), refs, 2) == corners[:2]
    at_entry = query.find_straight_path((3.5, 0.0, 0.5), (11.0, 0.0, 1.0), refs[1:3])
    assert [(corner.point, corner.flags) for corner in at_entry] == [
        ((3.5, 0.0, 0.5), START | OFF_MESH), ((11.0, 0.0, 1.0), END)]
    back = query.find_straight_path((13.5, 0.0, 1.5), (0.5, 0.0, 1.5), refs[::-1])
    assert [(corner.point, corner.flags) for corner in back[1:3]] == [
        ((11.0, 0.0, 1.0), OFF_MESH), ((3.5, 0.0, 0.5), 0)]


def test_a_link_straight_up_keeps_entry_and_exit_apart():
    field = two_floors(4, seed=18, link_count=2)
    mesh = field.mesh
    number, link = next((number, link) for number, link in mesh.links() if link.start[::2] == link.end[::2])
    refs = list(mesh.link_refs(number))
    corners = NavMeshQuery(mesh).find_straight_path(link.start, link.end, refs)
    assert corners == [(link.start, START | OFF_MESH, refs[0]), (link.end, END, refs[1])]


def test_of_several_links_the_nearer_is_taken_unless_the_filter_refuses_it():
    links = [OffMeshLink((1.0, 0.0, 0.5), (9.0, 0.0, 0.5)), OffMeshLink((1.0, 0.0, 1.75), (9.0, 0.0, 1.75), flags=2)]
    mesh = cell_mesh([(0, 0), (4, 0)], links=links)
    query = NavMeshQuery(mesh)
    refs = cells_between(mesh, (0, 0), (4, 0))
    for z, expected in ((0.25, 0.5), (1.9, 1.75)):
        corners = query.find_straight_path((0.5, 0.0, z), (9.5, 0.0, z), refs)
        assert [corner.point[2] for corner in corners] == [z, expected, expected, z]
    corners = query.find_straight_path((0.5, 0.0, 1.9), (9.5, 0.0, 1.9), refs, filter=QueryFilter(exclude=2))
    assert corners[1].point == (1.0, 0.0, 0.5)
    assert query.find_straight_path((0.5, 0.0, 1.9), (9.5, 0.0, 1.9), refs, filter=QueryFilter(exclude=3)) is None


def test_two_edges_end_to_end_are_one_crossing():
    """The polygons share the line x = 2 in two pieces; a string through either half does not bend between them."""
    vertices = [(0, 0, 0), (2, 0, 0), (2, 0, 2), (2, 0, 4), (0, 0, 4), (4, 0, 0), (4, 0, 4)]
    mesh = polygon_mesh(vertices, [[0, 1, 2, 3, 4], [1, 5, 6, 3, 2]])
    query = NavMeshQuery(mesh)
    refs = mesh.tile_polygons(0, 0)
    assert mesh.neighbours(refs[0]) == [(refs[1], "edge")] * 2
    for z in (1.0, 3.0):
        corners = query.find_straight_path((0.5, 0.0, z), (3.5, 0.0, z), refs)
        assert [corner.point for corner in corners] == [(0.5, 0.0, z), (3.5, 0.0, z)]


def test_a_corridor_that_does_not_hold_together_has_no_corners():
    query, refs = l_bend()
    here, there = (0.5, 0.0, 1.5), (2.5, 0.0, 3.5)
    for broken in ([], [0], [refs[0], refs[2]], [refs[0], 0, refs[2]], [refs[0], refs[1], refs[2] + 7], [2**64 - 1]):
        assert query.find_straight_path(here, there, broken) is None
    query.mesh.replace_tile(query.mesh.tile_data(0, 0))
    assert query.find_straight_path(here, there, refs) is None


def test_a_disabled_link_does_not_hold_a_corridor_together():
    mesh = cell_mesh([(0, 0), (4, 0)], links=[OffMeshLink((1.0, 0.0, 1.0), (9.0, 0.0, 1.0), bidirectional=False)])
    query = NavMeshQuery(mesh)
    refs = cells_between(mesh, (0, 0), (4, 0))
    assert len(query.find_straight_path((1, 0, 1), (9, 0, 1), refs)) == 2
    assert query.find_straight_path((9, 0, 1), (1, 0, 1), refs[::-1]) is None
    mesh.set_link_enabled(mesh.links()[0][0], False)
    assert query.find_straight_path((1, 0, 1), (9, 0, 1), refs) is None


def test_the_corridor_is_read_no_further_than_the_corners_need():
    """The bend shows at the crossing into the fourth cell; the fifth is bad."""
    mesh = cell_mesh([(0, 0), (1, 0), (1, 1), (1, 2)])
    query = NavMeshQuery(mesh)
    refs = [*cells_between(mesh, (0, 0), (1, 0), (1, 1), (1, 2)), 0]
    assert query.find_straight_path((0.5, 0.0, 1.5), (2.5, 0.0, 5.5), refs) is None
    assert query.find_straight_path((0.5, 0.0, 1.5), (2.5, 0.0, 5.5), refs, 2)[1].point == (2.0, 0.0, 2.0)


def test_more_corners_than_there_was_room_for_are_written():
    """A comb whose teeth make the way bend twice each."""
    length = scaled(2100, 40)
    cells = [(x, z) for x in range(2 * length) for z in range(3)
             if x % 2 == 0 or z == (0 if x % 4 == 1 else 2)]
    query = NavMeshQuery(cell_mesh(cells, tile_cells=64))
    way = []
    for x in range(2 * length - 1):
        rows = range(3) if x % 4 == 2 else range(2, -1, -1)
        way += [(x, z) for z in rows] if x % 2 == 0 else [(x, 0 if x % 4 == 1 else 2)]
    refs = cells_between(query.mesh, *way)
    end = (CELL * way[-1][0] + 1.0, 0.0, CELL * way[-1][1] + 1.0)
    corners = query.find_straight_path((1.0, 0.0, 5.0), end, refs, 1 << 20)
    assert len(corners) > 2 * length - 4
    assert corners[-1].flags == END


@pytest.mark.parametrize("name", ["position", "target", "refs", "max_corners"])
def test_bad_values_are_refused_by_name(name):
    query, refs = l_bend()
    good = {"position": (1, 0, 1), "target": (3, 0, 1), "refs": refs, "max_corners": 9}
    for bad in (None, 0, -1, 2**40, float("nan")):
        with pytest.raises(OutOfRangeError, match=name):
            query.find_straight_path(**{**good, name: bad})
