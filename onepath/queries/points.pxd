from onepath.navmesh.mesh cimport TiledNavMesh
from onepath.queries.scratch cimport QueryScratch

cdef class PointQueries:
    cdef readonly TiledNavMesh mesh
    cdef readonly QueryScratch scratch

cdef QueryScratch ready(object scratch)
