from onepath.navmesh.store cimport MeshStore, SurfacePoint

cdef class LinkTable:
    cdef public MeshStore mesh
    cdef public long long next_id
    cdef readonly dict slots, links
    cdef list ids, free
    cdef dict tails
    cdef int used
    cdef SurfacePoint spot
    cdef _grow(self, int count)
    cdef bint _comes_before(self, int end, int other)
    cdef _attach(self, int end)
    cdef _detach(self, int end)
