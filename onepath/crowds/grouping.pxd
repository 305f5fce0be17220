# Agents that arrive as a group: see grouping.py.
from onepath.crowds.store cimport CrowdStore
from onepath.crowds.worker cimport CrowdWorker
from onepath.orca.lines cimport OrcaLines

cdef bint is_settled(CrowdStore store, int slot) noexcept nogil
cdef bint same_place(CrowdStore store, int a, int b) noexcept nogil
cdef void watch_group(CrowdStore store, int slot, double dt) noexcept nogil
cdef void add_braking_lines(CrowdStore store, CrowdWorker worker, OrcaLines lines, int slot) noexcept nogil
# 0: on its way; held up by its group, which leaves 1: no room (it counts as arrived), 2: little room, 3: room
cdef int group_verdict(CrowdStore store, CrowdWorker worker, int slot, bint slow) noexcept nogil
