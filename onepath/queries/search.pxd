# Path search kernels: see search.py. Statuses are the values of PathStatus.
from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

cdef int begin_search(QueryScratch q, QueryFilter f, int start_poly, int end_poly, double sx, double sy, double sz,
                      double ex, double ey, double ez) noexcept nogil
cdef int update_search(QueryScratch q, QueryFilter f, int budget) noexcept nogil
cdef int finish_search(QueryScratch q, int max_path) noexcept nogil
