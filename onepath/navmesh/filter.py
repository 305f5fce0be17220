"""Which polygons may be walked, and what they cost: data, so that worker threads read it without the GIL."""

from collections.abc import Mapping

import cython

from onepath.buffers import filled
from onepath.errors import OnePathError, OutOfRangeError
from onepath.geometry import checked_integer, checked_number
from cython.cimports.onepath.buffers import double_pointer

#: Area ids run from 0 to 63.
AREA_COUNT = 64
_MINIMUM_COST = 1e-3
_MAXIMUM_COST = 1e9


def _begun(column):
    """Return a column of a filter; a filter is not asked for before it has any.

    Raises:
        OnePathError: there is none, as the filter was made without its ``__init__``.
    """
    if column is None:
        raise OnePathError("this filter was made without QueryFilter.__init__")
    return column


@cython.cclass
class QueryFilter:
    """A set of polygons to accept and a price per metre for each area. Immutable.

    Args:
        include: 16 bits; a polygon (or link) is accepted if it has at least one of them. Default: all.
            A polygon without any flag is never accepted, as in Detour.
        exclude: 16 bits; a polygon with any of them is refused. Default: none.
        costs: area id (0..63) → cost factor, finite and ≥ 1e-3; areas not named cost 1.0.
        forbidden_areas: area ids that are refused whatever their flags.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """

    def __init__(self, include=0xFFFF, exclude=0, costs=None, forbidden_areas=()):
        include = checked_integer("include", include, 0, 0xFFFF)
        exclude = checked_integer("exclude", exclude, 0, 0xFFFF)
        if costs is not None and not isinstance(costs, Mapping):
            raise OutOfRangeError("costs", f"must map area ids to cost factors, not be {type(costs).__name__}")
        try:
            areas = list(forbidden_areas)
        except TypeError:
            raise OutOfRangeError("forbidden_areas", "must be a sequence of area ids") from None
        cost_column = filled("d", AREA_COUNT, 1.0)
        for area, cost in ({} if costs is None else costs).items():
            cost_column[checked_integer("costs", area, 0, AREA_COUNT - 1)] = checked_number(
                "costs", cost, _MINIMUM_COST, _MAXIMUM_COST)
        forbidden_column = filled("d", AREA_COUNT, 0.0)
        for area in areas:
            forbidden_column[checked_integer("forbidden_areas", area, 0, AREA_COUNT - 1)] = 1.0
        allowed = [cost_column[area] for area in range(AREA_COUNT) if forbidden_column[area] == 0.0]
        # Only now, so that a filter whose arguments were refused stays what it was: one that accepts nothing.
        self.cost_column = cost_column
        self.forbidden_column = forbidden_column
        self.minimum_cost = min(allowed, default=1.0)
        self.cost = double_pointer(self.cost_column)
        self.forbidden = double_pointer(self.forbidden_column)
        self.include_flags = include
        self.exclude_flags = exclude

    @property
    def include(self) -> int:
        """Flags of which a polygon needs at least one."""
        return self.include_flags

    @property
    def exclude(self) -> int:
        """Flags that refuse a polygon."""
        return self.exclude_flags

    @property
    def costs(self) -> dict[int, float]:
        """Areas whose cost factor is not 1.0."""
        return {area: cost for area, cost in enumerate(_begun(self.cost_column)) if cost != 1.0}

    @property
    def forbidden_areas(self) -> frozenset[int]:
        """Areas that are refused."""
        return frozenset(area for area, mark in enumerate(_begun(self.forbidden_column)) if mark != 0.0)

    def _key(self):
        costs = tuple(_begun(self.cost_column))
        return (self.include_flags, self.exclude_flags, costs, tuple(self.forbidden_column))

    def __eq__(self, other):
        return isinstance(other, QueryFilter) and self._key() == other._key()

    def __reduce__(self):
        return type(self), (self.include_flags, self.exclude_flags, self.costs, tuple(self.forbidden_areas))

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return (f"QueryFilter(include={self.include_flags:#x}, exclude={self.exclude_flags:#x}, costs={self.costs}, "
                f"forbidden_areas={tuple(sorted(self.forbidden_areas))})")


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def accepts(filter: QueryFilter, flags: cython.int, area: cython.int) -> cython.bint:
    """Tell whether the filter accepts something with these flags and this area."""
    return (flags & filter.include_flags) != 0 and (flags & filter.exclude_flags) == 0 and filter.forbidden[area] == 0.0


#: What ``filter=None`` means everywhere: every polygon that has a flag, at cost 1.
ACCEPT_ALL = QueryFilter()


def resolved_filter(filter) -> QueryFilter:
    """Return ``filter``, or the accept-everything filter for ``None``.

    Raises:
        TypeError: it is neither a :class:`QueryFilter` nor ``None``.
        OnePathError: it was made without its ``__init__``.
    """
    if filter is None:
        return ACCEPT_ALL
    if not isinstance(filter, QueryFilter):
        raise TypeError(f"filter must be a QueryFilter or None, not {type(filter).__name__}")
    chosen: QueryFilter = filter
    _begun(chosen.cost_column)
    return chosen
