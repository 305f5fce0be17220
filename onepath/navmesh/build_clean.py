"""Cleaning outlines: repeated vertices, nothing enclosed, self-crossing, direction, one outline given twice."""

import cython

from onepath.buffers import filled, zeros
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer
from cython.cimports.onepath.geometry import cross_xz
from cython.cimports.onepath.navmesh.build_soup import PolygonSoup, area_xz, is_convex_xz
from onepath.navmesh.build_soup import CONVEX_TOLERANCE, MINIMUM_WIDTH

_KEPT = 0
_DEGENERATE = 1
_CROSSING = 2
_DUPLICATE = 3


def clean(soup: PolygonSoup) -> dict[str, tuple[int, ...]]:
    """Bring every outline into the library's form or drop it.

    Consecutive repeated vertices (also two that differ in height only) are removed; outlines without area, ones that
    cross or touch themselves and repeats of an earlier polygon are dropped; the others run in positive direction and
    keep their first vertex for now (see :mod:`onepath.navmesh.build_fans`).

    Returns:
        The fields of the build report that this step fills.
    """
    count: cython.int = soup.poly_count
    fate_column = zeros("B", count)
    shortened_column = zeros("B", count)
    rewound_column = zeros("B", count)
    size_column = zeros("i", count)
    fate: cython.p_uchar = byte_pointer(fate_column)
    shortened: cython.p_uchar = byte_pointer(shortened_column)
    rewound: cython.p_uchar = byte_pointer(rewound_column)
    size: cython.p_int = int_pointer(size_column)
    width: cython.double = MINIMUM_WIDTH
    tolerance: cython.double = CONVEX_TOLERANCE
    longest: cython.int = max((soup.first[i + 1] - soup.first[i] for i in range(count)), default=0)
    edge_column = zeros("i", longest)
    reach_column = zeros("d", longest)
    edge: cython.p_int = int_pointer(edge_column)
    i: cython.int
    start: cython.int
    with cython.nogil:
        for i in range(count):
            start = soup.first[i]
            size[i] = _without_repeats(soup.xyz, soup.index, start, soup.first[i + 1] - start, width)
            shortened[i] = size[i] < soup.first[i + 1] - start
            fate[i] = _is_degenerate(soup.xyz, soup.index, start, size[i], width)
            if fate[i] == 0:
                rewound[i] = _rewind(soup.xyz, soup.index, start, size[i])
    for i in range(count):
        start = soup.first[i]
        if fate[i] == 0 and size[i] > 3 and not is_convex_xz(soup.xyz, soup.index, start, size[i], tolerance):
            if _meets_itself(soup, start, size[i], edge_column, reach_column, edge):
                fate[i] = 2
            elif _is_thin(soup.xyz, soup.index, start, size[i], width):
                fate[i] = 1
    _mark_duplicates(soup, size, fate)
    _keep(soup, size_column, fate_column)
    names = {_DEGENERATE: "dropped_degenerate", _CROSSING: "dropped_crossing", _DUPLICATE: "dropped_duplicate"}
    found = {name: tuple(poly for poly in range(count) if fate_column[poly] == code) for code, name in names.items()}
    kept = [poly for poly in range(count) if fate_column[poly] == _KEPT]
    found["duplicate_vertices"] = tuple(poly for poly in kept if shortened_column[poly])
    found["rewound"] = tuple(poly for poly in kept if rewound_column[poly])
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _near_xz(xyz: cython.p_double, a: cython.int, b: cython.int, width: cython.double) -> cython.bint:
    dx: cython.double = xyz[3 * a] - xyz[3 * b]
    dz: cython.double = xyz[3 * a + 2] - xyz[3 * b + 2]
    return dx * dx + dz * dz <= width * width


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _without_repeats(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int,
                     width: cython.double) -> cython.int:
    """Remove vertices that repeat the one before, in place; return how many are left."""
    kept: cython.int = 0
    i: cython.int
    for i in range(count):
        if kept == 0 or not _near_xz(xyz, index[start + i], index[start + kept - 1], width):
            index[start + kept] = index[start + i]
            kept += 1
    while kept > 1 and _near_xz(xyz, index[start], index[start + kept - 1], width):
        kept -= 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_degenerate(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int,
                   width: cython.double) -> cython.bint:
    """Tell whether an outline has fewer than three vertices or lies within ``width`` of one line."""
    if count < 3:
        return True
    a: cython.int = 3 * index[start]
    b: cython.int = a
    longest2: cython.double = 0.0
    i: cython.int
    for i in range(1, count):
        p: cython.int = 3 * index[start + i]
        dx: cython.double = xyz[p] - xyz[a]
        dz: cython.double = xyz[p + 2] - xyz[a + 2]
        if dx * dx + dz * dz > longest2:
            longest2 = dx * dx + dz * dz
            b = p
    limit: cython.double = width * sqrt(longest2)
    for i in range(1, count):
        q: cython.int = 3 * index[start + i]
        offset: cython.double = cross_xz(xyz[a], xyz[a + 2], xyz[b], xyz[b + 2], xyz[q], xyz[q + 2])
        if offset > limit or offset < -limit:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rewind(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int) -> cython.bint:
    """Turn an outline of negative area round, keeping its first vertex; tell whether it was."""
    if area_xz(xyz, index, start, count) >= 0.0:
        return False
    low: cython.int = start + 1
    high: cython.int = start + count - 1
    while low < high:
        held: cython.int = index[low]
        index[low] = index[high]
        index[high] = held
        low += 1
        high -= 1
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_thin(xyz: cython.p_double, index: cython.p_int, start: cython.int, count: cython.int,
             width: cython.double) -> cython.bint:
    """Tell whether an outline, however it bends, encloses less than a strip of half its length and ``width`` would."""
    total: cython.double = 0.0
    i: cython.int
    for i in range(count):
        a: cython.int = 3 * index[start + i]
        b: cython.int = 3 * index[start + (i + 1 if i + 1 < count else 0)]
        dx: cython.double = xyz[b] - xyz[a]
        dz: cython.double = xyz[b + 2] - xyz[a + 2]
        total += sqrt(dx * dx + dz * dz)
    return area_xz(xyz, index, start, count) <= width * total


@cython.cfunc
def _meets_itself(soup: PolygonSoup, start: cython.int, count: cython.int, edge_column, reach_column,
                  edge: cython.p_int) -> cython.bint:
    """Tell whether any two edges that are not neighbours share a point.

    Edges are sorted by their least x, so that only those whose x ranges overlap are compared.
    """
    xyz: cython.p_double = soup.xyz
    index: cython.p_int = soup.index
    i: cython.int
    j: cython.int
    lows = [min(xyz[3 * index[start + i]], xyz[3 * index[start + (i + 1) % count]]) for i in range(count)]
    for i, number in enumerate(sorted(range(count), key=lows.__getitem__)):
        edge_column[i] = number
        reach_column[i] = lows[number]
    low: cython.p_double = double_pointer(reach_column)
    with cython.nogil:
        for i in range(count):
            a: cython.int = index[start + edge[i]]
            b: cython.int = index[start + (edge[i] + 1) % count]
            high: cython.double = xyz[3 * a] if xyz[3 * a] > xyz[3 * b] else xyz[3 * b]
            for j in range(i + 1, count):
                if low[j] > high:
                    break
                gap: cython.int = edge[i] - edge[j]
                if gap == 1 or gap == -1 or gap == count - 1 or gap == 1 - count:
                    continue
                if _edges_meet(xyz, a, b, index[start + edge[j]], index[start + (edge[j] + 1) % count]):
                    return True
        for i in range(count):
            if _folds_back(xyz, index[start + i], index[start + (i + 1) % count], index[start + (i + 2) % count]):
                return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _folds_back(xyz: cython.p_double, a: cython.int, b: cython.int, c: cython.int) -> cython.bint:
    """Tell whether edge b→c runs back over edge a→b."""
    ax: cython.double = xyz[3 * a] - xyz[3 * b]
    az: cython.double = xyz[3 * a + 2] - xyz[3 * b + 2]
    cx: cython.double = xyz[3 * c] - xyz[3 * b]
    cz: cython.double = xyz[3 * c + 2] - xyz[3 * b + 2]
    return ax * cz - az * cx == 0.0 and ax * cx + az * cz > 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _edges_meet(xyz: cython.p_double, a: cython.int, b: cython.int, c: cython.int, d: cython.int) -> cython.bint:
    """Tell whether the closed segments a→b and c→d have a common point in X/Z."""
    ax: cython.double = xyz[3 * a]
    az: cython.double = xyz[3 * a + 2]
    bx: cython.double = xyz[3 * b]
    bz: cython.double = xyz[3 * b + 2]
    cx: cython.double = xyz[3 * c]
    cz: cython.double = xyz[3 * c + 2]
    dx: cython.double = xyz[3 * d]
    dz: cython.double = xyz[3 * d + 2]
    side_c: cython.double = cross_xz(ax, az, bx, bz, cx, cz)
    side_d: cython.double = cross_xz(ax, az, bx, bz, dx, dz)
    side_a: cython.double = cross_xz(cx, cz, dx, dz, ax, az)
    side_b: cython.double = cross_xz(cx, cz, dx, dz, bx, bz)
    if (side_c > 0.0 and side_d > 0.0) or (side_c < 0.0 and side_d < 0.0):
        return False
    if (side_a > 0.0 and side_b > 0.0) or (side_a < 0.0 and side_b < 0.0):
        return False
    # Either a crossing, or all on one line: then they meet if their bounding boxes do.
    return (min(ax, bx) <= max(cx, dx) and min(cx, dx) <= max(ax, bx)
            and min(az, bz) <= max(cz, dz) and min(cz, dz) <= max(az, bz))


@cython.cfunc
def _mark_duplicates(soup: PolygonSoup, size: cython.p_int, fate: cython.p_uchar):
    """Give every kept polygon that has the outline of an earlier kept one the fate of a duplicate."""
    count: cython.int = soup.poly_count
    table_size: cython.int = 2 * count + 1
    wide: cython.longlong = table_size
    head_column = filled("i", table_size, -1)
    next_column = filled("i", count, -1)
    turn_column = zeros("i", count)
    head: cython.p_int = int_pointer(head_column)
    after: cython.p_int = int_pointer(next_column)
    turn: cython.p_int = int_pointer(turn_column)
    index: cython.p_int = soup.index
    i: cython.int
    k: cython.int
    with cython.nogil:
        for i in range(count):
            if fate[i] != 0:
                continue
            start: cython.int = soup.first[i]
            least: cython.int = 0
            for k in range(1, size[i]):
                if index[start + k] < index[start + least]:
                    least = k
            turn[i] = least
            low: cython.longlong = index[start + least]
            high: cython.longlong = index[start + (least + 1) % size[i]]
            last: cython.longlong = index[start + (least + size[i] - 1) % size[i]]
            slot: cython.int = cython.cast(cython.int, (low + high * 74093 + last * 19349) % wide)
            other: cython.int = head[slot]
            while other >= 0 and fate[i] == 0:
                if size[other] == size[i] and _same_outline(index, start, turn[i], soup.first[other], turn[other],
                                                            size[i]):
                    fate[i] = 3
                other = after[other]
            if fate[i] == 0:
                after[i] = head[slot]
                head[slot] = i


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_outline(index: cython.p_int, start: cython.int, turn: cython.int, other_start: cython.int,
                  other_turn: cython.int, count: cython.int) -> cython.bint:
    k: cython.int
    for k in range(count):
        if index[start + (turn + k) % count] != index[other_start + (other_turn + k) % count]:
            return False
    return True


@cython.cfunc
def _keep(soup: PolygonSoup, size_column, fate_column):
    """Close the gaps: only kept polygons, with their shortened outlines."""
    total = sum(size for size, fate in zip(size_column, fate_column) if fate == 0)
    kept: cython.int = len(fate_column) - sum(1 for fate in fate_column if fate)
    first_column = zeros("i", kept + 1)
    index_column = zeros("i", total)
    source_column = zeros("i", kept)
    first: cython.p_int = int_pointer(first_column)
    index: cython.p_int = int_pointer(index_column)
    source: cython.p_int = int_pointer(source_column)
    size: cython.p_int = int_pointer(size_column)
    fate: cython.p_uchar = byte_pointer(fate_column)
    count: cython.int = soup.poly_count
    poly: cython.int = 0
    written: cython.int = 0
    i: cython.int
    k: cython.int
    with cython.nogil:
        for i in range(count):
            if fate[i] != 0:
                continue
            for k in range(size[i]):
                index[written + k] = soup.index[soup.first[i] + k]
            written += size[i]
            source[poly] = soup.source[i]
            poly += 1
            first[poly] = written
    soup.replace(first_column, index_column, source_column)
