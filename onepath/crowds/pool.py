"""A few persistent threads that run one phase of a step each time they are told to."""

from __future__ import annotations

import os
import threading
from _thread import allocate_lock
from collections.abc import Callable


class _Seat:
    """One thread's place: a task to run between two locks, passed to and fro."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.task: Callable[[int], None] | None = None
        self.error: BaseException | None = None
        self.begin = allocate_lock()
        self.done = allocate_lock()
        self.begin.acquire()
        self.done.acquire()


def _serve(seat: _Seat) -> None:
    while True:
        seat.begin.acquire()
        task = seat.task
        if task is None:
            return
        try:
            task(seat.index)
        except BaseException as error:  # handed to the thread that waits for this one
            seat.error = error
        task = seat.task = None
        seat.done.release()


class WorkerPool:
    """``workers − 1`` threads that work with the thread that calls :meth:`run`.

    The threads hold nothing of the crowd between two runs, so they do not keep it alive. They end with :meth:`close`.
    """

    def __init__(self, workers: int) -> None:
        self._process = os.getpid()
        self._seats = [_Seat(index) for index in range(1, workers)]
        for seat in self._seats:
            threading.Thread(target=_serve, args=(seat,), name=f"onepath-{seat.index}", daemon=True).start()

    @property
    def is_here(self) -> bool:
        """Whether the threads are in this process, and not in the one it was forked from."""
        return self._process == os.getpid()

    def run(self, task: Callable[[int], None], workers: int) -> None:
        """Call ``task(index)`` once for each index 0..workers − 1, 0 in this thread, and wait for all.

        Raises:
            whatever a task raised, after all have ended.
        """
        error = None
        seats = self._seats
        for k in range(workers - 1):
            seats[k].task = task
            seats[k].begin.release()
        try:
            task(0)
        finally:
            for k in range(workers - 1):
                seat = seats[k]
                seat.done.acquire()
                if seat.error is not None:
                    error, seat.error = seat.error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """End the threads. The pool cannot be used afterwards."""
        seats, self._seats = self._seats, []
        for seat in seats:
            seat.task = None
            seat.begin.release()
