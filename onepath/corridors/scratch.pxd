# Working memory of corridor kernels, one per thread: see scratch.py.
from onepath.queries.scratch cimport QueryScratch

cdef class CorridorScratch:
    # the queries that kernels use: the caller's, and one with crossing nodes for topology searches
    cdef public QueryScratch query
    cdef public QueryScratch local
    # references being put together into a new corridor
    cdef int chain_count, chain_capacity
    cdef object chain_column
    cdef unsigned long long* chain
    # the replan under way
    cdef int replan_phase, replan_status, replan_iterations
    cdef bint replan_cut
    cdef unsigned long long replan_first, replan_target
    cdef double replan_x, replan_y, replan_z, replan_end_x, replan_end_y, replan_end_z
    cdef double extent_x, extent_y, extent_z
    cdef long long replan_edit
    # where the last look along the corners led: number of the corner steered for, distance to it (X/Z), path length to
    # the first place that must not be passed (infinite: none among the corners)
    cdef int corner_count, steer
    cdef double steer_distance, stop_length
    # search iterations spent by all kernels that used this scratch; the owner may set it back to 0
    cdef public long long searched
    # above 0: agents wait at links until their crowd lets them in, and this far (m) from there are on their way in
    cdef public double queue_reach
    # what the last check of state bytes rejected
    cdef public int error_field
    cdef public long long error_offset
