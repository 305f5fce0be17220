"""Questions about places: nearest polygon, heights, rays, moves along the surface, walls, random points."""

from math import inf, sqrt

import cython

from onepath.errors import OnePathError, OutOfRangeError
from onepath.geometry import checked_integer, checked_number, checked_position
from onepath.navmesh.filter import resolved_filter
from onepath.navmesh.mesh import TiledNavMesh as _TiledNavMesh
from onepath.navmesh.contents import made, reference
from onepath.queries.random_point import seeded_fractions
from onepath.queries.results import RayHit, Wall
from onepath.queries.scratch import QueryScratch as _QueryScratch
from cython.cimports.onepath.geometry import segment_parameter_xz
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, contains_xz, find_nearest, surface_height
from cython.cimports.onepath.navmesh.store import poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.random_point import pick_point
from cython.cimports.onepath.queries.raycast import raycast
from cython.cimports.onepath.queries.scratch import QueryScratch
from cython.cimports.onepath.queries.surface import move_along_surface
from cython.cimports.onepath.queries.walls import find_nearest_wall, find_walls

#: Largest extent or radius of a query, world units: the width of the world.
LARGEST_REACH = 4194304.0
#: Most search nodes of one query object.
MOST_NODES = 1 << 24
#: Most wall pieces one call returns.
MOST_WALLS = 65536
#: How far (world units) outside an outline a place may be and still have that polygon's height.
_HEIGHT_RIM = 1e-7
#: Closer than this (world units) to a wall its own normal is returned.
_TOUCHING = 1e-9


def checked_extents(extents) -> tuple[float, float, float]:
    """Return half the sizes of a search box as three floats.

    Raises:
        OutOfRangeError: not three numbers in [0, 2^22]; the message names ``extents``.
    """
    try:
        x, y, z = extents
    except (TypeError, ValueError):
        raise OutOfRangeError("extents", "must be a sequence of three numbers") from None
    return (checked_number("extents", x, 0.0, LARGEST_REACH), checked_number("extents", y, 0.0, LARGEST_REACH),
            checked_number("extents", z, 0.0, LARGEST_REACH))


@cython.cfunc
def ready(scratch) -> QueryScratch:
    """Return the working memory of a query; kernels must not run without one, nor in one that others are using."""
    if scratch is None:
        raise OnePathError("this query was made without NavMeshQuery.__init__")
    q: QueryScratch = scratch
    q.check_idle()
    return q


@cython.cfunc
def _visited_refs(q: QueryScratch, count: cython.int) -> list:
    refs = []
    i: cython.int
    for i in range(count):
        refs.append(ref_of_poly(q.mesh, q.visited[i]))
    return refs


@cython.cclass
class PointQueries:
    """The questions about places that :class:`~onepath.queries.query.NavMeshQuery` answers.

    Everywhere: positions are sequences of three numbers below 2^21 in magnitude, world units, Y up; a reference that
    is stale, forged or no reference at all gives the result named under *Returns*, never an exception; ``filter``
    ``None`` accepts every polygon that has a flag; a bad value raises
    :class:`~onepath.errors.OutOfRangeError` naming the argument, a filter of another type ``TypeError``.
    Calls leave the mesh as it is. A call while another thread uses this object, or edits the mesh, may raise
    :class:`~onepath.errors.OnePathError`: each thread needs a query object of its own.
    """

    def __init__(self, mesh, max_nodes, polygon_nodes):
        if not isinstance(mesh, _TiledNavMesh):
            raise OutOfRangeError("mesh", f"must be a TiledNavMesh, not {type(mesh).__name__}")
        self.mesh = mesh
        self.scratch = _QueryScratch(made(mesh.store), checked_integer("max_nodes", max_nodes, 1, MOST_NODES),
                                     bool(polygon_nodes))

    def find_nearest_poly(self, p, extents=(2.0, 4.0, 2.0), filter=None):
        """Find the accepted polygon nearest to a place.

        Nearest is the one whose closest point to ``p`` (see :meth:`closest_point_on_poly`) is nearest in 3D and lies
        in the box. Distances within 1e-9 of the least are equal; then the point vertically closest wins (again within
        1e-9), then the lower reference.

        Args:
            p: the place.
            extents: half the box's sizes along x, y, z, each in [0, 2^22]. Default (2, 4, 2).
            filter: which polygons count. Default: all that have a flag.

        Returns:
            (reference, point), or (0, None) if no polygon is that near.

        Source: the specification of mesh queries; closest points as in Detour.

        Raises:
            OutOfRangeError: ``p`` or ``extents`` is out of range.
            TypeError: ``filter`` is of another type.
        """
        px, py, pz = checked_position("p", p)
        ex, ey, ez = checked_extents(extents)
        chosen: QueryFilter = resolved_filter(filter)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = find_nearest(q.mesh, chosen, q, px, py, pz, ex, ey, ez)
        if poly < 0:
            return 0, None
        return ref_of_poly(q.mesh, poly), (q.out_x, q.out_y, q.out_z)

    def closest_point_on_poly(self, ref, p):
        """Find the closest point of a polygon to a place.

        Args:
            ref: the polygon.
            p: the place.

        Returns:
            (point, inside): straight above or below ``p`` and ``True`` where the outline holds ``p`` in X/Z, else the
            nearest point of the outline in X/Z, at the height of its edge, and ``False``. ``None`` for a bad reference.

        Raises:
            OutOfRangeError: ``p`` is not a position.
        """
        px, _, pz = checked_position("p", p)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0:
            return None
        inside: cython.bint = closest_point(q.mesh, q, poly, px, pz)
        return (q.out_x, q.out_y, q.out_z), bool(inside)

    def poly_height(self, ref, p):
        """Return the height of a polygon's surface (the fan of triangles at its vertex 0) at a place.

        Args:
            ref: the polygon.
            p: the place; its height plays no part.

        Returns:
            the height, or ``None`` for a bad reference or a place more than 1e-7 outside the outline.

        Raises:
            OutOfRangeError: ``p`` is not a position.
        """
        px, _, pz = checked_position("p", p)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0 or not contains_xz(q.mesh, poly, px, pz, _HEIGHT_RIM):
            return None
        return surface_height(q.mesh, poly, px, pz)

    def is_valid_ref(self, ref) -> bool:
        """Tell whether a reference names a polygon that exists now.

        Args:
            ref: anything; what cannot be a reference names none.
        """
        return self.mesh.is_valid_ref(ref)

    def raycast(self, ref, start, end, filter=None):
        """Follow a straight line over the surface until a wall stops it.

        The line runs in X/Z; heights play no part. It passes edges and the covered pieces of tile borders where the
        filter accepts the polygon behind, never links. A line that only touches a wall, at the wall's end or along
        it, goes on.

        Args:
            ref: polygon of the start; the filter is not asked about it.
            start: a place outside the polygon is moved to its closest point.
            end: where the line ends.
            filter: which polygons are walkable.

        Returns:
            :class:`~onepath.queries.results.RayHit`; its ``t`` is infinity when nothing is hit. ``None`` for a bad
            reference.

        Raises:
            OutOfRangeError: ``start`` or ``end`` is not a position.
            TypeError: ``filter`` is of another type.
        """
        sx, _, sz = checked_position("start", start)
        ex, _, ez = checked_position("end", end)
        chosen: QueryFilter = resolved_filter(filter)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0:
            return None
        most: cython.int = q.mesh.poly_capacity + 1
        count: cython.int = raycast(q, chosen, poly, sx, sz, ex, ez, most)
        if count > q.visited_capacity:
            q.reserve_visited(count)
            count = raycast(q, chosen, poly, sx, sz, ex, ez, most)
        return RayHit(q.hit_t, (q.normal_x, 0.0, q.normal_z), _visited_refs(q, count))

    def move_along_surface(self, ref, start, end, filter=None):
        """Move over the surface toward a target, sliding along walls.

        The straight line is walked as far as it goes, over at most 64 crossings. If a wall stops it, the result is
        the point nearest to the target (in X/Z), and no farther from the start than that is, of the polygons around
        the move: those reached through edges and tile borders that come within the circle over the move as its
        diameter (plus 1e-3).

        Args:
            ref: polygon of the start; the filter is not asked about it.
            start: a place outside the polygon is moved to its closest point.
            end: the target; its height plays no part.
            filter: which polygons are walkable.

        Returns:
            (point, refs): the place reached, on the surface of the last polygon, no farther (X/Z) from the target
            than the start was and no farther from the start than the target; and the polygons walked in order, each
            connected to the one before. ``None`` for a bad reference.

        Raises:
            OutOfRangeError: ``start`` or ``end`` is not a position.
            TypeError: ``filter`` is of another type.
        """
        sx, _, sz = checked_position("start", start)
        ex, _, ez = checked_position("end", end)
        chosen: QueryFilter = resolved_filter(filter)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0:
            return None
        count: cython.int = move_along_surface(q, chosen, poly, sx, sz, ex, ez)
        return (q.out_x, q.out_y, q.out_z), _visited_refs(q, count)

    def find_walls(self, ref, centre, radius, max_walls=48, filter=None):
        """Find the pieces of edge with nothing walkable behind them that are nearest to a place.

        The search starts in the polygon and goes on through edges and tile borders (never links) to accepted polygons
        that come within the circle. All distances are in X/Z: floors above or below count if a ramp leads to them
        inside the circle.

        Args:
            ref: polygon of the centre.
            centre: middle of the circle; its height plays no part.
            radius: of the circle, world units, in [0, 2^22].
            max_walls: most pieces to return, 1..65536. Default 48.
            filter: which polygons are walkable; edges to others are walls, too.

        Returns:
            :class:`~onepath.queries.results.Wall` objects in the order (distance, reference, edge, x, z of the first
            end); empty for a bad reference.

        Raises:
            OutOfRangeError: ``centre``, ``radius`` or ``max_walls`` is out of range.
            TypeError: ``filter`` is of another type.
        """
        cx, _, cz = checked_position("centre", centre)
        reach: cython.double = checked_number("radius", radius, 0.0, LARGEST_REACH)
        most: cython.int = checked_integer("max_walls", max_walls, 1, MOST_WALLS)
        chosen: QueryFilter = resolved_filter(filter)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0:
            return []
        if most > q.wall_capacity:
            q.reserve_walls(most)
        count: cython.int = find_walls(q, chosen, poly, cx, cz, reach, most)
        while q.reach_full:
            q.reserve_reach(2 * q.reach_capacity)
            count = find_walls(q, chosen, poly, cx, cz, reach, most)
        walls = []
        xyz: cython.p_double = q.wall_xyz
        i: cython.int
        for i in range(count):
            a = (xyz[6 * i], xyz[6 * i + 1], xyz[6 * i + 2])
            b = (xyz[6 * i + 3], xyz[6 * i + 4], xyz[6 * i + 5])
            walls.append(Wall(a, b, ref_of_poly(q.mesh, q.wall_poly[i]), q.wall_edge[i]))
        return walls

    def find_distance_to_wall(self, ref, p, max_radius, filter=None):
        """Find the nearest wall to a place, in X/Z.

        The search is that of :meth:`find_walls`, but the circle shrinks to each wall found, as in Detour. On ground
        that lies in one layer this is the first wall of :meth:`find_walls`. Where polygons lie over one another, one
        that is reached only by leaving the shrunken circle is not entered any more, so a wall nearer in X/Z but
        farther round may be passed over; a wall in sight, to which the straight way over the surface leads, never is.

        Args:
            ref: polygon of the place.
            p: the place; its height plays no part.
            max_radius: how far to look, world units, in [0, 2^22].
            filter: which polygons are walkable; edges to others are walls, too.

        Returns:
            (distance, point, normal): ``point`` is on the wall, at its height; ``normal`` is the horizontal unit
            vector from there to ``p``, or the wall's own (toward the walkable side) if ``p`` is on the wall.
            (infinity, None, None) if no wall is that near, ``None`` for a bad reference.

        Raises:
            OutOfRangeError: ``p`` or ``max_radius`` is out of range.
            TypeError: ``filter`` is of another type.
        """
        px, _, pz = checked_position("p", p)
        reach: cython.double = checked_number("max_radius", max_radius, 0.0, LARGEST_REACH)
        chosen: QueryFilter = resolved_filter(filter)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = poly_of_ref(q.mesh, reference(ref))
        if poly < 0:
            return None
        found: cython.int = find_nearest_wall(q, chosen, poly, px, pz, reach)
        while q.reach_full:
            q.reserve_reach(2 * q.reach_capacity)
            found = find_nearest_wall(q, chosen, poly, px, pz, reach)
        if found == 0:
            return inf, None, None
        xyz: cython.p_double = q.wall_xyz
        ax, ay, az, bx, by, bz = xyz[0], xyz[1], xyz[2], xyz[3], xyz[4], xyz[5]
        t: cython.double = segment_parameter_xz(ax, az, bx, bz, px, pz)
        point = (bx, by, bz) if t >= 1.0 else (ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az))
        normal_x, normal_z = px - point[0], pz - point[2]
        if q.wall_distance[0] < _TOUCHING:
            normal_x, normal_z = az - bz, bx - ax
        length = sqrt(normal_x * normal_x + normal_z * normal_z)
        return q.wall_distance[0], point, (normal_x / length, 0.0, normal_z / length)

    def find_random_point(self, seed, filter=None):
        """Return a point of the surface; over many seeds they are spread evenly by area (in X/Z).

        Args:
            seed: any integer; taken modulo 2^64. The same seed gives the same point of the same mesh.
            filter: which polygons count.

        Returns:
            (reference, point), or (0, None) if no polygon is accepted.

        Raises:
            OutOfRangeError: ``seed`` is not an integer.
            TypeError: ``filter`` is of another type.
        """
        try:
            number = seed.__index__()
        except (AttributeError, TypeError):
            raise OutOfRangeError("seed", "must be an integer") from None
        chosen: QueryFilter = resolved_filter(filter)
        share, u, v = seeded_fractions(number, 3)
        q: QueryScratch = ready(self.scratch)
        poly: cython.int = pick_point(q, chosen, share, u, v)
        if poly < 0:
            return 0, None
        return ref_of_poly(q.mesh, poly), (q.out_x, q.out_y, q.out_z)
