"""The core's follower behind a CorridorFollower, and the node that it moves or that leads it."""

from __future__ import annotations

from array import array
from math import hypot
from types import SimpleNamespace

import godot

import onepath
from onepath.corridors.states import CorridorFlag

from .crowd_tick import MOVED
from .ground import ground_at, pivot_height
from .tuning import is_place

#: A body further (m) from its agent than this and two ticks' walk has jumped.
_JUMP = 1.0
#: A body this far (m) above or below its agent may be on another floor.
_OTHER_FLOOR = 1.5
#: A corner passed within this (m) was reached.
_NEAR_CORNER = 1.0
_BEND = 0


class LoneWalker:
    """A PathFollower on a :class:`~.shared_ground.SharedGround`, with the node of one id as its body.

    For :mod:`.routes` it is a crowd with one agent in slot 0: ``members``, ``host``, ``query`` and ``filter_of``.

    Attributes:
        was_moved: the last :meth:`meet_body` found the body elsewhere than it was put, and placed the follower there.
    """

    def __init__(self, ground, options, filter, body_id: int) -> None:
        self.ground = ground
        self.query = ground.query
        self.filter = filter
        self.follower = onepath.PathFollower(options)
        self.members = [self.follower]
        self.columns = self.follower._store.columns
        self.lift = array("d", [0.0])
        self.host = SimpleNamespace(store=SimpleNamespace(followers=self.follower._store), columns={"lift": self.lift})
        self.body = array("Q", [body_id])
        self.place = array("d", [0.0, 0.0, 0.0])
        self.found = array("d", [0.0, 0.0, 0.0])
        self.was_moved = False
        self.known_state = onepath.FollowerState.IDLE
        self.known_end = self.known_count = 0
        self.before = None

    @property
    def state(self):
        """What the follower does."""
        return self.follower.state

    def filter_of(self, _options):
        """Which polygons count for the follower."""
        return self.filter

    # --- Placing and sending ---
    def put(self, where) -> bool:
        """Place the follower where a point in space belongs; ``False`` where there is no ground."""
        if not self._place(where):
            return False
        self.lift[0] = pivot_height(where, self.follower.position)
        self._set_place()
        return True

    def warp(self, where) -> bool:
        """The same, but the body keeps its height above the surface."""
        if not self._place(where):
            return False
        self._set_place()
        return True

    def _place(self, where) -> bool:
        place = ground_at(self.query, where, self.filter)
        return place is not None and self.follower.place(self.query, place, self.filter)

    def send(self, target) -> bool:
        """Send the follower to the place that a point belongs to; tells whether it goes."""
        place = ground_at(self.query, target, self.filter)
        self.known_end = self.known_count = 0
        self.known_state = None
        return self.follower.set_destination(self.query, tuple(target) if place is None else place, self.filter)

    def complete_link(self) -> bool:
        """End a crossing at the link's far end."""
        return self.follower.complete_off_mesh_link(self.query, self.filter)

    def link_ends(self):
        """Entry and exit of the link that is being crossed."""
        return tuple(self.columns["link_start"][:3]), tuple(self.columns["link_end"][:3])

    # --- One tick ---
    def meet_body(self, leads: bool, dt: float) -> bool:
        """Before a step: follow a body that leads, or notice that the game moved the body.

        Returns:
            ``False`` if there is no ground where the body is now.
        """
        self.was_moved = False
        freed, moved = godot.read_nodes(self.body, self.found, self.place, MOVED)
        if freed:
            return False
        where = tuple(self.found)
        if not is_place(where):
            return True
        if leads:
            moved = not self.lead(dt)
        if moved:
            self.was_moved = True
            return self.put(where)
        return True

    def lead(self, dt: float) -> bool:
        """Lead the follower along the surface to its body; ``False`` if that has jumped or changed floors.

        dt: seconds since it was led last, for its velocity; 0: that stays.
        """
        if self.state == onepath.FollowerState.OFF_MESH_LINK:
            return True
        x, y, z = self.found[0], self.found[1] - self.lift[0], self.found[2]
        position = self.columns["position"]
        old = tuple(position[:3])
        if hypot(x - old[0], z - old[2]) > _JUMP + 2.0 * self.follower.options.max_speed * dt:
            return False
        if self.follower.corridor.move_position(self.query, (x, y, z), self.filter):
            position[0:3] = array("d", self.follower.corridor.position)
        self._set_place()
        return abs(y - position[1]) <= _OTHER_FLOOR

    def step(self, dt: float) -> None:
        """Step the follower, noting what that may change."""
        kind, corner = self.columns["corner_kind"][0], tuple(self.columns["corner"][:3])
        self.before = (self.columns["flags"][0], kind, corner, dt)
        self.follower.step(self.query, dt, self.filter)
        self._set_place()

    def write(self, turn: bool) -> bool:
        """Put the body where the follower is, turned to where it walks if asked; tell whether that could be done."""
        facing = None
        if turn:
            x, _y, z = self.follower.velocity
            moves = hypot(x, z) > 0.1 * self.follower.options.max_speed
            facing = array("d", (x, 0.0, z) if moves else (0.0, 0.0, 0.0))
        _freed, flattened = godot.write_nodes(self.body, self.place, facing)
        return flattened is None

    def _set_place(self) -> None:
        x, y, z = self.follower.position
        self.place[0], self.place[1], self.place[2] = x, y + self.lift[0], z

    def changes(self):
        """What the last step changed: (the path, the corner that was passed or ``None``, state, whether it is new)."""
        state, before = self.state, self.known_state
        self.known_state = state
        moving = onepath.FollowerState.MOVING
        path, corner = False, None
        if moving in (state, before) or before is None:
            path = self._path_changed()
            if before == moving and not path:
                corner = self._passed_corner()
        return path, corner, state, state != before

    def _path_changed(self) -> bool:
        refs = self.follower.corridor.path
        if self.columns["flags"][0] & CorridorFlag.NEEDS_REPLAN or not refs:
            return False
        replanned = self.before[0] & CorridorFlag.NEEDS_REPLAN
        changed = bool(replanned) or refs[-1] != self.known_end or len(refs) > self.known_count + 1
        self.known_end, self.known_count = refs[-1], len(refs)
        return changed

    def _passed_corner(self):
        _flags, kind, corner, dt = self.before
        if kind != _BEND or tuple(self.columns["corner"][:3]) == corner:
            return None
        x, _y, z = self.follower.position
        near = hypot(x - corner[0], z - corner[2]) <= _NEAR_CORNER + self.follower.options.max_speed * dt
        return corner if near else None
