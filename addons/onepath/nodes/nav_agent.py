"""NavAgent: lets the crowd walk the node that it is a child of."""

from __future__ import annotations

import enum

import godot
from godot import Node, method, prop, register

from .nav_agent_settings import NavAgentSettings
from .scene_regions import warn_once
from .tuning import options_of, point, with_tuning
from .walking import settings_property, with_walking

#: NavAgents in the tree that found no crowd; each crowd that enters asks them again.
homeless: dict = {}


@register
@with_walking
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
    settings = settings_property(NavAgentSettings)

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
            if crowd is None and not godot.is_editor() and self.get_node_or_null(self.crowd) is not None:
                warn_once(self, f"{self.get_path()}: {self._misnamed()}")
        self.update_configuration_warnings()

    def _find_crowd(self):
        path = str(self.crowd)
        if path:
            named = self.get_node_or_null(path)
            return named if isinstance(named, _crowd_class()) else None
        node = self.get_parent()
        while node is not None and not isinstance(node, _crowd_class()):
            node = node.get_parent()
        return node

    def _misnamed(self) -> str:
        return f"crowd names {self.crowd}, which is no NavCrowd: choose one, or clear it to use the nearest one above."

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

    def remember(self, wants: bool, target) -> None:
        """Be again what it was: when a snapshot was saved, or before the crowd was tried out in the editor."""
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
            self.home.bind(self.slot, self)

    def _tuning_changed(self):
        if self.slot >= 0:
            self.member.set_options(self.options())
            if self.slot in self.home.short:
                self.home.short[self.slot] = -1  # with other layers it may go on, and then its end is told

    def options(self):
        return options_of(self.current())

    # --- Methods ---
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

    def _warp(self, position) -> bool:
        return self.home.warp(self.slot, position, True)

    def _complete_link(self) -> bool:
        if not self.member.complete_off_mesh_link():
            return False
        self.home.host.touch(self.slot)
        return True

    def _get_configuration_warnings(self):
        body = self._body()
        if body is None:
            return ["A NavAgent moves its parent, which must be a Node3D: put it under one."]
        found = []
        if body.is_class("NavCrowd"):
            found.append("A NavAgent moves its parent, here the NavCrowd with all that is in it: put a Node3D between.")
        if self._find_crowd() is None:
            found.append(self._misnamed() if str(self.crowd) else
                         "There is no NavCrowd above this node: put its parent inside one, or set crowd.")
        others = [node for node in body.get_children() if node.is_class("NavAgent")]
        if len(others) > 1:
            found.append("Two NavAgents are under one parent: remove all but one of them.")
        return found


def _crowd_class():
    from .nav_crowd import NavCrowd

    return NavCrowd
