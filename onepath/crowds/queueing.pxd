from onepath.corridors.store cimport FollowerStore
from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

# lets those agents whose plan is to enter a link do so for whom there is room; single-threaded, between two phases
# notes the largest radius of any agent
cdef void find_widest(CrowdStore store) noexcept nogil
# the share of its wanted speed at which a walker goes to a link
cdef double approach(CrowdStore store, CrowdWorker worker, FollowerStore s, int slot) noexcept nogil
cdef void let_in(CrowdStore store, CrowdWorker worker, double dt) noexcept nogil
