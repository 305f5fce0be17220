"""What queries return: statuses, flags and small frozen records."""

from enum import IntEnum, IntFlag
from typing import NamedTuple

Point = tuple[float, float, float]


class PathStatus(IntEnum):
    """How a path search ended, or that it has not."""

    #: The route reaches the end polygon.
    SUCCESS = 0
    #: The route ends at the polygon nearest to the end that could be reached.
    PARTIAL = 1
    #: The budget is spent and there is more to expand.
    IN_PROGRESS = 2
    #: The start reference is stale, forged or refused by the filter.
    INVALID_START = 3
    #: The end reference is stale, forged or refused by the filter.
    INVALID_END = 4


class NodeModel(IntEnum):
    """What a node of the path search stands for."""

    #: One node per polygon; costs run from centre to centre.
    POLYGON = 0
    #: One node per directed crossing from polygon to polygon; costs run from crossing point to crossing point.
    CROSSING = 1


class CornerFlag(IntFlag):
    """What a corner of a straight path is, besides a corner. Flags of equal points are merged."""

    #: The first corner: the position.
    START = 1
    #: The last corner: the target, or the nearest point to it of the last polygon.
    END = 2
    #: The point at which an off-mesh link is entered; the next corner is its exit.
    OFF_MESH = 4


class PathResult(NamedTuple):
    """Outcome of a path search.

    Attributes:
        status: see :class:`PathStatus`.
        refs: polygon references from the start polygon on, each connected to the previous one; empty when the search
            could not start or is still in progress.
        cost: cost of the whole route found (also of the part that ``max_path`` cut off), in cost-weighted world units.
        out_of_nodes: the search had to stop because it had used all of its nodes.
        iterations: nodes expanded.
    """

    status: PathStatus
    refs: list[int]
    cost: float
    out_of_nodes: bool
    iterations: int


class Corner(NamedTuple):
    """A point at which a straight path bends, begins, ends or leaves the mesh.

    Attributes:
        point: x, y, z.
        flags: see :class:`CornerFlag`; 0 for a plain bend.
        ref: the polygon that is entered at this corner, the last one if several of the path touch it (the first
            polygon at the start, the last one at the end, the polygon that holds the point at a link's entry).
    """

    point: Point
    flags: CornerFlag
    ref: int


class RayHit(NamedTuple):
    """Outcome of a ray along the surface.

    Attributes:
        t: fraction of the way at which a wall is hit, 0..1; infinity when the end is reached.
        normal: unit normal of the wall, horizontal, pointing away from it; zero when nothing is hit.
        refs: polygons crossed, in order, the start polygon first.
    """

    t: float
    normal: Point
    refs: list[int]


class Wall(NamedTuple):
    """A piece of a polygon edge with nothing walkable behind it.

    Attributes:
        a: start of the piece; the walkable side lies where ``cross_xz`` of a→b is positive.
        b: end of the piece.
        ref: polygon the edge belongs to.
        edge: number of the edge in that polygon.
    """

    a: Point
    b: Point
    ref: int
    edge: int
