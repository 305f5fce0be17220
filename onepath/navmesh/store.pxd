# Column layout: see store.py.
from onepath.navmesh.filter cimport QueryFilter

cdef class SurfacePoint:
    cdef double out_x, out_y, out_z
    # what is asked of the search under way; its best polygon, the squared distances of that and of the next best, how
    # far it is worth looking
    cdef double ask_x, ask_y, ask_z, ask_ex, ask_ey, ask_ez
    cdef int near_poly
    cdef double near_best, near_second, near_limit, near_rise
    # ends of the piece of an edge that was asked for last
    cdef double piece_ax, piece_ay, piece_az, piece_bx, piece_by, piece_bz

cdef class MeshStore:
    # tiles, by slot
    cdef int tile_slots
    cdef object tile_salt_column, tile_live_column, tile_x_column, tile_z_column, tile_layer_column
    cdef object tile_poly_column, tile_poly_count_column, tile_edge_column, tile_edge_count_column
    cdef object tile_node_column, tile_node_count_column, tile_item_column, tile_next_column
    cdef int* tile_salt
    cdef int* tile_live
    cdef int* tile_x
    cdef int* tile_z
    cdef int* tile_layer
    cdef int* tile_poly
    cdef int* tile_poly_count
    cdef int* tile_edge
    cdef int* tile_edge_count
    cdef int* tile_node
    cdef int* tile_node_count
    cdef int* tile_item
    cdef int* tile_next
    # tile grid
    cdef double origin_x, origin_z, tile_size, max_climb
    cdef int grid_x, grid_z, grid_width, grid_depth
    cdef object grid_column
    cdef int* grid
    # polygons
    cdef int poly_capacity
    cdef object poly_edge_column, poly_size_column, poly_area_column, poly_flags_column, poly_tile_column
    cdef object poly_link_column
    cdef int* poly_edge
    cdef unsigned char* poly_size
    cdef unsigned char* poly_area
    cdef unsigned short* poly_flags
    cdef int* poly_tile
    cdef int* poly_link
    # edges (edge k of a polygon runs from its vertex k to its vertex k + 1)
    cdef int edge_capacity
    cdef object xyz_column, neighbour_column
    cdef double* xyz
    cdef int* neighbour
    # portals
    cdef int portal_capacity, portal_free
    cdef object portal_target_column, portal_edge_column, portal_next_column, portal_t_column, portal_xyz_column
    cdef int* portal_target
    cdef int* portal_edge
    cdef int* portal_next
    cdef double* portal_t
    cdef double* portal_xyz
    # off-mesh links
    cdef int link_capacity
    cdef object link_state_column, link_poly_column, link_next_column, link_area_column, link_flags_column
    cdef object link_xyz_column
    cdef int* link_state
    cdef int* link_poly
    cdef int* link_next
    cdef int* link_area
    cdef int* link_flags
    cdef double* link_xyz
    # bounding volume trees
    cdef object node_bounds_column, node_skip_column, node_first_column, item_column
    cdef double* node_bounds
    cdef int* node_skip
    cdef int* node_first
    cdef int* item
    cdef public long long edit_count
    cdef public long long revision
    # who is at it: kernels that read without the interpreter lock, and whether an edit is under way
    cdef public int readers
    cdef public bint changing
    cpdef bind(self)
    cpdef check_unchanging(self)
    cpdef begin_reading(self)
    cpdef end_reading(self)

cdef int poly_of_ref(MeshStore mesh, unsigned long long ref) noexcept nogil
cdef unsigned long long ref_of_poly(MeshStore mesh, int poly) noexcept nogil
cdef bint passes(MeshStore mesh, QueryFilter filter, int poly) noexcept nogil
cdef bint link_passes(MeshStore mesh, QueryFilter filter, int link_end) noexcept nogil
cdef int link_target(MeshStore mesh, int link_end) noexcept nogil
cdef int tile_at(MeshStore mesh, int tx, int tz) noexcept nogil
