from onepath.queries.scratch cimport QueryScratch

cdef int heap_top(QueryScratch q) noexcept nogil
cdef void heap_take(QueryScratch q) noexcept nogil
cdef void heap_add(QueryScratch q, int node, double f) noexcept nogil
cdef void heap_lower(QueryScratch q, int node, double f) noexcept nogil
