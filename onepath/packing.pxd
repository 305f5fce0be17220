cdef long long put_byte(unsigned char* data, long long offset, int value) noexcept nogil
cdef long long put_int(unsigned char* data, long long offset, int value) noexcept nogil
cdef long long put_long(unsigned char* data, long long offset, long long value) noexcept nogil
cdef long long put_reference(unsigned char* data, long long offset, unsigned long long value) noexcept nogil
cdef long long put_double(unsigned char* data, long long offset, double value) noexcept nogil
cdef int get_int(unsigned char* data, long long offset) noexcept nogil
cdef long long get_long(unsigned char* data, long long offset) noexcept nogil
cdef unsigned long long get_reference(unsigned char* data, long long offset) noexcept nogil
cdef double get_double(unsigned char* data, long long offset) noexcept nogil
cdef unsigned long long fnv1a_update(unsigned long long hash, unsigned char* data, long long first,
                                     long long count) noexcept nogil
