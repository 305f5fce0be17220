from onepath.queries.points cimport PointQueries

cdef class NavMeshQuery(PointQueries):
    pass
