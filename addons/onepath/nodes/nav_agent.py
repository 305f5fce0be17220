"""NavAgent: lets the crowd walk the node that it is a child of."""

from __future__ import annotations

import enum
from math import dist

import godot
from godot import Node, method, prop, register, signal

from . import routes
from .nav_agent_settings import NavAgentSettings
from .tuning import options_of, point, with_tuning

#: NavAgents in the tree that found no crowd; each crowd that enters asks them again.
homeless: dict = {}


@register
@with_tuning
class NavAgent(Node):
    """Walks its parent, a Node3D, over the mesh of the NavCrowd above it.

    Add it as a child of the node that is to move, somewhere inside a NavCrowd, and set [member target_position]; that
    may be done at any time, in [code]_ready[/code] too. A target, and the place of the parent, belong to the floor
    straight below them where there is one within 3 m, otherwise to the nearest place of the mesh; the parent's origin
    keeps the height above the surface that it has there. If the game moves the parent by itself, the agent goes on
    from the new place to the same target. Names and signals are those of NavigationAgent3D.
    """

    class SyncMode(enum.IntEnum):
        """What the crowd does with the parent.

        TRANSFORM puts it where the agent is, TRANSFORM_AND_FACING also turns it to where it goes. VELOCITY emits
        velocity_computed each tick, NONE does nothing: in both the game moves the parent and the agent follows it along
        the mesh. The loop that is usual with NavigationAgent3D works with these two.
        """

        TRANSFORM = 0
        TRANSFORM_AND_FACING = 1
        VELOCITY = 2
        NONE = 3

    class State(enum.IntEnum):
        """What the agent does. OUTSIDE: it is in no crowd, or there is no ground near its parent."""

        IDLE = 0
        MOVING = 1
        CROSSING = 2
        ARRIVED = 3
        NO_PATH = 4
        STUCK = 5
        OUTSIDE = 6

    target_position = prop(godot.Vector3, doc="Where to go, in global space. Setting it again changes nothing.",
                           suffix="m")
    crowd = prop(godot.NodePath, doc="The NavCrowd. Empty: the nearest one above this node.",
                 hint="NODE_PATH_VALID_TYPES", hint_string="NavCrowd")
    sync_mode = prop("SyncMode", doc="What the crowd does with the parent.")
    settings = prop(NavAgentSettings, doc="Settings that are used instead of this node's own.")

    path_changed = signal("The way to the target was found, or found anew.")
    waypoint_reached = signal("A corner of the way was passed. [param details] has its [code]position[/code].",
                              details=dict)
    link_reached = signal("The agent starts over a link. [param details] has [code]position[/code], "
                          "[code]link_entry_position[/code], [code]link_exit_position[/code] and, if the link is a "
                          "NavigationLink3D, [code]owner[/code].", details=dict)
    velocity_computed = signal("Each tick with SYNC mode VELOCITY: how the parent should move, in m/s.",
                               safe_velocity=godot.Vector3)
    target_reached = signal("The target was reached: once for each target, before navigation_finished.")
    navigation_finished = signal("The way has ended: at the target, at the nearest place that can be reached, or "
                                 "nowhere (see [method get_state]).")
    state_changed = signal("The agent does something else now.", state=int)
    stuck = signal("The agent made no progress and gave up; navigation_finished follows.")

    def __init__(self):
        self.home = None  # the CrowdRuntime
        self.member = None  # the core's agent
        self.slot = -1
        self.body_id = 0
        self.shown = self.State.OUTSIDE
        self.wants = False  # a target was set and the way to it has not ended
        self.complaint = ""  # what was said last of why it is not in the crowd

    # --- In and out of crowds (notifications: a script's own _enter_tree would take the place of a virtual one) ---
    @godot.on("NOTIFICATION_ENTER_TREE")
    def _entered(self):
        self.find_home()

    def find_home(self) -> None:
        """Join the crowd that this node belongs to; without one wait for it."""
        homeless.pop(godot.instance_id(self), None)
        crowd, body = self._find_crowd(), self._body()
        if crowd is not None and body is not None and crowd.runtime.attach(self):
            if self.home is not None and self.home is not crowd.runtime:
                self._leave()
            self.home = crowd.runtime
            self.body_id = godot.instance_id(body)
        else:
            homeless[godot.instance_id(self)] = self
        self.update_configuration_warnings()

    def _body(self):
        """The Node3D that is walked, or None."""
        parent = self.get_parent()
        return parent if parent is not None and parent.is_class("Node3D") else None

    def _find_crowd(self):
        path = str(self.crowd)
        if path:
            named = self.get_node_or_null(path)
            return named if hasattr(named, "runtime") else None
        node = self.get_parent()
        while node is not None and not isinstance(node, _crowd_class()):
            node = node.get_parent()
        return node

    @godot.on("NOTIFICATION_EXIT_TREE")
    def _left(self):
        homeless.pop(godot.instance_id(self), None)
        if self.home is not None:
            self.home.detach(self)
            self._leave_body_to_others()

    def _leave_body_to_others(self) -> None:
        """Let another NavAgent under the same parent, which could not move it so far, do so."""
        for sibling in self.get_parent().get_children() if homeless else ():
            other = homeless.get(godot.instance_id(sibling))
            if other is not None:
                other.find_home()

    def _leave(self) -> None:
        home = self.home
        if home is None:
            return
        home.detach(self)
        home.flush()
        self.unbind()

    def bind(self, member, slot: int, body_id: int) -> None:
        """The agent is in the crowd now."""
        self.member, self.slot, self.body_id = member, slot, body_id

    def lose(self) -> None:
        """The agent has left the crowd's mesh."""
        self.member, self.slot = None, -1
        self.show(self.State.OUTSIDE)

    def unbind(self) -> None:
        """The agent has left the crowd."""
        self.member, self.slot, self.home = None, -1, None
        if self:
            self.show(self.State.OUTSIDE)

    def loosen(self) -> None:
        """The crowd was restored; where this agent is in it now is not known yet."""
        self.member, self.slot = None, -1

    def take_over(self, wants: bool, target) -> None:
        """Go on as a snapshot says."""
        self.wants = wants
        self.__dict__["target_position"] = target

    def remember(self, wants: bool, target) -> None:
        """Be again what it was before the crowd was tried out in the editor."""
        self.wants = wants
        self.__dict__["target_position"] = target

    def resume(self) -> None:
        """Go on to the target, from wherever the agent was put."""
        if self.wants:
            self.home.send(self.slot, self.target_position)

    def note(self, state: int) -> bool:
        """Know what the agent does now; tells whether that is something else."""
        before, self.shown = self.shown, self.State(state)
        return before != state

    def show(self, state: int) -> None:
        """Say what the agent does now, if that is something else."""
        if self.note(state):
            self.state_changed.emit(int(state))

    def _present(self) -> bool:
        """Tells whether the agent is in the crowd, after all that waits for that."""
        return self.home is not None and self.home.flush() and self.slot >= 0

    # --- Properties ---
    @target_position.checked
    def _check_target(self, value):
        return point(value)

    @target_position.setter
    def _set_target(self, value):
        if self.home is not None and self.home.unrestored is not None:
            self.home.flush()
        same = self.__dict__.get("target_position") == value and (self.wants or self.shown == self.State.ARRIVED)
        self.__dict__["target_position"] = value
        if same:
            return
        self.wants = True
        if self.slot >= 0 and self.home is not None:
            self.home.send(self.slot, value)

    @crowd.changed
    def _crowd_changed(self):
        if self.is_inside_tree():
            self._leave()
            self.find_home()

    @sync_mode.changed
    def _sync_mode_changed(self):
        if self.slot >= 0:
            self.home.rebind(self)

    @settings.setter
    def _set_settings(self, value):
        old = self.settings
        if old is not None:
            old.disconnect("changed", self._tuning_changed)
        self.__dict__["settings"] = value
        if value is not None:
            value.connect("changed", self._tuning_changed)
        self._tuning_changed()

    def _tuning_changed(self):
        if self.slot >= 0:
            self.member.set_options(self.options())
            if self.slot in self.home.short:
                self.home.short[self.slot] = -1  # with other layers it may go on, and then its end is told

    def current(self):
        """The NavAgentSettings that count, or this node."""
        settings = self.__dict__.get("settings")
        return self if settings is None else settings

    def options(self):
        return options_of(self.current())

    # --- Methods ---
    @method
    def is_navigation_finished(self) -> bool:
        """Returns whether the way to the target has ended, there or elsewhere, or there is no target."""
        return not self.wants

    @method
    def is_target_reached(self) -> bool:
        """Returns whether the agent has arrived at its target."""
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
        """Returns the place on the mesh where the way ends; the agent's own place without a target."""
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
        """Returns the corners of the way from the agent's place to its end; empty outside a crowd."""
        return [godot.Vector3(*at) for at in routes.route(self.home, self.slot)] if self._present() else []

    @method
    def get_velocity(self) -> godot.Vector3:
        """Returns the agent's velocity in the last tick, in m/s."""
        return godot.Vector3(*self.member.velocity) if self.slot >= 0 else godot.Vector3()

    @method
    def get_state(self) -> State:
        """Returns what the agent does."""
        return self.State(int(self.member.state)) if self._present() else self.State.OUTSIDE

    @method
    def get_agent_id(self) -> int:
        """Returns the agent's number in its crowd, which is never used again; −1 outside."""
        return self.member.id if self._present() else -1

    @method
    def stop(self) -> None:
        """Forgets the target; the agent brakes. No signal is emitted for that target."""
        self.wants = False
        if self.slot >= 0:
            self.home.stop(self.slot)

    @method
    def warp(self, position: godot.Vector3) -> bool:
        """Puts parent and agent on the place that a position belongs to; the target stays.

        The parent keeps its height above the surface. Returns [code]false[/code], and nothing changes, where there is
        no ground or no crowd.
        """
        point(position, "position")
        return self._present() and self.home.warp(self.slot, position, True)

    @method
    def complete_link(self) -> bool:
        """With link_mode HOST: puts the agent at the far end of the link that it crosses.

        Returns [code]false[/code] if it crosses none.
        """
        if not (self._present() and self.member.complete_off_mesh_link()):
            return False
        self.home.host.touch(self.slot)
        return True

    @method
    def get_warnings(self) -> godot.PackedStringArray:
        """Returns what the editor shows as this node's warnings."""
        return self._get_configuration_warnings()

    def _get_configuration_warnings(self):
        body = self._body()
        if body is None:
            return ["A NavAgent moves its parent, which must be a Node3D: put it under one."]
        found = []
        if body.is_class("NavCrowd"):
            found.append("A NavAgent moves its parent, here the NavCrowd with all that is in it: put a Node3D between.")
        if self._find_crowd() is None:
            found.append("There is no NavCrowd above this node: put its parent inside one, or set crowd.")
        others = [node for node in body.get_children() if node.is_class("NavAgent")]
        if len(others) > 1:
            found.append("Two NavAgents are under one parent: remove all but one of them.")
        return found


def _crowd_class():
    from .nav_crowd import NavCrowd

    return NavCrowd
