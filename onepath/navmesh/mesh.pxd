from onepath.navmesh.contents cimport MeshContents

cdef class TiledNavMesh(MeshContents):
    pass
