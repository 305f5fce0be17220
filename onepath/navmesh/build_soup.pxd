# Columns of polygons under construction: see build_soup.py.

cdef class PolygonSoup:
    cdef public int vertex_count, poly_count
    cdef public object xyz_column, first_column, index_column, source_column
    cdef double* xyz
    cdef int* first
    cdef int* index
    cdef int* source
    cpdef bind(self)

cdef double area_xz(double* xyz, int* index, int start, int count) noexcept nogil
cdef bint is_convex_xz(double* xyz, int* index, int start, int count, double tolerance) noexcept nogil

cdef double lowest(PolygonSoup soup, int poly, int axis) noexcept nogil
cdef double highest(PolygonSoup soup, int poly, int axis) noexcept nogil
