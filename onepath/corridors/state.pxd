# State bytes of corridors and followers: see state.py. A pointer is to a byte column (or any writable byte buffer).
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore

cdef long long corridor_size(FollowerStore s, int slot) noexcept nogil
cdef long long follower_size(FollowerStore s, int slot) noexcept nogil
# write at p[at..], return the offset behind the last byte
cdef long long write_corridor(FollowerStore s, int slot, unsigned char* p, long long at) noexcept nogil
cdef long long write_follower(FollowerStore s, int slot, unsigned char* p, long long at) noexcept nogil
# check p[at..end) against a corridor capacity; return the offset behind the last byte, or -1 with w.error_field (index
# into state.FIELDS) and w.error_offset set. Nothing is changed. Bytes between the result and end are the caller's business.
cdef long long check_corridor(unsigned char* p, long long at, long long end, int capacity, CorridorScratch w) noexcept nogil
cdef long long check_follower(unsigned char* p, long long at, long long end, int capacity, CorridorScratch w) noexcept nogil
# load bytes that were checked; return the offset behind the last byte
cdef long long load_corridor(FollowerStore s, int slot, unsigned char* p, long long at) noexcept nogil
cdef long long load_follower(FollowerStore s, int slot, unsigned char* p, long long at) noexcept nogil
