from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

# 0: on its way; held up by its group, which leaves 1: no room (it counts as arrived), 2: little room, 3: room
cdef int group_verdict(CrowdStore store, CrowdWorker worker, int slot, bint slow) noexcept nogil
cdef bint is_settled(CrowdStore store, int slot) noexcept nogil
cdef bint same_place(CrowdStore store, int a, int b) noexcept nogil
cdef void note_post(CrowdStore store, int slot) noexcept nogil
cdef bint is_displaced(CrowdStore store, int slot) noexcept nogil
cdef bint wants_retry(CrowdStore store, int slot) noexcept nogil
cdef void want_post(CrowdStore store, int slot, double dt) noexcept nogil
