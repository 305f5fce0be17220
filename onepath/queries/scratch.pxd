# Working memory of one query object: see scratch.py.
from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore, SurfacePoint

cdef class QueryScratch(SurfacePoint):
    cdef MeshStore mesh
    # whether kernels are at work with it without the interpreter lock
    cdef bint busy
    cdef readonly int max_nodes
    cdef readonly bint polygon_nodes
    # (out_x, out_y, out_z of the base class: result of the last point query)
    # result of the last raycast: hit fraction, wall normal and the polygon it ended in
    cdef double hit_t, normal_x, normal_z
    cdef int ray_last
    # polygons crossed by the last raycast or move_along_surface
    cdef int visited_capacity
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
    # crossing found by the last find_crossing: ends of the piece as seen on leaving, or link end
    cdef double crossing_left_x, crossing_left_y, crossing_left_z
    cdef double crossing_right_x, crossing_right_y, crossing_right_z
    cdef int crossing_link, crossing_exit
    # crossings behind the first polygons of the corridor, by place, while corners are found
    cdef object pass_kind_column, pass_xyz_column
    cdef int* pass_kind
    cdef double* pass_xyz
    cdef QueryFilter any_filter
    # search nodes: x, y, z, g, f and key, polygon, parent node, place in the heap (negative: closed)
    cdef int node_count
    cdef object node_value_column, node_info_column
    cdef double* node_value
    cdef int* node_info
    # open list
    cdef int heap_count
    cdef bint heap_hole
    cdef object heap_f_column, heap_node_column
    cdef double* heap_f
    cdef int* heap_node
    # nodes by key and by polygon
    cdef int key_capacity
    cdef object key_node_column, poly_node_column
    cdef int* key_node
    cdef int* poly_node
    # the search under way
    cdef int search_status, search_end, search_goal
    cdef readonly int search_iterations
    cdef readonly bint search_out_of_nodes
    cdef long long search_edit
    cdef unsigned long long search_start_ref, search_end_ref
    cdef double start_x, start_y, start_z, end_x, end_y, end_z, search_end_cost, search_least_cost
    # what expanding a crossing sees through the piece that it stands on
    cdef bint through
    cdef double search_saving, eye_x, eye_z, door_left_x, door_left_z, door_right_x, door_right_z
    # route read out last
    cdef readonly int route_count
    cdef readonly double route_cost
    cdef object route_column
    cdef int* route
    cpdef fit(self)
    cpdef check_idle(self)
    cpdef begin_work(self)
    cpdef end_work(self)
    cdef reserve_visited(self, int count)
    cdef reserve_walls(self, int count)
    cdef reserve_corners(self, int count)
    cdef reserve_reach(self, int count)
    cdef _bind(self)
