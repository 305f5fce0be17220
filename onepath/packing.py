"""Numbers in byte columns, and the hash of bytes: what every saved state is written and read with.

Byte order is little-endian and doubles go by their bit pattern. A ``put_`` function returns the offset behind what it
wrote. Nothing here checks bounds: callers size their columns first and check lengths before they read.
"""

import struct

import cython

#: Start value of FNV-1a with 64 bits.
FNV_BASIS = 0xCBF29CE484222325


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_byte(data: cython.p_uchar, offset: cython.longlong, value: cython.int) -> cython.longlong:
    """Write 0..255."""
    data[offset] = value
    return offset + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_reference(data: cython.p_uchar, offset: cython.longlong, value: cython.ulonglong) -> cython.longlong:
    """Write an unsigned 64-bit number."""
    k: cython.int
    for k in range(8):
        data[offset + k] = (value >> (8 * k)) & 255
    return offset + 8


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_int(data: cython.p_uchar, offset: cython.longlong, value: cython.int) -> cython.longlong:
    """Write a signed 32-bit number."""
    k: cython.int
    for k in range(4):
        data[offset + k] = (value >> (8 * k)) & 255
    return offset + 4


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_long(data: cython.p_uchar, offset: cython.longlong, value: cython.longlong) -> cython.longlong:
    """Write a signed 64-bit number."""
    k: cython.int
    for k in range(8):
        data[offset + k] = (value >> (8 * k)) & 255
    return offset + 8


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def put_double(data: cython.p_uchar, offset: cython.longlong, value: cython.double) -> cython.longlong:
    """Write a double by its bit pattern (compiled code runs on little-endian machines only)."""
    if cython.compiled:
        k: cython.int
        raw: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(value))
        for k in range(8):
            data[offset + k] = raw[k]
    else:
        struct.pack_into("<d", data, offset, value)
    return offset + 8


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def get_int(data: cython.p_uchar, offset: cython.longlong) -> cython.int:
    """Read a signed 32-bit number."""
    value: cython.longlong = 0
    wide: cython.longlong
    k: cython.int
    for k in range(4):
        wide = data[offset + k]
        value |= wide << (8 * k)
    half: cython.longlong = 0x80000000
    if value >= half:
        value -= 2 * half
    return cython.cast(cython.int, value)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def get_reference(data: cython.p_uchar, offset: cython.longlong) -> cython.ulonglong:
    """Read an unsigned 64-bit number."""
    value: cython.ulonglong = 0
    wide: cython.ulonglong
    k: cython.int
    for k in range(8):
        wide = data[offset + k]
        value |= wide << (8 * k)
    return value


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def get_long(data: cython.p_uchar, offset: cython.longlong) -> cython.longlong:
    """Read a signed 64-bit number."""
    low: cython.longlong = 0
    wide: cython.longlong
    k: cython.int
    for k in range(7):
        wide = data[offset + k]
        low |= wide << (8 * k)
    wide = data[offset + 7]
    if wide >= 128:
        wide -= 256
    # 2^56 times the signed top byte: a shift of a negative number is not defined in C.
    top: cython.longlong = 0x100000000000000
    return wide * top + low


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def get_double(data: cython.p_uchar, offset: cython.longlong) -> cython.double:
    """Read a double by its bit pattern."""
    if cython.compiled:
        value: cython.double = 0.0
        k: cython.int
        raw: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(value))
        for k in range(8):
            raw[k] = data[offset + k]
        return value
    return struct.unpack_from("<d", data, offset)[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fnv1a_update(
    hash: cython.ulonglong, data: cython.p_uchar, first: cython.longlong, count: cython.longlong
) -> cython.ulonglong:
    """Go on hashing with ``count`` bytes of ``data`` from ``first``."""
    prime: cython.ulonglong = 0x100000001B3
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    byte: cython.ulonglong
    i: cython.longlong
    for i in range(first, first + count):
        byte = data[i]
        hash = ((hash ^ byte) * prime) & mask
    return hash


def bytes_of(name: str, content) -> bytes:
    """Return a copy of what a bytes-like argument holds.

    Args:
        name: what to call the argument in an error.
        content: any object with a buffer.

    Raises:
        TypeError: it is not bytes-like; the message names the argument.
    """
    try:
        return bytes(memoryview(content))
    except TypeError:
        raise TypeError(f"{name} must be bytes-like, not {type(content).__name__}") from None


def fnv1a_64(buffer) -> int:
    """Return the FNV-1a hash, 64 bits, of a bytes-like object.

    Start value CBF29CE484222325, then for each byte: exclusive or, times 100000001B3 modulo 2^64.
    ``fnv1a_64(crowd.save_state()) == crowd.state_hash()``.

    Raises:
        TypeError: ``buffer`` is not bytes-like.
    """
    content: bytes = bytes_of("buffer", buffer)
    count: cython.longlong = len(content)
    if cython.compiled:
        raw: cython.p_uchar = content
        return fnv1a_update(FNV_BASIS, raw, 0, count)
    return fnv1a_update(FNV_BASIS, content, 0, count)
