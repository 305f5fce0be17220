"""Links by the thousand: slots, ids and the order in which a polygon's links are listed."""

import random

from meshes import cell_mesh
from mode import scaled

from onepath import OffMeshLink, TiledNavMesh

CELLS = [(x, z) for x in range(6) for z in range(6)]


def random_link(rng):
    start, end = ((rng.uniform(0.0, 12.0), 0.0, rng.uniform(0.0, 12.0)) for _ in range(2))
    return OffMeshLink(start, end, radius=0.5, bidirectional=rng.random() < 0.7)


def listed(mesh, ref):
    """The links that leave a polygon by id, the start of a link before its end, from what each is attached to."""
    found = []
    for link_id, link in mesh.links():
        start, end = mesh.link_refs(link_id)
        if start == ref and end:
            found.append((end, "link"))
        if end == ref and start and link.bidirectional:
            found.append((start, "link"))
    return found


def test_links_that_come_and_go_are_listed_by_id():
    rng = random.Random(1)
    mesh = cell_mesh(CELLS, tile_cells=3)
    alive = []
    for step in range(scaled(1500, 300)):
        choice = rng.random()
        if choice < 0.55 or not alive:
            alive.append(mesh.add_link(random_link(rng)))
        elif choice < 0.9:
            assert mesh.remove_link(alive.pop(rng.randrange(len(alive))))
        else:
            mesh.replace_tile(mesh.tile_data(rng.randrange(2), rng.randrange(2)))
        if step % 50 == 0:
            assert [link_id for link_id, _ in mesh.links()] == alive
            for tile in mesh.tiles():
                for ref in mesh.tile_polygons(*tile):
                    assert [leads for leads in mesh.neighbours(ref) if leads[1] == "link"] == listed(mesh, ref)
    assert mesh.check()
    again = TiledNavMesh.from_bytes(mesh.to_bytes())
    assert again.to_bytes() == mesh.to_bytes() and again.check()


def test_many_links_on_one_polygon_are_listed_in_the_order_they_were_added_in():
    count = scaled(3000, 300)
    rng = random.Random(2)
    links = [OffMeshLink((rng.random(), 0.0, rng.random()), (2.0 + rng.random(), 0.0, rng.random()),
                         bidirectional=False) for _ in range(count)]
    built = cell_mesh([(0, 0), (1, 0)], links=links)
    grown = cell_mesh([(0, 0), (1, 0)])
    assert [grown.add_link(link) for link in links] == list(range(count))
    assert grown.to_bytes() == built.to_bytes()
    first, second = grown.tile_polygons(0, 0)
    assert grown.neighbours(first) == [(second, "edge")] + [(second, "link")] * count
    # Each lowest slot that has come free is taken again, and its new link is listed last.
    for link_id in range(0, count, 3):
        grown.remove_link(link_id)
    for link in links[::3]:
        grown.add_link(link)
    assert len(grown.neighbours(first)) == count + 1 and grown.check()
