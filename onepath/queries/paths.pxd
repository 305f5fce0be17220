from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.points cimport PointQueries

cdef class PathQueries(PointQueries):
    cdef QueryFilter search_filter
    cdef int search_max_path
