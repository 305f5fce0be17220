from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore, SurfacePoint

cdef bint wall_piece(MeshStore mesh, QueryFilter filter, SurfacePoint out, int poly, int edge, int piece) noexcept nogil
