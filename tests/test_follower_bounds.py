"""The bounds that are promised over many random walks and corridors, and that steady steps allocate nothing."""

import random
import sys
import tracemalloc

import pytest
from corridor_tools import (
    distance,
    fresh_corridor,
    path_length,
    placed,
    polygon_query,
    random_point,
    sent,
    walk,
)
from meshes import Field, cell_mesh, maze_cells, scatter, scatter_cells, two_floors
from mode import scaled
from traced import FRAMES, held_from

from onepath.corridors.corridor_replan import CorridorReplan
from onepath.corridors.options import FollowerOptions
from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.path_follower import local_nodes
from onepath.corridors.states import ReplanStatus, Validity
from onepath.corridors.store import FollowerStore
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.mesh import TiledNavMesh
from onepath.queries.query import NavMeshQuery

USUAL = FollowerOptions()
REFINED = FollowerOptions(refine_budget=2000)
FRUGAL = FollowerOptions(replan_budget=40, optimize_interval=0, topology_interval=0)
SIX_FIELDS = range(6)


def scattered(number, width=24):
    return Field(cell_mesh(scatter_cells(width, 500 + number)))


def floors(number, width=20):
    return two_floors(width, seed=100 + number, link_count=8)


def walked_share(query, judge, start, end, options):
    """Walk from start to end; return the way made over the taut length of a fresh crossing-node route."""
    follower = placed(query, start, options)
    fresh = fresh_corridor(judge, follower.corridor.path[0], follower.position, end)
    if not fresh.is_complete:
        return None
    length = path_length([corner.point for corner in fresh.find_corners(judge, 4000)])
    assert follower.set_destination(query, end)
    points = walk(query, follower, 0.05)
    assert follower.reached_target
    assert distance(follower.position, end) <= options.arrival_radius + 1e-9
    return path_length(points) / length if length > 1.0 else 0.0


def check_walks(make_field, fields, pairs, make_query, options, most):
    worst, walks = 0.0, 0
    for number in fields:
        field = make_field(number)
        query, judge = make_query(field.mesh), NavMeshQuery(field.mesh)
        rng = random.Random(number)
        for _ in range(pairs):
            (_ref, start), (_ref, end) = (random_point(rng, query, field.refs) for _ in range(2))
            share = walked_share(query, judge, start, end, options)
            walks += share is not None
            worst = max(worst, share or 0.0)
    print(f"{walks} walks, longest {worst:.4f} times the fresh route")
    assert walks > 0
    assert worst <= most


KINDS = [
    pytest.param(NavMeshQuery, USUAL, 1.08, id="crossing nodes"),
    pytest.param(polygon_query, REFINED, 1.08, id="polygon nodes, refined"),
    pytest.param(NavMeshQuery, FRUGAL, 1.2, id="crossing nodes, 40 a replan, no shortcuts"),
    pytest.param(polygon_query, FRUGAL.replace(refine_budget=2000), 1.2, id="polygon nodes, 40 a replan, no shortcuts"),
]


@pytest.mark.parametrize(("make_query", "options", "most"), KINDS)
def test_walks_among_scattered_obstacles_end_on_the_point_and_are_hardly_longer_than_a_fresh_route(
    make_query, options, most
):
    check_walks(scattered, range(scaled(3, 1)), scaled(10, 2), make_query, options, most)


@pytest.mark.parametrize(("make_query", "options", "most"), KINDS)
def test_walks_on_two_floors_with_links_end_on_the_point_and_are_hardly_longer_than_a_fresh_route(
    make_query, options, most
):
    check_walks(floors, range(scaled(3, 1)), scaled(8, 2), make_query, options, most)


@pytest.mark.full
@pytest.mark.parametrize(("make_query", "options", "most"), KINDS)
def test_750_walks_among_scattered_obstacles(make_query, options, most):
    check_walks(scattered, SIX_FIELDS, scaled(125, 3), make_query, options, most)


@pytest.mark.full
@pytest.mark.parametrize(("make_query", "options", "most"), KINDS)
def test_480_walks_on_two_floors(make_query, options, most):
    check_walks(floors, SIX_FIELDS, scaled(80, 3), make_query, options, most)


def check_mazes(model, mazes, moves):
    rng = random.Random(5)
    for seed in range(mazes):
        field = Field(cell_mesh(maze_cells(8, seed)))
        query = NavMeshQuery(field.mesh) if model == "crossing" else polygon_query(field.mesh)
        (ref, start), (_ref, end) = (random_point(rng, query, field.refs) for _ in range(2))
        corridor = fresh_corridor(query, ref, start, end)
        for _ in range(moves):
            x, y, z = corridor.position
            if rng.random() < 0.3:
                corner = corridor.find_corners(query)[-1 if rng.random() < 0.2 else min(1, len(corridor.path) - 1)]
                corridor.move_position(query, corner.point)
            else:
                corridor.move_position(query, (x + rng.uniform(-3, 3), y, z + rng.uniform(-3, 3)))
            fresh = fresh_corridor(query, corridor.path[0], corridor.position, end)
            assert corridor.path == fresh.path
            assert corridor.find_corners(query) == fresh.find_corners(query)


@pytest.mark.parametrize("model", ["crossing", "polygon"])
def test_on_a_perfect_maze_a_moved_corridor_equals_a_fresh_query(model):
    check_mazes(model, scaled(12, 2), scaled(60, 25))


@pytest.mark.full
@pytest.mark.parametrize("model", ["crossing", "polygon"])
def test_on_many_perfect_mazes_a_moved_corridor_equals_a_fresh_query(model):
    check_mazes(model, scaled(120, 4), scaled(300, 25))


def check_repairs(worlds):
    rng = random.Random(23)
    for number in range(worlds):
        field = scatter(12, blocked=200 + 10 * (number % 5), tile_cells=4)
        mesh, query = field.mesh, NavMeshQuery(field.mesh)
        (ref, start), (_ref, end) = (random_point(rng, query, field.refs) for _ in range(2))
        corridor = PathCorridor()
        corridor.reset(ref, start)
        corridor.set_target(query, end)
        corridor.replan(query)
        removed = []
        for _ in range(8):
            edit_tiles(mesh, rng, removed)
            lost = corridor.validate(query, None, 4096) == Validity.INVALID
            if lost and not corridor.relocate(query, None, (30, 4, 30)):
                break
            if corridor.needs_replan or not corridor.is_complete:
                status = corridor.replan(query, None, 1 << 20)
                fresh = fresh_corridor(query, corridor.path[0], corridor.position, end)
                assert status == ReplanStatus.NO_END_NEARBY or corridor.is_complete == fresh.is_complete
                if status == ReplanStatus.PARTIAL:
                    assert corridor.path == fresh.path
            assert corridor.validate(query, None, 4096) == Validity.VALID


def edit_tiles(mesh: TiledNavMesh, rng, removed):
    """Take a tile out, put one back, replace one by itself, or switch a polygon."""
    tile = rng.choice(mesh.tiles())
    edit = rng.randrange(4)
    if edit == 0 and len(removed) < 2 and len(mesh.tiles()) > 3:
        removed.append(mesh.remove_tile(*tile))
    elif edit == 1 and removed:
        mesh.add_tile(removed.pop())
    elif edit == 2:
        mesh.replace_tile(mesh.tile_data(*tile))
    else:
        mesh.set_poly_flags(rng.choice(mesh.tile_polygons(*tile)), rng.choice([0, 1, 1]))


def test_repair_reaches_the_target_whenever_a_fresh_query_does():
    check_repairs(scaled(40, 4))


@pytest.mark.full
def test_repair_in_many_worlds():
    check_repairs(scaled(1000, 6))


@pytest.mark.parametrize("make_query", [NavMeshQuery, polygon_query])
def test_steady_steps_allocate_nothing(make_query):
    field = scattered(0)
    query = make_query(field.mesh)
    rng = random.Random(1)
    (_ref, start), (_ref, end) = (random_point(rng, query, field.refs) for _ in range(2))
    follower = sent(query, start, end)
    for _ in range(50):
        follower.step(query, 1 / 60)
    tracemalloc.start(FRAMES)
    try:
        before = held_from(__file__)
        for _ in range(300):
            follower.step(query, 1 / 60)
        grown = held_from(__file__) - before
    finally:
        tracemalloc.stop()
    assert grown <= 1024


def test_a_call_keeps_neither_query_nor_filter():
    field = scattered(0, 8)
    query, accepted = polygon_query(field.mesh), QueryFilter()
    start, end = (random_point(random.Random(2), query, field.refs)[1] for _ in range(2))
    held = [sys.getrefcount(thing) for thing in (query, query.scratch, accepted)]
    follower = placed(query, start, filter=accepted)
    follower.set_destination(query, end, accepted)
    follower.step(query, 0.1, accepted)
    follower.corridor.move_position(query, start, accepted)
    follower.corridor.replan(query, accepted)
    replan = CorridorReplan()
    replan.begin(follower.corridor, query, accepted)
    replan.update(1000)
    replan.apply()
    assert [sys.getrefcount(thing) for thing in (query, query.scratch, accepted)] == held


@pytest.mark.parametrize(
    ("refine", "topology", "nodes"),
    [(128, 32, 1024), (0, 1, 1024), (2000, 32, 16000), (128, 5000, 40000), (1 << 20, 32, 1 << 20)],
)
def test_the_local_query_has_eight_nodes_for_each_expansion_within_bounds(refine, topology, nodes):
    assert local_nodes(FollowerOptions(refine_budget=refine, topology_budget=topology)) == nodes


def test_a_follower_of_64_polygons_takes_little_memory():
    slots = 1000
    store = FollowerStore(slots, 64)
    assert sum(len(column) * column.itemsize for column in store.columns.values()) <= 1400 * slots
