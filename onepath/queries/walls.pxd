from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef int find_walls(QueryScratch q, QueryFilter filter, int poly, double cx, double cz, double radius,
                    int max_walls) noexcept nogil
cdef int find_nearest_wall(QueryScratch q, QueryFilter filter, int poly, double cx, double cz,
                           double radius) noexcept nogil
