# Pictures of followers, for crowds too: see picture.py.
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.canvas cimport Canvas
from onepath.navmesh.store cimport MeshStore
from onepath.queries.scratch cimport QueryScratch

cdef draw_corridors(MeshStore mesh, FollowerStore s, object active, int slots, int followers, Canvas canvas)
cdef int pull_string(QueryScratch q, FollowerStore s, int slot) noexcept nogil
cdef int points_of(int parts, int bends) noexcept nogil
cdef int corners_of(int parts) noexcept nogil
cdef void draw_slot(QueryScratch q, FollowerStore s, Canvas canvas, int parts, int slot, int bends,
                    double radius) noexcept nogil
