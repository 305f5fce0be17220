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
# for a target that moves: walks the end of the corridor along without a search where it can, else set_destination
cdef bint follow_destination(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double y, double z, bint deferred) noexcept nogil
# no destination any more: IDLE (while crossing: goes to the link's end)
cdef void stop(FollowerStore s, int slot) noexcept nogil
# MOVING and the next step will search (unless s.held[slot] is set, which makes it wait); crowd: the three-quarters rule
cdef bint wants_replan(FollowerStore s, int slot, bint crowd) noexcept nogil
# stage 2's search, for a crowd that hands out its searches itself; a limit below the follower's own budget that runs out
# changes nothing and is no round. Outcome: ReplanStatus; INVALID_START: leave it to the next step (recovers); the state
# may become NO_PATH; w.searched counts the expansions
cdef int search_within(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int limit) noexcept nogil
# what steps are made of
cdef void place_at_surface(FollowerStore s, int slot) noexcept nogil
cdef void begin_watch(FollowerStore s, int slot) noexcept nogil
cdef void set_velocity(FollowerStore s, int slot, double x, double y, double z, double dt) noexcept nogil
cdef bint recover(FollowerStore s, int slot, CorridorScratch w, QueryFilter f) noexcept nogil
cdef int search(FollowerStore s, int slot, CorridorScratch w, QueryFilter f) noexcept nogil
