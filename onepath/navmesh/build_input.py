"""Checks and flattens what callers hand to the polygon builder: lists, tuples or numpy arrays."""

from array import array
from itertools import chain

import cython

from onepath.buffers import filled
from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT
from onepath.navmesh.build_soup import PolygonSoup
from onepath.navmesh.filter import AREA_COUNT
from cython.cimports.onepath.buffers import double_pointer


def read_soup(vertices, polygons):
    """Return the input as a :class:`PolygonSoup`, polygon after polygon as given.

    Args:
        vertices: V triples of finite numbers below 2^21 in magnitude.
        polygons: P sequences of vertex indices 0..V−1, of any length.

    Raises:
        OutOfRangeError: ``vertices`` or ``polygons`` is not that.
    """
    xyz = read_vertices("vertices", vertices)
    first, index = read_polygons("polygons", polygons, len(xyz) // 3)
    return PolygonSoup(xyz, first, index, array("i", range(len(first) - 1)))


def read_vertices(name: str, vertices) -> array:
    """Return vertices as a ``d`` column of x, y, z."""
    column = array("d")
    if hasattr(vertices, "dtype"):
        if len(vertices.shape) != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "fiu":
            if vertices.size:
                raise OutOfRangeError(name, "must be an array of numbers of shape (V, 3)")
        else:
            column.frombytes(vertices.astype("float64").tobytes())
    else:
        try:
            rows = vertices if isinstance(vertices, (list, tuple)) else list(vertices)
            if not set(map(len, rows)) <= {3}:
                raise OutOfRangeError(name, "every vertex must have three coordinates")
            column = array("d", chain.from_iterable(rows))
        except (TypeError, OverflowError):
            raise OutOfRangeError(name, "must be a sequence of triples of numbers") from None
    return checked_coordinates(name, column)


def checked_coordinates(name: str, column: array) -> array:
    """Return a ``d`` column of x, y, z as it is.

    Raises:
        OutOfRangeError: a coordinate is not finite or not below 2^21 in magnitude.
    """
    fault = _unfit_coordinate(column)
    if fault >= 0:
        raise OutOfRangeError(name, f"vertex {fault // 3}: coordinates must be finite and below 2^21 in magnitude, "
                                    f"not {column[fault]!r}")
    return column


def _unfit_coordinate(column) -> int:
    """Return the position of the first coordinate that is not finite or too large, or −1."""
    values: cython.p_double = double_pointer(column)
    count: cython.int = len(column)
    limit: cython.double = COORDINATE_LIMIT
    fault: cython.int = -1
    i: cython.int
    with cython.nogil:
        for i in range(count):
            if not (-limit < values[i] < limit):
                fault = i
                break
    return fault


def read_polygons(name: str, polygons, vertex_count: int) -> tuple[array, array]:
    """Return the first and index columns of index lists."""
    try:
        if hasattr(polygons, "tolist"):
            polygons = polygons.tolist()
        rows = polygons if isinstance(polygons, (list, tuple)) else list(polygons)
        sizes = list(map(len, rows))
        index = array("i", chain.from_iterable(rows))
    except (TypeError, OverflowError):
        raise OutOfRangeError(name, "polygons must be sequences of vertex indices") from None
    if index and not (0 <= min(index) and max(index) < vertex_count):
        raise OutOfRangeError(name, f"indices of vertices must be in 0..{vertex_count - 1}, "
                                    f"not {min(index) if min(index) < 0 else max(index)}")
    if len(index) != sum(sizes):
        raise OutOfRangeError(name, "polygons must be sequences of vertex indices")
    first = array("i", [0])
    total = 0
    for size in sizes:
        total += size
        first.append(total)
    return first, index


def read_attributes(name: str, values, count: int, default: int, typecode: str, limit: int) -> array:
    """Return one number per input polygon as a column.

    Args:
        name: what to call the argument in an error.
        values: ``count`` integers in [0, limit), or ``None`` for ``default`` everywhere.

    Raises:
        OutOfRangeError: there are more or fewer, or one is out of range.
    """
    if values is None:
        return filled(typecode, count, default)
    try:
        numbers = array("q", values.tolist() if hasattr(values, "tolist") else values)
    except (TypeError, ValueError, OverflowError):
        raise OutOfRangeError(name, "must be a sequence of integers, one per polygon") from None
    if len(numbers) != count:
        raise OutOfRangeError(name, f"must have one entry per polygon ({count}), not {len(numbers)}")
    for number in numbers:
        if not 0 <= number < limit:
            raise OutOfRangeError(name, f"must be in [0, {limit - 1}], not {number}")
    return array(typecode, numbers)


def read_areas(areas, count: int) -> array:
    """Return the area id (0..63, default 0) of each input polygon as a ``B`` column."""
    return read_attributes("areas", areas, count, 0, "B", AREA_COUNT)


def read_flags(flags, count: int) -> array:
    """Return the 16 flag bits (default 1) of each input polygon as an ``H`` column."""
    return read_attributes("flags", flags, count, 1, "H", 1 << 16)
