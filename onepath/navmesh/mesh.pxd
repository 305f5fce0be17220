from onepath.navmesh.contents cimport MeshContents

cdef class TiledNavMesh(MeshContents):
    cdef _edited(self)
