cdef class TreeBuilder:
    cdef object bounds_column
    cdef readonly object item_column, node_bounds_column, node_skip_column, node_first_column
    cdef double* bounds
    cdef int* item
    cdef double* node_bounds
    cdef int* node_skip
    cdef int* node_first
    cdef readonly int node_count
