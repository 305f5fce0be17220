"""One call to a crowd at a time: what would otherwise read or replace memory that another call works in."""

from __future__ import annotations

from _thread import allocate_lock

from onepath.errors import OnePathError


class Turn:
    """A ``with`` block that only one call is in. A second one, from another thread or from within, is refused."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = allocate_lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(False):
            raise OnePathError("another call to this crowd is under way; a crowd takes one at a time")

    def __exit__(self, *_exception: object) -> None:
        self._lock.release()
