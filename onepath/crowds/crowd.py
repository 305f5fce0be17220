"""A crowd: agents that walk one mesh, keep to their corridors and clear of each other."""

import weakref

import cython

from onepath.crowds.pool import WorkerPool
from onepath.crowds.runner import PhaseRunner as _PhaseRunner
from onepath.crowds.snapshots import CrowdSnapshots
from onepath.geometry import checked_number
from cython.cimports.onepath.crowds.runner import PhaseRunner
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker

#: Slots are dealt out to workers in groups of this many.
_GROUP = 32
# Phases of a step, as in PhaseRunner.
_PLAN = 1
_LET_IN = 4
_LONGEST_STEP = 1.7976931348623157e308


class Crowd(CrowdSnapshots):
    """Agents on one mesh, steered by ORCA against each other and the mesh boundary.

    Args:
        mesh: the :class:`~onepath.navmesh.mesh.TiledNavMesh`; it may be edited between steps.
        options: :class:`~onepath.crowds.options.CrowdOptions`; default: all defaults.

    Agents live in slots 0, 1, 2, …; everything is evaluated in slot order, and a step is a function of the state, the
    mesh and dt alone: the same for any number of threads, compiled or interpreted. A crowd is not thread-safe: one
    call at a time. A second one, and any while another thread edits the mesh, raises
    :class:`~onepath.errors.OnePathError`. ``len(crowd)`` is the number of agents and iterating gives them in slot
    order.

    Source: van den Berg et al. 2011 for avoidance; corridors after M. Mononen's talks.
    """

    def __init__(self, mesh, options=None) -> None:
        super().__init__(mesh, options)
        self._runner = _PhaseRunner(self._store, self._workers)
        self._pool: WorkerPool | None = None

    @property
    def step_count(self) -> int:
        """Steps made so far, modulo 2^64."""
        return self._store.step_count

    def step(self, dt) -> None:
        """Advance all agents by ``dt`` seconds: snapshot, plan, avoid, move.

        Args:
            dt: > 0 and finite; there is no sub-stepping.

        Raises:
            OutOfRangeError: ``dt`` is out of range; nothing has changed.
            OnePathError: another thread is editing the mesh or using the crowd; nothing has changed.
        """
        seconds = checked_number("dt", dt, 0.0, _LONGEST_STEP, low_open=True)
        with self._turn:
            self._advance(seconds)

    def _advance(self, seconds: cython.double) -> None:
        self._fit()
        store: CrowdStore = self._store
        runner: PhaseRunner = self._runner
        groups: cython.int = (store.slot_count + _GROUP - 1) // _GROUP
        workers: cython.int = max(1, min(len(self._workers), groups))
        runner.active_workers = workers
        runner.dt = seconds
        runner.phase = 0
        runner(0)
        phase: cython.int
        for phase in range(1, 4):
            runner.phase = phase
            if workers == 1:
                runner(0)
            else:
                self._threads().run(runner, workers)
            if phase == _PLAN and store.queues_at_links and self._anybody_waits(workers):
                runner.phase = _LET_IN
                runner(0)
        store.step_count = (store.step_count + 1) & 0xFFFFFFFFFFFFFFFF

    def _anybody_waits(self, workers: cython.int) -> bool:
        """Tell whether the plan phase, made by so many workers, has left agents waiting at links."""
        index: cython.int
        for index in range(workers):
            worker: CrowdWorker = self._workers[index]
            if worker.waiting > 0:
                return True
        return False

    def _threads(self) -> WorkerPool:
        # A process that was forked off has the pool but not its threads.
        if self._pool is None or not self._pool.is_here:
            self._pool = WorkerPool(len(self._workers))
            weakref.finalize(self, self._pool.close)
        return self._pool

    def positions(self):
        """Return the agents' positions in slot order: a new float64 array of shape (n, 3)."""
        return self._rows("position")

    def velocities(self):
        """Return the agents' velocities in slot order: a new float64 array of shape (n, 3), m/s."""
        return self._rows("velocity")

    def ids(self):
        """Return the agents' ids in slot order: a new int64 array of shape (n,)."""
        import numpy

        store: CrowdStore = self._store
        column = numpy.frombuffer(store.columns["id"], dtype=numpy.int64)[:store.slot_count]
        return column[self._active()]

    def _rows(self, name: str):
        import numpy

        store: CrowdStore = self._store
        column = numpy.frombuffer(store.followers.columns[name], dtype=numpy.float64)
        return column[:3 * store.slot_count].reshape(-1, 3)[self._active()]

    def _active(self):
        import numpy

        store: CrowdStore = self._store
        return numpy.frombuffer(store.columns["active"], dtype=numpy.uint8)[:store.slot_count] != 0
