"""What NavAgent and CorridorFollower have in common: signals and methods with the names of NavigationAgent3D."""

from __future__ import annotations

from math import dist

import godot
from godot import method, prop, signal

from . import routes
from .scene_regions import warn_once
from .tuning import point


def with_walking(cls):
    """Class decorator that adds what is in :class:`Walking`, below what the class has itself.

    The class has ``home`` and ``slot``, for :mod:`.routes`, ``member``, what walks in the core (all three count only
    after ``_present()`` was true; ``slot`` is −1 without them), ``wants`` (a target was set and the way to it has not
    ended) and ``shown``, the last state that was told. ``_warp(position)`` and ``_complete_link()`` do what the methods
    of these names promise where it is present.
    """
    for name, value in vars(Walking).items():
        if isinstance(value, signal):
            value = signal(value.doc, **value.arguments)
            value.__set_name__(cls, name)
        if not name.startswith("__") and name not in vars(cls):
            setattr(cls, name, value)
    return cls


def watched(kind: type, told: str, doc: str, group: str | None = None) -> prop:
    """A property that holds a resource; the node's method named `told` is called when another one, or a change, counts.

    kind: the resource's class. doc, group: as those of a property.
    """
    made = prop(kind, doc=doc, group=group)

    @made.setter
    def _set(self, value):
        changed = getattr(self, told)
        old = getattr(self, made.name)
        if old is not None:
            old.disconnect("changed", changed)
        self.__dict__[made.name] = value
        if value is not None:
            value.connect("changed", changed)
        changed()

    return made


def settings_property(kind: type) -> prop:
    """The property ``settings``, of the class NavAgentSettings; a change of what counts calls ``_tuning_changed()``."""
    return watched(kind, "_tuning_changed", "Settings that are used instead of this node's own.")


def warn_flattened(walker) -> None:
    """Say, once, that the parent of a NavAgent or CorridorFollower cannot be moved."""
    if walker:
        warn_once(walker, f"{walker.get_path()}: its parent cannot be moved, because a node above that is scaled to "
                          "zero: hide it instead, or give it some scale.")


class Walking:
    """Not a class of its own: see :func:`with_walking`."""

    path_changed = signal("The way to the target was found, or found anew.")
    waypoint_reached = signal("A corner of the way was passed. [param details] has its [code]position[/code].",
                              details=dict)
    link_reached = signal("A way over a link begins. [param details] has [code]position[/code], "
                          "[code]link_entry_position[/code], [code]link_exit_position[/code] and, if the link is a "
                          "NavigationLink3D, [code]owner[/code].", details=dict)
    velocity_computed = signal("Each tick with [member sync_mode] VELOCITY: how the parent should move, in m/s.",
                               safe_velocity=godot.Vector3)
    target_reached = signal("The target was reached: once for each target, before navigation_finished.")
    navigation_finished = signal("The way has ended: at the target, at the nearest place that can be reached, or "
                                 "nowhere (see [method get_state]).")
    state_changed = signal("The state is another one now.", state=int)
    stuck = signal("No progress was made, and the way was given up; navigation_finished follows.")

    def _body(self):
        """The Node3D that is walked, or None."""
        parent = self.get_parent()
        return parent if parent is not None and parent.is_class("Node3D") else None

    def current(self):
        """The NavAgentSettings that count, or this node."""
        settings = self.__dict__.get("settings")
        return self if settings is None else settings

    @method
    def is_navigation_finished(self) -> bool:
        """Returns whether the way to the target has ended, there or elsewhere, or there is no target."""
        return not self.wants

    @method
    def is_target_reached(self) -> bool:
        """Returns whether the target has been reached."""
        return self.slot >= 0 and not self.wants and self.shown == self.State.ARRIVED and self.member.reached_target

    @method
    def is_target_reachable(self) -> bool:
        """Returns whether there is a way to the target; [code]false[/code] without one."""
        return self._present() and routes.is_reachable(self.home, self.slot)

    @method
    def distance_to_target(self) -> float:
        """Returns the straight distance from the parent to the target in metres."""
        body = self._body()
        return dist(body.global_position, self.target_position) if body is not None else 0.0

    @method
    def get_final_position(self) -> godot.Vector3:
        """Returns the place on the mesh where the way ends; without a target where it is itself."""
        return routes.route(self.home, self.slot)[-1] if self._present() else self.target_position

    @method
    def get_next_path_position(self) -> godot.Vector3:
        """Returns the next corner of the way, as high above the surface as the parent is kept."""
        if not self._present():
            body = self._body()
            return body.global_position if body is not None else godot.Vector3()
        return routes.next_corner(self.home, self.slot)

    @method
    def get_current_navigation_path(self) -> godot.PackedVector3Array:
        """Returns the corners of the way from here to its end; empty without a mesh to walk on."""
        return [godot.Vector3(*at) for at in routes.route(self.home, self.slot)] if self._present() else []

    @method
    def get_velocity(self) -> godot.Vector3:
        """Returns the velocity in the last tick, in m/s."""
        return godot.Vector3(*self.member.velocity) if self.slot >= 0 else godot.Vector3()

    @method
    def get_state(self) -> State:  # noqa: F821 (that of the class)
        """Returns what is being done."""
        return self.State(int(self.member.state)) if self._present() else self.State.OUTSIDE

    @method
    def warp(self, position: godot.Vector3) -> bool:
        """Puts the parent on the place that a position belongs to; the target stays.

        The parent keeps its height above the surface. Returns [code]false[/code], and nothing changes, where there is
        no mesh or no ground.
        """
        point(position, "position")
        return self._present() and self._warp(position)

    @method
    def complete_link(self) -> bool:
        """With link_mode HOST: goes to the far end of the link that is being crossed.

        Returns [code]false[/code] if none is.
        """
        return self._present() and self._complete_link()

    @method
    def get_warnings(self) -> godot.PackedStringArray:
        """Returns what the editor shows as this node's warnings."""
        return self._get_configuration_warnings()
