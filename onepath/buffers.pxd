cdef double* double_pointer(object column) except? NULL
cdef int* int_pointer(object column) except? NULL
cdef long long* long_pointer(object column) except? NULL
cdef unsigned long long* reference_pointer(object column) except? NULL
cdef unsigned short* short_pointer(object column) except? NULL
cdef unsigned char* byte_pointer(object column) except? NULL
