# The vocabularies of states.py as C constants, under the same names. A test holds the two against each other.

cdef enum FollowerState:
    IDLE = 0
    MOVING = 1
    OFF_MESH_LINK = 2
    ARRIVED = 3
    NO_PATH = 4
    STUCK = 5

cdef enum ReplanStatus:
    SUCCESS = 0
    PARTIAL = 1
    IN_PROGRESS = 2
    INVALID_START = 3
    NO_END_NEARBY = 4

cdef enum Validity:
    VALID = 0
    TRIMMED = 1
    INVALID = 2

cdef enum CorridorFlag:
    COMPLETE = 1
    NEEDS_REPLAN = 2
    FROM_START = 4

cdef enum CornerKind:
    BEND = 0
    END = 1
    LINK = 2

cdef enum PlanKind:
    STANDING = 0
    WALKING = 1
    CROSSING = 2
    WAITING = 3
