"""One phase of a step as something a worker thread can call. It holds no crowd, so threads keep none alive."""

import cython

from cython.cimports.onepath.crowds.queueing import let_in
from cython.cimports.onepath.crowds.step import avoid_groups, begin_step, move_groups, plan_groups
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker

_PLAN = cython.declare(cython.int, 1)
_AVOID = cython.declare(cython.int, 2)
_MOVE = cython.declare(cython.int, 3)


@cython.cclass
class PhaseRunner:
    """Runs phase ``phase`` (0 snapshot, 1 plan, 2 avoid, 3 move) for the groups of one worker.

    Phase 4 is for one worker alone, after phase 1: it lets in those who wait at links.

    Args:
        store: the crowd's columns.
        workers: the :class:`~onepath.crowds.worker.CrowdWorker` of each index.
    """

    def __init__(self, store: CrowdStore, workers: list):
        self.store = store
        self.workers = workers
        self.phase = 0
        self.active_workers = 1
        self.dt = 0.0

    def __call__(self, index: cython.int):
        store: CrowdStore = self.store
        worker: CrowdWorker = self.workers[index]
        phase: cython.int = self.phase
        count: cython.int = self.active_workers
        dt: cython.double = self.dt
        with cython.nogil:
            if phase == 0:
                begin_step(store, worker)
            elif phase == _PLAN:
                plan_groups(store, worker, index, count, dt)
            elif phase == _AVOID:
                avoid_groups(store, worker, index, count, dt)
            elif phase == _MOVE:
                move_groups(store, worker, index, count, dt)
            else:
                let_in(store, worker, dt)
