"""Flat memory for everything: columns owned by ``array.array``, read by kernels through bare pointers.

A column's owner is an ``array.array`` in both modes. Kernels hold a pointer to its first element (compiled) or the
array itself (interpreted) in an attribute of their store; both are indexed the same way. Growing a column makes a
new array, so numpy views handed out earlier stay valid (they keep the old memory) and pointers must be taken again.
"""

from array import array

import cython


def zeros(typecode: str, count: int) -> array:
    """Return a column of ``count`` zeros. ``typecode`` is one of ``d i q Q H B`` (double, int32, int64, uint64, …)."""
    column = array(typecode)
    column.frombytes(bytes(count * column.itemsize))
    return column


def filled(typecode: str, count: int, value) -> array:
    """Return a column of ``count`` copies of ``value``."""
    return array(typecode, [value]) * count


def grown(column: array, count: int, value=0) -> array:
    """Return a column of at least ``count`` elements that starts with ``column`` and goes on with ``value``.

    The same object comes back if it is long enough. Otherwise capacity grows by at least half, so that repeated
    growth stays linear.
    """
    if len(column) >= count:
        return column
    wanted = max(count, len(column) + len(column) // 2, 16)
    return column + array(column.typecode, [value]) * (wanted - len(column))


def byte_column(content) -> array:
    """Return a copy of bytes-like ``content`` as a byte column.

    Raises:
        TypeError: it is not bytes-like.
    """
    return array("B", memoryview(content).tobytes())


@cython.cfunc
def double_pointer(column) -> cython.p_double:
    """Return the address of a ``d`` column (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_double, address)
    return column


@cython.cfunc
def int_pointer(column) -> cython.p_int:
    """Return the address of an ``i`` column (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_int, address)
    return column


@cython.cfunc
def long_pointer(column) -> cython.p_longlong:
    """Return the address of a ``q`` column (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_longlong, address)
    return column


@cython.cfunc
def reference_pointer(column) -> cython.p_ulonglong:
    """Return the address of a ``Q`` column of polygon references (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_ulonglong, address)
    return column


@cython.cfunc
def short_pointer(column) -> cython.p_ushort:
    """Return the address of an ``H`` column (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_ushort, address)
    return column


@cython.cfunc
def byte_pointer(column) -> cython.p_uchar:
    """Return the address of a ``B`` column (the column itself when interpreted)."""
    if cython.compiled:
        address: cython.size_t = column.buffer_info()[0]
        return cython.cast(cython.p_uchar, address)
    return column
