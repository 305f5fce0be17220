"""Working memory of one query: everything a search or a surface walk needs, allocated once, used by kernels.

Each thread has its own. Nothing in it is state: every operation sets what it reads.
"""

import cython

from onepath.buffers import grown, zeros
from onepath.errors import OnePathError
from onepath.navmesh.filter import ACCEPT_ALL
from cython.cimports.onepath.buffers import double_pointer, int_pointer
from cython.cimports.onepath.navmesh.store import MeshStore, SurfacePoint
from cython.cimports.onepath.queries.results import PathStatus

#: A surface walk or ray crosses at most this many polygons before it reports what it has.
VISITED_CAPACITY = 4096
#: Most wall pieces one lookup can return (a query object asked for more makes room).
WALL_CAPACITY = 256
#: Most polygons a search around a place looks at (a query object makes room for more, a crowd does not).
REACH_CAPACITY = 1024
#: Most corners one funnel run can write.
CORNER_CAPACITY = 4098


@cython.cclass
class QueryScratch(SurfacePoint):
    """The buffers of one query over one mesh.

    Args:
        mesh: the columns of the mesh.
        max_nodes: most search nodes (1..2^24).
        polygon_nodes: search with a node per polygon instead of a node per crossing.
    """

    def __init__(self, mesh: MeshStore, max_nodes: cython.int, polygon_nodes: cython.bint):
        SurfacePoint.__init__(self)
        self.mesh = mesh
        self.busy = False
        self.max_nodes = max_nodes
        self.polygon_nodes = polygon_nodes
        self.reserve_visited(VISITED_CAPACITY)
        self.reserve_walls(WALL_CAPACITY)
        self.reserve_reach(REACH_CAPACITY)
        self.reserve_corners(CORNER_CAPACITY)
        self.crossing_left_x = self.crossing_left_y = self.crossing_left_z = 0.0
        self.crossing_right_x = self.crossing_right_y = self.crossing_right_z = 0.0
        self.crossing_link = -1
        self.crossing_exit = 0
        self.any_filter = ACCEPT_ALL
        self.node_value_column = zeros("d", 5 * max_nodes)
        self.node_info_column = zeros("i", 4 * max_nodes)
        self.heap_f_column = zeros("d", max_nodes)
        self.heap_node_column = zeros("i", max_nodes)
        self.key_capacity = 0
        self.key_node_column = zeros("i", 0)
        self.poly_node_column = zeros("i", 0)
        # A route has at most one polygon per node.
        self.route_column = zeros("i", max_nodes)
        self.route_cost = 0.0
        self.node_count = self.heap_count = self.route_count = self.search_iterations = 0
        self.heap_hole = self.search_out_of_nodes = False
        # No search yet.
        self.search_status = PathStatus.INVALID_START
        self.search_start_ref = self.search_end_ref = 0
        self.search_end = self.search_goal = -1
        self.search_edit = -1
        self.start_x = self.start_y = self.start_z = self.end_x = self.end_y = self.end_z = 0.0
        self.search_end_cost = self.search_least_cost = 1.0
        self.fit()

    @cython.ccall
    def fit(self):
        """Make the buffers that are indexed by polygon or edge large enough for the mesh.

        To be called with the GIL before searches run; it allocates, and does anything, only after the mesh has grown.
        """
        mesh: MeshStore = self.mesh
        # Polygon nodes have polygons for keys.
        keys: cython.int = max(mesh.edge_capacity + mesh.portal_capacity + 2 * mesh.link_capacity, mesh.poly_capacity)
        polys: cython.int = len(self.poly_node_column)
        if keys <= self.key_capacity and mesh.poly_capacity <= polys:
            return
        self.key_node_column = grown(self.key_node_column, keys)
        self.poly_node_column = grown(self.poly_node_column, mesh.poly_capacity)
        self.key_capacity = len(self.key_node_column)
        self._bind()

    @cython.ccall
    def check_idle(self):
        """Refuse a question while another thread uses this memory or edits the mesh."""
        if self.busy:
            raise OnePathError("another thread is using this query object; make one for each thread")
        self.mesh.check_unchanging()

    @cython.ccall
    def begin_work(self):
        """Keep this memory and the mesh for kernels that are about to run without the interpreter lock."""
        self.check_idle()
        self.mesh.begin_reading()
        self.busy = True

    @cython.ccall
    def end_work(self):
        """Give both free again."""
        self.busy = False
        self.mesh.end_reading()

    @cython.cfunc
    def reserve_visited(self, count: cython.int):
        """Make room for the polygons that a ray or a walk crosses."""
        self.visited_capacity = count
        self.visited_column = zeros("i", count)
        self.visited = int_pointer(self.visited_column)

    @cython.cfunc
    def reserve_walls(self, count: cython.int):
        """Make room for the wall pieces of one lookup."""
        self.wall_capacity = count
        self.wall_count = 0
        self.wall_poly_column = zeros("i", count)
        self.wall_edge_column = zeros("i", count)
        self.wall_piece_column = zeros("i", count)
        self.wall_distance_column = zeros("d", count)
        self.wall_xyz_column = zeros("d", 6 * count)
        self.wall_poly = int_pointer(self.wall_poly_column)
        self.wall_edge = int_pointer(self.wall_edge_column)
        self.wall_piece = int_pointer(self.wall_piece_column)
        self.wall_distance = double_pointer(self.wall_distance_column)
        self.wall_xyz = double_pointer(self.wall_xyz_column)

    @cython.cfunc
    def reserve_reach(self, count: cython.int):
        """Make room for the polygons of one search around a place. ``count`` is a power of two."""
        self.reach_capacity = count
        self.reach_count = self.reach_stamp = 0
        self.reach_poly_column = zeros("i", count)
        self.reach_parent_column = zeros("i", count)
        self.reach_depth_column = zeros("i", count)
        self.reach_key_column = zeros("i", 2 * count)
        self.reach_mark_column = zeros("i", 2 * count)
        self.reach_poly = int_pointer(self.reach_poly_column)
        self.reach_parent = int_pointer(self.reach_parent_column)
        self.reach_depth = int_pointer(self.reach_depth_column)
        self.reach_key = int_pointer(self.reach_key_column)
        self.reach_mark = int_pointer(self.reach_mark_column)

    @cython.cfunc
    def reserve_corners(self, count: cython.int):
        """Make room for the corners of one straight path."""
        self.corner_capacity = count
        self.corner_count = 0
        self.corner_xyz_column = zeros("d", 3 * count)
        self.corner_flags_column = zeros("i", count)
        self.pass_kind_column = zeros("i", count)
        self.pass_xyz_column = zeros("d", 6 * count)
        self.corner_index_column = zeros("i", count)
        self.corner_xyz = double_pointer(self.corner_xyz_column)
        self.corner_flags = int_pointer(self.corner_flags_column)
        self.pass_kind = int_pointer(self.pass_kind_column)
        self.pass_xyz = double_pointer(self.pass_xyz_column)
        self.corner_index = int_pointer(self.corner_index_column)

    @cython.cfunc
    def _bind(self):
        self.node_value = double_pointer(self.node_value_column)
        self.node_info = int_pointer(self.node_info_column)
        self.heap_f = double_pointer(self.heap_f_column)
        self.heap_node = int_pointer(self.heap_node_column)
        self.key_node = int_pointer(self.key_node_column)
        self.poly_node = int_pointer(self.poly_node_column)
        self.route = int_pointer(self.route_column)
