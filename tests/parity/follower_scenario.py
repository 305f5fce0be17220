"""A lone follower on two floors with links, among edits, folded into one hash.

With ``rerun`` every 50th state is restored and the steps after it done again, which must change nothing. Run it by hand
against the package that PYTHONPATH chooses:

    PYTHONPATH=build/core:tests python -P tests/parity/follower_scenario.py
"""

import random

from corridor_tools import placed, polygon_query, random_point
from meshes import Field, cell_tiles, scatter_cells

import onepath
from onepath.corridors.options import FollowerOptions
from onepath.corridors.states import FollowerState
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.packing import fnv1a_64
from onepath.queries.query import NavMeshQuery


def world():
    """Two scattered floors in small tiles, joined by links, one of them one-way."""
    lower, upper = scatter_cells(14, 71), scatter_cells(14, 72)
    links = [OffMeshLink((2.0 * x + 1, 0.0, 2.0 * z + 1), (2.0 * x + 1, 3.0, 2.0 * z + 1), bidirectional=x != 3)
             for x, z in lower if (x, z) in upper and x % 5 == 3 and z % 4 == 2]  # fmt: skip
    tiles = cell_tiles(lower, tile_cells=7) + cell_tiles(upper, tile_cells=7, height=3.0, layer=1)
    return Field(TiledNavMesh._from_tiles(tiles, links, (0.0, 0.0), 14.0))


def edit(mesh, rng, removed):
    tile = rng.choice(mesh.tiles())
    kind = rng.randrange(5)
    if kind == 0 and not removed:
        removed.append(mesh.remove_tile(*tile))
    elif kind == 1 and removed:
        mesh.add_tile(removed.pop())
    elif kind == 2:
        mesh.replace_tile(mesh.tile_data(*tile))
    elif kind == 3:
        mesh.set_link_enabled(rng.choice(mesh.links())[0], rng.random() < 0.7)
    else:
        mesh.set_poly_flags(rng.choice(mesh.tile_polygons(*tile)), rng.choice([0, 1, 1]))


def run(rerun=False, polygon_nodes=False, seen=None):
    """Walk 1000 steps among edits; with ``rerun`` every 50th state is restored and the steps after it done again."""
    rng = random.Random(99)
    field = world()
    mesh = field.mesh
    query = polygon_query(mesh) if polygon_nodes else NavMeshQuery(mesh)
    options = FollowerOptions(replan_budget=60, corridor_capacity=24, search_extents=(6.0, 2.0, 6.0))
    follower = placed(query, random_point(rng, query, field.refs)[1], options)
    removed, hashes = [], []
    for _ in range(20):
        for _ in range(rng.randrange(3)):
            edit(mesh, rng, removed)
        if follower.state not in (FollowerState.MOVING, FollowerState.OFF_MESH_LINK) or rng.random() < 0.1:
            refs = [ref for key in mesh.tiles() for ref in mesh.tile_polygons(*key)]
            follower.set_destination(query, random_point(rng, query, refs)[1])
        saved = follower.to_bytes()
        for _ in range(2 if rerun else 1):
            follower.read(saved)
            part = []
            for _ in range(50):
                state = follower.step(query, 0.1)
                part.append(follower.to_bytes())
                if seen is not None:
                    seen.add(state)
        hashes.append(fnv1a_64(b"".join(part)))
    return fnv1a_64(b"".join(value.to_bytes(8, "little") for value in hashes))


if __name__ == "__main__":
    print("compiled" if onepath.COMPILED else "interpreted", f"{run():016x}")
