# Edges of a soup and their partners: see build_edges.py.
from onepath.navmesh.build_soup cimport PolygonSoup

cdef class EdgeTable:
    cdef public int edge_count
    cdef public object end_column, poly_column, twin_column, crowded_column
    cdef int* end
    cdef int* poly
    cdef int* twin
    cdef unsigned char* crowded
