"""A lone follower on two floors with links, among edits."""

import random

from corridor_tools import placed, polygon_query, random_point
from meshes import Field, cell_tiles, scatter_cells

from onepath.corridors.options import FollowerOptions
from onepath.corridors.states import FollowerState
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.packing import fnv1a_64
from onepath.queries.query import NavMeshQuery
from scenarios.ground import Ground

#: So many steps lie between one round of edits and the next.
EDITED_EVERY = 50
_RESTING = (FollowerState.IDLE, FollowerState.ARRIVED, FollowerState.NO_PATH, FollowerState.STUCK)


def two_small_floors():
    """Two scattered floors in small tiles, joined by links, one of them one-way."""
    lower, upper = scatter_cells(14, 71), scatter_cells(14, 72)
    links = [OffMeshLink((2.0 * x + 1, 0.0, 2.0 * z + 1), (2.0 * x + 1, 3.0, 2.0 * z + 1), bidirectional=x != 3)
             for x, z in lower if (x, z) in upper and x % 5 == 3 and z % 4 == 2]  # fmt: skip
    tiles = cell_tiles(lower, tile_cells=7) + cell_tiles(upper, tile_cells=7, height=3.0, layer=1)
    return Field(TiledNavMesh._from_tiles(tiles, links, (0.0, 0.0), 14.0))


class LoneFollower:
    """Its ground is edited at every 50th tick; it is then sent elsewhere if it rests, and at times if it does not."""

    def __init__(self, polygon_nodes=False):
        field = two_small_floors()
        self.mesh = field.mesh
        self.tiles = {key: self.mesh.tile_bytes(*key) for key in self.mesh.tiles()}
        self.ground = Ground(self.mesh)
        self.query = polygon_query(self.mesh) if polygon_nodes else NavMeshQuery(self.mesh)
        options = FollowerOptions(replan_budget=60, corridor_capacity=24, search_extents=(6.0, 2.0, 6.0))
        self.follower = placed(self.query, random_point(random.Random(99), self.query, field.refs)[1], options)

    def step(self, tick):
        if tick % EDITED_EVERY == 0:
            self._change(random.Random(7907 + tick))
        self.follower.step(self.query, 0.1)

    def _change(self, rng):
        for _ in range(rng.randrange(3)):
            self.ground.edit(rng)
        if self.follower.state in _RESTING or rng.random() < 0.1:
            refs = [ref for key in self.mesh.tiles() for ref in self.mesh.tile_polygons(*key)]
            self.follower.set_destination(self.query, random_point(rng, self.query, refs)[1])

    def save(self, referenced=False):
        """Return all that the next ticks depend on, as bytes: the mesh's length, mesh and follower."""
        mesh = self.mesh.save_state(referenced)
        return len(mesh).to_bytes(4, "little") + mesh + self.follower.to_bytes()

    def restore(self, state):
        """Go back to what was saved, here or in another process."""
        end = 4 + int.from_bytes(state[:4], "little")
        self.mesh.restore_state(state[4:end], self.tiles)
        self.follower.read(state[end:])

    def state_hash(self):
        """Return a hash of what moves."""
        return fnv1a_64(self.follower.to_bytes())
