"""CorridorFollower: walks the node that it is a child of, alone."""

from __future__ import annotations

import enum

import godot
from godot import Node, method, prop, register

import onepath
from onepath.corridors.picture import draw_follower

from . import overlay, routes, seeing
from .lone_walker import LoneWalker
from .nav_agent_settings import NavAgentSettings
from .nav_mesh import OnePathNavMesh
from .scene_regions import FLAG_BITS
from .shared_ground import SharedGround, ground_of, source_of
from .threads import group_warnings
from .tuning import follower_options_of, number, point, radius_of, tile_side, with_lone_tuning
from .walking import settings_property, warn_flattened, watched, with_walking

_ENDS = (onepath.FollowerState.ARRIVED, onepath.FollowerState.NO_PATH, onepath.FollowerState.STUCK)


@register
@with_walking
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
    settings = settings_property(NavAgentSettings)

    nav_mesh = watched(OnePathNavMesh, "_ground_changed", "A mesh made beforehand, in global space. Empty: regions and "
                       "links of the scene are used.", group="Navigation Mesh")
    navigation_source = prop(godot.NodePath, doc="The node under which regions and links are looked for. Empty: the "
                             "parent of the node that is moved.", hint="NODE_PATH_VALID_TYPES", hint_string="Node")
    tile_size = prop(float, 16.0, "Side of the squares into which the mesh is cut. 0: one tile.",
                     limits=(0.0, 256.0, 0.5), or_more=True, suffix="m")
    merge_polygons = prop(bool, False, "Whether polygons are joined into larger ones where the surface allows it.")
    max_climb = prop(float, 0.9, "Largest step in height between two tiles that can be walked over.",
                     limits=(0.0, 5.0, 0.01), or_more=True, suffix="m")

    debug_enabled = seeing.enabled_property("Whether the running game shows mesh and walker; the editor shows those of "
                                            "a selected one, with the way that it would go.")
    debug_draw = seeing.draw_property(overlay.USUAL)

    def __init__(self):
        self.ground = None  # the SharedGround
        self.home = None  # the LoneWalker
        self.shown = self.State.OUTSIDE
        self.wants = self.finished_short = False
        self.edits = -1
        self.overlay = overlay.Overlay(self)
        self.view = None
        self.set_physics_process(not godot.is_editor())

    @property
    def slot(self) -> int:
        """The walker's place in its home; −1 without one."""
        return -1 if self.home is None else 0

    @property
    def member(self):
        """What walks in the core."""
        return self.home.follower

    # --- Life (notifications: a script's own _ready or _physics_process would take the place of a virtual one) ---
    @godot.on("NOTIFICATION_READY")
    def _became_ready(self):
        seeing.update_view(self)

    @godot.on("NOTIFICATION_EXIT_TREE")
    def _left(self):
        self._let_go()

    @godot.on("NOTIFICATION_PREDELETE")
    def _dying(self):
        self.overlay.dispose()
        self._let_go()

    def _let_go(self) -> None:
        ground, self.ground, self.home = self.ground, None, None
        if ground is not None:
            ground.release()

    def _root(self):
        path = str(self.navigation_source)
        if path:
            return self.get_node_or_null(path)
        body = self.get_parent()
        return body.get_parent() if body is not None else None

    def _present(self) -> bool:
        """Make mesh and walker if they are not there; tells whether they are."""
        if self.home is not None:
            return True
        body = self._body() if self.is_inside_tree() and not godot.is_editor() else None
        if body is None:
            return False
        if self.ground is None:
            self.ground = ground_of(self.nav_mesh, self._root(), self._grid())
            if self.ground is None:
                return False
            self.edits = self.ground.mesh.edit_count
        walker = self._walker(self.ground, body)
        if not walker.put(body.global_position):
            return False
        self.home = walker
        if self.sync_mode <= self.SyncMode.TRANSFORM_AND_FACING:
            walker.write(False)
        if self.wants:
            walker.send(self.target_position)
        return True

    def _grid(self) -> tuple:
        return self.tile_size, self.merge_polygons, self.max_climb

    def _walker(self, ground, body) -> LoneWalker:
        return LoneWalker(ground, self._options(), self._filter(ground), godot.instance_id(body))

    def _options(self):
        return follower_options_of(self.current())

    def _filter(self, ground):
        return onepath.QueryFilter(self.current().navigation_layers & FLAG_BITS, costs=ground.area_costs())

    # --- One tick ---
    @godot.on("NOTIFICATION_PHYSICS_PROCESS")
    def _ticked(self):
        self._tick(self.get_physics_process_delta_time())
        if self and self.view is not None:
            self.view.update()

    def _tick(self, delta) -> None:
        if self.ground is not None:
            self.ground.follow()
        if not delta > 0.0 or not self._present():
            self._show(self.State.OUTSIDE if self.home is None else self.shown)
            return
        self._follow_mesh()
        walker, leads = self.home, self.sync_mode >= self.SyncMode.VELOCITY
        if not walker.meet_body(leads, delta):
            self.home = None
            self._show(self.State.OUTSIDE)
            return
        if walker.was_moved and self.wants:
            walker.send(self.target_position)
        walker.step(delta)
        velocity = godot.Vector3(*walker.follower.velocity)
        if leads:
            walker.lead(0.0)
        elif not walker.write(self.sync_mode == self.SyncMode.TRANSFORM_AND_FACING):
            warn_flattened(self)
        self._report(walker)
        if self and self.sync_mode == self.SyncMode.VELOCITY and self.home is walker:
            self.velocity_computed.emit(velocity)

    def _follow_mesh(self) -> None:
        """After a change of the mesh try again what could not be reached."""
        edits = self.ground.mesh.edit_count
        if edits == self.edits:
            return
        self.edits = edits
        self.home.filter = self._filter(self.ground)  # regions may have brought new costs
        routes.seek_again(self.home)
        if self.finished_short and not self.wants:
            self.wants = self.home.send(self.target_position) and self.home.state == onepath.FollowerState.MOVING

    def _report(self, walker) -> None:
        """Emit the signals of a step; any handler may change anything."""
        path, corner, state, changed = walker.changes()
        if path:
            self.path_changed.emit()
        if corner is not None and self:
            self.waypoint_reached.emit({"position": godot.Vector3(*corner)})
        if changed and state == onepath.FollowerState.OFF_MESH_LINK and self:
            self.link_reached.emit(self._link_details(walker))
        if not self or self.home is not walker:
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
        if self.home is not None:
            self.home.send(value)

    def _tuning_changed(self):
        if self.home is not None:
            self.member.set_options(self._options())
            self.home.filter = self._filter(self.ground)

    @tile_size.checked
    def _check_tile_size(self, value):
        return tile_side(value)

    @max_climb.checked
    def _check_max_climb(self, value):
        return number(value, 0.0, 1e6)

    def _ground_changed(self) -> None:
        """Another mesh counts: the walker is placed on it anew and keeps its target."""
        self._let_go()
        self.overlay.dispose()
        self.update_configuration_warnings()

    for _made in (navigation_source, tile_size, merge_polygons, max_climb):
        _made.changed(_ground_changed)
    del _made

    # --- Methods ---
    @method
    def stop(self) -> None:
        """Forgets the target and stands still. No signal is emitted for that target."""
        self.wants = self.finished_short = False
        if self.home is not None:
            self.member.stop()

    def _warp(self, position) -> bool:
        if not self.home.warp(position):
            return False
        if self.wants:
            self.home.send(self.target_position)
        self.home.write(False)
        return True

    def _complete_link(self) -> bool:
        return self.home.complete_link()

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
        ground, found = self.ground, group_warnings(self, root)
        if ground is not None and ground.source is not None:
            return found + ground.source.warnings(ground.mesh)
        return found + source_of(root, self._grid()).warnings()

    # --- Seeing ---
    get_debug_geometry = seeing.get_debug_geometry
    prepare_debug_mesh = seeing.prepare_debug_mesh
    get_debug_version = seeing.get_debug_version
    get_debug_legend = seeing.get_debug_legend

    def settle_in(self) -> None:
        """Make mesh and walker, for what is asked about them."""
        self._present()

    def shown_mesh(self):
        """The mesh that is walked on, or None."""
        return self.ground.mesh if self.ground is not None else None

    def shown_source(self):
        """What the mesh would be made of; None where navigation_source names nothing."""
        root = self._root()
        return source_of(root, self._grid()) if root is not None else None

    def draw_walkers(self, canvas, parts: int) -> None:
        """Draw the walker; in the editor as it would set out."""
        walker = self._rehearsed() if godot.is_editor() else self.home
        if walker is not None:
            draw_follower(walker.follower, walker.query, canvas, parts, radius_of(self.current()))

    def _rehearsed(self) -> LoneWalker | None:
        mesh, body = self.overlay.mesh(), self._body()
        if mesh is None or body is None:
            return None
        walker = self._walker(SharedGround(None, mesh, self.overlay.source), body)
        if not walker.put(body.global_position):
            return None
        if self.wants:
            walker.send(self.target_position)
        return walker
