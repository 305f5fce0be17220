from onepath.navmesh.store cimport MeshStore

cdef double border_coordinate(MeshStore mesh, int slot, int side) noexcept nogil
cdef bint on_side(MeshStore mesh, int poly, int edge, int side, double line) noexcept nogil
