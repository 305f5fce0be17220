"""PathCorridor: one corridor, owned or seen in a store of many."""

from array import array

import cython

from onepath.buffers import byte_column
from onepath.corridors.options import CORRIDOR_CAPACITY_RANGE, checked_extents
from onepath.corridors.scratch import CorridorScratch as _CorridorScratch
from onepath.corridors.state import raise_if_rejected
from onepath.corridors.states import CorridorFlag, ReplanStatus, Validity
from onepath.corridors.store import FollowerStore as _FollowerStore
from onepath.geometry import COORDINATE_LIMIT, checked_integer, checked_number, checked_position
from onepath.navmesh.filter import resolved_filter
from onepath.navmesh.mesh import reference
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import Corner, CornerFlag
from onepath.uncopied import Uncopied
from cython.cimports.onepath.buffers import byte_pointer
from cython.cimports.onepath.corridors import corridor as kernels
from cython.cimports.onepath.corridors.replan import replan, set_target
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.shortcuts import optimize_topology, optimize_visibility
from cython.cimports.onepath.corridors.state import check_corridor, corridor_size, load_corridor, write_corridor
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.locate import find_nearest
from cython.cimports.onepath.navmesh.store import ref_of_poly
from cython.cimports.onepath.queries.points import ready
from cython.cimports.onepath.queries.scratch import QueryScratch

_DEFAULT_EXTENTS = (2.0, 4.0, 2.0)
_LARGEST_BUDGET = (1 << 31) - 1
_MOST_CORNERS = 4098


def lend(scratch, query):
    """Let corridor kernels use a query; return the scratch, which gives it back at the end of a ``with``.

    Raises:
        TypeError: ``query`` is not a :class:`~onepath.queries.query.NavMeshQuery`.
    """
    if not isinstance(query, NavMeshQuery):
        raise TypeError(f"query must be a NavMeshQuery, not {type(query).__name__}")
    q: QueryScratch = ready(query.scratch)
    q.fit()
    scratch.query = scratch.local = q
    return scratch


class PathCorridor(Uncopied):
    """The polygons still ahead of an agent: a route trimmed as the agent moves and repaired as the mesh changes.

    A corridor holds polygon references (none twice, each connected to the one before), the agent's position on the
    first of them, a target point and the polygon it was found on. Queries and filters are arguments of every call
    and are never kept: ``query`` is a :class:`~onepath.queries.query.NavMeshQuery` of the mesh, ``filter`` says
    which polygons are accepted (``None``: all), and anything else raises TypeError. References that are stale or
    refused by the filter never raise: such a call returns ``False`` or a status and changes nothing. Objects are
    not to be shared between threads.

    Args:
        capacity: most polygons it can hold, 2..4096, default 256.

    Raises:
        OutOfRangeError: the capacity is out of range.

    Source: M. Mononen's path corridor; the rules are the library's specification.
    """

    _instead = "to_bytes() and read() of another PathCorridor of this capacity make a second one"

    def __init__(self, capacity=256):
        capacity = checked_integer("capacity", capacity, *CORRIDOR_CAPACITY_RANGE)
        self._store = _FollowerStore(1, capacity)
        self._store.columns["capacity"][0] = capacity
        self._slot = 0
        self._scratch = _CorridorScratch()

    @classmethod
    def of_slot(cls, store, slot, scratch):
        """Return a view of the corridor in a store's slot, for the store's owner. The scratch is used by every call.

        Args:
            store, slot, scratch: where its columns are and what every call works in; not checked.
        """
        view = cls.__new__(cls)
        view._store = store
        view._slot = slot
        view._scratch = scratch
        return view

    def _point(self, name):
        return tuple(self._store.columns[name][3 * self._slot:3 * self._slot + 3])

    @property
    def capacity(self) -> int:
        """Most polygons the corridor can hold."""
        return self._store.columns["capacity"][self._slot]

    @property
    def path(self) -> list[int]:
        """References of the polygons, the agent's first; empty before :meth:`reset`."""
        first = self._slot * self._store.stride
        return list(self._store.columns["refs"][first:first + self._store.columns["count"][self._slot]])

    @property
    def position(self) -> tuple[float, float, float]:
        """The agent's position, on the surface of the first polygon."""
        return self._point("surface")

    @property
    def target(self) -> tuple[float, float, float]:
        """The point the corridor leads to, as it was given (after :meth:`move_target`: on the surface)."""
        return self._point("target")

    @property
    def target_ref(self) -> int:
        """The polygon on which the target was last found; 0 while that is unknown."""
        return self._store.columns["target_ref"][self._slot]

    @property
    def is_complete(self) -> bool:
        """Whether the last polygon is the target's."""
        return bool(self._store.columns["flags"][self._slot] & CorridorFlag.COMPLETE)

    @property
    def needs_replan(self) -> bool:
        """Whether something has happened that asks for :meth:`replan`."""
        return bool(self._store.columns["flags"][self._slot] & CorridorFlag.NEEDS_REPLAN)

    def reset(self, ref, position) -> bool:
        """Begin on one polygon, with the position as the target too (complete).

        Args:
            ref: reference of the polygon.
            position: a point on its surface; it is taken as it is.

        Returns:
            ``False``, and nothing changes, if ``ref`` is not a possible reference (0, negative, not an integer, …).

        Raises:
            OutOfRangeError: ``position`` is not a position.
        """
        x, y, z = checked_position("position", position)
        polygon = reference(ref)
        if polygon == 0:
            return False
        kernels.set_single(self._store, self._slot, polygon, x, y, z)
        set_target(self._store, self._slot, x, y, z)
        self._store.columns["target_ref"][self._slot] = polygon
        self._store.columns["flags"][self._slot] = CorridorFlag.COMPLETE
        return True

    def set_target(self, query, to, filter=None) -> bool:
        """Give the corridor another target; it becomes incomplete and wants a replan from the agent's polygon.

        Args:
            query, filter: as for every call, see above.
            to: the target.

        Returns:
            Whether an accepted polygon lies within (2, 4, 2) of the target now. The target is recorded either way; it
            is looked for again by each replan.

        Raises:
            OutOfRangeError: ``to`` is not a position.
        """
        x, y, z = checked_position("to", to)
        ex, ey, ez = _DEFAULT_EXTENTS
        store: FollowerStore = self._store
        w: CorridorScratch
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            set_target(store, self._slot, x, y, z)
            poly: cython.int = find_nearest(w.query.mesh, accepted, w.query, x, y, z, ex, ey, ez)
            store.target_ref[self._slot] = ref_of_poly(w.query.mesh, poly)
        return poly >= 0

    def request_replan(self) -> None:
        """Ask for a replan from the agent's polygon; the corridor is kept until then."""
        self._store.columns["flags"][self._slot] |= CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START

    def replan(self, query, filter=None, budget=2048, extents=_DEFAULT_EXTENTS) -> ReplanStatus:
        """Find a route to the target and splice it in, in one call: begin, update and apply of a CorridorReplan.

        Args:
            query, filter: as for every call, see above.
            budget: most node expansions, 1..2^31 − 1, over both of its searches.
            extents: half sizes of the box around the target in which its polygon is looked for, default (2, 4, 2).

        Returns:
            The outcome; see :class:`~onepath.corridors.corridor_replan.CorridorReplan`.

        Raises:
            OutOfRangeError: ``budget`` or ``extents`` is out of range.
        """
        accepted = resolved_filter(filter)
        limit = checked_integer("budget", budget, 1, _LARGEST_BUDGET)
        ex, ey, ez = checked_extents("extents", extents)
        with lend(self._scratch, query) as w:
            return ReplanStatus(replan(self._store, self._slot, w, accepted, limit, ex, ey, ez))

    def move_position(self, query, to, filter=None) -> bool:
        """Walk along the surface toward a point, sliding along walls; the corridor follows.

        Args:
            query, filter: as for every call, see above.
            to: where to; its height plays no part.

        Returns:
            ``False``, and nothing changes, if the first polygon is stale or refused, or the walk crosses more polygons
            than the corridor holds. A far end that no longer fits is cut: incomplete, a replan wanted.

        Raises:
            OutOfRangeError: ``to`` is not a position.
        """
        x, _, z = checked_position("to", to)
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return bool(kernels.move_position(self._store, self._slot, w, accepted, x, z))

    def move_target(self, query, to, filter=None) -> bool:
        """Walk the target along the surface toward a point; the far end of the corridor follows.

        While the corridor is incomplete the target is only recorded (its polygon unknown, a replan wanted).

        Args:
            query, filter: as for every call, see above.
            to: where to.

        Returns:
            ``False``, and nothing changes, if the target's polygon is stale or refused or the corridor would not fit.

        Raises:
            OutOfRangeError: ``to`` is not a position.
        """
        x, y, z = checked_position("to", to)
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return bool(kernels.move_target(self._store, self._slot, w, accepted, x, y, z))

    def move_along(self, query, to, limit) -> bool:
        """Put the agent at a point known to lie in the first polygons of the corridor, without tracing a way.

        Of those that hold the point in X/Z (within 1e-7) the one whose surface is nearest to ``to`` in height is
        taken, the furthest along on a tie (1e-9). The corridor is trimmed to begin there.

        Args:
            query: as for every call, see above.
            to: the point.
            limit: how many polygons to look at, 1..4096.

        Returns:
            ``False``, and nothing changes, if none of them holds the point.

        Raises:
            OutOfRangeError: ``to`` is not a position, or ``limit`` is out of range.
        """
        x, y, z = checked_position("to", to)
        polygons = checked_integer("limit", limit, 1, CORRIDOR_CAPACITY_RANGE[1])
        with lend(self._scratch, query) as w:
            return bool(kernels.move_along(self._store, self._slot, w, polygons, x, y, z))

    def find_corners(self, query, max_corners=256, filter=None) -> list[Corner] | None:
        """Pull a string through the corridor.

        Args:
            query: as for every call, see above.
            max_corners: most corners to return, 1..4098, the position included.
            filter: decides which of several off-mesh links may be crossed.

        Returns:
            The position (START), the bends and, if there is room for it, the end (END): the target when the corridor
            is complete, else the last polygon's nearest point to it. Links give an entry (OFF_MESH) and an exit.
            ``None`` if a polygon is stale, two neighbours no longer touch or the corridor is empty.

        Raises:
            OutOfRangeError: ``max_corners`` is out of range.
        """
        accepted = resolved_filter(filter)
        limit = checked_integer("max_corners", max_corners, 1, _MOST_CORNERS)
        with lend(self._scratch, query) as w:
            count: cython.int = kernels.corners(self._store, self._slot, w, accepted, limit)
            return read_corners(self._store, self._slot, w) if count > 0 else None

    def optimize_visibility(self, query, point, range, filter=None, budget=16) -> bool:
        """Take a shortcut along a straight ray toward a point, if the ray meets the corridor again further along.

        Args:
            query, filter: as for every call, see above.
            point: where the ray leads; its height plays no part.
            range: horizontal length to which the ray is cut, world units, [0, 2^21].
            budget: most polygons the ray crosses; at least 2 and at most the capacity are used. Default 16.

        Returns:
            Whether the corridor changed.

        Raises:
            OutOfRangeError: ``point`` is not a position, or ``range`` or ``budget`` is out of range.
        """
        x, _, z = checked_position("point", point)
        reach = checked_number("range", range, 0.0, COORDINATE_LIMIT)
        limit = checked_integer("budget", budget, 0, _LARGEST_BUDGET)
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return bool(optimize_visibility(self._store, self._slot, w, accepted, x, z, reach, limit))

    def optimize_topology(self, query, filter=None, budget=32, window=64) -> bool:
        """Search for another way to a polygon further along; it is taken if its taut string is shorter by over 10⁻⁴.

        Args:
            query, filter: as for every call, see above.
            budget: most node expansions, 1..2^31 − 1; an unfinished search changes nothing. Default 32.
            window: the search goes to polygon number ``window − 1`` or the last one, 3..4096. Default 64.

        Returns:
            Whether the corridor changed (never one of fewer than 3 polygons).

        Raises:
            OutOfRangeError: ``budget`` or ``window`` is out of range.
        """
        limit = checked_integer("budget", budget, 1, _LARGEST_BUDGET)
        polygons = checked_integer("window", window, 3, CORRIDOR_CAPACITY_RANGE[1])
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return bool(optimize_topology(self._store, self._slot, w, accepted, limit, polygons))

    def validate(self, query, filter=None, look_ahead=8) -> Validity:
        """Check the first ``look_ahead`` (1..4096, default 8) polygons against the mesh and the filter.

        Args:
            query, filter: as for every call, see above.
            look_ahead: how many polygons to look at.

        Returns:
            ``VALID``; ``TRIMMED``: cut in front of the first bad polygon, incomplete, to be replanned from the end of
            what is left (also: all is well but the target's polygon is gone); ``INVALID``: the first polygon is bad
            or there is none, nothing changed.

        Raises:
            OutOfRangeError: ``look_ahead`` is out of range.
        """
        polygons = checked_integer("look_ahead", look_ahead, 1, CORRIDOR_CAPACITY_RANGE[1])
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return Validity(kernels.validate(self._store, self._slot, w, accepted, polygons))

    def relocate(self, query, filter=None, extents=_DEFAULT_EXTENTS) -> bool:
        """Begin anew on the accepted polygon nearest to the position within the extents (half sizes of a box).

        The position moves onto it, the target is kept, a replan from there is wanted.

        Args:
            query, filter: as for every call, see above.
            extents: the half sizes, each in (0, 2^21], default (2, 4, 2).

        Returns:
            ``False``, and nothing changes, if no polygon is near.

        Raises:
            OutOfRangeError: ``extents`` is out of range.
        """
        ex, ey, ez = checked_extents("extents", extents)
        accepted = resolved_filter(filter)
        with lend(self._scratch, query) as w:
            return bool(kernels.relocate(self._store, self._slot, w, accepted, ex, ey, ez))

    def to_bytes(self) -> bytes:
        """Return the corridor's state: 66 bytes and 8 per polygon; see :mod:`onepath.corridors.state`."""
        column = array("B", bytes(corridor_size(self._store, self._slot)))
        write_corridor(self._store, self._slot, byte_pointer(column), 0)
        return column.tobytes()

    def read(self, content) -> None:
        """Become the corridor that ``content`` (bytes-like, from :meth:`to_bytes`) holds.

        Args:
            content: bytes-like.

        Raises:
            CrowdStateError: the bytes are damaged, of another version or of a corridor of another capacity; the error
                names field and offset, and nothing has changed.
            TypeError: ``content`` is not bytes-like.
        """
        column = byte_column(content)
        end = check_corridor(byte_pointer(column), 0, len(column), self.capacity, self._scratch)
        raise_if_rejected(self._scratch, end, len(column))
        load_corridor(self._store, self._slot, byte_pointer(column), 0)


def read_corners(store, slot, scratch) -> list[Corner]:
    """Return the corners that the last string pulled through a slot's corridor left in the scratch's query."""
    s: FollowerStore = store
    w: CorridorScratch = scratch
    first: cython.int = slot * s.stride
    i: cython.int
    found = []
    for i in range(w.query.corner_count):
        point = (w.query.corner_xyz[3 * i], w.query.corner_xyz[3 * i + 1], w.query.corner_xyz[3 * i + 2])
        found.append(Corner(point, CornerFlag(w.query.corner_flags[i]), s.refs[first + w.query.corner_index[i]]))
    return found
