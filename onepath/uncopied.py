"""Objects that are more than their attributes: memory behind pointers, seen by others too."""

from __future__ import annotations

from typing import NoReturn


def refuse_copy(thing: object, instead: str) -> NoReturn:
    """Raise the error of copying or pickling what a copy would share its memory with."""
    raise TypeError(f"{type(thing).__name__} objects cannot be copied or pickled; {instead}")


class Uncopied:
    """A base whose objects refuse ``copy.copy``, ``copy.deepcopy`` and ``pickle``.

    ``_instead`` says what to do instead.
    """

    __slots__ = ()
    _instead = ""

    def __reduce_ex__(self, protocol) -> NoReturn:
        refuse_copy(self, self._instead)
