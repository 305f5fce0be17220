from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef void open_start(QueryScratch q, int poly) noexcept nogil
cdef void expand_crossings(QueryScratch q, QueryFilter f, int node) noexcept nogil
cdef void expand_polygons(QueryScratch q, QueryFilter f, int node) noexcept nogil
