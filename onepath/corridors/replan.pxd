# Replanning one corridor, whole or in slices: see replan.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

cdef void set_target(FollowerStore s, int slot, double x, double y, double z) noexcept nogil
cdef int begin_replan(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double ex, double ey, double ez) noexcept nogil
cdef int update_replan(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int budget) noexcept nogil
cdef int apply_replan(FollowerStore s, int slot, CorridorScratch w) noexcept nogil
cdef int replan(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int budget, double ex, double ey, double ez) noexcept nogil
