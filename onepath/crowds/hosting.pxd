# What a host reads and writes by slot: see hosting.py.
from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef class CrowdHost:
    cdef readonly CrowdStore store
    cdef readonly CrowdWorker worker
    cdef readonly dict columns
    cdef readonly int capacity
    # set by the host
    cdef double* lift
    cdef unsigned char* role
    # places and directions
    cdef double* place
    cdef double* turn
    cdef double* heading
    cdef double* drawn
    cdef double* drawn_heading
    # what was known before the step
    cdef unsigned char* known_state
    cdef unsigned char* known_flags
    cdef unsigned char* known_kind
    cdef int* known_count
    cdef unsigned long long* known_end
    cdef double* known_corner
    cdef double* previous
    # what a step changed
    cdef int* changed
    cdef unsigned char* change
    cpdef bind(self)
