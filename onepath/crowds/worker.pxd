# Working memory of one worker: see worker.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.crowds.store cimport CrowdStore
from onepath.navmesh.filter cimport QueryFilter
from onepath.orca.lines cimport OrcaLines
from onepath.queries.scratch cimport QueryScratch

cdef class CrowdWorker:
    cdef readonly CorridorScratch scratch
    cdef readonly QueryScratch query
    cdef readonly OrcaLines lines
    # what the agent in hand may walk on
    cdef readonly QueryFilter filter
    # nearest agents of the agent in hand: places in the sorted snapshot, nearest first
    cdef int near_count
    cdef object near_column, near_distance2_column
    cdef int* near
    cdef double* near_distance2
    # how many of the agents planned for wait at links
    cdef readonly int waiting
    # wall pieces of the agent in hand, nearest first: ends a, b in X/Z and squared distance
    cdef int wall_count
    cdef object wall_poly_column, wall_edge_column, wall_distance2_column, wall_ends_column
    cdef int* wall_poly
    cdef int* wall_edge
    cdef double* wall_distance2
    cdef double* wall_ends
    cpdef fit(self)

cdef void narrow(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
