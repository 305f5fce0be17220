from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef bint is_settled_by(CrowdStore store, CrowdWorker worker, int slot) noexcept nogil
cdef void note_post(CrowdStore store, int slot) noexcept nogil
cdef bint is_displaced(CrowdStore store, int slot) noexcept nogil
cdef void want_post(CrowdStore store, int slot, double dt) noexcept nogil
