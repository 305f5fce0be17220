from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef int pick_point(QueryScratch q, QueryFilter filter, double share, double u, double v) noexcept nogil
