"""Every exception that OnePath raises on purpose.

Bad *values* raise; bad polygon *references* never do (they are results: ``None``, ``False`` or a status).
"""

from __future__ import annotations


class OnePathError(Exception):
    """Base of all errors raised by the library."""


class OutOfRangeError(OnePathError, ValueError):
    """An argument or option has a value that is not allowed.

    Attributes:
        field: name of the argument or option, as in the signature.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self._message = message

    def __reduce__(self):
        return type(self), (self.field, self._message)


class _FormatError(OnePathError, ValueError):
    """Bytes that cannot be read, with the place where reading stopped."""

    def __init__(self, field: str, offset: int, message: str) -> None:
        super().__init__(f"{field} at byte {offset}: {message}")
        self.field = field
        self.offset = offset
        self._message = message

    def __reduce__(self):
        return type(self), (self.field, self.offset, self._message)


class NavMeshFormatError(_FormatError):
    """Mesh or mesh snapshot bytes are damaged, foreign or of another version.

    Attributes:
        field: name of the field that was rejected.
        offset: byte offset of that field in the input.
    """


class CrowdStateError(_FormatError):
    """Corridor, follower or crowd bytes are damaged, foreign or do not fit the options.

    Attributes:
        field: name of the field that was rejected.
        offset: byte offset of that field in the input.
    """
