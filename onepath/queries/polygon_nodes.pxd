from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef void expand_polygons(QueryScratch q, QueryFilter f, int node) noexcept nogil
