# The vocabularies of results.py as C constants, under the same names.

cdef enum PathStatus:
    SUCCESS = 0
    PARTIAL = 1
    IN_PROGRESS = 2
    INVALID_START = 3
    INVALID_END = 4

cdef enum CornerFlag:
    START = 1
    END = 2
    OFF_MESH = 4
