"""The agents of a crowd as flat columns; their followers are a :class:`FollowerStore` with the same slots.

Agents: ``active``, ``id``, ``priority``, the flags ``walking`` and ``crossing`` of the last step, and the settings that
    kernels read. ``options_row`` is the row of :class:`~onepath.crowds.settings.SettingsTable` with all settings.
    ``solved`` is the velocity in X/Z that the avoid phase chose, ``settles`` marks those that count as arrived with
    their group. ``waiter`` and ``crosser`` list the slots that wait at links and cross them, in steps in which
    any wait.
Wall caches: slot ``s`` owns ``wall_poly[s · max_walls ..]`` and ``wall_edge[..]`` (edge number in the low byte, number
    of the piece along that edge above it); ``wall_stamp`` is the mesh's revision when they were looked up (−1:
    never, or it failed) and ``wall_centre`` the place where. The ends of a piece come from the mesh: the cache is only
    read while the stamp is current.
Snapshot: what every agent sees of the others in a step, sorted by (grid cell, slot): ``sorted_*``; ``rank`` leads from
    a slot to its place there. The agents of grid cell ``c`` are ``cell_start[c] .. cell_start[c + 1] − 1``.
"""

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer, long_pointer
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.navmesh.filter import QueryFilter
from cython.cimports.onepath.navmesh.store import MeshStore

#: Cells of the smallest grid.
SMALLEST_GRID = 256

# column → (type code, elements per slot)
_AGENT_LAYOUT = {
    "active": ("B", 1),
    "crossing": ("B", 1),
    "walking": ("B", 1),
    "quality": ("B", 1),
    "group_arrival": ("B", 1),
    "yields": ("B", 1),
    "settles": ("B", 1),
    "max_neighbors": ("i", 1),
    "options_row": ("i", 1),
    "layers": ("i", 1),
    "id": ("q", 1),
    "priority": ("d", 1),
    "radius": ("d", 1),
    "height": ("d", 1),
    "horizon": ("d", 1),
    "neighbor_distance": ("d", 1),
    "wall_clearance": ("d", 1),
    "wall_reach": ("d", 1),
    "separation_distance": ("d", 1),
    "separation_weight": ("d", 1),
    "side_preference": ("d", 1),
    "squeeze": ("d", 1),
    "solved": ("d", 2),
    "waiter": ("i", 1),
    "crosser": ("i", 1),
    "wall_count": ("i", 1),
    "wall_stamp": ("q", 1),
    "wall_centre": ("d", 3),
    "rank": ("i", 1),
    "sorted_slot": ("i", 1),
    "cell_of": ("i", 1),
    "sorted_x": ("d", 1),
    "sorted_y": ("d", 1),
    "sorted_z": ("d", 1),
    "sorted_vx": ("d", 1),
    "sorted_vz": ("d", 1),
    "line_count": ("i", 1),
    "line_walls": ("i", 1),
}


@cython.cclass
class CrowdStore:
    """Columns of one crowd.

    Args:
        followers: the followers, slot by slot.
        mesh, filter: what they walk on.
        options: the :class:`~onepath.crowds.options.CrowdOptions`.
        max_lines: most half-planes an agent can have.
    """

    def __init__(self, followers: FollowerStore, mesh: MeshStore, filter: QueryFilter, options, max_lines: cython.int):
        self.followers = followers
        self.mesh = mesh
        self.filter = filter
        self.slot_count = self.agent_count = self.lowest_free = 0
        self.next_id = 0
        self.step_count = 0
        self.max_walls = options.max_walls_per_agent
        self.max_walls_avoided = options.max_walls_avoided
        self.wall_horizon = options.wall_horizon
        self.refresh_distance = options.wall_refresh_distance
        self.recording = options.record_constraints
        self.queues_at_links = options.queue_at_links
        self.replan_budget = options.replan_budget_per_step
        self.max_lines = max_lines
        self.heights = False
        self.waiter_count = self.crosser_count = 0
        self.widest_radius = 0.0
        self.grid_x = self.grid_z = 0.0
        self.grid_cell = 1.0
        self.grid_columns = self.grid_rows = 0
        self.capacity = 0
        self.columns = {name: zeros(code, 0) for name, (code, _) in _AGENT_LAYOUT.items()}
        self.columns["wall_poly"] = zeros("i", 0)
        self.columns["wall_edge"] = zeros("i", 0)
        self.columns["line"] = zeros("d", 0)
        self.columns["cell_start"] = zeros("i", 0)
        self.grow(0)

    @cython.ccall
    def grow(self, slots: cython.int):
        """Make room for at least ``slots`` slots (an eighth more than asked). Kernels must not be running."""
        if slots <= self.capacity and self.capacity > 0:
            return
        capacity: cython.int = slots + slots // 8 + 8
        columns = self.columns
        for name, (_, per_slot) in _AGENT_LAYOUT.items():
            columns[name] = _lengthened(columns[name], capacity * per_slot)
        columns["wall_poly"] = _lengthened(columns["wall_poly"], capacity * self.max_walls)
        columns["wall_edge"] = _lengthened(columns["wall_edge"], capacity * self.max_walls)
        columns["cell_start"] = _lengthened(columns["cell_start"], max(SMALLEST_GRID, capacity) + 2)
        if self.recording:
            columns["line"] = _lengthened(columns["line"], capacity * self.max_lines * 4)
        self.followers.grow(capacity)
        self.capacity = capacity
        self.bind()

    @cython.ccall
    def bind(self):
        """Take every pointer again; to be called whenever a column was replaced."""
        columns = self.columns
        self.active = byte_pointer(columns["active"])
        self.crossing = byte_pointer(columns["crossing"])
        self.walking = byte_pointer(columns["walking"])
        self.quality = byte_pointer(columns["quality"])
        self.group_arrival = byte_pointer(columns["group_arrival"])
        self.yields = byte_pointer(columns["yields"])
        self.settles = byte_pointer(columns["settles"])
        self.max_neighbors = int_pointer(columns["max_neighbors"])
        self.options_row = int_pointer(columns["options_row"])
        self.layers = int_pointer(columns["layers"])
        self.id = long_pointer(columns["id"])
        self.priority = double_pointer(columns["priority"])
        self.radius = double_pointer(columns["radius"])
        self.height = double_pointer(columns["height"])
        self.horizon = double_pointer(columns["horizon"])
        self.neighbor_distance = double_pointer(columns["neighbor_distance"])
        self.wall_clearance = double_pointer(columns["wall_clearance"])
        self.wall_reach = double_pointer(columns["wall_reach"])
        self.separation_distance = double_pointer(columns["separation_distance"])
        self.separation_weight = double_pointer(columns["separation_weight"])
        self.side_preference = double_pointer(columns["side_preference"])
        self.squeeze = double_pointer(columns["squeeze"])
        self.solved = double_pointer(columns["solved"])
        self.waiter = int_pointer(columns["waiter"])
        self.crosser = int_pointer(columns["crosser"])
        self.wall_poly = int_pointer(columns["wall_poly"])
        self.wall_edge = int_pointer(columns["wall_edge"])
        self.wall_count = int_pointer(columns["wall_count"])
        self.wall_stamp = long_pointer(columns["wall_stamp"])
        self.wall_centre = double_pointer(columns["wall_centre"])
        self.line_count = int_pointer(columns["line_count"])
        self.line_walls = int_pointer(columns["line_walls"])
        self.line = double_pointer(columns["line"])
        self.rank = int_pointer(columns["rank"])
        self.sorted_slot = int_pointer(columns["sorted_slot"])
        self.cell_of = int_pointer(columns["cell_of"])
        self.sorted_x = double_pointer(columns["sorted_x"])
        self.sorted_y = double_pointer(columns["sorted_y"])
        self.sorted_z = double_pointer(columns["sorted_z"])
        self.sorted_vx = double_pointer(columns["sorted_vx"])
        self.sorted_vz = double_pointer(columns["sorted_vz"])
        self.cell_start = int_pointer(columns["cell_start"])

    def load_options(self, slot: int, options) -> None:
        """Copy what kernels read of :class:`~onepath.crowds.options.AgentOptions` into a slot and into its follower."""
        self.followers.load_options(slot, options.to_follower_options())
        columns = self.columns
        for name in ("priority", "radius", "height", "neighbor_distance", "wall_clearance", "separation_distance",
                     "separation_weight", "side_preference", "squeeze", "group_arrival", "layers"):
            columns[name][slot] = getattr(options, name)
        columns["wall_reach"][slot] = options.wall_reach_within(self.wall_horizon)
        columns["quality"][slot] = options.quality
        columns["max_neighbors"][slot] = options.quality.max_neighbors
        columns["horizon"][slot] = options.quality.time_horizon
        columns["yields"][slot] = options.yield_and_return
        self.wall_stamp[slot] = -1

    def clear(self, slot: int) -> None:
        """Make a slot blank, its follower too."""
        columns = self.columns
        self.followers.clear(slot)
        for name, (_, per_slot) in _AGENT_LAYOUT.items():
            if not name.startswith("sorted_"):
                column = columns[name]
                for i in range(slot * per_slot, (slot + 1) * per_slot):
                    column[i] = 0
        self.wall_stamp[slot] = -1


def _lengthened(column, count: int):
    """Return ``column`` followed by zeros up to ``count`` elements."""
    return column + zeros(column.typecode, count - len(column)) if count > len(column) else column
