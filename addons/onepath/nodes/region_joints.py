"""Joints: strips of ground across the narrow gaps between regions that the engine, too, regards as connected."""

from __future__ import annotations

from math import floor, hypot

#: Edges of two regions face each other when the cosine of the angle between them is at least this.
_FACING = 0.7
#: Shorter stretches (m) are not joined; gaps up to this need no joint, welding closes them.
_SHORTEST = 1e-3
_CELL = 4.0


def open_edges(polygons) -> list[tuple[int, int, int]]:
    """Edges of index lists that only one polygon has: (polygon, first vertex, second vertex)."""
    found: dict = {}
    for number, polygon in enumerate(polygons):
        last = polygon[-1]
        for vertex in polygon:
            pair = (last, vertex) if last < vertex else (vertex, last)
            if pair in found:
                del found[pair]
            else:
                found[pair] = (number, last, vertex)
            last = vertex
    return list(found.values())


def place_edges(edges, vertices, polygons, transform) -> list[tuple]:
    """Edges in the world, (ax, ay, az, bx, by, bz), each with its polygon on the positive side."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz, ox, oy, oz = transform

    def at(i):
        x, y, z = vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]
        return (xx * x + xy * y + xz * z + ox, yx * x + yy * y + yz * z + oy, zx * x + zy * y + zz * z + oz)

    placed = []
    for number, first, second in edges:
        corners = [at(vertex) for vertex in polygons[number]]
        area = sum(a[0] * b[2] - a[2] * b[0] for a, b in zip(corners, corners[1:] + corners[:1]))
        a, b = at(first), at(second)
        placed.append((*a, *b) if area >= 0.0 else (*b, *a))
    return placed


def strips(edges_a, edges_b, margin: float, climb: float):
    """Quads across the gaps between the edges of two regions.

    A stretch where two edges face each other from opposite sides is joined if they are at most ``margin`` apart (X/Z)
    at both its ends and their heights differ by at most ``climb`` there.

    Returns:
        (flat vertices, index lists).
    """
    vertices: list[float] = []
    cells: dict = {}
    for edge in edges_b:
        for cell in _cells(edge, 0.0):
            cells.setdefault(cell, []).append(edge)
    for edge in edges_a:
        facing = dict.fromkeys(other for cell in _cells(edge, margin) for other in cells.get(cell, ()))
        for other in facing:
            vertices += _strip(edge, other, margin, climb)
    quads = [[4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3] for i in range(len(vertices) // 12)]
    return vertices, quads


def _cells(edge, margin: float):
    ax, _ay, az, bx, _by, bz = edge
    for i in range(floor((min(ax, bx) - margin) / _CELL), floor((max(ax, bx) + margin) / _CELL) + 1):
        for k in range(floor((min(az, bz) - margin) / _CELL), floor((max(az, bz) + margin) / _CELL) + 1):
            yield i, k


def _strip(edge, other, margin: float, climb: float):
    """Twelve numbers, the quad between two edges; nothing where they are not to be joined."""
    ax, _ay, az, bx, _by, bz = edge
    cx, _cy, cz, dx, _dy, dz = other
    length, other_length = hypot(bx - ax, bz - az), hypot(dx - cx, dz - cz)
    if length <= _SHORTEST or other_length <= _SHORTEST:
        return ()
    ux, uz = (bx - ax) / length, (bz - az) / length
    if (dx - cx) * ux + (dz - cz) * uz > -_FACING * other_length:
        return ()
    low = (dx - ax) * ux + (dz - az) * uz
    high = (cx - ax) * ux + (cz - az) * uz
    begin, end = max(0.0, low), min(length, high)
    if end - begin <= _SHORTEST:
        return ()
    p0, p1 = _along(edge, begin / length), _along(edge, end / length)
    q0, q1 = _along(other, (high - begin) / (high - low)), _along(other, (high - end) / (high - low))
    # The polygon of an edge is on its positive side, so the gap is on the other.
    gaps = [(q[0] - p[0]) * uz - (q[2] - p[2]) * ux for p, q in ((p0, q0), (p1, q1))]
    if min(gaps) < -_SHORTEST or max(gaps) <= _SHORTEST or max(gaps) > margin:
        return ()
    if abs(p0[1] - q0[1]) > climb or abs(p1[1] - q1[1]) > climb:
        return ()
    return (*p0, *p1, *q1, *q0)


def _along(edge, share: float):
    ax, ay, az, bx, by, bz = edge
    if share <= 0.0:
        return ax, ay, az
    if share >= 1.0:
        return bx, by, bz
    return ax + share * (bx - ax), ay + share * (by - ay), az + share * (bz - az)
