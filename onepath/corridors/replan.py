"""Finding a route for a corridor: one or two searches, whole or in slices, whose route is spliced in.

Search 1 goes from the end of the corridor (what is left of it is still good), search 2 from the agent: when search 1
cannot start or finds no route, or at once when a replan from start was asked for. Budgets count node expansions over
both, and it makes no difference how they are dealt out to calls. What lies between the calls is in the
:class:`~onepath.corridors.scratch.CorridorScratch` and its query.
"""

import cython

from cython.cimports.onepath.corridors.corridor import chain_add, chain_clear, chain_store
from cython.cimports.onepath.corridors.known import forget
from cython.cimports.onepath.corridors.scratch import CorridorScratch
from cython.cimports.onepath.corridors.states import CorridorFlag, ReplanStatus
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.locate import closest_point, find_nearest
from cython.cimports.onepath.navmesh.store import passes, poly_of_ref, ref_of_poly
from cython.cimports.onepath.queries.results import PathStatus
from cython.cimports.onepath.queries.search import begin_search, finish_search, update_search

#: Longest route that is read out.
_LONGEST_ROUTE = cython.declare(cython.int, 4096)

# phases
_NOT_BEGUN = cython.declare(cython.int, 0)
_FROM_THE_END = cython.declare(cython.int, 1)
_FROM_THE_AGENT = cython.declare(cython.int, 2)
_ENDED = cython.declare(cython.int, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def set_target(s: FollowerStore, slot: cython.int, x: cython.double, y: cython.double, z: cython.double) -> cython.void:
    """Give the corridor another target: incomplete, a replan from start wanted."""
    s.target[3 * slot] = x
    s.target[3 * slot + 1] = y
    s.target[3 * slot + 2] = z
    s.target_ref[slot] = 0
    s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
    forget(s, slot)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def begin_replan(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, ex: cython.double,
                 ey: cython.double, ez: cython.double) -> cython.int:
    """Find the target's polygon within the extents and set the first search up; the corridor is left alone.

    Returns:
        IN_PROGRESS, or INVALID_START or NO_END_NEARBY at once.
    """
    w.replan_iterations = 0
    w.extent_x = ex
    w.extent_y = ey
    w.extent_z = ez
    return _begin(s, slot, w, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _end(w: CorridorScratch, status: cython.int) -> cython.int:
    w.replan_phase = _ENDED
    w.replan_status = status
    return status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.int:
    w.replan_edit = w.query.mesh.revision
    w.replan_cut = False
    w.replan_x = s.target[3 * slot]
    w.replan_y = s.target[3 * slot + 1]
    w.replan_z = s.target[3 * slot + 2]
    target: cython.int = find_nearest(w.query.mesh, f, w.query, w.replan_x, w.replan_y, w.replan_z, w.extent_x,
                                      w.extent_y, w.extent_z)
    if target < 0:
        return _end(w, ReplanStatus.NO_END_NEARBY)
    w.replan_target = ref_of_poly(w.query.mesh, target)
    w.replan_end_x = w.query.out_x
    w.replan_end_y = w.query.out_y
    w.replan_end_z = w.query.out_z
    w.replan_status = ReplanStatus.IN_PROGRESS
    last: cython.int = s.count[slot] - 1
    if last > 0 and (s.flags[slot] & CorridorFlag.FROM_START) == 0:
        w.replan_first = s.refs[slot * s.stride + last]
        poly: cython.int = poly_of_ref(w.query.mesh, w.replan_first)
        if poly >= 0 and passes(w.query.mesh, f, poly):
            closest_point(w.query.mesh, w.query, poly, s.surface[3 * slot], s.surface[3 * slot + 2])
            w.replan_phase = _FROM_THE_END
            begin_search(w.query, f, poly, target, w.query.out_x, w.query.out_y, w.query.out_z, w.replan_end_x,
                         w.replan_end_y, w.replan_end_z)
            return ReplanStatus.IN_PROGRESS
    return _begin_from_agent(s, slot, w, f)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin_from_agent(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter) -> cython.int:
    if s.count[slot] == 0:
        return _end(w, ReplanStatus.INVALID_START)
    w.replan_first = s.refs[slot * s.stride]
    poly: cython.int = poly_of_ref(w.query.mesh, w.replan_first)
    if poly < 0 or not passes(w.query.mesh, f, poly):
        return _end(w, ReplanStatus.INVALID_START)
    w.replan_phase = _FROM_THE_AGENT
    begin_search(w.query, f, poly, poly_of_ref(w.query.mesh, w.replan_target), s.surface[3 * slot],
                 s.surface[3 * slot + 1], s.surface[3 * slot + 2], w.replan_end_x, w.replan_end_y, w.replan_end_z)
    return ReplanStatus.IN_PROGRESS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def update_replan(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter,
                  budget: cython.int) -> cython.int:
    """Go on for at most ``budget`` node expansions; after an edit of the mesh the replan starts over.

    Returns:
        IN_PROGRESS while there is more to do, else the outcome.
    """
    if w.replan_phase == _NOT_BEGUN:
        return ReplanStatus.IN_PROGRESS
    if w.replan_edit != w.query.mesh.revision:
        _begin(s, slot, w, f)
    while w.replan_phase != _ENDED:
        before: cython.int = w.query.search_iterations
        status: cython.int = update_search(w.query, f, budget)
        spent: cython.int = w.query.search_iterations - before
        budget -= spent
        w.replan_iterations += spent
        w.searched += spent
        if status == PathStatus.IN_PROGRESS:
            return ReplanStatus.IN_PROGRESS
        if status == PathStatus.SUCCESS or (status == PathStatus.PARTIAL and w.query.search_out_of_nodes):
            return _end(w, status)  # these have the same numbers in ReplanStatus
        if w.replan_phase == _FROM_THE_AGENT:
            return _end(w, status if status == PathStatus.PARTIAL else ReplanStatus.INVALID_START)
        _begin_from_agent(s, slot, w, f)
    return w.replan_status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def apply_replan(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.int:
    """Splice the route into the corridor and set its flags by the outcome; the replan is over then.

    Returns:
        The outcome. IN_PROGRESS (nothing spliced, a replan from start wanted) also if the target or the mesh has
        changed since the last update, or the agent has left the route.
    """
    status: cython.int = w.replan_status if w.replan_phase == _ENDED else ReplanStatus.IN_PROGRESS
    changed: cython.bint = (w.replan_edit != w.query.mesh.revision or s.target[3 * slot] != w.replan_x
                            or s.target[3 * slot + 1] != w.replan_y or s.target[3 * slot + 2] != w.replan_z)
    w.replan_phase = _NOT_BEGUN
    if changed:
        status = ReplanStatus.IN_PROGRESS
    if (status == ReplanStatus.SUCCESS or status == ReplanStatus.PARTIAL) and not _splice(s, slot, w):
        status = ReplanStatus.IN_PROGRESS
    if status == ReplanStatus.IN_PROGRESS:
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN | CorridorFlag.FROM_START
    elif status == ReplanStatus.INVALID_START:
        s.flags[slot] = (s.flags[slot] & ~CorridorFlag.COMPLETE) | CorridorFlag.NEEDS_REPLAN
    elif status == ReplanStatus.NO_END_NEARBY:
        s.flags[slot] = 0
        s.target_ref[slot] = 0
    else:
        _judge(s, slot, w, status)
    return status


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _judge(s: FollowerStore, slot: cython.int, w: CorridorScratch, status: cython.int) -> cython.void:
    s.target_ref[slot] = w.replan_target
    reached: cython.bint = s.refs[slot * s.stride + s.count[slot] - 1] == w.replan_target
    if status == ReplanStatus.SUCCESS and reached:
        s.flags[slot] = CorridorFlag.COMPLETE
    elif status == ReplanStatus.SUCCESS or w.replan_cut or w.query.search_out_of_nodes:
        s.flags[slot] = CorridorFlag.NEEDS_REPLAN
    else:
        s.flags[slot] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _splice(s: FollowerStore, slot: cython.int, w: CorridorScratch) -> cython.bint:
    """Join corridor and route where the route began; if the agent has walked on along the route, where it is now."""
    finish_search(w.query, _LONGEST_ROUTE)
    base: cython.int = slot * s.stride
    joint: cython.int = s.count[slot] - 1
    while joint >= 0 and s.refs[base + joint] != w.replan_first:
        joint -= 1
    chain_clear(w)
    i: cython.int = 0
    if joint < 0:
        while i < w.query.route_count and ref_of_poly(w.query.mesh, w.query.route[i]) != s.refs[base]:
            i += 1
        if i == w.query.route_count or s.count[slot] == 0:
            return False
    k: cython.int
    for k in range(joint):
        chain_add(w, s.refs[base + k])
    while i < w.query.route_count:
        chain_add(w, ref_of_poly(w.query.mesh, w.query.route[i]))
        i += 1
    w.replan_cut = not chain_store(s, slot, w) or w.query.route_count == _LONGEST_ROUTE
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def replan(s: FollowerStore, slot: cython.int, w: CorridorScratch, f: QueryFilter, budget: cython.int,
           ex: cython.double, ey: cython.double, ez: cython.double) -> cython.int:
    """Begin, update with ``budget`` and apply in one call; returns the outcome."""
    begin_replan(s, slot, w, f, ex, ey, ez)
    update_replan(s, slot, w, f, budget)
    return apply_replan(s, slot, w)
