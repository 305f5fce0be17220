from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef void take_snapshot(CrowdStore store) noexcept nogil
cdef void find_neighbours(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
