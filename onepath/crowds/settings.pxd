cdef class SettingsTable:
    cdef readonly int stride
    cdef readonly object bytes_column
    cdef object length_column
    cdef list _options
    cdef list _users
    cdef list _free
    cdef dict _rows
    cdef unsigned char* data
    cdef int* length
    cpdef int acquire(self, object options)
    cpdef release(self, int row)
    cpdef object options_of(self, int row)
