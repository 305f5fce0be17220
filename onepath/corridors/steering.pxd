# The two halves of a follower's step in a crowd: see steering.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

# the PlanKind; the wanted velocity of a walking one is in s.wanted[2 * slot ..]
cdef int plan_crowd(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double dt) noexcept nogil
# moves a walking agent by the velocity (X/Z) that was solved; position, velocity, remaining, state in the columns
cdef void apply_crowd(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double vx, double vz, double dt) noexcept nogil
# pushes a standing agent
cdef void nudge(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double vx, double vz, double dt) noexcept nogil
