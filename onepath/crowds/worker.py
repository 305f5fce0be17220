"""What one worker of a crowd's step works in. Nothing in it is state; every agent's turn sets what it reads."""

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import double_pointer, int_pointer
from onepath.navmesh.filter import QueryFilter as _QueryFilter
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import MeshStore
from cython.cimports.onepath.orca.lines import OrcaLines
from cython.cimports.onepath.queries.scratch import QueryScratch

#: Most neighbours any avoidance quality looks at.
NEAR_CAPACITY = 12


@cython.cclass
class CrowdWorker:
    """The query, half-planes and short lists of one worker.

    Args:
        mesh: the columns of the mesh.
        filter: what the crowd walks on; each agent's turn narrows the worker's copy to its layers.
        max_nodes: search nodes of its crossing-node query.
        max_walls_avoided: most wall pieces an agent avoids at once.
    """

    def __init__(self, mesh: MeshStore, filter: QueryFilter, max_nodes: cython.int, max_walls_avoided: cython.int):
        self.query = QueryScratch(mesh, max_nodes, False)
        self.scratch = CorridorScratch(self.query, self.query)
        self.filter = _QueryFilter(filter.include, filter.exclude, filter.costs, filter.forbidden_areas)
        self.lines = OrcaLines(max_walls_avoided + 2 * NEAR_CAPACITY)
        self.near_count = self.wall_count = self.waiting = 0
        self.near_column = zeros("i", NEAR_CAPACITY + 1)
        self.near_distance2_column = zeros("d", NEAR_CAPACITY + 1)
        self.near = int_pointer(self.near_column)
        self.near_distance2 = double_pointer(self.near_distance2_column)
        self.wall_poly_column = zeros("i", max_walls_avoided + 1)
        self.wall_edge_column = zeros("i", max_walls_avoided + 1)
        self.wall_distance2_column = zeros("d", max_walls_avoided + 1)
        self.wall_ends_column = zeros("d", 4 * (max_walls_avoided + 1))
        self.wall_poly = int_pointer(self.wall_poly_column)
        self.wall_edge = int_pointer(self.wall_edge_column)
        self.wall_distance2 = double_pointer(self.wall_distance2_column)
        self.wall_ends = double_pointer(self.wall_ends_column)

    @cython.ccall
    def fit(self):
        """Make the query large enough for the mesh as it is now; allocates only after the mesh has grown."""
        self.query.fit()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def narrow(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """Let the worker's filter accept what the crowd's filter and the agent's layers do."""
    worker.filter.include_flags = store.filter.include_flags & store.layers[slot]
