# The vocabulary of options.py as C constants, under the same names.

cdef enum OffMeshMode:
    AUTOMATIC = 0
    HOST = 1
