"""The linear program that picks an agent's velocity: half-planes and a speed disc in two dimensions.

Source: van den Berg et al. 2011, section 5, built on the incremental linear programs of de Berg et al.,
*Computational Geometry*, chapter 4. Constraints are taken in the order given, without the shuffling that the textbook
uses for speed: the answer is the same for the same input, and lists are short.
"""

import cython

from onepath.errors import OutOfRangeError
from onepath.geometry import checked_integer, checked_number
from onepath.orca.constraints import limited, plane_vector, shaped_like
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.orca.lines import OrcaLines

#: Lines whose directions differ by less than this (sine of the angle) count as parallel.
_PARALLEL = cython.declare(cython.double, 1e-12)
#: Slower than this is standing: squares of smaller speeds vanish.
_NO_SPEED = cython.declare(cython.double, 1e-100)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _along_line(
    lines: OrcaLines, nxs: cython.p_double, nzs: cython.p_double, offsets: cython.p_double, line: cython.int,
    speed: cython.double, wanted_x: cython.double, wanted_z: cython.double, farthest: cython.bint,
) -> cython.bint:
    """Find the best velocity on the border of one half-plane under those before it; False if there is none."""
    nx: cython.double = nxs[line]
    nz: cython.double = nzs[line]
    offset: cython.double = offsets[line]
    room: cython.double = speed * speed - offset * offset
    if room < 0.0:
        return False
    high: cython.double = sqrt(room)
    low: cython.double = -high
    dx: cython.double = nz
    dz: cython.double = -nx
    j: cython.int
    slope: cython.double
    bound: cython.double
    for j in range(line):
        slope = nxs[j] * dx + nzs[j] * dz
        bound = offsets[j] - offset * (nxs[j] * nx + nzs[j] * nz)
        if slope > _PARALLEL:
            bound /= slope
            if bound > low:
                low = bound
        elif slope < -_PARALLEL:
            bound /= slope
            if bound < high:
                high = bound
        elif bound > 0.0:
            return False
        if low > high:
            return False
    t: cython.double = dx * wanted_x + dz * wanted_z
    if farthest:
        t = high if t > 0.0 else low
    elif t < low:
        t = low
    elif t > high:
        t = high
    lines.out_x = nx * offset + dx * t
    lines.out_z = nz * offset + dz * t
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _in_plane(
    lines: OrcaLines, nxs: cython.p_double, nzs: cython.p_double, offsets: cython.p_double, count: cython.int,
    speed: cython.double, wanted_x: cython.double, wanted_z: cython.double, farthest: cython.bint,
) -> cython.int:
    """Find the best velocity of the disc under ``count`` half-planes into ``lines.out_*``.

    The best is the nearest to ``wanted``, or with ``farthest`` the farthest in the direction ``wanted`` (unit vector).
    Returns ``count``, or the first half-plane that cannot be satisfied (the result is then the best under the others).
    """
    length2: cython.double = wanted_x * wanted_x + wanted_z * wanted_z
    scale: cython.double = 1.0
    if farthest:
        scale = speed
    elif length2 > speed * speed:
        scale = speed / sqrt(length2)
    lines.out_x = wanted_x * scale
    lines.out_z = wanted_z * scale
    k: cython.int
    for k in range(count):
        if nxs[k] * lines.out_x + nzs[k] * lines.out_z >= offsets[k]:
            continue
        if not _along_line(lines, nxs, nzs, offsets, k, speed, wanted_x, wanted_z, farthest):
            return k
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _least_violation(
    lines: OrcaLines, count: cython.int, hard_count: cython.int, first: cython.int, speed: cython.double
) -> cython.void:
    """Lower the largest violation of the soft half-planes as far as the hard ones and the disc allow.

    ``lines.out_*`` satisfies those before ``first``. A half-plane violated by more than the largest so far is the
    largest at the new optimum; there every soft one before it is violated less, which is a half-plane again: the
    side of the bisector of the two lines.
    """
    nxs: cython.p_double = lines.nx
    nzs: cython.p_double = lines.nz
    offsets: cython.p_double = lines.offset
    bisector_nx: cython.p_double = lines.bisector_nx
    bisector_nz: cython.p_double = lines.bisector_nz
    bisector_offset: cython.p_double = lines.bisector_offset
    worst: cython.double = 0.0
    before_x: cython.double
    before_z: cython.double
    dx: cython.double
    dz: cython.double
    length: cython.double
    k: cython.int
    j: cython.int
    used: cython.int
    for j in range(hard_count):
        bisector_nx[j] = nxs[j]
        bisector_nz[j] = nzs[j]
        bisector_offset[j] = offsets[j]
    for k in range(first, count):
        if offsets[k] - (nxs[k] * lines.out_x + nzs[k] * lines.out_z) <= worst:
            continue
        used = hard_count
        for j in range(hard_count, k):
            dx = nxs[j] - nxs[k]
            dz = nzs[j] - nzs[k]
            length = sqrt(dx * dx + dz * dz)
            if length <= _PARALLEL:
                continue
            bisector_nx[used] = dx / length
            bisector_nz[used] = dz / length
            bisector_offset[used] = (offsets[j] - offsets[k]) / length
            used += 1
        before_x = lines.out_x
        before_z = lines.out_z
        if _in_plane(lines, bisector_nx, bisector_nz, bisector_offset, used, speed, nxs[k], nzs[k], True) < used:
            # The optimum before lies in all of them; only rounding can say otherwise.
            lines.out_x = before_x
            lines.out_z = before_z
        worst = offsets[k] - (nxs[k] * lines.out_x + nzs[k] * lines.out_z)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def solve_lines(
    lines: OrcaLines, hard_count: cython.int, max_speed: cython.double, wanted_x: cython.double,
    wanted_z: cython.double,
) -> cython.void:
    """Solve for the half-planes in ``lines``, the first ``hard_count`` of them hard, into ``lines.out_x/z``."""
    count: cython.int = lines.count
    offsets: cython.p_double = lines.offset
    k: cython.int
    if max_speed < _NO_SPEED:
        lines.out_x = lines.out_z = 0.0
        return
    for k in range(count):
        offsets[k] = lines.nx[k] * lines.px[k] + lines.nz[k] * lines.pz[k]
    failed: cython.int = _in_plane(
        lines, lines.nx, lines.nz, offsets, count, max_speed, wanted_x, wanted_z, False)
    if failed < hard_count:
        _least_violation(lines, hard_count, 0, failed, max_speed)
    elif failed < count:
        _least_violation(lines, count, hard_count, failed, max_speed)
    length2: cython.double = lines.out_x * lines.out_x + lines.out_z * lines.out_z
    scale: cython.double
    if length2 > max_speed * max_speed:
        scale = max_speed / sqrt(length2)
        lines.out_x *= scale
        lines.out_z *= scale


class OrcaLinearProgram:
    """The velocity that fits a list of half-planes best."""

    @staticmethod
    def solve(constraints, hard_count, max_speed, wanted) -> tuple:
        """Return the velocity of length ≤ ``max_speed`` nearest to ``wanted`` that every half-plane allows.

        If the soft half-planes cannot all be kept, the hard ones are kept and the worst violation of a soft one is
        made as small as it can be. If even the hard ones cannot all be kept, the soft ones are left out and
        the largest violation of a hard one is as small as possible.

        Args:
            constraints: sequence of (point, normal) pairs such as :class:`~onepath.orca.constraints.HalfPlane`; vectors
                of two or three components. A normal points into the allowed side; it need not have length 1.
            hard_count: how many of the first constraints are hard, 0..len(constraints).
            max_speed: m/s, ≥ 0.
            wanted: the velocity to stay near, m/s, two or three components.

        Returns:
            The velocity with as many components as ``wanted``: finite and at most ``max_speed`` × (1 + 1e-12) long.
            Magnitudes beyond 1e60 in the input count as 1e60.

        Raises:
            OutOfRangeError: an argument is not finite or out of range, or a normal has no length; it is named.

        Source: van den Berg et al. 2011, sections 5.1 to 5.3.
        """
        try:
            constraints = [(point, normal) for point, normal in constraints]
        except (TypeError, ValueError):
            raise OutOfRangeError("constraints", "must be pairs of a point and a normal") from None
        hard = checked_integer("hard_count", hard_count, 0, len(constraints))
        speed = limited(checked_number("max_speed", max_speed, 0.0, 1.7976931348623157e308))
        wanted_x, wanted_z = plane_vector("wanted", wanted)
        lines = OrcaLines(max(1, len(constraints)))
        for point, normal in constraints:
            _append(lines, plane_vector("constraints", point), plane_vector("constraints", normal))
        solve_lines(lines, hard, speed, wanted_x, wanted_z)
        return shaped_like(wanted, lines.out_x, lines.out_z)


def _append(lines: OrcaLines, point: tuple, normal: tuple) -> None:
    nx, nz = normal
    largest = max(abs(nx), abs(nz))
    if largest == 0.0:
        raise OutOfRangeError("constraints", "a normal must have a length")
    nx /= largest
    nz /= largest
    length: cython.double = sqrt(nx * nx + nz * nz)
    k: cython.int = lines.count
    lines.px[k], lines.pz[k] = point
    lines.nx[k] = nx / length
    lines.nz[k] = nz / length
    lines.count = k + 1
