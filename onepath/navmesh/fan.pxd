# Fans of triangles: see fan.py.

cdef bint fan_is_flat(double* xyz, int* index, int start, int count) noexcept nogil
cdef bint fan_meets_rim(double* xyz, int* index, int start, int count, int apex, double tolerance) noexcept nogil
