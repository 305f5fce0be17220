from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore, SurfacePoint

cdef int find_nearest(MeshStore mesh, QueryFilter filter, SurfacePoint out, double px, double py, double pz,
                      double ex, double ey, double ez) noexcept nogil
cdef bint closest_point(MeshStore mesh, SurfacePoint out, int poly, double px, double pz) noexcept nogil
cdef double surface_height(MeshStore mesh, int poly, double x, double z) noexcept nogil
cdef bint contains_xz(MeshStore mesh, int poly, double x, double z, double tolerance) noexcept nogil
cdef bint project_xz(MeshStore mesh, SurfacePoint out, int poly, double x, double z) noexcept nogil
cdef bint lies_beyond(MeshStore mesh, int poly, double px, double pz, double limit) noexcept nogil
