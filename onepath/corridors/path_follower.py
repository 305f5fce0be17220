"""PathFollower: one agent that walks its corridor, a step at a time."""

from array import array

import cython

from onepath.buffers import byte_column
from onepath.corridors.options import FollowerOptions
from onepath.corridors.path_corridor import PathCorridor, lend
from onepath.corridors.scratch import CorridorScratch as _CorridorScratch
from onepath.corridors.state import raise_if_rejected
from onepath.corridors.states import FollowerState
from onepath.corridors.store import FollowerStore as _FollowerStore
from onepath.geometry import checked_number, checked_position
from onepath.navmesh.filter import resolved_filter
from onepath.queries.scratch import QueryScratch as _QueryScratch
from onepath.uncopied import Uncopied
from cython.cimports.onepath.buffers import byte_pointer
from cython.cimports.onepath.corridors.crossing import complete_link
from cython.cimports.onepath.corridors.follower import follow_destination, place, request_destination, stop
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.state import check_follower, follower_size, load_follower, write_follower
from cython.cimports.onepath.corridors.walk import step
from cython.cimports.onepath.queries.scratch import QueryScratch

_LARGEST = 1.7976931348623157e308
_LOCAL_NODES = (1024, 1 << 20)


def local_nodes(options) -> int:
    """Return how many nodes a follower's crossing-node query has for its topology searches."""
    return min(max(8 * max(options.refine_budget, options.topology_budget), _LOCAL_NODES[0]), _LOCAL_NODES[1])


class PathFollower(Uncopied):
    """An agent alone: it plans, walks and repairs its own path, one :meth:`step` at a time.

    A step of a moving follower checks the corridor against the mesh, replans if need be, pulls the string, takes
    shortcuts, enters off-mesh links, arrives, steers, walks, reports and watches for being stuck, in this order.
    Nothing depends on a clock: the caller passes ``dt``, and budgets count steps and node expansions. Speeds are
    horizontal. Queries and filters are arguments of every call, as those of a
    :class:`~onepath.corridors.path_corridor.PathCorridor`, and never kept; calls must not run at once in several
    threads. With a polygon-node query a follower makes itself a small crossing-node query of the same mesh, once, for
    topology searches.

    Args:
        options: :class:`~onepath.corridors.options.FollowerOptions`; default :meth:`FollowerOptions.humanoid`.
    Raises:
        TypeError: ``options`` is of another type.
    """

    _instead = "to_bytes() and read() of another PathFollower with these options make a second one"

    def __init__(self, options=None):
        if options is None:
            options = FollowerOptions.humanoid()
        if not isinstance(options, FollowerOptions):
            raise TypeError(f"options must be FollowerOptions, not {type(options).__name__}")
        self._options = options
        self._store = _FollowerStore(1, options.corridor_capacity)
        self._store.load_options(0, options)
        self._scratch = _CorridorScratch()
        self._local = None
        self._corridor = PathCorridor.of_slot(self._store, 0, _CorridorScratch())

    @property
    def options(self) -> FollowerOptions:
        """The settings it walks by."""
        return self._options

    def set_options(self, options) -> None:
        """Walk by other settings from the next step on; nothing else changes.

        Args:
            options: the :class:`~onepath.corridors.options.FollowerOptions`.

        Raises:
            OutOfRangeError: ``corridor_capacity`` differs, which a live corridor cannot.
            TypeError: ``options`` is of another type.
        """
        if not isinstance(options, FollowerOptions):
            raise TypeError(f"options must be FollowerOptions, not {type(options).__name__}")
        self._store.load_options(0, options)
        self._options = options
        self._local = None

    def _point(self, name):
        return tuple(self._store.columns[name][:3])

    @property
    def state(self) -> FollowerState:
        """What it is doing."""
        return FollowerState(self._store.columns["state"][0])

    @property
    def position(self) -> tuple[float, float, float]:
        """Where it is: on the surface of the first corridor polygon, or on its way over an off-mesh link."""
        return self._point("position")

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Displacement of the last step over its ``dt``, m/s."""
        return self._point("velocity")

    @property
    def destination(self) -> tuple[float, float, float]:
        """The point it was last sent to; its own place before that."""
        return self._point("destination")

    @property
    def remaining_distance(self) -> float:
        """Path length left to the end of the corridor, in X/Z; infinite while the end is not among the corners seen."""
        return self._store.columns["remaining"][0]

    @property
    def reached_target(self) -> bool:
        """Whether it has arrived at the destination itself, not at the end of a path that falls short of it."""
        return bool(self._store.columns["reached"][0])

    @property
    def corridor(self) -> PathCorridor:
        """Its corridor, as a live view."""
        return self._corridor

    def _lend(self, query):
        scratch: CorridorScratch = lend(self._scratch, query)
        if query.scratch.polygon_nodes:
            if self._local is None or not _same_mesh(self._local, query.scratch):
                self._local = _QueryScratch(query.mesh.store, local_nodes(self._options), False)
            self._local.fit()
            scratch.local = self._local
        return scratch

    def place(self, query, p, filter=None) -> bool:
        """Put the agent on the accepted polygon nearest to ``p``, within ``search_extents``: IDLE, no destination.

        Args:
            query, filter: as for every call, see above.
            p: the place.

        Returns:
            ``False``, and nothing changes, if no polygon is near.

        Raises:
            OutOfRangeError: ``p`` is not a position.
        """
        x, y, z = checked_position("p", p)
        accepted = resolved_filter(filter)
        with self._lend(query) as w:
            return bool(place(self._store, 0, w, accepted, x, y, z))

    def set_destination(self, query, to, filter=None) -> bool:
        """Send the agent to a point: a replan of ``replan_budget`` expansions, and it is MOVING.

        Where it is already going (or has reached, or is recorded during a link crossing) exactly that point, nothing
        changes. An agent that arrived short of it searches again.

        Args:
            query, filter: as for every call, see above.
            to: the point.

        Returns:
            ``False`` if the state is NO_PATH: no accepted polygon near the point, or the agent was never placed. While
            it crosses a link the destination is recorded and the replan follows the crossing.

        Raises:
            OutOfRangeError: ``to`` is not a position.
        """
        x, y, z = checked_position("to", to)
        accepted = resolved_filter(filter)
        with self._lend(query) as w:
            return bool(request_destination(self._store, 0, w, accepted, x, y, z, False))

    def move_destination(self, query, to, filter=None) -> bool:
        """Send the agent after a target that moves a little from call to call.

        Where the new point can be walked to along the surface from the old one, the corridor's far end is walked along
        and no search is made; otherwise this is :meth:`set_destination`.

        Args:
            query, filter: as for every call, see above.
            to: the point.

        Raises:
            OutOfRangeError: ``to`` is not a position.
        """
        x, y, z = checked_position("to", to)
        accepted = resolved_filter(filter)
        with self._lend(query) as w:
            return bool(follow_destination(self._store, 0, w, accepted, x, y, z, False))

    def stop(self) -> None:
        """Forget the destination: IDLE at once (an agent crossing a link goes on to the link's end)."""
        stop(self._store, 0)

    def step(self, query, dt, filter=None) -> FollowerState:
        """Advance by ``dt`` seconds (finite, above 0).

        Args:
            query, filter: as for every call, see above.
            dt: seconds.

        Returns:
            The state after the step.

        Raises:
            OutOfRangeError: ``dt`` is not positive and finite; nothing has changed.
        """
        seconds: cython.double = checked_number("dt", dt, 0.0, _LARGEST, low_open=True)
        accepted = resolved_filter(filter)
        with self._lend(query) as w:
            step(self._store, 0, w, accepted, seconds)
        return self.state

    def complete_off_mesh_link(self, query, filter=None) -> bool:
        """End a link crossing: the agent stands at the exit and is MOVING again.

        For ``OffMeshMode.HOST``, when the host's animation has ended; an automatic crossing ends early by it.

        Args:
            query, filter: as for every call, see above.

        Returns:
            ``False``, and nothing changes, if it is not crossing a link.
        """
        accepted = resolved_filter(filter)
        with self._lend(query) as w:
            return bool(complete_link(self._store, 0, w, accepted))

    def to_bytes(self) -> bytes:
        """Return the follower's state: 203 bytes and its corridor; see :mod:`onepath.corridors.state`."""
        column = array("B", bytes(follower_size(self._store, 0)))
        write_follower(self._store, 0, byte_pointer(column), 0)
        return column.tobytes()

    def read(self, content) -> None:
        """Become the follower that ``content`` (bytes-like, from :meth:`to_bytes`) holds; the options stay.

        Args:
            content: bytes-like.

        Raises:
            CrowdStateError: the bytes are damaged, of another version or of a corridor of another capacity; the error
                names field and offset, and nothing has changed.
            TypeError: ``content`` is not bytes-like.
        """
        column = byte_column(content)
        end = check_follower(byte_pointer(column), 0, len(column), self._options.corridor_capacity, self._scratch)
        raise_if_rejected(self._scratch, end, len(column))
        load_follower(self._store, 0, byte_pointer(column), 0)


@cython.cfunc
def _same_mesh(a: QueryScratch, b: QueryScratch) -> cython.bint:
    return a.mesh is b.mesh
