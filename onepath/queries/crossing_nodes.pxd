from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef void expand_crossings(QueryScratch q, QueryFilter f, int node) noexcept nogil
