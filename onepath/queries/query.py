"""NavMeshQuery: every question to a mesh, one at a time or in bulk."""

import cython

from onepath.errors import OutOfRangeError
from onepath.queries.bulk import find_nearest_polys, move_along_surfaces, raycasts
from onepath.queries.bulk_paths import find_paths, find_straight_paths
from onepath.queries.paths import PathQueries as _PathQueries
from onepath.queries.results import NodeModel
from onepath.uncopied import refuse_copy
from cython.cimports.onepath.queries.paths import PathQueries
from cython.cimports.onepath.queries.points import ready


def _checked_model(model) -> NodeModel:
    try:
        return NodeModel(model)
    except (TypeError, ValueError):
        raise OutOfRangeError("model", "must be NodeModel.POLYGON or NodeModel.CROSSING") from None


@cython.cclass
class NavMeshQuery(PathQueries):
    """Answers questions about one mesh, with working memory of its own; one per thread.

    Args:
        mesh: the :class:`~onepath.navmesh.mesh.TiledNavMesh` asked about; edits to it are seen at once.
        max_nodes: most nodes of a path search, 1..2^24. Default 16384.
        model: what a search node stands for, :class:`~onepath.queries.results.NodeModel`. Default CROSSING.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """

    def __init__(self, mesh, max_nodes=16384, model=NodeModel.CROSSING):
        _PathQueries.__init__(self, mesh, max_nodes, _checked_model(model) == NodeModel.POLYGON)

    def __reduce_ex__(self, protocol):
        refuse_copy(self, "make another NavMeshQuery of the mesh")

    @property
    def model(self) -> NodeModel:
        """What a search node stands for."""
        return NodeModel.POLYGON if ready(self.scratch).polygon_nodes else NodeModel.CROSSING

    @property
    def max_nodes(self) -> int:
        """Most nodes of a path search."""
        return ready(self.scratch).max_nodes

    def find_nearest_polys(self, points, extents=(2.0, 4.0, 2.0), filter=None):
        """Do :meth:`find_nearest_poly` for many places at once, without the interpreter in between. Needs numpy.

        Args:
            points: array-like of shape (n, 3).
            extents: as in :meth:`find_nearest_poly`, the same for all.
            filter: as in :meth:`find_nearest_poly`.

        Returns:
            (refs, points): uint64 of shape (n,), 0 where no polygon is near, and float64 of shape (n, 3), the place
            asked about where none is.
        """
        return find_nearest_polys(ready(self.scratch), points, extents, filter)

    def raycasts(self, refs, starts, ends, filter=None):
        """Do :meth:`raycast` for many lines at once, without the interpreter in between. Needs numpy.

        Args:
            refs: n references.
            starts, ends: array-likes of shape (n, 3).
            filter: as in :meth:`raycast`.

        Returns:
            (t, normals, last_refs): float64 of shape (n,), infinity where nothing is hit and NaN for a bad reference;
            float64 of shape (n, 3); uint64 of shape (n,), the polygon in which each line ended, 0 for a bad reference.
        """
        return raycasts(ready(self.scratch), refs, starts, ends, filter)

    def move_along_surfaces(self, refs, starts, ends, filter=None):
        """Do :meth:`move_along_surface` for many moves at once, without the interpreter in between. Needs numpy.

        Args:
            refs: n references.
            starts, ends: array-likes of shape (n, 3).
            filter: as in :meth:`move_along_surface`.

        Returns:
            (points, last_refs): float64 of shape (n, 3), the start itself for a bad reference; uint64 of shape (n,),
            the polygon that holds each point, 0 for a bad reference.
        """
        return move_along_surfaces(ready(self.scratch), refs, starts, ends, filter)

    def find_paths(self, start_refs, end_refs, starts, ends, filter=None, max_path=4096):
        """Do :meth:`find_path` for many pairs at once, without the interpreter in between. Needs numpy.

        Args:
            start_refs, end_refs: n references each.
            starts, ends: array-likes of shape (n, 3).
            filter, max_path: as in :meth:`find_path`, the same for all.

        Returns:
            (statuses, costs, offsets, refs): int32 of shape (n,), values of
            :class:`~onepath.queries.results.PathStatus`; float64 of shape (n,); int64 of shape (n + 1,) and uint64:
            path i is ``refs[offsets[i]:offsets[i + 1]]``.
        """
        return find_paths(ready(self.scratch), start_refs, end_refs, starts, ends, filter, max_path)

    def find_straight_paths(self, positions, targets, offsets, refs, max_corners=256, filter=None):
        """Do :meth:`find_straight_path` for many corridors at once, without the interpreter in between. Needs numpy.

        Args:
            positions, targets: array-likes of shape (n, 3).
            offsets, refs: corridor i is ``refs[offsets[i]:offsets[i + 1]]``, as :meth:`find_paths` returns them.
            max_corners, filter: as in :meth:`find_straight_path`, the same for all.

        Returns:
            (offsets, points, flags, refs): int64 of shape (n + 1,), where each path's corners begin; float64 of shape
            (k, 3); int32 of shape (k,), values of :class:`~onepath.queries.results.CornerFlag`; uint64 of shape (k,).
            A corridor that is empty, stale or not connected has no corners.
        """
        return find_straight_paths(ready(self.scratch), positions, targets, offsets, refs, max_corners, filter)
