# Column layout: see store.py.
from onepath.corridors.store cimport FollowerStore
from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.store cimport MeshStore

cdef class CrowdStore:
    cdef readonly FollowerStore followers
    cdef readonly MeshStore mesh
    cdef readonly QueryFilter filter
    cdef readonly dict columns
    cdef readonly int capacity
    # part of the state
    cdef public int slot_count, agent_count, lowest_free
    cdef public long long next_id
    cdef public unsigned long long step_count
    # settings of the crowd
    cdef readonly int max_walls, max_walls_avoided, max_lines, replan_budget
    cdef readonly double refresh_distance, wall_horizon
    cdef readonly bint recording, queues_at_links
    # agents, by slot
    cdef unsigned char* active
    cdef unsigned char* crossing
    cdef unsigned char* walking
    cdef unsigned char* quality
    cdef unsigned char* group_arrival
    cdef unsigned char* yields
    cdef unsigned char* settles
    cdef int* max_neighbors
    cdef int* options_row
    cdef int* layers
    cdef long long* id
    cdef double* priority
    cdef double* radius
    cdef double* height
    cdef double* horizon
    cdef double* neighbor_distance
    cdef double* wall_clearance
    cdef double* wall_reach
    cdef double* separation_distance
    cdef double* separation_weight
    cdef double* side_preference
    cdef double* squeeze
    cdef double* solved
    # the largest radius (0 if agents do not queue at links), who waits at a link (nearest to its entry first) and who crosses, in this step
    cdef int waiter_count, crosser_count
    cdef double widest_radius
    cdef int* waiter
    cdef int* crosser
    # wall caches, by slot
    cdef int* wall_poly
    cdef int* wall_edge
    cdef int* wall_count
    cdef long long* wall_stamp
    cdef double* wall_centre
    # recorded half-planes, by slot (only when recording)
    cdef int* line_count
    cdef int* line_walls
    cdef double* line
    # the snapshot of the step, sorted by (cell, slot), and the grid over it
    cdef int* rank
    cdef int* sorted_slot
    cdef int* cell_of
    cdef double* sorted_x
    cdef double* sorted_y
    cdef double* sorted_z
    cdef double* sorted_vx
    cdef double* sorted_vz
    cdef int* cell_start
    cdef double grid_x, grid_z, grid_cell
    cdef int grid_columns, grid_rows
    cdef readonly bint heights
    cpdef grow(self, int slots)
    cpdef bind(self)
