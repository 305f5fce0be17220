cdef double cross_xz(double ax, double az, double bx, double bz, double px, double pz) noexcept nogil
cdef double segment_parameter_xz(double ax, double az, double bx, double bz, double px, double pz) noexcept nogil
