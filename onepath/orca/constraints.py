"""Optimal reciprocal collision avoidance: the half-plane of allowed velocities against one neighbour or one wall piece.

Source: van den Berg, Guy, Lin and Manocha, *Reciprocal n-body collision avoidance*, 2011, section 4. Everything is in
the ground plane: X/Z.
"""

from math import isfinite
from typing import NamedTuple

import cython

from onepath.errors import OutOfRangeError
from onepath.geometry import checked_number
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.orca.lines import OrcaLines

#: Squared lengths below this are no length at all: a direction cannot be taken from them.
_NO_LENGTH2 = cython.declare(cython.double, 1e-200)
#: A wall piece still faces an agent that stands this far behind its line; also the margin at its ends.
_FACING_EPSILON = cython.declare(cython.double, 1e-6)
#: Magnitudes are cut to this, so that the squares of their products stay finite.
MAGNITUDE_LIMIT = 1e60
_HORIZON_MINIMUM = 1e-9
_HORIZON_MAXIMUM = 1e9


class HalfPlane(NamedTuple):
    """A half of velocity space: the velocities ``v`` with ``normal · (v − point) ≥ 0``.

    Attributes:
        point: a velocity on the border line, as (x, z) or (x, 0, z), m/s.
        normal: unit vector that points into the allowed side, with as many components as ``point``.
    """

    point: tuple
    normal: tuple


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_agent_line(
    lines: OrcaLines, rx: cython.double, rz: cython.double, vix: cython.double, viz: cython.double,
    vjx: cython.double, vjz: cython.double, radius: cython.double, horizon: cython.double, dt: cython.double,
    share: cython.double,
) -> cython.void:
    """Append the half-plane of agent i against agent j at relative position (rx, rz) = pj − pi."""
    qx: cython.double = vix - vjx
    qz: cython.double = viz - vjz
    distance2: cython.double = rx * rx + rz * rz
    radius2: cython.double = radius * radius
    apart: cython.bint = distance2 > radius2 and distance2 > _NO_LENGTH2
    inverse: cython.double = 1.0 / horizon if apart else 1.0 / dt
    # From the centre of the disc that cuts the cone off to the relative velocity.
    wx: cython.double = qx - rx * inverse
    wz: cython.double = qz - rz * inverse
    w2: cython.double = wx * wx + wz * wz
    along: cython.double = wx * rx + wz * rz
    nx: cython.double
    nz: cython.double
    change: cython.double
    length: cython.double
    leg: cython.double
    if not apart or (along < 0.0 and along * along > radius2 * w2):
        length = 0.0
        if w2 > _NO_LENGTH2:
            length = sqrt(w2)
            nx = wx / length
            nz = wz / length
        elif distance2 > _NO_LENGTH2:
            leg = sqrt(distance2)
            nx = -rx / leg
            nz = -rz / leg
        else:
            nx = 1.0
            nz = 0.0
        change = radius * inverse - length
    else:
        leg = sqrt(distance2 - radius2)
        if rx * wz - rz * wx > 0.0:
            nx = -(rx * radius + rz * leg) / distance2
            nz = (rx * leg - rz * radius) / distance2
        else:
            nx = (rz * leg - rx * radius) / distance2
            nz = -(rx * leg + rz * radius) / distance2
        change = -(nx * qx + nz * qz)
    k: cython.int = lines.count
    lines.px[k] = vix + share * change * nx
    lines.pz[k] = viz + share * change * nz
    lines.nx[k] = nx
    lines.nz[k] = nz
    lines.count = k + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def add_boundary_line(
    lines: OrcaLines, px: cython.double, pz: cython.double, ax: cython.double, az: cython.double, bx: cython.double,
    bz: cython.double, clearance: cython.double, horizon: cython.double,
) -> cython.bint:
    """Append the half-plane of an agent at (px, pz) against the wall piece a→b; False if the piece does not face it."""
    ex: cython.double = bx - ax
    ez: cython.double = bz - az
    length2: cython.double = ex * ex + ez * ez
    if length2 <= _NO_LENGTH2:
        return False
    length: cython.double = sqrt(length2)
    ex /= length
    ez /= length
    along: cython.double = (px - ax) * ex + (pz - az) * ez
    margin: cython.double = clearance + _FACING_EPSILON
    if not (along > margin and length - along > margin):
        return False
    distance: cython.double = (pz - az) * ex - (px - ax) * ez
    if not distance >= -_FACING_EPSILON:
        return False
    closing: cython.double = (clearance - distance) / horizon
    k: cython.int = lines.count
    lines.px[k] = -ez * closing
    lines.pz[k] = ex * closing
    lines.nx[k] = -ez
    lines.nz[k] = ex
    lines.count = k + 1
    return True


def plane_vector(name: str, vector) -> tuple:
    """Return the x and z of a vector of two (x, z) or three (x, y, z) finite numbers, cut to ±1e60.

    Raises:
        OutOfRangeError: it is not such a vector; the message names the argument.
    """
    try:
        values = [float(value) for value in vector]
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError(name, "must be a sequence of two or three numbers") from None
    if len(values) not in (2, 3):
        raise OutOfRangeError(name, f"must have two (x, z) or three (x, y, z) components, not {len(values)}")
    if not all(isfinite(value) for value in values):
        raise OutOfRangeError(name, f"must be finite, not {tuple(values)!r}")
    return limited(values[0]), limited(values[len(values) - 1])


def limited(value: float) -> float:
    """Return ``value`` cut to ±1e60."""
    return min(max(value, -MAGNITUDE_LIMIT), MAGNITUDE_LIMIT)


def shaped_like(vector, x: float, z: float) -> tuple:
    """Return (x, z), or (x, 0, z) if ``vector`` has three components."""
    if len(vector) == 2:
        return x, z
    return x, 0.0, z


def _limited_horizon(name: str, value) -> float:
    number = checked_number(name, value, 0.0, 1.7976931348623157e308, low_open=True)
    return min(max(number, _HORIZON_MINIMUM), _HORIZON_MAXIMUM)


def _last_half_plane(lines: OrcaLines, like) -> HalfPlane:
    k: cython.int = lines.count - 1
    return HalfPlane(shaped_like(like, lines.px[k], lines.pz[k]), shaped_like(like, lines.nx[k], lines.nz[k]))


class OrcaConstraints:
    """Half-planes of velocity space that keep an agent clear of one neighbour or one wall piece.

    Vectors have two components (x, z) or three (x, y, z; y is ignored). Results have as many as the first argument.
    Magnitudes beyond 1e60 count as 1e60, and horizons are kept within 1e-9..1e9 s, so that every result is finite.
    """

    @staticmethod
    def for_agent(relative_position, v_i, v_j, combined_radius, time_horizon, dt, share=0.5) -> HalfPlane:
        """Return the velocities with which agent i does its share to miss agent j.

        Apart, the pair avoids touching for ``time_horizon`` (the velocity obstacle is a cone with its tip cut off by a
        disc). Overlapping, it is to be apart after ``dt``. Where a direction is undefined (the relative velocity is
        at the centre of the cut-off disc) agent i moves straight away from j, or toward +X when both are at one place.

        Args:
            relative_position: from agent i to agent j, m.
            v_i, v_j: the velocities of the two, m/s.
            combined_radius: sum of the two radii, m, ≥ 0.
            time_horizon: how far ahead to look, s, > 0.
            dt: duration of the step, s, > 0.
            share: part of the necessary change that agent i takes on, 0..1. Default: half.

        Raises:
            OutOfRangeError: an argument is not finite or out of range; the message names it.

        Source: van den Berg et al. 2011, section 4.1, with ``share`` in place of one half.
        """
        rx, rz = plane_vector("relative_position", relative_position)
        vix, viz = plane_vector("v_i", v_i)
        vjx, vjz = plane_vector("v_j", v_j)
        radius = limited(checked_number("combined_radius", combined_radius, 0.0, 1.7976931348623157e308))
        horizon = _limited_horizon("time_horizon", time_horizon)
        step = _limited_horizon("dt", dt)
        part = checked_number("share", share, 0.0, 1.0)
        lines = OrcaLines(1)
        add_agent_line(lines, rx, rz, vix, viz, vjx, vjz, radius, horizon, step, part)
        return _last_half_plane(lines, relative_position)

    @staticmethod
    def for_boundary(position, a, b, clearance, horizon) -> "HalfPlane | None":
        """Return the velocities that use up the distance to a wall piece, less ``clearance``, in ``horizon`` or later.

        The piece runs from a to b with the walkable side where ``cross_xz(a, b, p) > 0``.

        Args:
            position: where the agent is.
            a, b: the ends of the piece.
            clearance: distance to keep from the line of the piece, m, ≥ 0.
            horizon: s, > 0.

        Returns:
            The half-plane; ``None`` unless the piece faces the agent: it has a length, the agent is on its walkable
            side (within 1e-6) and projects on it more than ``clearance`` + 1e-6 from both ends.

        Raises:
            OutOfRangeError: an argument is not finite or out of range; the message names it.
        """
        px, pz = plane_vector("position", position)
        ax, az = plane_vector("a", a)
        bx, bz = plane_vector("b", b)
        gap = limited(checked_number("clearance", clearance, 0.0, 1.7976931348623157e308))
        lines = OrcaLines(1)
        if not add_boundary_line(lines, px, pz, ax, az, bx, bz, gap, _limited_horizon("horizon", horizon)):
            return None
        return _last_half_plane(lines, position)
