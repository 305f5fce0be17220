cdef class QueryFilter:
    cdef int include_flags
    cdef int exclude_flags
    cdef readonly double minimum_cost
    cdef object cost_column
    cdef object forbidden_column
    cdef double* cost
    cdef double* forbidden

cdef bint accepts(QueryFilter filter, int flags, int area) noexcept nogil
