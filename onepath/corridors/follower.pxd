# Kernels on one follower of a store: see follower.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

# put on the nearest accepted polygon, IDLE; False (nothing changed): none is near
cdef bint place(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double y, double z) noexcept nogil
# the text's SetDestination; True: MOVING (or recorded while crossing). deferred: leave the search to the next step
cdef bint set_destination(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double y, double z, bint deferred) noexcept nogil
# set_destination that leaves everything alone when the agent is already on its way to exactly that point
cdef bint request_destination(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double y, double z, bint deferred) noexcept nogil
# no destination any more: IDLE (while crossing: goes to the link's end)
cdef void stop(FollowerStore s, int slot) noexcept nogil
# stages 1 to 10
cdef void step(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double dt) noexcept nogil
# stages 1 to 6, shared by step and plan_crowd; True: go on and walk. crowd: the rule for corridors cut to capacity
cdef bint upkeep(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, bint crowd) noexcept nogil
# MOVING and the next plan_crowd will search (unless s.held[slot] is set, which makes it wait)
cdef bint wants_replan(FollowerStore s, int slot) noexcept nogil
