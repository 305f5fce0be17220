"""A mesh as lines and triangles: its polygons by area, its walls, portals and links."""

import cython

from onepath.errors import OutOfRangeError
from onepath.navmesh.canvas import Canvas as _Canvas
from onepath.navmesh.contents import made
from onepath.navmesh.drawing import portals_of, walls_of
from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.store import Reading
from cython.cimports.onepath.buffers import double_pointer
from cython.cimports.onepath.navmesh.canvas import (
    Canvas, arc_height, choose, put_arc, put_arrow, put_corner, put_cross, put_line,
)
from cython.cimports.onepath.navmesh.store import MeshStore

#: What there is to see of a mesh.
POLYGONS, PORTALS, LINKS = 1, 2, 4
#: Rows of a mesh's palette: these, then one for each area.
WALL, PORTAL, LINK, LINK_OFF, LINK_DORMANT, FIRST_AREA = range(6)
AREAS = 64

_FIRST_AREA = cython.declare(cython.int, 5)
#: So far (m) above the surface, so that lines on it are seen.
_LIFT = cython.declare(cython.double, 0.03)
#: Edges between polygons have the colour of their areas, so many times as strong.
_EDGE_SHARE = cython.declare(cython.double, 1.4)
_HEAD = 0.35
#: Line ends that a link can take: its arc, two heads and a cross.
_LINK_POINTS = 24 + 8 + 4


def draw_mesh(mesh, canvas, parts: int) -> None:
    """Draw a mesh as it is now.

    Args:
        mesh: the :class:`~onepath.navmesh.mesh.TiledNavMesh`.
        canvas: the :class:`~onepath.navmesh.canvas.Canvas`, with a palette of ``FIRST_AREA + AREAS`` rows.
        parts: ``POLYGONS`` (filled, with their edges and walls), ``PORTALS``, ``LINKS`` (arcs with a head where they
            end; dashed while switched off or dormant, and dormant ones crossed out), added up.

    Raises:
        OutOfRangeError: an argument is of another type; the message names it.
        OnePathError: another thread is editing the mesh.
    """
    if not isinstance(mesh, TiledNavMesh):
        raise OutOfRangeError("mesh", f"must be a TiledNavMesh, not {type(mesh).__name__}")
    if not isinstance(canvas, _Canvas):
        raise OutOfRangeError("canvas", f"must be a Canvas, not {type(canvas).__name__}")
    with Reading(made(mesh.store)):
        if parts & POLYGONS:
            _draw_polygons(mesh.store, canvas)
            _draw_pieces(canvas, walls_of(mesh.store, None), WALL)
        if parts & PORTALS:
            _draw_pieces(canvas, portals_of(mesh.store), PORTAL)
        if parts & LINKS:
            for link_id in sorted(mesh.link_table.links):
                _draw_link(canvas, mesh.link_table, link_id)


def _draw_polygons(store: MeshStore, canvas: Canvas):
    polys: cython.int = 0
    edges: cython.int = 0
    slot: cython.int
    for slot in range(store.tile_slots):
        polys += store.tile_poly_count[slot]
        edges += store.tile_edge_count[slot]
    canvas.reserve(2 * edges, 3 * (edges - 2 * polys))
    with cython.nogil:
        _fill_polygons(store, canvas)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_polygons(store: MeshStore, canvas: Canvas) -> cython.void:
    """Each polygon as the fan of triangles at its first corner, and its outline."""
    slot: cython.int
    poly: cython.int
    k: cython.int
    for slot in range(store.tile_slots):
        for poly in range(store.tile_poly[slot], store.tile_poly[slot] + store.tile_poly_count[slot]):
            size: cython.int = store.poly_size[poly]
            first: cython.int = store.poly_edge[poly]
            choose(canvas, _FIRST_AREA + store.poly_area[poly], 1.0, _LIFT)
            for k in range(1, size - 1):
                _put_vertex(store, canvas, first)
                _put_vertex(store, canvas, first + k)
                _put_vertex(store, canvas, first + k + 1)
            choose(canvas, _FIRST_AREA + store.poly_area[poly], _EDGE_SHARE, _LIFT)
            for k in range(size):
                _put_edge(store, canvas, first + k, first + (k + 1 if k + 1 < size else 0))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_vertex(store: MeshStore, canvas: Canvas, vertex: cython.int) -> cython.void:
    put_corner(canvas, store.xyz[3 * vertex], store.xyz[3 * vertex + 1], store.xyz[3 * vertex + 2])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_edge(store: MeshStore, canvas: Canvas, a: cython.int, b: cython.int) -> cython.void:
    put_line(canvas, store.xyz[3 * a], store.xyz[3 * a + 1], store.xyz[3 * a + 2],
             store.xyz[3 * b], store.xyz[3 * b + 1], store.xyz[3 * b + 2])


def _draw_pieces(canvas: Canvas, column, row: cython.int):
    """Draw pieces of edges, six numbers each."""
    xyz: cython.p_double = double_pointer(column)
    count: cython.int = len(column) // 6
    i: cython.int
    canvas.reserve(2 * count, 0)
    choose(canvas, row, 1.0, _LIFT)
    for i in range(count):
        put_line(canvas, xyz[6 * i], xyz[6 * i + 1], xyz[6 * i + 2], xyz[6 * i + 3], xyz[6 * i + 4], xyz[6 * i + 5])


def _draw_link(canvas: Canvas, table, link_id):
    start_poly, end_poly, (ax, ay, az), (bx, by, bz) = table.ends(link_id)
    dormant = min(start_poly, end_poly) < 0
    enabled = table.is_enabled(link_id)
    canvas.reserve(_LINK_POINTS, 0)
    choose(canvas, LINK_DORMANT if dormant else LINK if enabled else LINK_OFF, 1.0, _LIFT)
    put_arc(canvas, ax, ay, az, bx, by, bz, 1 if enabled and not dormant else 2)
    put_arrow(canvas, bx, by, bz, ax, az, _HEAD)
    if table.links[link_id].bidirectional:
        put_arrow(canvas, ax, ay, az, bx, bz, _HEAD)
    if dormant:
        put_cross(canvas, 0.5 * (ax + bx), 0.5 * (ay + by) + arc_height(ax, ay, az, bx, by, bz), 0.5 * (az + bz), _HEAD)
