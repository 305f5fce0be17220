# Shortcuts of one corridor: see shortcuts.py. The first two return whether the corridor changed.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

cdef bint optimize_visibility(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double z, double reach, int budget) noexcept nogil
cdef bint optimize_topology(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int budget, int window) noexcept nogil
cdef bint move_freely(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double z) noexcept nogil
