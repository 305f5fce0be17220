# Working memory of one query object: see scratch.py.
from onepath.navmesh.store cimport MeshStore, SurfacePoint

cdef class QueryScratch(SurfacePoint):
    cdef MeshStore mesh
    cdef readonly int max_nodes
    cdef readonly bint polygon_nodes
    # (out_x, out_y, out_z of the base class: result of the last point query)
    # result of the last raycast: hit fraction, wall normal, whether the ray was followed to its end or a wall
    cdef double hit_t, normal_x, normal_z
    cdef bint ray_complete
    # polygons crossed by the last raycast or move_along_surface
    cdef int visited_count, visited_capacity
    cdef object visited_column
    cdef int* visited
    # pieces found by the last find_walls
    cdef int wall_count, wall_capacity
    cdef object wall_poly_column, wall_edge_column, wall_piece_column, wall_distance_column, wall_xyz_column
    cdef int* wall_poly
    cdef int* wall_edge
    cdef int* wall_piece
    cdef double* wall_distance
    cdef double* wall_xyz
    # polygons reached by a search around a place, in order, each with the one it was reached from and its depth
    cdef int reach_count, reach_capacity, reach_stamp
    cdef bint reach_full
    cdef object reach_poly_column, reach_parent_column, reach_depth_column, reach_key_column, reach_mark_column
    cdef int* reach_poly
    cdef int* reach_parent
    cdef int* reach_depth
    cdef int* reach_key
    cdef int* reach_mark
    # corners written by the last find_corners
    cdef int corner_count, corner_capacity
    cdef object corner_xyz_column, corner_flags_column, corner_index_column
    cdef double* corner_xyz
    cdef int* corner_flags
    cdef int* corner_index
    # search nodes
    cdef int node_count, heap_count, key_capacity
    cdef object node_key_column, node_poly_column, node_parent_column, node_heap_column, node_xyz_column, node_cost_column
    cdef object key_node_column, heap_column
    cdef int* node_key
    cdef int* node_poly
    cdef int* node_parent
    cdef int* node_heap
    cdef double* node_xyz
    cdef double* node_cost
    cdef int* key_node
    cdef int* heap
    # the search under way
    cdef int search_status, search_start, search_end, search_best, search_goal, search_iterations
    cdef bint search_out_of_nodes
    cdef long long search_edit
    cdef double start_x, start_y, start_z, end_x, end_y, end_z
    # route of the search that ended last
    cdef int route_count, route_capacity
    cdef double route_cost
    cdef object route_column
    cdef int* route
    cpdef fit(self)
    cdef reserve_visited(self, int count)
    cdef reserve_walls(self, int count)
    cdef reserve_reach(self, int count)
    cdef _bind(self)
