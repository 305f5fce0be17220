from onepath.queries.paths cimport PathQueries

cdef class NavMeshQuery(PathQueries):
    pass
