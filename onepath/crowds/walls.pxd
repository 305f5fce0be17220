from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef void refresh_walls(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
cdef void add_wall_lines(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
