from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef void take_snapshot(CrowdStore store) noexcept nogil
cdef void find_neighbours(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
# the grid column (or row) at an offset from the grid's corner
cdef int cell_at(double offset, double cell, int count) noexcept nogil
