"""Off-mesh links as their maker describes them."""

from dataclasses import dataclass

from onepath.geometry import COORDINATE_LIMIT, checked_flag, checked_integer, checked_number, checked_position
from onepath.navmesh.filter import AREA_COUNT


@dataclass(frozen=True)
class OffMeshLink:
    """A way between two places that is not on the surface: a jump, a ladder, a teleporter.

    Either end is held by the polygon nearest to it, if one is no farther away than ``radius`` along x and z and the
    mesh's ``max_climb`` in height. A link with an end that finds none is dormant until a change of the tiles near that
    end lets it attach.

    Args:
        start: where the link begins, world units.
        end: where it leads to.
        radius: how far from each end a polygon may be, world units, (0, 2^21). Default 0.5.
        bidirectional: whether it can be crossed from end to start too. Default True.
        area: area id, 0..63, for its cost (3D length × cost of the area). Default 0.
        flags: 16 bits, tested by filters like a polygon's. Default 1.
        user_id: any signed 32-bit number of the caller's. Default 0.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float = 0.5
    bidirectional: bool = True
    area: int = 0
    flags: int = 1
    user_id: int = 0

    def __init__(self, start, end, *, radius=0.5, bidirectional=True, area=0, flags=1, user_id=0):
        values = {
            "start": checked_position("start", start),
            "end": checked_position("end", end),
            "radius": checked_number("radius", radius, 0.0, COORDINATE_LIMIT, low_open=True),
            "bidirectional": checked_flag("bidirectional", bidirectional),
            "area": checked_integer("area", area, 0, AREA_COUNT - 1),
            "flags": checked_integer("flags", flags, 0, 0xFFFF),
            "user_id": checked_integer("user_id", user_id, -(1 << 31), (1 << 31) - 1),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
