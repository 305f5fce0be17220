"""The state of many followers as flat columns: a lone follower is a store of one slot, a crowd a store of many.

Corridors: slot ``s`` owns ``refs[s * stride ..]``; ``capacity[s]`` (at most ``stride``) polygons fit, ``count[s]`` are
    there. ``flags`` holds :class:`~onepath.corridors.states.CorridorFlag` bits, ``surface`` the corridor's position on
    its first polygon, ``target`` the point it leads to and ``target_ref`` that point's polygon (0: none).
Followers: the fields of the state bytes, in their order. During a link crossing ``position`` is in the air while
    ``surface`` stays at the entry. ``link_exit`` is the polygon behind the link.
Options: one column per field of :class:`~onepath.corridors.options.FollowerOptions`.
Step: written by the planning half of a step, read by its moving half, never state. ``held`` is set by a crowd to make
    an agent wait with its replan. ``corner`` is the point steered for, ``corner_kind`` what it is
    (:class:`~onepath.corridors.states.CornerKind`), ``corner_limit`` how many polygons of the corridor the leg to it
    may touch, ``length`` the path length to the end (infinite if that is not among the corners),
    ``wanted`` the wanted velocity in X/Z, ``entry`` the link end that the agent is about to enter plus 1 (0: none),
    from the polygon ``entry_place`` of its corridor.
Known: what a crowd found out about the corridor in earlier steps, never state; see :mod:`~onepath.corridors.known`.
    ``known_revision`` is the mesh's revision that it holds for (−1: none), ``sound`` how many polygons were checked,
    ``exits`` how the first ones are left (0: not known, else as in :mod:`~onepath.queries.funnel`), ``string_*`` the
    ``string_count`` corners found last, without the position.
"""

from array import array
from math import inf

import cython

from onepath.buffers import grown, zeros
from onepath.errors import OutOfRangeError
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer, long_pointer, reference_pointer

# column → (type code, elements per slot)
_LAYOUT = {
    # corridor
    "capacity": ("i", 1),
    "count": ("i", 1),
    "flags": ("B", 1),
    "surface": ("d", 3),
    "target": ("d", 3),
    "target_ref": ("Q", 1),
    # follower
    "state": ("B", 1),
    "reached": ("B", 1),
    "step_count": ("Q", 1),
    "rounds": ("i", 1),
    "recoveries": ("i", 1),
    "stuck_clock": ("d", 1),
    "anchor": ("d", 3),
    "position": ("d", 3),
    "velocity": ("d", 3),
    "destination": ("d", 3),
    "link_start": ("d", 3),
    "link_end": ("d", 3),
    "link_elapsed": ("d", 1),
    "link_duration": ("d", 1),
    "link_exit": ("Q", 1),
    "remaining": ("d", 1),
    # options
    "max_speed": ("d", 1),
    "max_acceleration": ("d", 1),
    "slow_radius": ("d", 1),
    "arrival_min_speed": ("d", 1),
    "arrival_radius": ("d", 1),
    "max_corners": ("i", 1),
    "validate_look_ahead": ("i", 1),
    "optimize_interval": ("i", 1),
    "optimize_range": ("d", 1),
    "optimize_budget": ("i", 1),
    "topology_interval": ("i", 1),
    "topology_budget": ("i", 1),
    "replan_budget": ("i", 1),
    "max_replan_rounds": ("i", 1),
    "stuck_window": ("d", 1),
    "stuck_progress": ("d", 1),
    "max_stuck_recoveries": ("i", 1),
    "off_mesh_mode": ("i", 1),
    "off_mesh_speed": ("d", 1),
    "off_mesh_trigger_radius": ("d", 1),
    "search_extents": ("d", 3),
    "refine_budget": ("i", 1),
    "corner_clearance": ("d", 1),
    # step
    "held": ("B", 1),
    "walking": ("B", 1),
    "full_speed": ("B", 1),
    "corner_kind": ("B", 1),
    "corner_limit": ("i", 1),
    "corner": ("d", 3),
    "length": ("d", 1),
    "wanted": ("d", 2),
    "entry": ("i", 1),
    "entry_place": ("i", 1),
    # known
    "known_revision": ("q", 1),
    "sound": ("i", 1),
    "exits": ("i", 32),
    "string_count": ("i", 1),
    "string_index": ("i", 7),
    "string_flags": ("i", 7),
    "string_xyz": ("d", 3 * 7),
}

_NAMES = tuple(_LAYOUT)
_OPTION_NAMES = _NAMES[_NAMES.index("max_speed"):_NAMES.index("held")]


@cython.cclass
class FollowerStore:
    """Columns for ``slots`` followers.

    Args:
        slots: how many slots to begin with; :meth:`grow` adds more.
        stride: most polygons any corridor of the store may hold; :meth:`widen` raises it.

    A new slot is blank: no corridor, capacity 0. :meth:`load_options` makes it usable.
    """

    def __init__(self, slots: cython.int, stride: cython.int):
        self.slots = 0
        self.stride = stride
        self.columns = {name: zeros(code, 0) for name, (code, _) in _LAYOUT.items()}
        self.columns["refs"] = zeros("Q", 0)
        self.grow(slots)

    @cython.ccall
    def grow(self, slots: cython.int):
        """Make room for at least ``slots`` slots. Columns are replaced; kernels must not be running."""
        if slots <= self.slots and self.slots > 0:
            return
        columns = self.columns
        for name, (_, per_slot) in _LAYOUT.items():
            columns[name] = grown(columns[name], slots * per_slot)
        columns["refs"] = grown(columns["refs"], slots * self.stride)
        self.slots = slots
        self.bind()

    @cython.ccall
    def widen(self, stride: cython.int):
        """Let corridors hold up to ``stride`` polygons, keeping what they hold. Kernels must not be running."""
        if stride <= self.stride:
            return
        old = self.columns["refs"]
        wide = zeros("Q", self.slots * stride)
        for slot in range(self.slots):
            count = self.columns["count"][slot]
            wide[slot * stride:slot * stride + count] = old[slot * self.stride:slot * self.stride + count]
        self.columns["refs"] = wide
        self.stride = stride
        self.bind()

    def clear(self, slot: int) -> None:
        """Make a slot blank: nothing in it, no options, capacity 0."""
        columns = self.columns
        for name, (_, per_slot) in _LAYOUT.items():
            column = columns[name]
            for i in range(slot * per_slot, (slot + 1) * per_slot):
                column[i] = 0
        columns["length"][slot] = inf

    def load_options(self, slot: int, options) -> None:
        """Copy :class:`FollowerOptions` into a slot's columns; the corridor's capacity is taken when it is still 0.

        Raises:
            OutOfRangeError: the corridor's capacity is set already and differs (a live corridor cannot change size).
        """
        columns = self.columns
        capacity = columns["capacity"][slot]
        if capacity not in (0, options.corridor_capacity):
            raise OutOfRangeError(
                "corridor_capacity", f"a live corridor holds {capacity}, not {options.corridor_capacity}")
        self.widen(options.corridor_capacity)
        columns["capacity"][slot] = options.corridor_capacity
        columns["known_revision"][slot] = -1
        for name in _OPTION_NAMES:
            if name == "search_extents":
                columns[name][3 * slot:3 * slot + 3] = array("d", options.search_extents)
            else:
                columns[name][slot] = getattr(options, name)

    @cython.ccall
    def bind(self):
        """Take every pointer again; to be called whenever a column was replaced."""
        columns = self.columns
        self.refs = reference_pointer(columns["refs"])
        self.capacity = int_pointer(columns["capacity"])
        self.count = int_pointer(columns["count"])
        self.flags = byte_pointer(columns["flags"])
        self.surface = double_pointer(columns["surface"])
        self.target = double_pointer(columns["target"])
        self.target_ref = reference_pointer(columns["target_ref"])
        self.state = byte_pointer(columns["state"])
        self.reached = byte_pointer(columns["reached"])
        self.step_count = reference_pointer(columns["step_count"])
        self.rounds = int_pointer(columns["rounds"])
        self.recoveries = int_pointer(columns["recoveries"])
        self.stuck_clock = double_pointer(columns["stuck_clock"])
        self.anchor = double_pointer(columns["anchor"])
        self.position = double_pointer(columns["position"])
        self.velocity = double_pointer(columns["velocity"])
        self.destination = double_pointer(columns["destination"])
        self.link_start = double_pointer(columns["link_start"])
        self.link_end = double_pointer(columns["link_end"])
        self.link_elapsed = double_pointer(columns["link_elapsed"])
        self.link_duration = double_pointer(columns["link_duration"])
        self.link_exit = reference_pointer(columns["link_exit"])
        self.remaining = double_pointer(columns["remaining"])
        self.max_speed = double_pointer(columns["max_speed"])
        self.max_acceleration = double_pointer(columns["max_acceleration"])
        self.slow_radius = double_pointer(columns["slow_radius"])
        self.arrival_min_speed = double_pointer(columns["arrival_min_speed"])
        self.arrival_radius = double_pointer(columns["arrival_radius"])
        self.max_corners = int_pointer(columns["max_corners"])
        self.validate_look_ahead = int_pointer(columns["validate_look_ahead"])
        self.optimize_interval = int_pointer(columns["optimize_interval"])
        self.optimize_range = double_pointer(columns["optimize_range"])
        self.optimize_budget = int_pointer(columns["optimize_budget"])
        self.topology_interval = int_pointer(columns["topology_interval"])
        self.topology_budget = int_pointer(columns["topology_budget"])
        self.replan_budget = int_pointer(columns["replan_budget"])
        self.max_replan_rounds = int_pointer(columns["max_replan_rounds"])
        self.stuck_window = double_pointer(columns["stuck_window"])
        self.stuck_progress = double_pointer(columns["stuck_progress"])
        self.max_stuck_recoveries = int_pointer(columns["max_stuck_recoveries"])
        self.off_mesh_mode = int_pointer(columns["off_mesh_mode"])
        self.off_mesh_speed = double_pointer(columns["off_mesh_speed"])
        self.off_mesh_trigger_radius = double_pointer(columns["off_mesh_trigger_radius"])
        self.search_extents = double_pointer(columns["search_extents"])
        self.refine_budget = int_pointer(columns["refine_budget"])
        self.corner_clearance = double_pointer(columns["corner_clearance"])
        self.held = byte_pointer(columns["held"])
        self.walking = byte_pointer(columns["walking"])
        self.full_speed = byte_pointer(columns["full_speed"])
        self.corner_kind = byte_pointer(columns["corner_kind"])
        self.corner_limit = int_pointer(columns["corner_limit"])
        self.corner = double_pointer(columns["corner"])
        self.length = double_pointer(columns["length"])
        self.wanted = double_pointer(columns["wanted"])
        self.entry = int_pointer(columns["entry"])
        self.entry_place = int_pointer(columns["entry_place"])
        self.known_revision = long_pointer(columns["known_revision"])
        self.sound = int_pointer(columns["sound"])
        self.exits = int_pointer(columns["exits"])
        self.string_count = int_pointer(columns["string_count"])
        self.string_index = int_pointer(columns["string_index"])
        self.string_flags = int_pointer(columns["string_flags"])
        self.string_xyz = double_pointer(columns["string_xyz"])
