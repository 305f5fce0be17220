"""CorridorReplan: one replan of a corridor, done in slices over several calls."""

import cython

from onepath.corridors.options import checked_extents
from onepath.corridors.path_corridor import _DEFAULT_EXTENTS, _LARGEST_BUDGET, PathCorridor, lend
from onepath.corridors.scratch import CorridorScratch as _CorridorScratch
from onepath.corridors.states import ReplanStatus
from onepath.errors import OnePathError
from onepath.geometry import checked_integer
from onepath.navmesh.filter import resolved_filter
from onepath.uncopied import Uncopied
from cython.cimports.onepath.corridors.replan import apply_replan, begin_replan, update_replan
from cython.cimports.onepath.corridors.scratch import CorridorScratch


class CorridorReplan(Uncopied):
    """A replan that is begun, updated with budgets until it is done, and applied.

    First the accepted polygon nearest to the target is found. Search 1 then goes from the corridor's end; if that
    finds no route, or a replan from start was asked for, search 2 goes from the agent's polygon. The corridor is left
    alone until :meth:`apply`; it may be walked along meanwhile. Until then the query must not be used for another
    search. The result does not depend on how the work is split.

    ===================  ==============================  ========  ===================================================
    outcome              corridor                        complete  wants another replan
    ===================  ==============================  ========  ===================================================
    SUCCESS              spliced                         yes       no
    SUCCESS, too long    spliced, cut to its capacity    no        yes
    PARTIAL, no route    spliced, to the nearest polygon no        no (yes if it was cut)
    PARTIAL, no nodes    spliced, to the nearest polygon no        yes
    IN_PROGRESS          unchanged                       no        yes, from start
    INVALID_START        unchanged                       no        yes; relocate first
    NO_END_NEARBY        unchanged                       no        no
    ===================  ==============================  ========  ===================================================
    """

    _instead = "a replan under way is no state: begin another one"

    def __init__(self):
        self._scratch = _CorridorScratch()
        self._corridor = None
        self._query = None
        self._filter = None

    @property
    def iterations(self) -> int:
        """Node expansions so far, over both searches."""
        scratch: CorridorScratch = self._scratch
        iterations: cython.int = scratch.replan_iterations
        return iterations

    def begin(self, corridor, query, filter=None, extents=_DEFAULT_EXTENTS) -> ReplanStatus:
        """Set the first search up; a replan that was under way in this object is dropped.

        Args:
            corridor: the corridor to replan; it, the query and the filter are held until :meth:`apply`.
            query, filter: as every call of a PathCorridor has them.
            extents: half sizes of the box around the target in which its polygon is looked for, default (2, 4, 2).

        Returns:
            ``IN_PROGRESS``, or ``INVALID_START`` or ``NO_END_NEARBY`` at once (still to be applied).

        Raises:
            OutOfRangeError: ``extents`` is out of range.
            TypeError: an argument is of another type.
        """
        if not isinstance(corridor, PathCorridor):
            raise TypeError(f"corridor must be a PathCorridor, not {type(corridor).__name__}")
        accepted = resolved_filter(filter)
        ex, ey, ez = checked_extents("extents", extents)
        lend(self._scratch, query)
        self._corridor, self._query, self._filter = corridor, query, accepted
        return ReplanStatus(begin_replan(corridor._store, corridor._slot, self._scratch, accepted, ex, ey, ez))

    def update(self, budget) -> ReplanStatus:
        """Go on for at most ``budget`` (1..2^31 − 1) node expansions.

        If the mesh was edited since the last call, the replan starts over on the mesh as it is now.

        Args:
            budget: most expansions, over both searches.

        Returns:
            ``IN_PROGRESS`` while there is more to do, else the outcome.

        Raises:
            OnePathError: nothing was begun.
            OutOfRangeError: ``budget`` is out of range.
        """
        limit = checked_integer("budget", budget, 1, _LARGEST_BUDGET)
        corridor = self._begun()
        lend(self._scratch, self._query)
        return ReplanStatus(update_replan(corridor._store, corridor._slot, self._scratch, self._filter, limit))

    def apply(self) -> ReplanStatus:
        """Splice the route into the corridor, set its flags by the outcome, and let go of corridor, query and filter.

        Returns:
            The outcome. ``IN_PROGRESS`` also if the mesh or the target changed after the last update or the agent has
            left the route: nothing is spliced and a replan from start is wanted.

        Raises:
            OnePathError: nothing was begun.
        """
        corridor = self._begun()
        with self._scratch as w:
            status = ReplanStatus(apply_replan(corridor._store, corridor._slot, w))
        self._corridor = self._query = self._filter = None
        return status

    def _begun(self):
        if self._corridor is None:
            raise OnePathError("no replan was begun")
        return self._corridor
