"""A mesh as plain arrays for drawing."""

import pytest
from surface_worlds import WORLDS, all_refs, rectangle, world_of

from onepath import OffMeshLink, OutOfRangeError, QueryFilter
from onepath.navmesh.debug import LINK_BIDIRECTIONAL, LINK_DORMANT, LINK_ENABLED, MeshDebug


def triples(column):
    return [tuple(column[i : i + 3]) for i in range(0, len(column), 3)]


def pieces(column):
    points = triples(column)
    return list(zip(points[::2], points[1::2]))


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_outlines_are_those_of_the_polygons(make):
    mesh = make()
    drawn = MeshDebug.collect(mesh)
    corners = triples(drawn.corners)
    assert sorted(drawn.refs) == sorted(all_refs(mesh))
    for i, ref in enumerate(drawn.refs):
        assert corners[drawn.starts[i] : drawn.starts[i + 1]] == mesh.poly_vertices(ref)
    assert drawn.starts[len(drawn.refs)] == len(corners)


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_every_edge_is_drawn_once_as_wall_or_portal_or_is_shared(make):
    mesh = make()
    drawn = MeshDebug.collect(mesh)
    neighbours = [kind for ref in drawn.refs for _, kind in mesh.neighbours(ref)]
    assert len(pieces(drawn.portals)) == neighbours.count("portal")
    # Along every polygon, walls, portals and shared edges have its whole outline's length.
    total = shared = 0.0
    outline_of = {ref: mesh.poly_vertices(ref) for ref in drawn.refs}
    for ref, outline in outline_of.items():
        for a, b in zip(outline, outline[1:] + outline[:1]):
            total += length(a, b)
            for other, kind in mesh.neighbours(ref):
                corners = outline_of[other]
                if kind == "edge" and (b, a) in zip(corners, corners[1:] + corners[:1]):
                    shared += length(a, b)
    drawn_length = sum(length(a, b) for a, b in pieces(drawn.walls) + pieces(drawn.portals))
    assert shared + drawn_length == pytest.approx(total)


def length(a, b):
    return ((b[0] - a[0]) ** 2 + (b[2] - a[2]) ** 2) ** 0.5


def test_two_tiles_with_a_step_between_them_are_drawn_piece_by_piece():
    # The square behind the border at x = 4 covers z from 1 to 4 of 0 to 4, half a unit higher.
    mesh = world_of([rectangle(0, 0, 4, 4), rectangle(4, 1, 8, 4, 0.5)], 0.0, 4.0)
    drawn = MeshDebug.collect(mesh)
    assert pieces(drawn.portals) == [((4.0, 0.0, 1.0), (4.0, 0.0, 4.0)), ((4.0, 0.5, 4.0), (4.0, 0.5, 1.0))]
    assert ((4.0, 0.0, 0.0), (4.0, 0.0, 1.0)) in pieces(drawn.walls)
    assert len(pieces(drawn.walls)) == 7
    mesh.set_poly_flags(all_refs(mesh)[1], 2)
    mesh.set_poly_area(all_refs(mesh)[1], 7)
    drawn = MeshDebug.collect(mesh, QueryFilter(exclude=2))
    assert ((4.0, 0.0, 0.0), (4.0, 0.0, 4.0)) in pieces(drawn.walls)
    assert drawn.areas.tolist() == [0, 7]


def test_links_are_drawn_where_they_are_attached_with_their_state():
    mesh = world_of([rectangle(0, 0, 4, 4), rectangle(8, 0, 12, 4)])
    over = mesh.add_link(OffMeshLink((4.25, 0.5, 2.0), (8.0, 0.0, 2.0), bidirectional=False))
    lost = mesh.add_link(OffMeshLink((1.0, 0.0, 1.0), (6.0, 0.0, 2.0)))
    mesh.set_link_enabled(over, False)
    drawn = MeshDebug.collect(mesh)
    assert drawn.link_ids.tolist() == [over, lost]
    assert drawn.link_states.tolist() == [0, LINK_ENABLED | LINK_BIDIRECTIONAL | LINK_DORMANT]
    assert pieces(drawn.links) == [((4.0, 0.0, 2.0), (8.0, 0.0, 2.0)), ((1.0, 0.0, 1.0), (6.0, 0.0, 2.0))]


def test_an_empty_mesh_is_drawn_as_nothing():
    mesh = world_of([rectangle(0, 0, 4, 4)])
    mesh.remove_tile(0, 0)
    drawn = MeshDebug.collect(mesh)
    assert [len(column) for column in (drawn.refs, drawn.corners, drawn.portals, drawn.walls)] == [0, 0, 0, 0]
    assert drawn.starts.tolist() == [0]


def test_only_meshes_and_filters_are_drawn():
    with pytest.raises(OutOfRangeError, match="mesh"):
        MeshDebug.collect(None)
    with pytest.raises(OutOfRangeError, match="filter"):
        MeshDebug.collect(world_of([rectangle(0, 0, 4, 4)]), 5)
