"""Outlines get a first vertex whose fan of triangles meets all their edges, or are cut until every part has one."""

from array import array

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup
from cython.cimports.onepath.navmesh.fan import fan_is_flat, fan_meets_rim

#: Heights of vertices in line that deviate from one line by no more than this, world units, are left as they are.
LEVEL = 1e-9

_LEVEL = cython.declare(cython.double, LEVEL)


def mend_fans(soup: PolygonSoup) -> dict[str, tuple[int, ...]]:
    """Let the surface of every polygon, the fan of triangles at its first vertex, have the heights of its edges.

    An outline whose fan fails that begins at the next vertex, counted from its first, whose fan does not. Where no
    vertex's does, as in a triangle with raised vertices within all sides, the polygon is cut from vertex to vertex.
    One that even so cannot be mended, a sliver, stays as it is.

    Args:
        soup: convex polygons of at most 16 vertices.

    Returns:
        The fields of the build report that this step fills.
    """
    count: cython.int = soup.poly_count
    broken_column = zeros("B", count)
    broken: cython.p_uchar = byte_pointer(broken_column)
    i: cython.int
    with cython.nogil:
        for i in range(count):
            broken[i] = not fan_meets_rim(soup.xyz, soup.index, soup.first[i], soup.first[i + 1] - soup.first[i], 0,
                                          _LEVEL)
    turned, split = set(), set()
    if 1 in broken_column:
        first, index, source = array("i", [0]), array("i"), array("i")
        for poly in range(count):
            outline = soup.index_column[soup.first_column[poly]:soup.first_column[poly + 1]]
            parts = _parts(soup.xyz_column, outline) if broken_column[poly] else [outline]
            for part in parts:
                index.extend(part)
                first.append(len(index))
                source.append(soup.source_column[poly])
            if len(parts) > 1:
                split.add(soup.source_column[poly])
            elif parts[0] != outline:
                turned.add(soup.source_column[poly])
        soup.replace(first, index, source)
    return {"turned": tuple(turned), "split_large": tuple(split)}


def _parts(vertices, outline) -> list:
    """Return an outline turned, or else cut into outlines that are; slivers that cannot be mended stay."""
    mended = _turned(vertices, outline)
    if mended is not None:
        return [mended]
    clipped = rest = None
    size = len(outline)
    for low in range(size - 2):
        for high in range(low + 2, size if low > 0 else size - 1):
            halves = outline[low:high + 1], outline[high:] + outline[:low + 1]
            if _is_flat(vertices, halves[0]) or _is_flat(vertices, halves[1]):
                continue
            whole = [_turned(vertices, half) for half in halves]
            if None not in whole:
                return whole
            if clipped is None and whole != [None, None]:
                clipped, rest = (whole[0], halves[1]) if whole[1] is None else (whole[1], halves[0])
    return [outline] if clipped is None else [clipped, *_parts(vertices, rest)]


def _turned(vertices, outline):
    """Return the outline from its first vertex on whose fan meets all edges, ``None`` if there is no such vertex."""
    xyz: cython.p_double = double_pointer(vertices)
    index: cython.p_int = int_pointer(outline)
    size: cython.int = len(outline)
    apex: cython.int
    for apex in range(size):
        if fan_meets_rim(xyz, index, 0, size, apex, _LEVEL):
            return outline[apex:] + outline[:apex]
    return None


def _is_flat(vertices, outline) -> bool:
    return fan_is_flat(double_pointer(vertices), int_pointer(outline), 0, len(outline))
