"""Plane geometry on the X/Z ground plane, and the checks that every position passes.

Orientation: polygons run so that :func:`cross_xz` of an edge with any inner point is positive.
"""

from math import isfinite, ldexp
from operator import index

import cython

from onepath.errors import OutOfRangeError

#: Coordinates are finite and smaller than this in magnitude (2^21), so that differences keep sub-micrometre steps.
COORDINATE_LIMIT = 2097152.0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def cross_xz(
    ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, px: cython.double, pz: cython.double
) -> cython.double:
    """Return twice the signed area of the triangle a, b, p: positive on the walkable side of edge a→b."""
    return (bx - ax) * (pz - az) - (bz - az) * (px - ax)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def segment_parameter_xz(
    ax: cython.double, az: cython.double, bx: cython.double, bz: cython.double, px: cython.double, pz: cython.double
) -> cython.double:
    """Return the parameter in [0, 1] of the point of segment a→b nearest to p (0 for a segment without length)."""
    dx: cython.double = bx - ax
    dz: cython.double = bz - az
    length2: cython.double = dx * dx + dz * dz
    if length2 <= 0.0:
        return 0.0
    t: cython.double = ((px - ax) * dx + (pz - az) * dz) / length2
    if t < 0.0:
        return 0.0
    if t > 1.0:
        return 1.0
    return t


def _number(value) -> float:
    """Return a number as ``float(value)`` does, which takes text for numbers, too: this raises TypeError then."""
    return ldexp(value, 0)


def checked_position(name: str, position) -> tuple[float, float, float]:
    """Return ``position`` as three floats.

    Args:
        name: what to call the argument in an error.
        position: any sequence of three finite numbers below 2^21 in magnitude, world units.

    Raises:
        OutOfRangeError: it is not such a sequence; the message names the argument.
    """
    try:
        x, y, z = position
        point = (_number(x), _number(y), _number(z))
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError(name, "must be a sequence of three numbers") from None
    for value in point:
        if not (isfinite(value) and -COORDINATE_LIMIT < value < COORDINATE_LIMIT):
            raise OutOfRangeError(name, f"coordinates must be finite and below 2^21 in magnitude, not {value!r}")
    return point


def checked_number(name: str, value, low: float, high: float, *, low_open: bool = False) -> float:
    """Return ``value`` as a float within [low, high] (or (low, high] with ``low_open``).

    Raises:
        OutOfRangeError: not a number, not finite or out of range; the message names the argument.
    """
    try:
        number = _number(value)
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError(name, "must be a number") from None
    if not isfinite(number) or number > high or number < low or (low_open and number <= low):
        bracket = "(" if low_open else "["
        raise OutOfRangeError(name, f"must be in {bracket}{low:g}, {high:g}], not {number!r}")
    return number


def checked_integer(name: str, value, low: int, high: int) -> int:
    """Return ``value`` as an int within [low, high].

    Raises:
        OutOfRangeError: not an integer or out of range; the message names the argument.
    """
    try:
        number = index(value)
    except TypeError:
        raise OutOfRangeError(name, "must be an integer") from None
    if not low <= number <= high:
        raise OutOfRangeError(name, f"must be in [{low}, {high}], not {number}")
    return number


def checked_flag(name: str, value) -> bool:
    """Return the truth of ``value``.

    Raises:
        OutOfRangeError: it has none, such as an array of several numbers; the message names the argument.
    """
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise OutOfRangeError(name, "must be true or false") from None
