"""The settings of all agents of a crowd, each distinct one once, with the bytes that saved states hold of them."""

import struct
from dataclasses import fields

import cython

from onepath.buffers import zeros
from onepath.corridors.options import FollowerOptions
from onepath.crowds.options import AgentOptions
from onepath.errors import CrowdStateError, OutOfRangeError
from cython.cimports.onepath.buffers import byte_pointer, int_pointer

#: Names of the settings as they are written: (owner, field, struct codes).
_CODES = {bool: "B", int: "i", float: "d", tuple: "ddd"}


def _layout(options) -> list:
    """Return (field name, struct codes) of a dataclass's fields in declaration order; enums and flags are one byte."""
    layout = []
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name == "path":
            continue
        codes = _CODES.get(type(value), "B")
        layout.append((field.name, codes))
    return layout


_AGENT_LAYOUT = _layout(AgentOptions())
_PATH_LAYOUT = _layout(FollowerOptions())
_AGENT_FORMAT = "<" + "".join(codes for _, codes in _AGENT_LAYOUT) + "B"
_PATH_FORMAT = "<" + "".join(codes for _, codes in _PATH_LAYOUT)
#: Length of settings without and with path options.
SHORT_LENGTH = struct.calcsize(_AGENT_FORMAT)
FULL_LENGTH = SHORT_LENGTH + struct.calcsize(_PATH_FORMAT)


def _values(options, layout) -> list:
    values: list = []
    for name, codes in layout:
        value = getattr(options, name)
        if len(codes) > 1:
            values.extend(value)
        else:
            values.append(value)
    return values


def pack_settings(options) -> bytes:
    """Return the bytes of agent options: every field in declaration order, whether path options follow, and they."""
    packed = struct.pack(_AGENT_FORMAT, *_values(options, _AGENT_LAYOUT), options.path is not None)
    if options.path is not None:
        packed += struct.pack(_PATH_FORMAT, *_values(options.path, _PATH_LAYOUT))
    return packed


def _unpack(data: bytes, start: int, layout, format: str, base: int, owner: str) -> dict:
    """Return the named values at ``start``; a byte of a flag other than 0 or 1 is refused."""
    values = struct.unpack_from(format, data, start)
    named = {}
    at = 0
    offset = base + start
    for name, codes in layout:
        value = values[at] if len(codes) == 1 else values[at:at + len(codes)]
        if name in ("group_arrival", "yield_and_return"):
            if value not in (0, 1):
                raise CrowdStateError(f"{owner}.{name}", offset, f"a flag is 0 or 1, not {value}")
            value = bool(value)
        named[name] = value
        at += len(codes)
        offset += struct.calcsize("<" + codes)
    return named


def _field_offset(layout, name: str) -> int:
    offset: int = 0
    for field, codes in layout:
        if field == name:
            break
        offset += struct.calcsize("<" + codes)
    return offset


def _build(owner: str, base: int, layout, make, values: dict):
    try:
        return make(**values)
    except OutOfRangeError as error:
        offset = base + _field_offset(layout, error.field)
        raise CrowdStateError(f"{owner}.{error.field}", offset, str(error)) from None


def unpack_settings(data: bytes, base: int):
    """Read agent options from the start of ``data``, which lies at byte ``base`` of a state.

    Returns:
        The options and how many bytes they took.

    Raises:
        CrowdStateError: the bytes end early or a value is out of range.
    """
    if len(data) < SHORT_LENGTH:
        raise CrowdStateError("options", base, "the bytes end early")
    values = _unpack(data, 0, _AGENT_LAYOUT, _AGENT_FORMAT, base, "options")
    has_path: int = data[SHORT_LENGTH - 1]
    if has_path > 1:
        raise CrowdStateError("options.path", base + SHORT_LENGTH - 1, f"a flag is 0 or 1, not {has_path}")
    length: int = SHORT_LENGTH
    if has_path:
        length = FULL_LENGTH
        if len(data) < FULL_LENGTH:
            raise CrowdStateError("options.path", base + SHORT_LENGTH, "the bytes end early")
        path_values = _unpack(data, SHORT_LENGTH, _PATH_LAYOUT, _PATH_FORMAT, base, "options.path")
        values["path"] = _build("options.path", base + SHORT_LENGTH, _PATH_LAYOUT, FollowerOptions, path_values)
    return _build("options", base, _AGENT_LAYOUT, AgentOptions, values), length


@cython.cclass
class SettingsTable:
    """Rows of distinct settings, shared by the agents that use them. Distinct is what differs in its bytes."""

    def __init__(self):
        self.stride = FULL_LENGTH
        self.bytes_column = zeros("B", 0)
        self.length_column = zeros("i", 0)
        self._options = []
        self._users = []
        self._free = []
        self._rows = {}
        self.data = byte_pointer(self.bytes_column)
        self.length = int_pointer(self.length_column)

    @cython.ccall
    def acquire(self, options) -> cython.int:
        """Return the row of these settings for one more agent."""
        packed = pack_settings(options)
        row = self._rows.get(packed)
        if row is None:
            row = self._new_row(options, packed)
        self._users[row] += 1
        return row

    def _new_row(self, options, packed: bytes) -> int:
        if self._free:
            row = self._free.pop()
        else:
            row = len(self._options)
            self._options.append(None)
            self._users.append(0)
            self.bytes_column = self.bytes_column + zeros("B", self.stride)
            self.length_column = self.length_column + zeros("i", 1)
            self.data = byte_pointer(self.bytes_column)
            self.length = int_pointer(self.length_column)
        self._options[row] = options
        self._rows[packed] = row
        start = row * self.stride
        for i in range(len(packed)):
            self.bytes_column[start + i] = packed[i]
        self.length_column[row] = len(packed)
        return row

    @cython.ccall
    def release(self, row: cython.int):
        """Give a row back for one agent."""
        self._users[row] -= 1
        if self._users[row] == 0:
            del self._rows[pack_settings(self._options[row])]
            self._options[row] = None
            self._free.append(row)

    @cython.ccall
    def options_of(self, row: cython.int):
        """Return the :class:`~onepath.crowds.options.AgentOptions` of a row."""
        return self._options[row]
