"""Questions about ways: path searches, whole or in slices, and the straight path through a corridor."""

from array import array

import cython

from onepath.errors import OutOfRangeError
from onepath.geometry import checked_integer, checked_position
from onepath.navmesh.contents import reference
from onepath.navmesh.filter import ACCEPT_ALL, resolved_filter
from onepath.queries.points import PointQueries as _PointQueries
from onepath.queries.results import Corner, CornerFlag, PathResult, PathStatus
from cython.cimports.onepath.buffers import reference_pointer
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.funnel import find_corners_filtered
from cython.cimports.onepath.queries.points import PointQueries, ready
from cython.cimports.onepath.queries.scratch import QueryScratch
from cython.cimports.onepath.queries.search import begin_search, finish_search, update_search

#: Largest budget and longest path that can be asked for.
MOST_STEPS = (1 << 31) - 1
#: Most corners of one straight path.
MOST_CORNERS = 1 << 20
_NO_BUDGET = cython.declare(cython.int, 2147483647)


@cython.cclass
class PathQueries(PointQueries):
    """The questions about ways that :class:`~onepath.queries.query.NavMeshQuery` answers.

    What holds for the arguments of :class:`~onepath.queries.points.PointQueries` holds here.
    """

    def __init__(self, mesh, max_nodes, polygon_nodes):
        _PointQueries.__init__(self, mesh, max_nodes, polygon_nodes)
        self.search_filter = ACCEPT_ALL
        self.search_max_path = MOST_STEPS

    def find_path(self, start_ref, end_ref, start, end, filter=None, max_path=4096) -> PathResult:
        """Find a cheap way from a place on one polygon to a place on another.

        It is the same search as :meth:`begin_path`, :meth:`update_path` and :meth:`end_path` in one call, and takes
        the place of one under way.

        Args:
            start_ref: polygon of the start.
            end_ref: polygon of the end.
            start: where the way starts, on that polygon.
            end: where it is to end, on that polygon.
            filter: which polygons and links may be used and what they cost. Default: all that have a flag, at 1.
            max_path: most polygons to return, 1..2^31−1; a longer path loses its far end. Default 4096.

        Returns:
            :class:`~onepath.queries.results.PathResult`. SUCCESS: the path ends at ``end_ref``. PARTIAL: it ends at
            the polygon found whose closest point is nearest to ``end`` (of several, the one found first), because
            nothing was left to expand or because the nodes ran out (``out_of_nodes``); the cost is that of the way to
            this polygon's node. INVALID_START, INVALID_END: that polygon does not exist or the filter refuses it.
            Within one polygon the path is that polygon, at the straight distance times its area's cost.

        Source: A* (Hart, Nilsson and Raphael 1968) with the node models of the specification of mesh queries.
        """
        self.begin_path(start_ref, end_ref, start, end, filter, max_path)
        q: QueryScratch = ready(self.scratch)
        chosen: QueryFilter = self.search_filter
        q.begin_work()
        try:
            q.fit()
            with cython.nogil:
                update_search(q, chosen, _NO_BUDGET)
        finally:
            q.end_work()
        return self.end_path(max_path)

    def begin_path(self, start_ref, end_ref, start, end, filter=None, max_path=4096) -> PathStatus:
        """Begin a search that :meth:`update_path` goes on with.

        Other questions may be put to this object in between, but no other path search. If the mesh is edited
        meanwhile, the next update starts the search over.

        Args:
            start_ref, end_ref, start, end, filter, max_path: as for :meth:`find_path`.

        Returns:
            IN_PROGRESS, SUCCESS (within one polygon), INVALID_START or INVALID_END.

        Raises:
            OutOfRangeError: an argument is out of range.
            TypeError: ``filter`` is of another type.
        """
        sx, sy, sz = checked_position("start", start)
        ex, ey, ez = checked_position("end", end)
        chosen: QueryFilter = resolved_filter(filter)
        self.search_max_path = checked_integer("max_path", max_path, 1, MOST_STEPS)
        self.search_filter = chosen
        first: cython.ulonglong = reference(start_ref)
        last: cython.ulonglong = reference(end_ref)
        q: QueryScratch = ready(self.scratch)
        q.fit()
        return PathStatus(begin_search(q, chosen, poly_of_ref(q.mesh, first), poly_of_ref(q.mesh, last), sx, sy, sz,
                                       ex, ey, ez))

    def update_path(self, budget) -> tuple[PathStatus, int]:
        """Go on with the search begun last.

        Args:
            budget: most nodes to expand in this call, 1..2^31−1.

        Returns:
            (status, nodes expanded in this call); a search that has ended, or was never begun, expands none. However
            the work is split, the outcome is the same.

        Raises:
            OutOfRangeError: ``budget`` is out of range.
        """
        expansions: cython.int = checked_integer("budget", budget, 1, MOST_STEPS)
        q: QueryScratch = ready(self.scratch)
        chosen: QueryFilter = self.search_filter
        before: cython.int = q.search_iterations
        status: cython.int
        q.begin_work()
        try:
            q.fit()
            with cython.nogil:
                status = update_search(q, chosen, expansions)
        finally:
            q.end_work()
        return PathStatus(status), q.search_iterations - before

    def end_path(self, max_path=4096) -> PathResult:
        """Read out the search begun last.

        Args:
            max_path: most polygons to return, 1..2^31−1, and no more than :meth:`begin_path` was given. Default 4096.

        Returns:
            As :meth:`find_path`. A search still IN_PROGRESS gives the way to the polygon found so far that comes
            nearest to the end, and can be updated further. If the mesh was edited since the last update, the search
            is IN_PROGRESS without a way: the next update starts it over.

        Raises:
            OutOfRangeError: ``max_path`` is out of range.
        """
        most: cython.int = min(checked_integer("max_path", max_path, 1, MOST_STEPS), self.search_max_path)
        q: QueryScratch = ready(self.scratch)
        status = PathStatus(finish_search(q, most))
        i: cython.int
        refs = [ref_of_poly(q.mesh, q.route[i]) for i in range(q.route_count)]
        return PathResult(status, refs, q.route_cost, bool(q.search_out_of_nodes), q.search_iterations)

    def find_straight_path(self, position, target, refs, max_corners=256, filter=None) -> list[Corner] | None:
        """Pull a string from a place to a target through a corridor of polygons.

        Args:
            position: where the string starts, on the first polygon; the first corner.
            target: where it ends; a place beside the last polygon is replaced by the closest point of that polygon.
            refs: the corridor, each polygon connected to the one before, as :meth:`find_path` returns it.
            max_corners: most corners to return, 1..2^20. Default 256. Only as much of the corridor is looked at as
                these need.
            filter: which off-mesh links count as connections. Default: all that have a flag.

        Returns:
            The first corners; ``None`` if a polygon is stale, two neighbours are not connected or there is none. A
            link gives two corners, its entry (OFF_MESH) and its exit. No corner is given twice in a row: flags of
            equal points are merged.

        Source: the funnel of Lee and Preparata 1984.

        Raises:
            OutOfRangeError: an argument is out of range, or ``refs`` is no sequence.
            TypeError: ``filter`` is of another type.
        """
        px, py, pz = checked_position("position", position)
        tx, ty, tz = checked_position("target", target)
        most: cython.int = checked_integer("max_corners", max_corners, 1, MOST_CORNERS)
        chosen: QueryFilter = resolved_filter(filter)
        try:
            corridor = array("Q", [reference(ref) for ref in refs])
        except TypeError:
            raise OutOfRangeError("refs", "must be a sequence of references") from None
        q: QueryScratch = ready(self.scratch)
        count: cython.int = len(corridor)
        if count == 0:
            return None
        if most > q.corner_capacity:
            q.reserve_corners(most)
        corners: cython.int = find_corners_filtered(q, chosen, px, py, pz, tx, ty, tz, reference_pointer(corridor), 0,
                                                    count, most)
        if corners < 0:
            return None
        i: cython.int
        return [Corner((q.corner_xyz[3 * i], q.corner_xyz[3 * i + 1], q.corner_xyz[3 * i + 2]),
                       CornerFlag(q.corner_flags[i]), corridor[q.corner_index[i]]) for i in range(corners)]
