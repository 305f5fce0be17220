# Kernels on one corridor of a store: see corridor.py. All return whether they did what they were asked.
from onepath.corridors.scratch cimport CorridorScratch
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore

cdef bint connected(MeshStore mesh, QueryFilter filter, int a, int b) noexcept nogil
cdef void put_surface(FollowerStore s, int slot, double x, double y, double z) noexcept nogil
cdef void mark_cut(FollowerStore s, int slot) noexcept nogil
cdef void keep_from(FollowerStore s, int slot, int first) noexcept nogil
cdef void set_single(FollowerStore s, int slot, unsigned long long ref, double x, double y, double z) noexcept nogil
cdef void chain_clear(CorridorScratch w) noexcept nogil
cdef void chain_add(CorridorScratch w, unsigned long long ref) noexcept nogil
cdef bint chain_store(FollowerStore s, int slot, CorridorScratch w) noexcept nogil
cdef bint move_position(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double z) noexcept nogil
cdef bint move_target(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double x, double y, double z) noexcept nogil
cdef bint move_along(FollowerStore s, int slot, CorridorScratch w, int limit, double x, double y, double z) noexcept nogil
cdef int corners(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int max_corners) noexcept nogil
cdef int validate(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int look_ahead) noexcept nogil
cdef int validate_rest(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, int look_ahead,
                       int sound) noexcept nogil
cdef bint relocate(FollowerStore s, int slot, CorridorScratch w, QueryFilter f, double ex, double ey, double ez) noexcept nogil
