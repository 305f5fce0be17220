"""Path search: both node models against exact oracles, slices, links, costs, partial ways, edits and bad references."""

import gc
import random
import tracemalloc
from itertools import pairwise
from math import dist

import numpy as np
import pytest
from meshes import (
    CELL,
    Field,
    all_refs,
    cell_mesh,
    cell_tiles,
    inner_point,
    maze,
    merged,
    polygon_mesh,
    scatter,
    scatter_cells,
    strip,
    thin_triangles,
    two_floors,
)
from mode import scaled
from oracles_path import ShortestPaths, cheapest, path_length
from traced import FRAMES, held_from

from onepath import NavMeshQuery, NodeModel, OffMeshLink, OutOfRangeError, PathStatus, QueryFilter, TiledNavMesh

MODELS = [NodeModel.CROSSING, NodeModel.POLYGON]
COSTS = {0: 1.0, 1: 0.5, 2: 10.0}


def ref_at(mesh, x, z, y=0.0):
    return NavMeshQuery(mesh, 1).find_nearest_poly((x, y, z), (0.5, 1.0, 0.5))[0]


def cell_centre(x, z, y=0.0):
    return (CELL * x + 1.0, y, CELL * z + 1.0)


def search_cells(query, start, end, **options):
    """Search from cell to cell of a mesh of cells."""
    a, b = cell_centre(*start), cell_centre(*end)
    return query.find_path(ref_at(query.mesh, a[0], a[2], a[1]), ref_at(query.mesh, b[0], b[2], b[1]), a, b, **options)


def outline(mesh, ref):
    return mesh.poly_vertices(ref)


def banded(width):
    """A scattered field whose cells have areas 0, 1 and 2 in patches."""
    return scatter(width, area=lambda x, z: (x // 3 + 2 * (z // 4)) % 3)


def assert_connected(mesh, refs):
    for ref, following in pairwise(refs):
        assert following in [other for other, _kind in mesh.neighbours(ref)]


FIELDS = {
    "scatter": (lambda: scatter(scaled(64, 24)), 1.02, 1.10),
    "maze": (lambda: maze(scaled(20, 8), loops=scaled(30, 8)), 1.02, 1.10),
    "two_floors": (lambda: two_floors(scaled(32, 12)), 1.02, 1.10),
    "two_floors_few_links": (lambda: two_floors(scaled(24, 10), seed=6, link_count=4), 1.02, 1.10),
    "merged": (lambda: merged(scaled(64, 24)), 1.05, 1.25),
    "thin_triangles": (lambda: thin_triangles(scaled(48, 16)), 1.05, 1.25),
}


@pytest.mark.parametrize("kind", FIELDS)
def test_pulled_crossing_routes_are_nearly_the_shortest_ways(kind):
    make, most_on_average, most = FIELDS[kind]
    field = make()
    query = NavMeshQuery(field.mesh)
    oracle = ShortestPaths(field.mesh)
    ratios = []
    for start_ref, start, end_ref, end in field.pairs(scaled(300, 12), seed=5):
        path = query.find_path(start_ref, end_ref, start, end)
        if path.status != PathStatus.SUCCESS:
            assert oracle.length(start_ref, start, end_ref, end) == float("inf")
            continue
        assert_connected(field.mesh, path.refs)
        corners = query.find_straight_path(start, end, path.refs)
        ratios.append(path_length([c.point for c in corners]) / oracle.length(start_ref, start, end_ref, end))
    assert len(ratios) > 0.7 * scaled(300, 12)
    assert min(ratios) > 1.0 - 1e-9
    assert sum(ratios) / len(ratios) <= most_on_average
    assert max(ratios) <= most


@pytest.mark.parametrize("kind", ["scatter", "areas", "two_floors", "merged"])
def test_polygon_node_costs_are_dijkstras(kind):
    field = {"scatter": lambda: scatter(scaled(32, 12)), "areas": lambda: banded(scaled(32, 12)),
             "two_floors": lambda: two_floors(scaled(24, 10)), "merged": lambda: merged(scaled(48, 20))}[kind]()
    query = NavMeshQuery(field.mesh, model=NodeModel.POLYGON)
    filter = QueryFilter(costs=COSTS)
    for start_ref, start, end_ref, end in field.pairs(scaled(60, 8), seed=3):
        path = query.find_path(start_ref, end_ref, start, end, filter)
        expected = cheapest(field.mesh, COSTS, start_ref, start, end_ref, end)
        assert path.cost == pytest.approx(expected, rel=1e-12) or path.status == PathStatus.PARTIAL
        assert (path.status == PathStatus.PARTIAL) == (expected == float("inf"))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("make", [lambda: banded(12), lambda: two_floors(10), lambda: thin_triangles(10)],
                         ids=["areas", "two_floors", "thin_triangles"])
def test_any_slicing_gives_what_one_call_gives(model, make):
    field = make()
    whole = NavMeshQuery(field.mesh, model=model)
    sliced = NavMeshQuery(field.mesh, model=model)
    filter = QueryFilter(costs=COSTS)
    for start_ref, start, end_ref, end in field.pairs(scaled(10, 2), seed=9):
        expected = whole.find_path(start_ref, end_ref, start, end, filter)
        for budget in (1, 2, 3, 5, 17, 100):
            status, total = sliced.begin_path(start_ref, end_ref, start, end, filter), 0
            while status == PathStatus.IN_PROGRESS:
                status, done = sliced.update_path(budget)
                assert done <= budget
                assert done == budget or status != PathStatus.IN_PROGRESS
                total += done
            assert total == expected.iterations
            assert sliced.end_path() == expected
            assert sliced.update_path(budget) == (status, 0)


def test_other_questions_do_not_disturb_a_search_under_way():
    field = scatter(12)
    query = NavMeshQuery(field.mesh)
    start_ref, start, end_ref, end = field.pairs(1, seed=2)[0]
    expected = query.find_path(start_ref, end_ref, start, end)
    query.begin_path(start_ref, end_ref, start, end)
    while query.update_path(1)[0] == PathStatus.IN_PROGRESS:
        query.find_nearest_poly(start)
        query.raycast(start_ref, start, end)
        query.find_walls(end_ref, end, 6.0)
        query.find_straight_path(start, end, expected.refs)
    assert query.end_path() == expected


@pytest.mark.parametrize("model", MODELS)
def test_a_way_within_one_polygon_is_straight_and_costs_its_area(model):
    query = NavMeshQuery(cell_mesh([(0, 0), (1, 0)], area=2), model=model)
    ref = ref_at(query.mesh, 1.0, 1.0)
    path = query.find_path(ref, ref, (0.5, 0.0, 0.5), (0.5, 0.0, 1.5), QueryFilter(costs=COSTS))
    assert path == (PathStatus.SUCCESS, [ref], 10.0, False, 0)


@pytest.mark.parametrize("model", MODELS)
def test_costs_of_a_straight_way_add_up(model):
    query = NavMeshQuery(cell_mesh([(x, 0) for x in range(4)], area=lambda x, _z: x % 2), model=model)
    path = search_cells(query, (0, 0), (3, 0), filter=QueryFilter(costs={1: 3.0}))
    # Centres are 2 apart; polygon nodes pay for the polygon left, crossing nodes for the one walked over.
    assert path.cost == (2.0 + 6.0 + 2.0 if model == NodeModel.POLYGON else 1.0 + 6.0 + 2.0 + 3.0)


@pytest.mark.parametrize("model", MODELS)
def test_a_dear_area_is_walked_round(model):
    cells = [(x, z) for z in range(3) for x in range(5)]
    mesh = cell_mesh(cells, area=lambda x, z: 2 if x == 2 and z < 2 else 0)
    query = NavMeshQuery(mesh, model=model)
    dear = {ref_at(mesh, *cell_centre(2, z)[::2]) for z in (0, 1)}
    assert dear & set(search_cells(query, (0, 0), (4, 0)).refs)
    assert not dear & set(search_cells(query, (0, 0), (4, 0), filter=QueryFilter(costs=COSTS)).refs)
    assert not dear & set(search_cells(query, (0, 0), (4, 0), filter=QueryFilter(forbidden_areas=[2])).refs)


@pytest.mark.parametrize("model", MODELS)
def test_an_unreachable_end_leads_to_the_closest_polygon(model):
    """
    ...#..   start at the left, end on the right island
    ...#..
    """
    mesh = cell_mesh([(x, z) for z in range(2) for x in range(6) if x != 3])
    path = search_cells(NavMeshQuery(mesh, model=model), (0, 0), (5, 1))
    assert path.status == PathStatus.PARTIAL
    assert not path.out_of_nodes
    assert path.refs[-1] == ref_at(mesh, *cell_centre(2, 1)[::2])


@pytest.mark.parametrize("model", MODELS)
def test_an_unreachable_end_leads_into_the_polygon_that_comes_nearest_wherever_its_node_stands(model):
    """
    Start in the square s, end on the island i. The room r is entered 11 away from it, the hall h 18 away; but the
    hall comes as near as 2.

                  i
    hhhhhhhhhhhhhhhhhhhh
    sppprrr
    """
    mesh = polygon_mesh([(0, 0, 0), (2, 0, 0), (2, 0, 2), (0, 0, 2), (8, 0, 0), (8, 0, 1), (14, 0, 0), (14, 0, 1),
                         (30, 0, 2), (30, 0, 4), (0, 0, 4), (18, 0, 6), (20, 0, 6), (20, 0, 8), (18, 0, 8)],
                        [[0, 1, 2, 3], [1, 4, 5, 2], [4, 6, 7, 5], [3, 2, 8, 9, 10], [11, 12, 13, 14]])
    start, _passage, _room, hall, island = all_refs(mesh)
    path = NavMeshQuery(mesh, model=model).find_path(start, island, (1, 0, 1), (19, 0, 6))
    assert (path.status, path.refs) == (PathStatus.PARTIAL, [start, hall])


def reachable_from(mesh, start):
    found = [start]
    for ref in found:
        found += [other for other, _kind in mesh.neighbours(ref) if other not in found]
    return found


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("make", [scatter, merged, thin_triangles, two_floors], ids=lambda make: make.__name__)
def test_ways_to_unreachable_ends_stop_where_brute_force_over_all_reachable_polygons_does(make, model):
    islands = {"link_count": 0} if make is two_floors else {"blocked": 420}
    mesh = make(scaled(20, 12), **islands).mesh
    query = NavMeshQuery(mesh, model=model)
    rng = random.Random(31)
    partial = 0
    for _ in range(scaled(300, 40)):
        start_ref, end_ref = rng.choice(all_refs(mesh)), rng.choice(all_refs(mesh))
        start, end = inner_point(outline(mesh, start_ref), rng), inner_point(outline(mesh, end_ref), rng)
        path = query.find_path(start_ref, end_ref, start, end)
        reachable = reachable_from(mesh, start_ref)
        assert (path.status == PathStatus.SUCCESS) == (end_ref in reachable)
        if end_ref not in reachable:
            gaps = {ref: dist(query.closest_point_on_poly(ref, end)[0], end) for ref in reachable}
            assert gaps[path.refs[-1]] == min(gaps.values())
            assert_connected(mesh, path.refs)
            partial += 1
    assert partial > scaled(40, 5)


@pytest.mark.parametrize("model", MODELS)
def test_a_search_that_runs_out_of_nodes_says_so(model):
    mesh = cell_mesh([(x, z) for z in range(20) for x in range(20)])
    path = search_cells(NavMeshQuery(mesh, 12, model), (0, 0), (19, 7))
    assert (path.status, path.out_of_nodes) == (PathStatus.PARTIAL, True)
    assert 1 < len(path.refs) <= 12
    assert_connected(mesh, path.refs)
    smallest = search_cells(NavMeshQuery(mesh, 1, model), (0, 0), (19, 7))
    assert (smallest.status, smallest.out_of_nodes, len(smallest.refs)) == (PathStatus.PARTIAL, True, 1)


@pytest.mark.parametrize("model", MODELS)
def test_bad_references_are_results(model):
    mesh = cell_mesh([(0, 0), (1, 0)], tile_cells=1)
    query = NavMeshQuery(mesh, model=model)
    good = ref_at(mesh, 1.0, 1.0)
    stale = ref_at(mesh, 3.0, 1.0)
    mesh.replace_tile(mesh.tile_data(1, 0))
    for bad in (0, -1, 2**64 - 1, 2**64, 2**70, stale, good + 1, good ^ (1 << 50), None, "ref", 1.5):
        empty = ([], 0.0, False, 0)
        assert query.find_path(bad, good, (1, 0, 1), (1, 0, 1)) == (PathStatus.INVALID_START, *empty)
        assert query.find_path(good, bad, (1, 0, 1), (3, 0, 1)) == (PathStatus.INVALID_END, *empty)
        assert query.begin_path(bad, bad, (1, 0, 1), (1, 0, 1)) == PathStatus.INVALID_START
        assert query.update_path(10) == (PathStatus.INVALID_START, 0)
        assert query.end_path() == (PathStatus.INVALID_START, *empty)


def test_polygons_that_the_filter_refuses_are_no_start_and_no_end():
    mesh = cell_mesh([(0, 0), (1, 0), (2, 0)], area=lambda x, _z: x)
    query = NavMeshQuery(mesh)
    assert search_cells(query, (0, 0), (2, 0), filter=QueryFilter(forbidden_areas=[0])).status == 3
    assert search_cells(query, (0, 0), (2, 0), filter=QueryFilter(forbidden_areas=[2])).status == 4
    blocked = search_cells(query, (0, 0), (2, 0), filter=QueryFilter(forbidden_areas=[1]))
    assert (blocked.status, len(blocked.refs)) == (PathStatus.PARTIAL, 1)


def test_a_search_that_was_never_begun_has_an_invalid_start():
    query = NavMeshQuery(strip(2))
    assert query.update_path(5) == (PathStatus.INVALID_START, 0)
    assert query.end_path() == (PathStatus.INVALID_START, [], 0.0, False, 0)


@pytest.mark.parametrize("model", MODELS)
def test_links_are_crossed_one_way_or_both_and_only_while_enabled(model):
    """Two platforms of one cell, four units apart."""
    link = OffMeshLink((1.0, 0.0, 1.0), (7.0, 0.0, 1.0), bidirectional=False, area=3, flags=4)
    mesh = cell_mesh([(0, 0), (3, 0)], links=[link])
    query = NavMeshQuery(mesh, model=model)
    there = search_cells(query, (0, 0), (3, 0))
    assert (there.status, len(there.refs), there.cost) == (PathStatus.SUCCESS, 2, 6.0)
    assert search_cells(query, (3, 0), (0, 0)).status == PathStatus.PARTIAL
    assert search_cells(query, (0, 0), (3, 0), filter=QueryFilter(costs={3: 2.5})).cost == 15.0
    assert search_cells(query, (0, 0), (3, 0), filter=QueryFilter(forbidden_areas=[3])).status == PathStatus.PARTIAL
    assert search_cells(query, (0, 0), (3, 0), filter=QueryFilter(exclude=4)).status == PathStatus.PARTIAL
    number = mesh.links()[0][0]
    mesh.set_link_enabled(number, False)
    assert search_cells(query, (0, 0), (3, 0)).status == PathStatus.PARTIAL
    mesh.set_link_enabled(number, True)
    assert search_cells(query, (0, 0), (3, 0)) == there
    mesh.add_link(OffMeshLink((1.0, 0.0, 1.5), (7.0, 0.0, 1.5)))
    assert search_cells(query, (3, 0), (0, 0)).status == PathStatus.SUCCESS


@pytest.mark.parametrize("model", MODELS)
def test_a_long_path_is_cut_at_its_far_end(model):
    query = NavMeshQuery(strip(40), model=model)
    whole = search_cells(query, (0, 0), (39, 0))
    cut = search_cells(query, (0, 0), (39, 0), max_path=7)
    assert len(whole.refs) == 40
    assert cut == whole._replace(refs=whole.refs[:7])
    assert query.end_path(3).refs == whole.refs[:3]


def test_a_strip_of_five_thousand_cells_is_found_to_its_end():
    length = scaled(5000, 600)
    query = NavMeshQuery(strip(length))
    path = search_cells(query, (0, 0), (length - 1, 0), max_path=length)
    assert (path.status, len(path.refs)) == (PathStatus.SUCCESS, length)
    assert path.cost == pytest.approx(2.0 * (length - 1), rel=1e-12)
    assert path.iterations == length - 1


@pytest.mark.parametrize("model", MODELS)
def test_an_edit_in_mid_search_starts_it_over(model):
    field = scatter(12, tile_cells=4)
    mesh = field.mesh
    query, fresh = NavMeshQuery(mesh, model=model), NavMeshQuery(mesh, model=model)
    start_ref, end_ref = ref_at(mesh, 1.0, 1.0), ref_at(mesh, 23.0, 23.0)
    question = (start_ref, end_ref, (1.0, 0.0, 1.0), (23.0, 0.0, 23.0))
    assert query.begin_path(*question) == PathStatus.IN_PROGRESS
    assert query.update_path(5) == (PathStatus.IN_PROGRESS, 5)
    mesh.remove_tile(1, 1)
    assert query.end_path()[:2] == (PathStatus.IN_PROGRESS, [])
    while query.update_path(7)[0] == PathStatus.IN_PROGRESS:
        pass
    after, expected = query.end_path(), fresh.find_path(*question)
    assert after == expected._replace(iterations=expected.iterations + 5)
    mesh.remove_tile(2, 2)
    assert query.end_path()[:2] == (PathStatus.IN_PROGRESS, [])
    assert query.update_path(1000) == (PathStatus.INVALID_END, 0)
    mesh.remove_tile(0, 0)
    assert query.find_path(*question).status == PathStatus.INVALID_START


def test_a_search_goes_on_after_the_mesh_has_grown():
    """New tiles bring polygons, edges, portals and links beyond what the query had room for."""
    mesh = TiledNavMesh((0.0, 0.0), 4 * CELL)
    for tile in cell_tiles([(x, 0) for x in range(4)], tile_cells=4):
        mesh.add_tile(tile)
    query = NavMeshQuery(mesh)
    query.begin_path(ref_at(mesh, 1.0, 1.0), ref_at(mesh, 7.0, 1.0), (1, 0, 1), (7, 0, 1))
    for tile in cell_tiles([(x, z) for x in range(40) for z in range(20) if x > 3], tile_cells=4):
        mesh.add_tile(tile)
    mesh.add_link(OffMeshLink((1.0, 0.0, 1.0), (41.0, 0.0, 21.0)))
    assert query.update_path(100)[0] == PathStatus.SUCCESS
    assert search_cells(query, (0, 0), (39, 19)).status == PathStatus.SUCCESS


@pytest.mark.parametrize("model", MODELS)
def test_a_query_keeps_up_with_a_mesh_that_grows_tile_by_tile(model):
    mesh = TiledNavMesh((0.0, 0.0), 4 * CELL)
    query = NavMeshQuery(mesh, model=model)
    for count, tile in enumerate(cell_tiles([(x, z) for x in range(40) for z in range(4)], tile_cells=4)):
        mesh.add_tile(tile)
        path = search_cells(query, (0, 0), (4 * count + 3, 3))
        assert path.status == PathStatus.SUCCESS
        assert path == search_cells(NavMeshQuery(mesh, model=model), (0, 0), (4 * count + 3, 3))


@pytest.mark.parametrize("model", MODELS)
def test_where_tiles_lie_in_memory_changes_no_way(model):
    cells = scatter_cells(24)
    settled = TiledNavMesh._from_tiles(cell_tiles(cells, tile_cells=6), (), (0.0, 0.0), 6 * CELL)
    moved = TiledNavMesh._from_tiles(cell_tiles(cells, tile_cells=6)[::-1], (), (0.0, 0.0), 6 * CELL)
    for tx, tz in ((1, 1), (3, 0), (0, 2), (2, 3)):
        moved.add_tile(moved.remove_tile(tx, tz))
    ours, theirs = NavMeshQuery(settled, model=model), NavMeshQuery(moved, model=model)
    for _start_ref, start, _end_ref, end in Field(settled).pairs(scaled(40, 5), seed=1):
        question = [(ref_at(mesh, *start[::2]), ref_at(mesh, *end[::2]), start, end) for mesh in (settled, moved)]
        here, there = ours.find_path(*question[0]), theirs.find_path(*question[1])
        assert here._replace(refs=()) == there._replace(refs=())
        assert [outline(settled, ref) for ref in here.refs] == [outline(moved, ref) for ref in there.refs]


@pytest.mark.parametrize("name", ["start", "end", "filter", "max_path", "budget"])
def test_bad_values_are_refused_by_name(name):
    query = NavMeshQuery(strip(2))
    ref = ref_at(query.mesh, 1.0, 1.0)
    good = {"start": (1, 0, 1), "end": (1, 0, 1), "filter": None, "max_path": 9}
    for bad in (float("nan"), (0, float("inf"), 0), (2.0**21, 0, 0), (1, 2), "abc", 0, -1, 2**40):
        if name == "budget":
            with pytest.raises(OutOfRangeError, match="budget"):
                query.update_path(bad)
        else:
            with pytest.raises((OutOfRangeError, TypeError), match=name):
                query.find_path(ref, ref, **{**good, name: bad})


def test_bulk_searches_equal_single_ones():
    field = two_floors(10)
    query = NavMeshQuery(field.mesh)
    pairs = field.pairs(scaled(60, 10), seed=4)
    start_refs, starts, end_refs, ends = map(list, zip(*pairs))
    start_refs[3] = end_refs[5] = 0
    statuses, costs, offsets, refs = query.find_paths(start_refs, end_refs, starts, ends, max_path=150)
    corner_offsets, points, flags, corner_refs = query.find_straight_paths(starts, ends, offsets, refs)
    assert (refs.dtype, offsets.dtype, points.dtype) == (np.uint64, np.int64, np.float64)
    for i, (start_ref, end_ref, start, end) in enumerate(zip(start_refs, end_refs, starts, ends)):
        path = query.find_path(start_ref, end_ref, start, end, max_path=150)
        found = refs[offsets[i]:offsets[i + 1]].tolist()
        assert (statuses[i], costs[i], found) == (path.status, path.cost, path.refs)
        corners = query.find_straight_path(start, end, path.refs) or []
        part = slice(corner_offsets[i], corner_offsets[i + 1])
        assert list(map(tuple, points[part].tolist())) == [corner.point for corner in corners]
        assert flags[part].tolist() == [corner.flags for corner in corners]
        assert corner_refs[part].tolist() == [corner.ref for corner in corners]


def test_bulk_results_longer_than_expected_find_room():
    query = NavMeshQuery(strip(400))
    first, last = ref_at(query.mesh, 1.0, 1.0), ref_at(query.mesh, 799.0, 1.0)
    statuses, _costs, offsets, refs = query.find_paths([first] * 5, [last] * 5, [(1, 0, 1)] * 5, [(799, 0, 1)] * 5)
    assert statuses.tolist() == [0] * 5
    assert offsets.tolist() == [0, 400, 800, 1200, 1600, 2000]
    assert refs[1600:].tolist() == refs[:400].tolist()


def test_bulk_searches_name_bad_arguments():
    query = NavMeshQuery(strip(3))
    row = [(1.0, 0.0, 1.0)]
    for arguments, name in ((([1], [1, 2], row, row), "end_refs"), (([1], [1], row * 2, row), "starts"),
                            (([1], [1], row, [(1, 2)]), "ends"), ((7, [1], row, row), "start_refs")):
        with pytest.raises(OutOfRangeError, match=name):
            query.find_paths(*arguments)
    for offsets in ([0], [0, 2], [1, 0], [-1, 1], ["a", 1], None):
        with pytest.raises(OutOfRangeError, match="offsets"):
            query.find_straight_paths(row, row, offsets, [1])


@pytest.mark.parametrize("model", MODELS)
def test_searches_leave_nothing_behind(model):
    field = scatter(12)
    query = NavMeshQuery(field.mesh, model=model)
    pairs = field.pairs(20, seed=8)

    def ask(rounds):
        for _ in range(rounds):
            for start_ref, start, end_ref, end in pairs:
                path = query.find_path(start_ref, end_ref, start, end)
                query.find_straight_path(start, end, path.refs)

    ask(2)
    gc.collect()
    tracemalloc.start(FRAMES)
    try:
        ask(1)
        before = held_from(__file__)
        ask(scaled(100, 2))
        grown = held_from(__file__) - before
    finally:
        tracemalloc.stop()
    assert grown < 2048
