from onepath.orca.lines cimport OrcaLines

cdef void solve_lines(OrcaLines lines, int hard_count, double max_speed, double wanted_x, double wanted_z) noexcept nogil
