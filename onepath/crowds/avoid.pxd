from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef void avoid(CrowdStore store, CrowdWorker worker, int slot, double dt) noexcept nogil
