from onepath.crowds.store cimport CrowdStore

cdef class PhaseRunner:
    cdef CrowdStore store
    cdef list workers
    cdef public int phase
    cdef public int active_workers
    cdef public double dt
