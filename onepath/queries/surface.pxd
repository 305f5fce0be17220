from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef int move_along_surface(QueryScratch q, QueryFilter filter, int poly, double sx, double sz,
                            double ex, double ez) noexcept nogil
