"""Where on a mesh a point in space belongs: to the floor under it, otherwise to the nearest one."""

from __future__ import annotations

#: How far (m) above its floor the pivot of a node may be.
HIGHEST_PIVOT = 3.0
#: How far (m) below the surface a point may be and still stand on it: a baked mesh floats above its floor.
DEEPEST_PIVOT = 0.5
#: A point exactly under another counts as under it (m).
_BESIDE = 1e-6
_APART = 1e-6


def floor_under(query, point, filter):
    """The highest surface straight below a point, or a little above it.

    query: a NavMeshQuery. point: x, y, z. filter: which polygons count.
    Returns the place (x, y, z) on the surface, or None where there is none within the reach of a pivot.
    """
    x, y, z = point
    low, high = y - HIGHEST_PIVOT, y + DEEPEST_PIVOT
    found = None
    while low < high:
        half = 0.5 * (high - low)
        ref, place = query.find_nearest_poly((x, low + half, z), (_BESIDE, half, _BESIDE), filter)
        if not ref:
            break
        found = place
        low = place[1] + _APART
    return None if found is None else (x, found[1], z)


def ground_at(query, point, filter, extents=(2.0, 4.0, 2.0)):
    """The place on the mesh that a point belongs to: straight below it, else the nearest one, else None."""
    found = floor_under(query, point, filter)
    return found or query.find_nearest_poly(point, extents, filter)[1]


def pivot_height(point, place) -> float:
    """How far a node's origin is kept above the surface; 0 for a node that is not near the surface it belongs to."""
    height = point[1] - place[1]
    return height if -DEEPEST_PIVOT <= height <= HIGHEST_PIVOT else 0.0
