# Lines and triangles with colours: see canvas.py.

cdef class Canvas:
    cdef readonly dict columns
    # points written, and points that there is room for
    cdef readonly int line_points, corners
    cdef int line_room, corner_room
    # points that has_room was asked for last
    cdef readonly int asked_points, asked_corners
    cdef double* lines
    cdef double* line_colors
    cdef double* triangles
    cdef double* triangle_colors
    cdef object palette_column, circle_column, counts_column, counted_column
    # counts by place, all 0 between two drawings, and the places that are counted in
    cdef int* counts
    cdef int* counted
    cdef double* palette
    cdef double* circle
    # what is written next: its colour, and how far it is lifted
    cdef double red, green, blue, alpha, lift
    cpdef reserve(self, int line_points, int corners)
    cpdef reserve_counts(self, int places, int most)

cdef bint has_room(Canvas canvas, int line_points, int corners) noexcept nogil
cdef void choose(Canvas canvas, int row, double share, double lift) noexcept nogil
cdef void put_line(Canvas canvas, double ax, double ay, double az, double bx, double by, double bz) noexcept nogil
cdef void put_corner(Canvas canvas, double x, double y, double z) noexcept nogil
cdef void put_cross(Canvas canvas, double x, double y, double z, double size) noexcept nogil
cdef void put_arrow(Canvas canvas, double x, double y, double z, double fx, double fz, double size) noexcept nogil
cdef double arc_height(double ax, double ay, double az, double bx, double by, double bz) noexcept nogil
cdef void put_arc(Canvas canvas, double ax, double ay, double az, double bx, double by, double bz, int skip) noexcept nogil
cdef void put_disc(Canvas canvas, double x, double y, double z, double radius, double share) noexcept nogil
