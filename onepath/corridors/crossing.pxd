# Crossing an off-mesh link: see crossing.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

# notes the link that corner `entry` in w.query leads to; False: none that may be crossed now
cdef bint find_entry(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int entry) noexcept nogil
cdef void begin_crossing(FollowerStore s, int slot, CorridorScratch w) noexcept nogil
cdef void step_crossing(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double dt) noexcept nogil
# puts the agent at the link's end; False (nothing changed): it is not crossing
cdef bint complete_link(FollowerStore s, int slot, CorridorScratch w, QueryFilter f) noexcept nogil
