# Planes that stand in for surfaces: see build_planes.py.

cdef void fit_plane(double* xyz, int* ring, int start, int count, double* plane, int at) noexcept nogil
cdef double plane_height(double* plane, int at, double x, double z) noexcept nogil
cdef double greatest_gap(double* xyz, int* ring, int start, int count, double* plane, int at) noexcept nogil
