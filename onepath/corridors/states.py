"""The small vocabularies of corridors and followers. Their numbers are fixed: some are written into state bytes."""

from enum import IntEnum, IntFlag


class FollowerState(IntEnum):
    """What a follower is doing. The number is the ``state`` byte of its saved state.

    ``IDLE`` 0: placed (or never placed), no destination. ``MOVING`` 1: walking, waiting for a search, or waiting at the
    end of a corridor that is to be extended. ``OFF_MESH_LINK`` 2: crossing a link. ``ARRIVED`` 3: at the end of its
    corridor; ``reached_target`` says whether that is the destination. ``NO_PATH`` 4: no ground near the agent or the
    destination, or too many unfinished searches. ``STUCK`` 5: made no progress, recoveries used up.
    """

    IDLE = 0
    MOVING = 1
    OFF_MESH_LINK = 2
    ARRIVED = 3
    NO_PATH = 4
    STUCK = 5


class ReplanStatus(IntEnum):
    """How a replan ended, or that it has not.

    ``SUCCESS`` 0: a route to the target's polygon was spliced in (cut to the corridor's capacity if it is longer).
    ``PARTIAL`` 1: there is no route, or nodes ran out: the corridor leads to the polygon nearest to the target.
    ``IN_PROGRESS`` 2: the budget is spent. ``INVALID_START`` 3: the first polygon is stale or refused; relocate.
    ``NO_END_NEARBY`` 4: no accepted polygon near the target.
    """

    SUCCESS = 0
    PARTIAL = 1
    IN_PROGRESS = 2
    INVALID_START = 3
    NO_END_NEARBY = 4


class Validity(IntEnum):
    """Result of checking a corridor against the mesh.

    ``VALID`` 0: what was checked holds together. ``TRIMMED`` 1: the corridor was cut in front of the first bad polygon
    (or its target polygon is gone): it is incomplete and asks for a replan. ``INVALID`` 2: the very first polygon is
    bad; nothing changed, relocate.
    """

    VALID = 0
    TRIMMED = 1
    INVALID = 2


class CorridorFlag(IntFlag):
    """The ``flags`` byte of a saved corridor."""

    COMPLETE = 1
    NEEDS_REPLAN = 2
    FROM_START = 4


class CornerKind(IntEnum):
    """What the corner is that a follower steers for: a ``BEND`` 0, the ``END`` 1 of the path, a ``LINK`` 2."""

    BEND = 0
    END = 1
    LINK = 2


class PlanKind(IntEnum):
    """What a follower does in a crowd's step.

    ``STANDING`` 0: it wants no velocity. ``WALKING`` 1: it wants one. ``CROSSING`` 2: its whole step is done already.
    ``WAITING`` 3: it stands at a link's entry and is to be let in.
    """

    STANDING = 0
    WALKING = 1
    CROSSING = 2
    WAITING = 3
