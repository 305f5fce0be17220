"""Threads at one mesh: what goes together, and what is refused."""

import threading
from array import array

import numpy as np
import pytest
from meshes import cell_mesh

from onepath import Crowd, CrowdDebug, MeshDebug, NavMeshQuery, OffMeshLink, OnePathError, PathStatus
from onepath.crowds.hosting import CrowdHost
from onepath.crowds.picture import AGENT_PLANE, WALLS, draw_crowd
from onepath.navmesh.canvas import Canvas
from onepath.navmesh.picture import AREAS, FIRST_AREA, LINKS, draw_mesh

WIDTH = 24
EDITS = {
    "set_poly_area": lambda mesh: mesh.set_poly_area(mesh.tile_polygons(0, 0)[0], 1),
    "set_poly_flags": lambda mesh: mesh.set_poly_flags(mesh.tile_polygons(0, 0)[0], 3),
    "remove_tile": lambda mesh: mesh.remove_tile(1, 1),
    "add_tile": lambda mesh: mesh.add_tile(moved_tile(mesh)),
    "replace_tile": lambda mesh: mesh.replace_tile(mesh.tile_data(1, 1)),
    "add_link": lambda mesh: mesh.add_link(OffMeshLink((1, 0, 1), (9, 0, 9))),
    "remove_link": lambda mesh: mesh.remove_link(0),
    "set_link_enabled": lambda mesh: mesh.set_link_enabled(0, False),
    "restore_state": lambda mesh: mesh.restore_state(mesh.save_state()),
}
READS = {
    "is_valid_ref": lambda mesh: mesh.is_valid_ref(1 << 48),
    "poly_vertices": lambda mesh: mesh.poly_vertices(1 << 48),
    "poly_area": lambda mesh: mesh.poly_area(1 << 48),
    "poly_flags": lambda mesh: mesh.poly_flags(1 << 48),
    "neighbours": lambda mesh: mesh.neighbours(1 << 48),
    "poly_count": lambda mesh: mesh.poly_count,
    "memory_bytes": lambda mesh: mesh.memory_bytes,
    "tiles": lambda mesh: mesh.tiles(),
    "tile_polygons": lambda mesh: mesh.tile_polygons(1, 1),
    "tile_data": lambda mesh: mesh.tile_data(1, 1),
    "tile_bytes": lambda mesh: mesh.tile_bytes(1, 1),
    "links": lambda mesh: mesh.links(),
    "is_link_enabled": lambda mesh: mesh.is_link_enabled(0),
    "link_refs": lambda mesh: mesh.link_refs(0),
    "to_bytes": lambda mesh: mesh.to_bytes(),
    "save_state": lambda mesh: mesh.save_state(),
    "check": lambda mesh: mesh.check(),
    "restore_state": lambda mesh: mesh.restore_state(b""),
    "MeshDebug": MeshDebug.collect,
    "draw_mesh": lambda mesh: draw_mesh(mesh, Canvas([(1.0, 1.0, 1.0, 1.0)] * (FIRST_AREA + AREAS)), LINKS),
}


def field():
    return cell_mesh([(x, z) for x in range(WIDTH) for z in range(WIDTH)], tile_cells=8,
                     links=[OffMeshLink((3, 0, 3), (7, 0, 7))])


def moved_tile(mesh):
    """Return a tile to be added, west of all others."""
    tile = mesh.tile_data(0, 0)
    tile.tx = -1
    for place in range(0, len(tile.vertices), 3):
        tile.vertices[place] -= mesh.tile_size
    return tile


def done_while_edited(work, rounds, edit):
    """Do work so many times in another thread while this one edits; return what it gave and how many edits there were.

    What is refused is tried again; nothing else may be raised by the work.
    """
    given, unexpected = [], []

    def run():
        while len(given) < rounds:
            try:
                given.append(work())
            except OnePathError:
                pass
            except Exception as error:
                unexpected.append(error)
                return

    thread = threading.Thread(target=run)
    thread.start()
    edits = 0
    while thread.is_alive():
        try:
            edit(edits)
            edits += 1
        except OnePathError:
            pass
    thread.join()
    assert unexpected == [] and len(given) == rounds
    return given, edits


class RefThat:
    """A reference that does something when it is read."""

    def __init__(self, act, ref):
        self.act = act
        self.ref = ref

    def __index__(self):
        self.act()
        return self.ref


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_while_another_thread_reads_is_refused_and_changes_nothing(name):
    mesh = field()
    before = mesh.save_state()
    mesh.store.begin_reading()
    try:
        with pytest.raises(OnePathError, match="another thread"):
            EDITS[name](mesh)
        assert mesh.save_state() == before
        assert NavMeshQuery(mesh).find_nearest_poly((1, 0, 1))[0] != 0
    finally:
        mesh.store.end_reading()
    EDITS[name](mesh)
    assert mesh.check()


def test_questions_in_the_middle_of_an_edit_are_refused():
    mesh = field()
    query = NavMeshQuery(mesh)
    ref, point = query.find_nearest_poly((1, 0, 1))
    mesh.store.changing = True
    with pytest.raises(OnePathError, match="another thread is editing"):
        query.find_path(ref, ref, point, point)
    mesh.store.changing = False
    assert query.find_path(ref, ref, point, point).refs == [ref]


@pytest.mark.parametrize("name", READS)
def test_what_is_in_a_mesh_is_not_read_in_the_middle_of_an_edit(name):
    mesh = field()
    before = mesh.save_state()
    mesh.store.changing = True
    with pytest.raises(OnePathError, match="another thread is editing"):
        READS[name](mesh)
    mesh.store.changing = False
    assert mesh.store.readers == 0 and mesh.save_state() == before


def test_what_is_in_a_mesh_is_read_whole_or_not_at_all_while_another_thread_edits():
    mesh = field()
    tile, other = mesh.tile_data(1, 1), mesh.tile_data(1, 1)
    other.areas[0] = 9
    ref = mesh.tile_polygons(0, 1)[-1]
    known = []
    for data in (tile, other):
        mesh.replace_tile(data)
        known.append(mesh.to_bytes())
    around = {target for target, _kind in mesh.neighbours(ref) if target in mesh.tile_polygons(0, 1)}

    def look():
        content, drawn, leads = mesh.to_bytes(), MeshDebug.collect(mesh), mesh.neighbours(ref)
        return (content in known and len(drawn.refs) == WIDTH * WIDTH
                and around <= {target for target, _kind in leads})

    read, edits = done_while_edited(look, 30, lambda number: mesh.replace_tile(other if number % 2 else tile))
    assert read == [True] * 30
    assert mesh.store.readers == 0 and mesh.edit_count == 2 + edits and mesh.check()


def test_an_edit_in_the_middle_of_the_arguments_of_a_search_is_seen_by_it():
    mesh = field()
    query = NavMeshQuery(mesh)
    last = mesh.tile_polygons(2, 2)[-1]
    growing = RefThat(lambda: mesh.add_tile(moved_tile(mesh)), mesh.tile_polygons(0, 0)[0])
    found = query.find_path(growing, last, (1, 0, 1), (47, 0, 47))
    assert found.status == PathStatus.SUCCESS and found.refs[-1] == last
    (added, *_others) = mesh.tile_polygons(-1, 0)
    assert query.find_path(added, last, (-15, 0, 1), (47, 0, 47)).refs[0] == added


def test_bulk_questions_in_one_thread_and_edits_in_another_go_well_or_are_refused():
    mesh = field()
    query = NavMeshQuery(mesh)
    points = np.random.default_rng(3).uniform(0.0, 2.0 * WIDTH, (200, 3))

    def ask():
        refs, places = query.find_nearest_polys(points, (2.0, 100.0, 2.0))
        query.raycasts(refs, places, places[::-1])
        query.find_paths(refs[:5], refs[5:10], places[:5], places[5:10])

    _given, edits = done_while_edited(ask, 20, lambda _number: mesh.replace_tile(mesh.tile_data(1, 1)))
    mesh.replace_tile(mesh.tile_data(1, 1))
    assert mesh.edit_count == edits + 1 and mesh.check()


def test_a_crowd_does_not_step_while_another_thread_edits():
    mesh = field()
    crowd = Crowd(mesh)
    crowd.add((1, 0, 1)).set_destination((9, 0, 9))
    before = crowd.save_state()
    mesh.store.changing = True
    try:
        with pytest.raises(OnePathError, match="another thread is editing"):
            crowd.step(0.1)
    finally:
        mesh.store.changing = False
    assert crowd.save_state() == before
    crowd.step(0.1)
    assert crowd.save_state() != before and mesh.store.readers == 0


CROWD_CALLS = {
    "save_state": lambda crowd, agent, state, both: crowd.save_state(),
    "save_state_into": lambda crowd, agent, state, both: crowd.save_state_into(bytearray(len(state))),
    "state_hash": lambda crowd, agent, state, both: crowd.state_hash(),
    "restore_state": lambda crowd, agent, state, both: crowd.restore_state(state),
    "restore_state_with_mesh": lambda crowd, agent, state, both: crowd.restore_state_with_mesh(both),
    "add": lambda crowd, agent, state, both: crowd.add((3, 0, 3)),
    "set_destination": lambda crowd, agent, state, both: agent.set_destination((5, 0, 5)),
    "follow": lambda crowd, agent, state, both: agent.follow((5, 0, 5)),
    "warp": lambda crowd, agent, state, both: agent.warp((5, 0, 5)),
    "complete_off_mesh_link": lambda crowd, agent, state, both: agent.complete_off_mesh_link(),
    "CrowdDebug": lambda crowd, agent, state, both: CrowdDebug.collect(crowd),
    "draw_crowd": lambda crowd, agent, state, both: draw_crowd(
        crowd, Canvas([(1.0, 1.0, 1.0, 1.0)] * (AGENT_PLANE + 1)), WALLS),
    "follow a body": lambda crowd, agent, state, both: CrowdHost(crowd).follow(array("d", [1.0, 0.0, 1.0]), 0.1),
}


@pytest.mark.parametrize("name", CROWD_CALLS)
def test_no_call_to_a_crowd_looks_at_a_mesh_in_the_middle_of_an_edit(name):
    mesh = field()
    crowd = Crowd(mesh)
    agent = crowd.add((1, 0, 1))
    agent.set_destination((9, 0, 9))
    crowd.step(0.1)
    state, both = crowd.save_state(), crowd.save_state_with_mesh()
    mesh.store.changing = True
    try:
        with pytest.raises(OnePathError, match="another thread"):
            CROWD_CALLS[name](crowd, agent, state, both)
    finally:
        mesh.store.changing = False
    assert crowd.save_state() == state and mesh.store.readers == 0
    CROWD_CALLS[name](crowd, agent, state, both)
    assert mesh.store.readers == 0


def test_a_crowd_is_saved_in_one_thread_and_its_mesh_edited_in_another():
    mesh = field()
    crowd = Crowd(mesh)
    for k in range(12):
        crowd.add((2 * k + 1, 0, 1))
    crowd.step(0.1)
    done_while_edited(crowd.save_state, 200, lambda _number: mesh.replace_tile(mesh.tile_data(1, 1)))
    assert mesh.check()


def test_a_mesh_is_edited_between_the_steps_of_a_crowd_in_another_thread():
    mesh = field()
    crowd = Crowd(mesh)
    agents = [crowd.add((2 * k + 1, 0, 1)) for k in range(12)]
    for agent in agents:
        agent.set_destination((2 * WIDTH - 1, 0, 2 * WIDTH - 1))
    done_while_edited(lambda: crowd.step(1 / 60), 60, lambda _number: mesh.replace_tile(mesh.tile_data(1, 1)))
    assert mesh.check()
