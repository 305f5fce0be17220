# Column layout: see store.py.

cdef class FollowerStore:
    cdef readonly int slots
    cdef readonly int stride
    cdef readonly dict columns
    # polygon references of all corridors: slot s owns refs[s * stride .. + capacity[s]]
    cdef unsigned long long* refs
    # corridor
    cdef int* capacity
    cdef int* count
    cdef unsigned char* flags
    cdef double* surface
    cdef double* target
    cdef unsigned long long* target_ref
    # follower state
    cdef unsigned char* state
    cdef unsigned char* reached
    cdef unsigned long long* step_count
    cdef int* rounds
    cdef int* recoveries
    cdef double* stuck_clock
    cdef double* anchor
    cdef double* position
    cdef double* velocity
    cdef double* destination
    cdef double* link_start
    cdef double* link_end
    cdef double* link_elapsed
    cdef double* link_duration
    cdef unsigned long long* link_exit
    cdef double* remaining
    # options, spelled as in FollowerOptions
    cdef double* max_speed
    cdef double* max_acceleration
    cdef double* slow_radius
    cdef double* arrival_min_speed
    cdef double* arrival_radius
    cdef int* max_corners
    cdef int* validate_look_ahead
    cdef int* optimize_interval
    cdef double* optimize_range
    cdef int* optimize_budget
    cdef int* topology_interval
    cdef int* topology_budget
    cdef int* replan_budget
    cdef int* max_replan_rounds
    cdef double* stuck_window
    cdef double* stuck_progress
    cdef int* max_stuck_recoveries
    cdef int* off_mesh_mode
    cdef double* off_mesh_speed
    cdef double* off_mesh_trigger_radius
    cdef double* search_extents
    cdef int* refine_budget
    cdef double* corner_clearance
    # what one phase of a step leaves for the next; never state
    cdef unsigned char* held
    cdef unsigned char* walking
    cdef unsigned char* full_speed
    cdef unsigned char* corner_kind
    cdef int* corner_limit
    cdef double* corner
    cdef double* length
    cdef double* wanted
    cdef int* entry
    cdef int* entry_place
    # what a crowd knows of the corridor from earlier steps; never state
    cdef long long* known_revision
    cdef int* sound
    cdef int* exits
    cdef int* string_count
    cdef int* string_index
    cdef int* string_flags
    cdef double* string_xyz
    cpdef grow(self, int slots)
    cpdef widen(self, int stride)
    cpdef bind(self)
