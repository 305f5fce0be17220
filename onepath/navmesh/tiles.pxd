from onepath.navmesh.store cimport MeshStore

cdef class TileTable:
    cdef public MeshStore mesh
    cdef object polys, edges, nodes, items
    cdef readonly dict slots
    cdef _fill(self, int slot, object tile)
    cdef _plant_tree(self, int slot, object bounds, int poly_count)
    cdef _enter_grid(self, int slot)
    cdef _chain(self, int cell, int slot)
    cdef _leave_grid(self, int slot)
    cdef _rebuild_grid(self)
