from onepath.orca.lines cimport OrcaLines

cdef void add_agent_line(OrcaLines lines, double rx, double rz, double vix, double viz, double vjx, double vjz,
                         double radius, double horizon, double dt, double share) noexcept nogil
cdef bint add_boundary_line(OrcaLines lines, double px, double pz, double ax, double az, double bx, double bz,
                            double clearance, double horizon) noexcept nogil
