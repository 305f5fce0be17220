# Ear clipping: see build_ears.py.

cdef int clip_ears(double* xyz, int* index, int start, int count, int* prev, int* next, int* state, double* diagonal,
                   int* triangles) noexcept nogil
