"""The parts of a mesh as columns of points, for whoever draws it."""

from array import array

import cython

from onepath.buffers import zeros
from onepath.navmesh.store import SurfacePoint as _SurfacePoint
from cython.cimports.onepath.buffers import double_pointer, int_pointer, reference_pointer
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.pieces import wall_piece
from cython.cimports.onepath.navmesh.store import MeshStore, SurfacePoint, ref_of_poly


def outlines_of(store: MeshStore) -> tuple[array, array, array, array]:
    """Return (refs, areas, starts, corners) of all polygons by slot and number.

    ``starts`` has one entry more than there are polygons: polygon i has the corners starts[i]..starts[i + 1] − 1.
    """
    polys: cython.int = 0
    edges: cython.int = 0
    slot: cython.int
    for slot in range(store.tile_slots):
        polys += store.tile_poly_count[slot]
        edges += store.tile_edge_count[slot]
    refs = zeros("Q", polys)
    areas = zeros("i", polys)
    starts = zeros("i", polys + 1)
    corners = zeros("d", 3 * edges)
    _write_outlines(store, reference_pointer(refs), int_pointer(areas), int_pointer(starts), double_pointer(corners))
    return refs, areas, starts, corners


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_outlines(store: MeshStore, refs: cython.p_ulonglong, areas: cython.p_int, starts: cython.p_int,
                    corners: cython.p_double) -> cython.void:
    count: cython.int = 0
    corner: cython.int = 0
    slot: cython.int
    poly: cython.int
    k: cython.int
    starts[0] = 0
    for slot in range(store.tile_slots):
        for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot]):
            for k in range(3 * store.poly_size[poly]):
                corners[3 * corner + k] = store.xyz[3 * store.poly_edge[poly] + k]
            corner += store.poly_size[poly]
            refs[count] = ref_of_poly(store, poly)
            areas[count] = store.poly_area[poly]
            count += 1
            starts[count] = corner


def portals_of(store: MeshStore):
    """Return the end points of every portal, six numbers each, by polygon, edge and place along the edge."""
    count: cython.int = _portals(store, double_pointer(store.xyz_column), False)
    column = zeros("d", 6 * count)
    _portals(store, double_pointer(column), True)
    return column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _portals(store: MeshStore, points: cython.p_double, write: cython.bint) -> cython.int:
    """Count, or with ``write`` copy, the portals."""
    count: cython.int = 0
    slot: cython.int
    edge: cython.int
    k: cython.int
    for slot in range(store.tile_slots):
        for edge in range(store.tile_edge[slot], store.tile_edge[slot] + store.tile_edge_count[slot]):
            portal: cython.int = -2 - store.neighbour[edge]
            while portal >= 0:
                if write:
                    for k in range(6):
                        points[6 * count + k] = store.portal_xyz[6 * portal + k]
                count += 1
                portal = store.portal_next[portal]
    return count


def walls_of(store: MeshStore, filter):
    """Return the end points of every wall piece, six numbers each, by polygon, edge and place along the edge.

    Args:
        store: the columns of the mesh.
        filter: edges to polygons it refuses are walls too; ``None`` refuses none.
    """
    spot: SurfacePoint = _SurfacePoint()
    chosen: QueryFilter = filter
    count: cython.int = _walls(store, chosen, spot, double_pointer(store.xyz_column), False)
    column = zeros("d", 6 * count)
    _walls(store, chosen, spot, double_pointer(column), True)
    return column


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walls(store: MeshStore, filter: QueryFilter | None, spot: SurfacePoint, points: cython.p_double,
           write: cython.bint) -> cython.int:
    """Count, or with ``write`` list, the wall pieces."""
    count: cython.int = 0
    slot: cython.int
    poly: cython.int
    edge: cython.int
    for slot in range(store.tile_slots):
        for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot]):
            for edge in range(store.poly_size[poly]):
                piece: cython.int = 0
                while wall_piece(store, filter, spot, poly, edge, piece):
                    if write:
                        points[6 * count] = spot.piece_ax
                        points[6 * count + 1] = spot.piece_ay
                        points[6 * count + 2] = spot.piece_az
                        points[6 * count + 3] = spot.piece_bx
                        points[6 * count + 4] = spot.piece_by
                        points[6 * count + 5] = spot.piece_bz
                    count += 1
                    piece += 1
    return count
