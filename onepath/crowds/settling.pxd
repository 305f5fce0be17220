from onepath.crowds.store cimport CrowdStore

cdef void note_post(CrowdStore store, int slot) noexcept nogil
# while an agent that has arrived still brakes, its post moves along
cdef void carry_post(CrowdStore store, int slot, double before2, double dt) noexcept nogil
cdef bint is_displaced(CrowdStore store, int slot) noexcept nogil
cdef bint wants_retry(CrowdStore store, int slot) noexcept nogil
cdef void want_post(CrowdStore store, int slot, double dt) noexcept nogil
