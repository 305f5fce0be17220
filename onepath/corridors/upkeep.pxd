# What every walking follower does before it moves: see upkeep.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

# stages 1 to 6; True: go on and walk to s.corner. crowd: corridors cut to capacity wait with their extension
cdef bint upkeep(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, bint crowd) noexcept nogil
# choose the corner to steer for among the corners in w.query
cdef void aim(FollowerStore s, int slot, CorridorScratch w) noexcept nogil
cdef double wanted_speed(FollowerStore s, int slot, CorridorScratch w) noexcept nogil
cdef bint pending(FollowerStore s, int slot) noexcept nogil
cdef void arrive(FollowerStore s, int slot) noexcept nogil
cdef void keep_ground(FollowerStore s, int slot, CorridorScratch w, QueryFilter f) noexcept nogil
