# One step of a lone follower: see walk.py.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter

cdef void step(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double dt) noexcept nogil
# stages 9 and 10, shared with crowds: (x, y, z) is where the agent was, length the path length to the end from there
cdef void report(FollowerStore s, int slot, double x, double y, double z, double length, double dt) noexcept nogil
cdef void watch_progress(FollowerStore s, int slot, double dt) noexcept nogil
