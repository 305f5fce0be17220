from onepath.navmesh.links cimport LinkTable
from onepath.navmesh.store cimport MeshStore
from onepath.navmesh.tiles cimport TileTable

cdef class MeshContents:
    cdef readonly MeshStore store
    cdef readonly TileTable table
    cdef readonly LinkTable link_table
    cdef public object report
