"""One call to a crowd at a time: what would otherwise read or replace memory that another call or an edit works in."""

from __future__ import annotations

from _thread import allocate_lock

from onepath.errors import OnePathError


class SoleCall:
    """A ``with`` block that only one call is in. A second one, from another thread or from within, is refused."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = allocate_lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(False):
            raise OnePathError("another call to this crowd is under way; a crowd takes one at a time")

    def __exit__(self, *_exception: object) -> None:
        self._lock.release()


class Turn:
    """A ``with`` block for a sole call that the crowd's mesh stays as it is for: other threads' edits are refused.

    Args:
        mesh: the columns of the mesh.
    """

    __slots__ = ("_mesh", "sole_call")

    def __init__(self, mesh) -> None:
        self._mesh = mesh
        #: The block without the mesh, for a call that edits it.
        self.sole_call = SoleCall()

    def __enter__(self) -> None:
        self.sole_call.__enter__()
        try:
            self._mesh.begin_reading()
        except OnePathError:
            self.sole_call.__exit__()
            raise

    def __exit__(self, *_exception: object) -> None:
        self._mesh.end_reading()
        self.sole_call.__exit__()
