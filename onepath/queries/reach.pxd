from onepath.queries.scratch cimport QueryScratch

cdef void begin_reach(QueryScratch q) noexcept nogil
cdef bint is_reached(QueryScratch q, int poly) noexcept nogil
cdef bint reach(QueryScratch q, int poly, int parent, int depth) noexcept nogil
