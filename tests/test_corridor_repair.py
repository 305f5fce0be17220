"""What becomes of a corridor when the mesh changes: validation, cutting, relocation."""

import pytest
from corridor_tools import corridor_to, grid, ref_at, strip_query
from meshes import cell_mesh

from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.states import ReplanStatus, Validity
from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.link_data import OffMeshLink
from onepath.queries.query import NavMeshQuery


def tiled_strip(length=8):
    """A row of quads in tiles of two; corridor polygon i lies in tile i // 2."""
    query = strip_query(length, tile_cells=2)
    return query, corridor_to(query, (1, 0, 1), (2 * length - 1, 0, 1))


def test_a_sound_corridor_is_valid_and_unchanged():
    query, corridor = tiled_strip()
    before = corridor.to_bytes()
    assert corridor.validate(query, None, 4096) == Validity.VALID
    assert corridor.to_bytes() == before


def test_an_empty_corridor_is_invalid():
    assert PathCorridor().validate(strip_query(2)) == Validity.INVALID


def test_a_stale_first_polygon_is_invalid_and_changes_nothing():
    query, corridor = tiled_strip()
    query.mesh.remove_tile(0, 0)
    before = corridor.to_bytes()
    assert corridor.validate(query, None, 8) == Validity.INVALID
    assert corridor.to_bytes() == before


def test_a_stale_polygon_cuts_the_corridor_in_front_of_it():
    query, corridor = tiled_strip()
    path = corridor.path
    query.mesh.remove_tile(2, 0)
    assert corridor.validate(query, None, 8) == Validity.TRIMMED
    assert corridor.path == path[:4]
    assert not corridor.is_complete
    assert corridor.needs_replan


def test_trimming_clears_the_wish_to_replan_from_start():
    query, corridor = tiled_strip()
    corridor.request_replan()
    assert corridor.to_bytes()[1] & 4
    query.mesh.remove_tile(2, 0)
    corridor.validate(query, None, 8)
    assert corridor.to_bytes()[1] == 2


def test_only_the_polygons_ahead_are_looked_at():
    query, corridor = tiled_strip()
    query.mesh.remove_tile(2, 0)
    assert corridor.validate(query, None, 4) == Validity.VALID
    assert corridor.validate(query, None, 5) == Validity.TRIMMED


def test_a_refused_polygon_cuts_like_a_stale_one():
    query, corridor = tiled_strip()
    query.mesh.set_poly_area(corridor.path[5], 9)
    assert corridor.validate(query, QueryFilter(forbidden_areas=[9]), 8) == Validity.TRIMMED
    assert len(corridor.path) == 5


def test_polygons_that_no_longer_touch_cut_the_corridor():
    cells = [(0, 0), (1, 0), (5, 0), (6, 0)]
    link = OffMeshLink((3, 0, 1), (11, 0, 1))
    mesh = cell_mesh(cells, links=[link])
    query = NavMeshQuery(mesh)
    corridor = corridor_to(query, (1, 0, 1), (13, 0, 1))
    assert len(corridor.path) == 4
    assert corridor.validate(query, None, 8) == Validity.VALID
    (link_id, _link), = mesh.links()
    mesh.set_link_enabled(link_id, False)
    assert corridor.validate(query, None, 8) == Validity.TRIMMED
    assert len(corridor.path) == 2


def test_a_link_that_the_filter_refuses_connects_nothing():
    mesh = cell_mesh([(0, 0), (1, 0), (5, 0), (6, 0)], links=[OffMeshLink((3, 0, 1), (11, 0, 1), flags=4)])
    query = NavMeshQuery(mesh)
    corridor = corridor_to(query, (1, 0, 1), (13, 0, 1))
    assert len(corridor.path) == 4
    assert corridor.validate(query, QueryFilter(exclude=4), 8) == Validity.TRIMMED


def test_a_complete_corridor_whose_target_polygon_is_gone_becomes_incomplete():
    query, corridor = tiled_strip()
    content = bytearray(corridor.to_bytes())
    content[58:66] = (12345).to_bytes(8, "little")
    corridor.read(bytes(content))
    path = corridor.path
    assert corridor.validate(query, None, 7) == Validity.VALID
    assert corridor.validate(query, None, 8) == Validity.TRIMMED
    assert corridor.path == path
    assert not corridor.is_complete
    assert corridor.needs_replan


def test_relocating_begins_anew_on_the_nearest_polygon_and_keeps_the_target():
    query, corridor = tiled_strip()
    target = corridor.target
    query.mesh.remove_tile(0, 0)
    assert not corridor.relocate(query, None, (0.5, 4, 0.5))
    assert corridor.relocate(query, None, (4, 4, 4))
    assert corridor.path == [ref_at(query, 5, 1)]
    assert corridor.position == pytest.approx((4.0, 0.0, 1.0))
    assert corridor.target == target
    assert corridor.to_bytes()[1] == 6


def test_a_refused_relocation_changes_nothing():
    query, corridor = tiled_strip()
    before = corridor.to_bytes()
    assert not corridor.relocate(query, QueryFilter(include=2))
    assert corridor.to_bytes() == before
    with pytest.raises(OutOfRangeError) as caught:
        corridor.relocate(query, None, (0, 1, 1))
    assert caught.value.field == "extents"


def test_a_trimmed_corridor_is_repaired_from_the_end_of_what_is_left():
    # Two ways from left to right: straight on, and round by the upper row.
    query = grid(8, 2, tile_cells=2)
    corridor = corridor_to(query, (1, 0, 1), (15, 0, 1))
    assert corridor.path == [ref_at(query, 2 * x + 1, 1) for x in range(8)]
    head = corridor.path[:4]
    for x in (4, 5):
        query.mesh.set_poly_flags(ref_at(query, 2 * x + 1, 1), 0)
    assert corridor.validate(query, None, 8) == Validity.TRIMMED
    assert corridor.replan(query, None, 1000) == ReplanStatus.SUCCESS
    assert corridor.path[:4] == head
    assert corridor.path[-1] == ref_at(query, 15, 1)
    assert corridor.is_complete
    assert not corridor.needs_replan
