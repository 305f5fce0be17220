"""Lines and triangles with colours, written by kernels as flat columns for whoever draws them."""

from array import array
from math import cos, pi, sin

import cython

from onepath.buffers import grown, zeros
from onepath.errors import OutOfRangeError
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import double_pointer, int_pointer

#: Lines around a disc, and places along an arc.
DISC_SIDES = 12

_SIDES = cython.declare(cython.int, DISC_SIDES)
_PARTS = cython.declare(cython.int, 12)
# An arc of length l rises 0.3 + 0.2 l over the straight line (m).
_RISE = cython.declare(cython.double, 0.3)
_RISE_SHARE = cython.declare(cython.double, 0.2)
#: An arrow that comes from nearer than this (m) has no direction.
_NO_LENGTH = cython.declare(cython.double, 1e-9)

# column → numbers for each point
_COLUMNS = {"lines": 3, "line_colors": 4, "triangles": 3, "triangle_colors": 4}


@cython.cclass
class Canvas:
    """Ends of lines and corners of triangles: x, y, z, and red, green, blue, alpha for each of them.

    It is kept and used again: ``clear``, let kernels write, ``take`` each column.

    Args:
        palette: rows of red, green, blue, alpha. Kernels name colours by row.
    """

    def __init__(self, palette):
        self.palette_column = array("d", [float(part) for row in palette for part in row])
        if len(self.palette_column) == 0 or len(self.palette_column) % 4 != 0:
            raise OutOfRangeError("palette", "must be rows of four numbers")
        self.circle_column = array("d")
        for k in range(DISC_SIDES):
            self.circle_column.extend((cos(2.0 * pi * k / DISC_SIDES), sin(2.0 * pi * k / DISC_SIDES)))
        self.circle_column.extend(self.circle_column[:2])
        self.palette = double_pointer(self.palette_column)
        self.circle = double_pointer(self.circle_column)
        self.columns = {name: zeros("d", 0) for name in _COLUMNS}
        self.line_room = self.corner_room = 0
        self.counts_column = zeros("i", 0)
        self.counted_column = zeros("i", 0)
        self.clear()
        self.reserve(256, 256)

    def clear(self) -> None:
        """Forget what was drawn; the room for it is kept."""
        self.line_points = self.corners = self.asked_points = self.asked_corners = 0
        self.red = self.green = self.blue = self.alpha = self.lift = 0.0

    @cython.ccall
    def reserve(self, line_points: cython.int, corners: cython.int):
        """Make room for that many more points than there are. Kernels must not be running."""
        columns = self.columns
        self.line_room = _room(self.line_room, self.line_points + line_points)
        self.corner_room = _room(self.corner_room, self.corners + corners)
        for name, numbers in _COLUMNS.items():
            room = self.line_room if name.startswith("line") else self.corner_room
            columns[name] = grown(columns[name], numbers * room)
        self.lines = double_pointer(columns["lines"])
        self.line_colors = double_pointer(columns["line_colors"])
        self.triangles = double_pointer(columns["triangles"])
        self.triangle_colors = double_pointer(columns["triangle_colors"])

    @cython.ccall
    def reserve_counts(self, places: cython.int, most: cython.int):
        """Make room for counting in that many places, of which at most ``most`` are counted in.

        Kernels that count in ``counts`` list the places in ``counted``, and leave all counts at 0 again.
        """
        if len(self.counts_column) < places:
            self.counts_column = zeros("i", places)
        if len(self.counted_column) < most:
            self.counted_column = zeros("i", 2 * most)
        self.counts = int_pointer(self.counts_column)
        self.counted = int_pointer(self.counted_column)

    def take(self, name: str):
        """Return what was written into a column (``lines``, ``line_colors``, ``triangles``, ``triangle_colors``).

        A ``d`` view of the column itself, valid until the canvas is used again.
        """
        count = self.line_points if name.startswith("line") else self.corners
        return memoryview(self.columns[name])[:_COLUMNS[name] * count]


def _room(there, wanted):
    """Room for so many points; where there is too little, half as much again at least, so that growth stays linear."""
    return there if wanted <= there else max(wanted, there + there // 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def has_room(canvas: Canvas, line_points: cython.int, corners: cython.int) -> cython.bint:
    """Tell whether that many more points fit; the numbers are kept for whoever makes room then."""
    canvas.asked_points = line_points
    canvas.asked_corners = corners
    return (canvas.line_points + line_points <= canvas.line_room
            and canvas.corners + corners <= canvas.corner_room)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def choose(canvas: Canvas, row: cython.int, share: cython.double, lift: cython.double) -> cython.void:
    """Draw from now on in the palette's colour ``row``, its alpha times ``share``, lifted by ``lift`` (m)."""
    canvas.red = canvas.palette[4 * row]
    canvas.green = canvas.palette[4 * row + 1]
    canvas.blue = canvas.palette[4 * row + 2]
    canvas.alpha = canvas.palette[4 * row + 3] * share
    canvas.lift = lift


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put(canvas: Canvas, points: cython.p_double, colors: cython.p_double, at: cython.int, x: cython.double,
         y: cython.double, z: cython.double) -> cython.void:
    points[3 * at] = x
    points[3 * at + 1] = y + canvas.lift
    points[3 * at + 2] = z
    colors[4 * at] = canvas.red
    colors[4 * at + 1] = canvas.green
    colors[4 * at + 2] = canvas.blue
    colors[4 * at + 3] = canvas.alpha


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_line(canvas: Canvas, ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double,
             by: cython.double, bz: cython.double) -> cython.void:
    """Draw a line; there must be room for its two ends."""
    _put(canvas, canvas.lines, canvas.line_colors, canvas.line_points, ax, ay, az)
    _put(canvas, canvas.lines, canvas.line_colors, canvas.line_points + 1, bx, by, bz)
    canvas.line_points += 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_corner(canvas: Canvas, x: cython.double, y: cython.double, z: cython.double) -> cython.void:
    """Write a corner of a triangle; there must be room for it."""
    _put(canvas, canvas.triangles, canvas.triangle_colors, canvas.corners, x, y, z)
    canvas.corners += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_cross(canvas: Canvas, x: cython.double, y: cython.double, z: cython.double,
              size: cython.double) -> cython.void:
    """Draw a cross that lies flat: four line ends."""
    put_line(canvas, x - size, y, z - size, x + size, y, z + size)
    put_line(canvas, x - size, y, z + size, x + size, y, z - size)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_arrow(canvas: Canvas, x: cython.double, y: cython.double, z: cython.double, fx: cython.double,
              fz: cython.double, size: cython.double) -> cython.void:
    """Draw the head of an arrow at a point, as one that comes from (fx, fz): four line ends, or none."""
    dx: cython.double = fx - x
    dz: cython.double = fz - z
    length: cython.double = sqrt(dx * dx + dz * dz)
    if length < _NO_LENGTH:
        return
    dx = dx / length * size
    dz = dz / length * size
    put_line(canvas, x, y, z, x + dx - 0.5 * dz, y + 0.5 * size, z + dz + 0.5 * dx)
    put_line(canvas, x, y, z, x + dx + 0.5 * dz, y + 0.5 * size, z + dz - 0.5 * dx)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def arc_height(ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double, by: cython.double,
               bz: cython.double) -> cython.double:
    """How far the middle of an arc is above the middle of the straight line."""
    dx: cython.double = bx - ax
    dy: cython.double = by - ay
    dz: cython.double = bz - az
    return _RISE + _RISE_SHARE * sqrt(dx * dx + dy * dy + dz * dz)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_arc(canvas: Canvas, ax: cython.double, ay: cython.double, az: cython.double, bx: cython.double,
            by: cython.double, bz: cython.double, skip: cython.int) -> cython.void:
    """Draw an arc over the ground, two line ends for each of its parts; ``skip`` 2 leaves every second part out."""
    dx: cython.double = bx - ax
    dy: cython.double = by - ay
    dz: cython.double = bz - az
    rise: cython.double = arc_height(ax, ay, az, bx, by, bz)
    k: cython.int = 0
    t: cython.double
    u: cython.double
    while k < _PARTS:
        t = k / (1.0 * _PARTS)
        u = (k + 1) / (1.0 * _PARTS)
        put_line(canvas, ax + dx * t, ay + dy * t + 4.0 * rise * t * (1.0 - t), az + dz * t,
                 ax + dx * u, ay + dy * u + 4.0 * rise * u * (1.0 - u), az + dz * u)
        k += skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_disc(canvas: Canvas, x: cython.double, y: cython.double, z: cython.double, radius: cython.double,
             share: cython.double) -> cython.void:
    """Draw a circle and fill it with ``share`` of the alpha: two line ends and three corners for each of its sides."""
    alpha: cython.double = canvas.alpha
    k: cython.int
    ax: cython.double = x + radius * canvas.circle[0]
    az: cython.double = z + radius * canvas.circle[1]
    bx: cython.double
    bz: cython.double
    for k in range(_SIDES):
        bx = x + radius * canvas.circle[2 * k + 2]
        bz = z + radius * canvas.circle[2 * k + 3]
        canvas.alpha = alpha
        put_line(canvas, ax, y, az, bx, y, bz)
        canvas.alpha = alpha * share
        put_corner(canvas, x, y, z)
        put_corner(canvas, ax, y, az)
        put_corner(canvas, bx, y, bz)
        ax = bx
        az = bz
    canvas.alpha = alpha
