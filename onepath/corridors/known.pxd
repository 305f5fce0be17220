# What a crowd knows of its corridors from earlier steps: see known.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

cdef void forget(FollowerStore s, int slot) noexcept nogil
cdef void recall(FollowerStore s, int slot, long long revision) noexcept nogil
# polygons from number before on are now those from number after on; others in front of them
cdef void keep_rest(FollowerStore s, int slot, int before, int after) noexcept nogil
cdef int corners_again(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int max_corners) noexcept nogil
