from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker

cdef void begin_step(CrowdStore store, CrowdWorker worker) noexcept nogil
cdef void plan_groups(CrowdStore store, CrowdWorker worker, int index, int workers, double dt) noexcept nogil
cdef void avoid_groups(CrowdStore store, CrowdWorker worker, int index, int workers, double dt) noexcept nogil
cdef void move_groups(CrowdStore store, CrowdWorker worker, int index, int workers, double dt) noexcept nogil
