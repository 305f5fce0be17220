"""Cutting concave and oversized outlines into convex polygons, and the last check of what came out."""

from array import array

import cython

from onepath.buffers import zeros
from onepath.navmesh.build_merge import merge_polygons
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.navmesh.build_ears import clip_ears
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup, area_xz, is_convex_xz
from cython.cimports.onepath.navmesh.fan import fan_meets_rim
from onepath.navmesh.build_fans import LEVEL
from onepath.navmesh.build_soup import CONVEX_TOLERANCE, MINIMUM_WIDTH
from onepath.navmesh.tile_data import MAX_POLY_VERTICES

_CONCAVE = 1
_LARGE = 2


def split_polygons(soup: PolygonSoup) -> dict[str, tuple[int, ...]]:
    """Cut outlines that are concave or have more than 16 vertices into convex polygons of at most 16.

    They become triangles by ear clipping, and these are merged again as far as they stay convex. Only existing
    vertices are used, so no vertex comes to lie within another polygon's edge.

    Args:
        soup: simple outlines of positive area, which may touch themselves within rounding.

    Returns:
        The fields of the build report that this step fills.
    """
    count: cython.int = soup.poly_count
    kind_column = zeros("B", count)
    kind: cython.p_uchar = byte_pointer(kind_column)
    most: cython.int = MAX_POLY_VERTICES
    tolerance: cython.double = CONVEX_TOLERANCE
    i: cython.int
    with cython.nogil:
        for i in range(count):
            size: cython.int = soup.first[i + 1] - soup.first[i]
            if not is_convex_xz(soup.xyz, soup.index, soup.first[i], size, tolerance):
                kind[i] = 1
            elif size > most:
                kind[i] = 2
    concave = soup.sources([mark == _CONCAVE for mark in kind_column])
    large = soup.sources([mark == _LARGE for mark in kind_column])
    incomplete: tuple[int, ...] = ()
    if concave or large:
        keys, incomplete = _triangulate(soup, kind_column)
        merge_polygons(soup, keys, None, False)
    return {"split_concave": concave, "split_large": large, "incomplete": incomplete}


def _triangulate(soup: PolygonSoup, kinds):
    """Put triangles in the place of the marked polygons.

    Returns:
        (keys, short): a key per polygon from now on, −1 or the former number of the polygon that was cut; ``short``
        holds the input polygons that could not be cut completely.
    """
    longest: cython.int = 3
    i: cython.int
    k: cython.int
    for i in range(soup.poly_count):
        if kinds[i] and soup.first[i + 1] - soup.first[i] > longest:
            longest = soup.first[i + 1] - soup.first[i]
    work = [zeros("i", longest), zeros("i", longest), zeros("i", longest), zeros("d", longest), zeros("i", 3 * longest)]
    prev: cython.p_int = int_pointer(work[0])
    after: cython.p_int = int_pointer(work[1])
    state: cython.p_int = int_pointer(work[2])
    diagonal: cython.p_double = double_pointer(work[3])
    triangles: cython.p_int = int_pointer(work[4])
    first, index, source = array("i", [0]), array("i"), array("i")
    keys = array("i")
    short = set()
    for i in range(soup.poly_count):
        start: cython.int = soup.first[i]
        size: cython.int = soup.first[i + 1] - start
        if kinds[i] == 0:
            keys.append(-1)
            index.extend(soup.index_column[start:start + size])
            first.append(len(index))
            source.append(soup.source[i])
            continue
        written: cython.int = clip_ears(soup.xyz, soup.index, start, size, prev, after, state, diagonal, triangles)
        if written < size - 2:
            short.add(soup.source[i])
        for k in range(written):
            keys.append(i)
            index.extend(work[4][3 * k:3 * k + 3])
            first.append(len(index))
            source.append(soup.source[i])
    soup.replace(first, index, source)
    return keys, tuple(sorted(short))


def drop_invalid(soup: PolygonSoup) -> tuple[set[int], set[int]]:
    """Drop polygons that repairs have left without area, bent inwards, with two vertices in one place or without a
    surface that meets their edges.

    Returns:
        Input polygons of which something was dropped, and those of which something is left.
    """
    count: cython.int = soup.poly_count
    bad_column = zeros("B", count)
    bad: cython.p_uchar = byte_pointer(bad_column)
    width: cython.double = MINIMUM_WIDTH
    level: cython.double = LEVEL
    i: cython.int
    with cython.nogil:
        for i in range(count):
            size: cython.int = soup.first[i + 1] - soup.first[i]
            bad[i] = not (_is_sound(soup.xyz, soup.index, soup.first[i], size, width)
                          and fan_meets_rim(soup.xyz, soup.index, soup.first[i], size, 0, level))
    dropped = {source for source, mark in zip(soup.source_column, bad_column) if mark}
    left = {source for source, mark in zip(soup.source_column, bad_column) if not mark}
    if dropped:
        first = array("i", [0])
        index = array("i")
        source = array("i")
        for poly in range(count):
            if bad_column[poly] == 0:
                index.extend(soup.polygon(poly))
                first.append(len(index))
                source.append(soup.source_column[poly])
        soup.replace(first, index, source)
    return dropped, left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_sound(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int,
              width: cython.double) -> cython.bint:
    """Tell whether an outline is what a tile may hold."""
    if count < 3 or area_xz(xyz, index, start, count) <= 0.0:
        return False
    i: cython.int
    j: cython.int
    for i in range(count):
        a: cython.int = 3 * index[start + i]
        for j in range(i):
            b: cython.int = 3 * index[start + j]
            if xyz[a] == xyz[b] and xyz[a + 2] == xyz[b + 2]:
                return False
    return is_convex_xz(xyz, index, start, count, 4.0 * width)
