"""The structural check that every tile passes before it becomes part of a mesh."""

import cython

from onepath.geometry import COORDINATE_LIMIT
from onepath.navmesh.filter import AREA_COUNT
from onepath.navmesh.tile_data import MAX_POLY_VERTICES
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.geometry import cross_xz
from cython.cimports.onepath.navmesh.fan import fan_meets_rim
from cython.cimports.libc.math import sqrt

#: How far, in world units, a vertex of a convex outline may lie on the wrong side of another edge.
CONVEX_TOLERANCE = 1e-5
#: How far, in world units, vertices in line in X/Z may be from one line in height where the surface goes straight.
LEVEL_TOLERANCE = 1e-6


def first_fault(tile):
    """Look for the first thing that keeps a tile from being valid.

    Args:
        tile: a :class:`~onepath.navmesh.tile_data.TileData` whose columns have consistent lengths.

    Returns:
        ``None`` for a valid tile, else (field, index, message): the column at fault and the element in it.
    """
    if len(tile.vertices) % 3:
        return ("vertices", len(tile.vertices), "three numbers per vertex are needed")
    count = len(tile.sizes)
    if len(tile.areas) != count or len(tile.flags) != count:
        return ("areas" if len(tile.areas) != count else "flags", count, "one entry per polygon is needed")
    for index, size in enumerate(tile.sizes):
        if not 3 <= size <= MAX_POLY_VERTICES:
            return ("sizes", index, f"a polygon has 3 to {MAX_POLY_VERTICES} vertices, not {size}")
    if sum(tile.sizes) != len(tile.indices):
        return ("indices", len(tile.indices), "the sizes of the polygons must add up to the number of indices")
    for index, area in enumerate(tile.areas):
        if area >= AREA_COUNT:
            return ("areas", index, f"an area id is below {AREA_COUNT}, not {area}")
    return _geometry_fault(tile)


def _geometry_fault(tile):
    vertices: cython.p_double = double_pointer(tile.vertices)
    indices: cython.p_int = int_pointer(tile.indices)
    sizes: cython.p_uchar = byte_pointer(tile.sizes)
    index_count: cython.int = len(tile.indices)
    value_count: cython.int = len(tile.vertices)
    poly_count: cython.int = len(tile.sizes)
    limit: cython.double = COORDINATE_LIMIT
    fault: cython.int = -1
    i: cython.int
    with cython.nogil:
        for i in range(value_count):
            if not (-limit < vertices[i] < limit):
                fault = i
                break
    if fault >= 0:
        return ("vertices", fault, "coordinates must be finite and below 2^21 in magnitude")
    with cython.nogil:
        for i in range(index_count):
            if indices[i] < 0 or indices[i] >= value_count // 3:
                fault = i
                break
    if fault >= 0:
        return ("indices", fault, "vertex index out of range")
    tolerance: cython.double = CONVEX_TOLERANCE
    start: cython.int = 0
    with cython.nogil:
        for i in range(poly_count):
            if not _is_convex(vertices, indices, start, sizes[i], tolerance):
                fault = i
                break
            start += sizes[i]
    if fault >= 0:
        return ("indices", start, f"polygon {fault} is not convex with positive area and distinct vertices")
    level: cython.double = LEVEL_TOLERANCE
    start = 0
    with cython.nogil:
        for i in range(poly_count):
            if not fan_meets_rim(vertices, indices, start, sizes[i], 0, level):
                fault = i
                break
            start += sizes[i]
    if fault >= 0:
        return ("indices", start, f"the surface of polygon {fault}, the fan of triangles at its first vertex, misses "
                                  "the height of a vertex in line with two others; begin at another vertex")
    return None


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_convex(vertices: cython.p_double, indices: cython.p_int, start: cython.int, size: cython.int,
               tolerance: cython.double) -> cython.bint:
    """Tell whether every vertex lies on the inner side of every edge, and the outline encloses something."""
    area: cython.double = 0.0
    i: cython.int
    j: cython.int
    for i in range(size):
        a: cython.int = 3 * indices[start + i]
        b: cython.int = 3 * indices[start + (i + 1 if i + 1 < size else 0)]
        ax: cython.double = vertices[a]
        az: cython.double = vertices[a + 2]
        bx: cython.double = vertices[b]
        bz: cython.double = vertices[b + 2]
        length: cython.double = sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az))
        if length <= 0.0:
            return False
        for j in range(size):
            p: cython.int = 3 * indices[start + j]
            if j != i and vertices[p] == ax and vertices[p + 2] == az:
                return False
            if cross_xz(ax, az, bx, bz, vertices[p], vertices[p + 2]) < -tolerance * length:
                return False
        first: cython.int = 3 * indices[start]
        area += cross_xz(vertices[first], vertices[first + 2], ax, az, bx, bz)
    return area > 0.0
