# Crossings between polygons and the string pulled through a corridor: see funnel.py.
from onepath.navmesh.filter cimport QueryFilter
from onepath.queries.scratch cimport QueryScratch

# Kinds: 0 none, 1 edge, 2 portal (both: crossing_left_*, crossing_right_*), 3 link (crossing_link).
cdef int find_crossing(QueryScratch q, QueryFilter f, int a, int b) noexcept nogil
cdef int find_corners_filtered(QueryScratch q, QueryFilter f, double px, double py, double pz, double tx, double ty,
                               double tz, unsigned long long* refs, int first, int count,
                               int max_corners) noexcept nogil
cdef int find_corners_along(QueryScratch q, QueryFilter f, double px, double py, double pz, double tx, double ty,
                            double tz, unsigned long long* refs, int first, int count, int max_corners, int* exits,
                            int first_exit, int exit_count) noexcept nogil
