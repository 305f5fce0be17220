"""Working memory of the corridor kernels: one per thread, nothing in it outlives a call but a sliced replan."""

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import reference_pointer
from cython.cimports.onepath.queries.scratch import QueryScratch

#: A splice joins at most a full corridor and a full route (4096 references each).
CHAIN_CAPACITY = 8194


@cython.cclass
class CorridorScratch:
    """Buffers of the corridor kernels, and the queries they work with.

    Args:
        query: scratch of the query that places, searches and moves.
        local: scratch of a crossing-node query over the same mesh for topology searches; the same object as ``query``
            if that searches with crossing nodes itself.

    Both may be ``None`` until a kernel is called; views set them for the length of a call, in a ``with`` statement.
    """

    def __init__(self, query: QueryScratch = None, local: QueryScratch = None):
        self.query = query
        self.local = local
        self.chain_count = 0
        self.chain_capacity = CHAIN_CAPACITY
        self.chain_column = zeros("Q", CHAIN_CAPACITY)
        self.chain = reference_pointer(self.chain_column)
        self.replan_phase = self.replan_status = self.replan_iterations = 0
        self.replan_cut = False
        self.replan_first = self.replan_target = 0
        self.replan_edit = -1
        self.corner_count = self.steer = 0
        self.steer_distance = self.stop_length = 0.0
        self.searched = 0
        self.queue_reach = 0.0
        self.error_field = -1
        self.error_offset = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.query = self.local = None
