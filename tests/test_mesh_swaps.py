"""A mesh that becomes another one, or grows, under what was made for it: searches, replans, crowds, queries."""

import random

import pytest

from onepath import (
    CorridorReplan,
    Crowd,
    CrowdDebug,
    FollowerState,
    NavMeshQuery,
    NodeModel,
    OffMeshLink,
    PathCorridor,
    PathStatus,
    ReplanStatus,
    TiledNavMesh,
    fnv1a_64,
)

NEAR, FAR = (1.0, 0.0, 1.0), (79.0, 0.0, 79.0)


def field(side):
    """A square of side × side free cells of 2 m, tiles of 8 cells, never edited."""
    return TiledNavMesh.from_grid([[1] * side] * side, tile_cells=8)


def search_across(mesh, model=NodeModel.CROSSING):
    query = NavMeshQuery(mesh, model=model)
    status = query.begin_path(query.find_nearest_poly(NEAR)[0], query.find_nearest_poly(FAR)[0], NEAR, FAR)
    assert status == PathStatus.IN_PROGRESS
    query.update_path(30)
    return query


@pytest.mark.parametrize("model", list(NodeModel))
def test_a_search_ends_when_its_mesh_becomes_a_smaller_one_with_as_many_edits(model):
    mesh = field(40)
    query = search_across(mesh, model)
    mesh.restore_state(field(4).save_state())
    assert query.end_path().refs == []
    assert query.update_path(30)[0] == PathStatus.INVALID_END


@pytest.mark.parametrize("model", list(NodeModel))
def test_a_search_starts_over_when_its_mesh_is_restored_to_another_course_of_as_many_edits(model):
    mesh = field(40)
    before = mesh.save_state()
    mesh.set_poly_flags(mesh.tile_polygons(1, 1)[0], 0)
    query = search_across(mesh, model)
    mesh.restore_state(before)
    for ref in mesh.tile_polygons(0, 1)[:1]:
        mesh.set_poly_flags(ref, 0)
    query.update_path(1 << 30)
    found = query.end_path()
    fresh = search_across(mesh, model)
    fresh.update_path(1 << 30)
    assert (found.refs, found.cost) == (fresh.end_path().refs, fresh.end_path().cost)


def test_a_replan_starts_over_when_its_mesh_becomes_a_smaller_one_with_as_many_edits():
    mesh = field(40)
    query = NavMeshQuery(mesh)
    corridor = PathCorridor()
    corridor.reset(query.find_nearest_poly(NEAR)[0], NEAR)
    corridor.set_target(query, FAR)
    replan = CorridorReplan()
    replan.begin(corridor, query)
    assert replan.update(30) == ReplanStatus.IN_PROGRESS
    mesh.restore_state(field(4).save_state())
    assert replan.update(30) == ReplanStatus.NO_END_NEARBY
    assert replan.apply() == ReplanStatus.NO_END_NEARBY


def test_a_crowd_walks_across_a_mesh_that_was_restored_to_a_larger_one_with_as_many_edits():
    mesh = field(4)
    crowd = Crowd(mesh)
    agent = crowd.add(NEAR)
    mesh.restore_state(field(40).save_state())
    assert agent.set_destination(FAR)
    crowd.step(0.5)
    assert agent.state == FollowerState.MOVING


def test_walls_of_a_mesh_that_is_gone_are_neither_saved_nor_shown():
    mesh = field(40)
    crowd = Crowd(mesh)
    agent = crowd.add((1.0, 0.0, 39.0))
    agent.set_destination((1.0, 0.0, 79.0))
    crowd.step(0.1)
    assert CrowdDebug.collect(crowd)[0].walls
    known = crowd.state_size()
    mesh.restore_state(field(4).save_state())
    assert CrowdDebug.collect(crowd)[0].walls == []
    assert crowd.state_size() < known
    assert crowd.state_hash() == fnv1a_64(crowd.save_state())


@pytest.mark.parametrize("seed", range(6))
def test_a_query_made_before_its_mesh_grew_finds_what_a_new_one_finds(seed):
    rng = random.Random(seed)
    whole = TiledNavMesh.from_grid([[rng.random() < 0.8 for _ in range(20)] for _ in range(20)], tile_cells=4)
    mesh = TiledNavMesh((0.0, 0.0), whole.tile_size)
    tiles = [whole.tile_data(*key) for key in whole.tiles()]
    rng.shuffle(tiles)
    old = {model: NavMeshQuery(mesh, model=model) for model in NodeModel}
    for tile in tiles:
        mesh.add_tile(tile)
        for _ in range(rng.choice((0, 0, 1, 9))):
            mesh.add_link(OffMeshLink(*((rng.uniform(0.0, 40.0), 0.0, rng.uniform(0.0, 40.0)) for _ in range(2))))
        refs = [ref for key in mesh.tiles() for ref in mesh.tile_polygons(*key)]
        start, end = rng.choice(refs), rng.choice(refs)
        places = mesh.poly_vertices(start)[0], mesh.poly_vertices(end)[0]
        for model in NodeModel:
            assert old[model].find_path(start, end, *places) == NavMeshQuery(mesh, 4096, model).find_path(
                start, end, *places)


@pytest.mark.parametrize("model", list(NodeModel))
def test_what_a_query_was_asked_before_has_no_part_in_its_searches(model):
    rng = random.Random(5)
    mesh = TiledNavMesh.from_grid([[rng.random() < 0.75 for _ in range(12)] for _ in range(12)], tile_cells=5)
    refs = [ref for key in mesh.tiles() for ref in mesh.tile_polygons(*key)]
    old = NavMeshQuery(mesh, model=model)
    for _ in range(60):
        start, end = rng.choice(refs), rng.choice(refs)
        places = mesh.poly_vertices(start)[0], mesh.poly_vertices(end)[2]
        assert old.find_path(start, end, *places) == NavMeshQuery(mesh, 1024, model).find_path(start, end, *places)
