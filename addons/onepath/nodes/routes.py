"""The way ahead of an agent, as a game asks for it between two ticks."""

from __future__ import annotations

from math import hypot

import godot

import onepath
from onepath.corridors.scratch import CorridorScratch
from onepath.corridors.states import CorridorFlag

_MOST_CORNERS = 4098
#: A corner this near (m) has been reached; the next one is the way.
_REACHED = 0.02
_scratch = CorridorScratch()


def _corridor(home, slot: int) -> onepath.PathCorridor:
    return onepath.PathCorridor.of_slot(home.host.store.followers, slot, _scratch)


def _is_open(home, slot: int) -> bool:
    """Tells whether the corridor does not say yet where the way ends."""
    flags = home.host.store.followers.columns["flags"][slot]
    return bool(flags & CorridorFlag.NEEDS_REPLAN) and not flags & CorridorFlag.COMPLETE


def _search(home, slot: int):
    """A search of its own from the agent to its target: (PathResult or None, end)."""
    corridor = _corridor(home, slot)
    chosen = home.filter_of(home.members[slot].options)
    ref, end = home.query.find_nearest_poly(corridor.target, filter=chosen)
    if not ref or not corridor.path:
        return None, None
    return home.query.find_path(corridor.path[0], ref, corridor.position, end, chosen), end


def seek_again(home) -> None:
    """Let every agent that is on a way that falls short of its target look for a better one at the next step."""
    flags = home.host.store.followers.columns["flags"]
    for slot, member in enumerate(home.members):
        if member is not None and flags[slot] == 0 and member.state == onepath.FollowerState.MOVING:
            _corridor(home, slot).request_replan()


def look_again(home) -> None:
    """What may be walked on has changed: who falls short of the target tries again, and that way's end is told, too."""
    if home.crowd is None:
        return
    seek_again(home)
    for slot in sorted(home.short):
        home.short[slot] = -1
        if home.members[slot].state in (onepath.FollowerState.ARRIVED, onepath.FollowerState.NO_PATH):
            home.try_again(slot)


def is_reachable(home, slot: int) -> bool:
    """Whether the whole way to the agent's target is there."""
    member = home.members[slot]
    if member.state in (onepath.FollowerState.IDLE, onepath.FollowerState.NO_PATH):
        return False
    if _is_open(home, slot):
        result, _end = _search(home, slot)
        return result is not None and result.status == onepath.PathStatus.SUCCESS
    return _corridor(home, slot).is_complete


def route(home, slot: int) -> list:
    """The corners from the agent's place to the end of its way, at least its place."""
    corridor = _corridor(home, slot)
    if _is_open(home, slot):
        result, end = _search(home, slot)
        if result is None or not result.refs:
            return [corridor.position]
        corners = home.query.find_straight_path(corridor.position, end, result.refs, _MOST_CORNERS)
    else:
        corners = corridor.find_corners(home.query, _MOST_CORNERS)
    return [corner.point for corner in corners] if corners else [corridor.position]


def next_corner(home, slot: int) -> godot.Vector3:
    """The corner that the agent should steer for, raised by the pivot height."""
    member = home.members[slot]
    at = member.position
    lift = home.host.columns["lift"][slot]
    if member.state == onepath.FollowerState.OFF_MESH_LINK:
        followers = home.host.store.followers
        goal = tuple(followers.columns["link_end"][3 * slot:3 * slot + 3])
    elif member.state != onepath.FollowerState.MOVING:
        goal = at
    else:
        corners = route(home, slot) if _is_open(home, slot) else None
        if corners is None:
            found = _corridor(home, slot).find_corners(home.query, 4)
            corners = [corner.point for corner in found] if found else [at]
        ahead = [corner for corner in corners[1:] if hypot(corner[0] - at[0], corner[2] - at[2]) > _REACHED]
        goal = ahead[0] if ahead else corners[len(corners) - 1]
    return godot.Vector3(goal[0], goal[1] + lift, goal[2])
