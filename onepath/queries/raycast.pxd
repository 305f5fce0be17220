from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore
from onepath.queries.scratch cimport QueryScratch

cdef int raycast(QueryScratch q, QueryFilter filter, int poly, double sx, double sz,
                 double ex, double ez, int max_polys) noexcept nogil
cdef int portal_target(MeshStore mesh, QueryFilter filter, int edge, int after, double t) noexcept nogil
