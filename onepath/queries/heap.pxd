# The nodes of a path search and their open list: see heap.py.
from onepath.queries.scratch cimport QueryScratch

cdef double distance(double ax, double ay, double az, double bx, double by, double bz) noexcept nogil
cdef void open_start(QueryScratch q, int poly) noexcept nogil
cdef int open_node(QueryScratch q, int key, int poly, int parent, double x, double y, double z, double g,
                   double f) noexcept nogil
cdef void improve_node(QueryScratch q, int node, int parent, double x, double y, double z, double g,
                       double f) noexcept nogil
cdef int heap_top(QueryScratch q) noexcept nogil
cdef void heap_take(QueryScratch q) noexcept nogil
