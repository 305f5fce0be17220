# Working memory of the linear program: see lines.py.

cdef class OrcaLines:
    cdef readonly int capacity
    cdef readonly int count
    cdef double out_x, out_z
    cdef object px_column, pz_column, nx_column, nz_column, offset_column
    cdef object bisector_nx_column, bisector_nz_column, bisector_offset_column
    cdef double* px
    cdef double* pz
    cdef double* nx
    cdef double* nz
    cdef double* offset
    cdef double* bisector_nx
    cdef double* bisector_nz
    cdef double* bisector_offset
