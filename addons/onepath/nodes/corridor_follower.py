"""CorridorFollower: walks the node that it is a child of, alone."""

from __future__ import annotations

import enum
from math import dist

import godot
from godot import Node, method, prop, register, signal

import onepath

from . import routes
from .lone_walker import LoneWalker
from .nav_agent_settings import NavAgentSettings
from .nav_mesh import OnePathNavMesh
from .shared_ground import ground_of, source_of
from .tuning import follower_options_of, number, point, with_lone_tuning

_LAYERS = 0xFFFF
_ENDS = (onepath.FollowerState.ARRIVED, onepath.FollowerState.NO_PATH, onepath.FollowerState.STUCK)


@register
@with_lone_tuning
class CorridorFollower(Node):
    """Walks its parent, a Node3D, over a navigation mesh without a crowd: nothing is avoided but walls.

    Add it as a child of the node that is to move and set [member target_position], in [code]_ready[/code] too. The mesh
    is [member nav_mesh] or, without one, all NavigationRegion3D and NavigationLink3D under [member navigation_source];
    walkers with the same source share it. Properties, methods and signals are those of NavAgent, and a NavAgent can
    take its place when a crowd is wanted.
    """

    class SyncMode(enum.IntEnum):
        """What is done with the parent; see NavAgent.SyncMode."""

        TRANSFORM = 0
        TRANSFORM_AND_FACING = 1
        VELOCITY = 2
        NONE = 3

    class State(enum.IntEnum):
        """What the walker does. OUTSIDE: there is no mesh, or no ground near its parent."""

        IDLE = 0
        MOVING = 1
        CROSSING = 2
        ARRIVED = 3
        NO_PATH = 4
        STUCK = 5
        OUTSIDE = 6

    target_position = prop(godot.Vector3, doc="Where to go, in global space. Setting it again changes nothing.",
                           suffix="m")
    sync_mode = prop("SyncMode", doc="What is done with the parent.")
    settings = prop(NavAgentSettings, doc="Settings that are used instead of this node's own.")

    nav_mesh = prop(OnePathNavMesh, doc="A mesh made beforehand, in global space. Empty: regions and links of the "
                    "scene are used.", group="Navigation Mesh")
    navigation_source = prop(godot.NodePath, doc="The node under which regions and links are looked for. Empty: the "
                             "parent of the node that is moved.", hint="NODE_PATH_VALID_TYPES", hint_string="Node")
    tile_size = prop(float, 16.0, "Side of the squares into which the mesh is cut. 0: one tile.",
                     limits=(0.0, 256.0, 0.5), or_more=True, suffix="m")
    merge_polygons = prop(bool, False, "Whether polygons are joined into larger ones where the surface allows it.")
    max_climb = prop(float, 0.9, "Largest step in height between two tiles that can be walked over.",
                     limits=(0.0, 5.0, 0.01), or_more=True, suffix="m")

    path_changed = signal("The way to the target was found, or found anew.")
    waypoint_reached = signal("A corner of the way was passed. [param details] has its [code]position[/code].",
                              details=dict)
    link_reached = signal("The walker starts over a link. [param details] has [code]position[/code], "
                          "[code]link_entry_position[/code], [code]link_exit_position[/code] and, if the link is a "
                          "NavigationLink3D, [code]owner[/code].", details=dict)
    velocity_computed = signal("Each tick with SYNC mode VELOCITY: how the parent should move, in m/s.",
                               safe_velocity=godot.Vector3)
    target_reached = signal("The target was reached: once for each target, before navigation_finished.")
    navigation_finished = signal("The way has ended: at the target, at the nearest place that can be reached, or "
                                 "nowhere (see [method get_state]).")
    state_changed = signal("The walker does something else now.", state=int)
    stuck = signal("The walker made no progress and gave up; navigation_finished follows.")

    def __init__(self):
        self.ground = None  # the SharedGround
        self.walker = None  # the LoneWalker
        self.shown = self.State.OUTSIDE
        self.wants = self.finished_short = False
        self.edits = -1

    # --- Life ---
    def _ready(self):
        if godot.is_editor():
            self.set_physics_process(False)

    def _exit_tree(self):
        self._let_go()

    @godot.on("NOTIFICATION_PREDELETE")
    def _dying(self):
        self._let_go()

    def _let_go(self) -> None:
        ground, self.ground, self.walker = self.ground, None, None
        if ground is not None:
            ground.release()

    def _body(self):
        body = self.get_parent()
        return body if body is not None and body.is_class("Node3D") else None

    def _root(self):
        path = str(self.navigation_source)
        if path:
            return self.get_node_or_null(path)
        body = self.get_parent()
        return body.get_parent() if body is not None else None

    def _present(self) -> bool:
        """Make mesh and walker if they are not there; tells whether they are."""
        if self.walker is not None:
            return True
        body = self._body() if self.is_inside_tree() and not godot.is_editor() else None
        if body is None:
            return False
        if self.ground is None:
            self.ground = ground_of(self.nav_mesh, self._root(),
                                    (self.tile_size, self.merge_polygons, self.max_climb))
            if self.ground is None:
                return False
            self.edits = self.ground.mesh.edit_count
        walker = LoneWalker(self.ground, self._options(), self._filter(), godot.instance_id(body))
        if not walker.put(body.global_position):
            return False
        self.walker = walker
        if self.sync_mode <= self.SyncMode.TRANSFORM_AND_FACING:
            walker.write(False)
        if self.wants:
            walker.send(self.target_position)
        return True

    def current(self):
        """The NavAgentSettings that count, or this node."""
        return self if self.settings is None else self.settings

    def _options(self):
        return follower_options_of(self.current())

    def _filter(self):
        return onepath.QueryFilter(self.current().navigation_layers & _LAYERS, costs=self.ground.area_costs())

    # --- One tick ---
    def _physics_process(self, delta):
        if self.ground is not None:
            self.ground.follow()
        if not delta > 0.0 or not self._present():
            self._show(self.State.OUTSIDE if self.walker is None else self.shown)
            return
        self._follow_mesh()
        walker, leads = self.walker, self.sync_mode >= self.SyncMode.VELOCITY
        if not walker.meet_body(leads, delta):
            self.walker = None
            self._show(self.State.OUTSIDE)
            return
        if walker.was_moved and self.wants:
            walker.send(self.target_position)
        walker.step(delta)
        velocity = godot.Vector3(*walker.follower.velocity)
        if leads:
            walker.lead(0.0)
        else:
            walker.write(self.sync_mode == self.SyncMode.TRANSFORM_AND_FACING)
        self._report(walker)
        if self and self.sync_mode == self.SyncMode.VELOCITY and self.walker is walker:
            self.velocity_computed.emit(velocity)

    def _follow_mesh(self) -> None:
        """After a change of the mesh try again what could not be reached."""
        edits = self.ground.mesh.edit_count
        if edits == self.edits:
            return
        self.edits = edits
        self.walker.filter = self._filter()  # regions may have brought new costs
        routes.seek_again(self.walker)
        if self.finished_short and not self.wants:
            self.wants = self.walker.send(self.target_position) and self.walker.state == onepath.FollowerState.MOVING

    def _report(self, walker) -> None:
        """Emit the signals of a step; any handler may change anything."""
        path, corner, state, changed = walker.changes()
        if path:
            self.path_changed.emit()
        if corner is not None and self:
            self.waypoint_reached.emit({"position": godot.Vector3(*corner)})
        if changed and state == onepath.FollowerState.OFF_MESH_LINK and self:
            self.link_reached.emit(self._link_details(walker))
        if not self or self.walker is not walker:
            return
        ends = self.wants and state in _ENDS
        reached = ends and state == onepath.FollowerState.ARRIVED and walker.follower.reached_target
        if ends:
            self.wants = False
            self.finished_short = not reached
        self._show(self.State(int(state)))
        if ends:
            self._tell_end(state, reached)

    def _tell_end(self, state, reached: bool) -> None:
        if state == onepath.FollowerState.STUCK and self:
            self.stuck.emit()
        if reached and self:
            self.target_reached.emit()
        if self:
            self.navigation_finished.emit()

    def _link_details(self, walker) -> dict:
        ends = walker.link_ends()
        start, end = (godot.Vector3(*place) for place in ends)
        details = {"position": start, "link_entry_position": start, "link_exit_position": end}
        source = self.ground.source
        owner = source.link_between(self.ground.mesh, *ends) if source is not None else None
        if owner is not None:
            details["owner"] = owner
        return details

    def _show(self, state) -> None:
        if state != self.shown and self:
            self.shown = state
            self.state_changed.emit(int(state))

    # --- Properties ---
    @target_position.checked
    def _check_target(self, value):
        return point(value)

    @target_position.setter
    def _set_target(self, value):
        same = self.__dict__.get("target_position") == value and (self.wants or self.shown == self.State.ARRIVED)
        self.__dict__["target_position"] = value
        if same:
            return
        self.wants = True
        self.finished_short = False
        if self.walker is not None:
            self.walker.send(value)

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
        if self.walker is not None:
            self.walker.follower.set_options(self._options())
            self.walker.filter = self._filter()

    @tile_size.checked
    def _check_tile_size(self, value):
        return number(value, 0.0, 1e6)

    @max_climb.checked
    def _check_max_climb(self, value):
        return number(value, 0.0, 1e6)

    @nav_mesh.setter
    def _set_mesh(self, value):
        old = self.nav_mesh
        if old is not None:
            old.disconnect("changed", self._ground_changed)
        self.__dict__["nav_mesh"] = value
        if value is not None:
            value.connect("changed", self._ground_changed)
        self._ground_changed()

    @navigation_source.changed
    def _source_changed(self):
        self._ground_changed()

    @tile_size.changed
    def _size_changed(self):
        self._ground_changed()

    @merge_polygons.changed
    def _merge_changed(self):
        self._ground_changed()

    @max_climb.changed
    def _climb_changed(self):
        self._ground_changed()

    def _ground_changed(self) -> None:
        """Another mesh counts: the walker is placed on it anew and keeps its target."""
        self._let_go()
        self.update_configuration_warnings()

    # --- Methods ---
    @method
    def is_navigation_finished(self) -> bool:
        """Returns whether the way to the target has ended, there or elsewhere, or there is no target."""
        return not self.wants

    @method
    def is_target_reached(self) -> bool:
        """Returns whether the walker has arrived at its target."""
        return (self.walker is not None and not self.wants and self.walker.state == onepath.FollowerState.ARRIVED
                and self.walker.follower.reached_target)

    @method
    def is_target_reachable(self) -> bool:
        """Returns whether there is a way to the target; [code]false[/code] without one."""
        return self._present() and routes.is_reachable(self.walker, 0)

    @method
    def distance_to_target(self) -> float:
        """Returns the straight distance from the parent to the target in metres."""
        body = self._body()
        return dist(body.global_position, self.target_position) if body is not None else 0.0

    @method
    def get_final_position(self) -> godot.Vector3:
        """Returns the place on the mesh where the way ends; the walker's own place without a target."""
        return godot.Vector3(*routes.route(self.walker, 0)[-1]) if self._present() else self.target_position

    @method
    def get_next_path_position(self) -> godot.Vector3:
        """Returns the next corner of the way, as high above the surface as the parent is kept."""
        if not self._present():
            body = self._body()
            return body.global_position if body is not None else godot.Vector3()
        return routes.next_corner(self.walker, 0)

    @method
    def get_current_navigation_path(self) -> godot.PackedVector3Array:
        """Returns the corners of the way from the walker's place to its end; empty without a mesh."""
        return [godot.Vector3(*at) for at in routes.route(self.walker, 0)] if self._present() else []

    @method
    def get_velocity(self) -> godot.Vector3:
        """Returns the walker's velocity in the last tick, in m/s."""
        return godot.Vector3(*self.walker.follower.velocity) if self.walker is not None else godot.Vector3()

    @method
    def get_state(self) -> State:
        """Returns what the walker does."""
        return self.State(int(self.walker.state)) if self._present() else self.State.OUTSIDE

    @method
    def stop(self) -> None:
        """Forgets the target and stands still. No signal is emitted for that target."""
        self.wants = self.finished_short = False
        if self.walker is not None:
            self.walker.follower.stop()

    @method
    def warp(self, position: godot.Vector3) -> bool:
        """Puts the parent on the place that a position belongs to; the target stays.

        The parent keeps its height above the surface. Returns [code]false[/code], and nothing changes, where there is
        no ground.
        """
        point(position, "position")
        if not self._present() or not self.walker.warp(position):
            return False
        if self.wants:
            self.walker.send(self.target_position)
        self.walker.write(False)
        return True

    @method
    def complete_link(self) -> bool:
        """With link_mode HOST: puts the walker at the far end of the link that it crosses.

        Returns [code]false[/code] if it crosses none.
        """
        return self._present() and self.walker.complete_link()

    @method
    def get_warnings(self) -> godot.PackedStringArray:
        """Returns what the editor shows as this node's warnings."""
        return self._get_configuration_warnings()

    def _get_configuration_warnings(self):
        if self._body() is None:
            return ["A CorridorFollower moves its parent, which must be a Node3D: put it under one."]
        if self.nav_mesh is not None:
            complaint = self.nav_mesh.complaint()
            return [complaint] if complaint else []
        root = self._root() if self.is_inside_tree() else None
        if root is None:
            return ["The node that navigation_source names does not exist: choose another one, or clear it to use the "
                    "node above the parent."]
        ground = self.ground
        if ground is not None and ground.source is not None:
            return ground.source.warnings(ground.mesh)
        return source_of(root, (self.tile_size, self.merge_polygons, self.max_climb)).warnings()
