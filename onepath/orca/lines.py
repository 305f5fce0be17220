"""The half-planes of one agent as flat columns, and the memory the linear program works in.

A half-plane ``k`` of velocity space is a point ``(px[k], pz[k])`` on its line and the unit normal ``(nx[k], nz[k])`` of
the allowed side. ``offset[k]`` is the normal's component of the point, so that a velocity is allowed where
``normal · velocity ≥ offset``; the program fills it. The bisector columns hold the half-planes of the second stage.
"""

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import double_pointer


@cython.cclass
class OrcaLines:
    """Room for ``capacity`` half-planes of one agent. One per thread; nothing in it is state."""

    def __init__(self, capacity: cython.int):
        self.capacity = capacity
        self.count = 0
        self.out_x = self.out_z = 0.0
        self.px_column = zeros("d", capacity)
        self.pz_column = zeros("d", capacity)
        self.nx_column = zeros("d", capacity)
        self.nz_column = zeros("d", capacity)
        self.offset_column = zeros("d", capacity)
        self.bisector_nx_column = zeros("d", capacity)
        self.bisector_nz_column = zeros("d", capacity)
        self.bisector_offset_column = zeros("d", capacity)
        self.px = double_pointer(self.px_column)
        self.pz = double_pointer(self.pz_column)
        self.nx = double_pointer(self.nx_column)
        self.nz = double_pointer(self.nz_column)
        self.offset = double_pointer(self.offset_column)
        self.bisector_nx = double_pointer(self.bisector_nx_column)
        self.bisector_nz = double_pointer(self.bisector_nz_column)
        self.bisector_offset = double_pointer(self.bisector_offset_column)
