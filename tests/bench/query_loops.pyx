# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Loops over the core's query kernels, compiled for the benchmark as the peers' loops are compiled in C++."""

from onepath.navmesh.filter cimport QueryFilter
from onepath.navmesh.locate cimport find_nearest
from onepath.navmesh.store cimport MeshStore, poly_of_ref, ref_of_poly
from onepath.queries.funnel cimport find_corners_filtered
from onepath.queries.raycast cimport raycast
from onepath.queries.scratch cimport QueryScratch
from onepath.queries.search cimport begin_search, finish_search, update_search
from onepath.queries.surface cimport move_along_surface

cdef int _SUCCESS = 0
cdef int _MAX_PATH = 4096
cdef int _MAX_CROSSED = 256
cdef int _NO_BUDGET = 0x7FFFFFFF
cdef double _INFINITY = float("inf")


cdef class QueryLoops:
    """One query's working memory, and a loop for each operation over rows of x, z (the fields are flat).

    Every loop begins with polygon references, as a caller holds them, and runs all rows `repeats` times.
    """

    cdef QueryScratch scratch
    cdef QueryFilter filter
    cdef MeshStore mesh
    cdef readonly double nodes, complete

    def __init__(self, QueryScratch scratch, QueryFilter filter):
        self.scratch = scratch
        self.filter = filter
        self.mesh = scratch.mesh

    def refs_at(self, const double[:, ::1] places, unsigned long long[::1] refs):
        """Write the reference of the polygon under each place."""
        cdef Py_ssize_t i
        for i in range(places.shape[0]):
            refs[i] = ref_of_poly(
                self.mesh, find_nearest(self.mesh, self.filter, self.scratch, places[i, 0], 0, places[i, 1], 2, 4, 2)
            )

    def nearest(self, const double[:, ::1] places, double half_width, int repeats):
        """Return how many places a polygon was found for."""
        cdef long long found = 0
        cdef Py_ssize_t i
        cdef int turn
        with nogil:
            for turn in range(repeats):
                for i in range(places.shape[0]):
                    found += find_nearest(
                        self.mesh, self.filter, self.scratch, places[i, 0], 0, places[i, 1], half_width, 4, half_width
                    ) >= 0
        return found

    def cast(self, const unsigned long long[::1] refs, const double[:, ::1] rays, int repeats):
        """Return how many rays hit a wall."""
        cdef long long hits = 0
        cdef Py_ssize_t i
        cdef int turn
        with nogil:
            for turn in range(repeats):
                for i in range(rays.shape[0]):
                    raycast(
                        self.scratch, self.filter, poly_of_ref(self.mesh, refs[i]), rays[i, 0], rays[i, 1],
                        rays[i, 2], rays[i, 3], _MAX_CROSSED
                    )
                    hits += self.scratch.hit_t < _INFINITY
        return hits

    def move(self, const unsigned long long[::1] refs, const double[:, ::1] legs, int repeats):
        """Return the sum of all displacements along x and z."""
        cdef double travelled = 0
        cdef Py_ssize_t i
        cdef int turn
        with nogil:
            for turn in range(repeats):
                for i in range(legs.shape[0]):
                    move_along_surface(
                        self.scratch, self.filter, poly_of_ref(self.mesh, refs[i]), legs[i, 0], legs[i, 1],
                        legs[i, 2], legs[i, 3]
                    )
                    travelled += self.scratch.out_x - legs[i, 0] + self.scratch.out_z - legs[i, 1]
        return travelled

    cdef int _search(self, unsigned long long first, unsigned long long last, const double* pair) noexcept nogil:
        begin_search(
            self.scratch, self.filter, poly_of_ref(self.mesh, first), poly_of_ref(self.mesh, last),
            pair[0], 0, pair[1], pair[2], 0, pair[3]
        )
        update_search(self.scratch, self.filter, _NO_BUDGET)
        return finish_search(self.scratch, _MAX_PATH)

    def find_paths(self, const unsigned long long[:, ::1] ends, const double[:, ::1] pairs, int repeats):
        """Run all searches; `complete` is the share that reached the end, `nodes` the mean of the nodes made."""
        cdef long long complete = 0, nodes = 0
        cdef Py_ssize_t i
        cdef int turn
        with nogil:
            for turn in range(repeats):
                for i in range(pairs.shape[0]):
                    complete += self._search(ends[i, 0], ends[i, 1], &pairs[i, 0]) == _SUCCESS
                    nodes += self.scratch.node_count
        self.complete = complete / <double>(repeats * pairs.shape[0])
        self.nodes = nodes / <double>(repeats * pairs.shape[0])

    def routes(self, const unsigned long long[:, ::1] ends, const double[:, ::1] pairs):
        """Return the route of each pair as a list of references."""
        cdef Py_ssize_t i
        cdef int k
        found = []
        for i in range(pairs.shape[0]):
            self._search(ends[i, 0], ends[i, 1], &pairs[i, 0])
            found.append([ref_of_poly(self.mesh, self.scratch.route[k]) for k in range(self.scratch.route_count)])
        return found

    def pull(
        self, unsigned long long[::1] refs, const int[::1] first, const double[:, ::1] pairs, int max_corners, int repeats
    ):
        """String-pull routes laid end to end in `refs`, route i being refs[first[i] : first[i + 1]]; return the corners."""
        cdef long long corners = 0
        cdef Py_ssize_t i
        cdef int turn
        with nogil:
            for turn in range(repeats):
                for i in range(pairs.shape[0]):
                    corners += find_corners_filtered(
                        self.scratch, self.scratch.any_filter, pairs[i, 0], 0, pairs[i, 1], pairs[i, 2], 0,
                        pairs[i, 3], &refs[0], first[i], first[i + 1] - first[i], max_corners
                    )
        return corners

    def walked(self, unsigned long long[::1] refs, const int[::1] first, const double[:, ::1] pairs):
        """Return the summed length of the pulled routes."""
        cdef double total = 0
        cdef double* xyz
        cdef Py_ssize_t i
        cdef int count, k
        for i in range(pairs.shape[0]):
            count = find_corners_filtered(
                self.scratch, self.scratch.any_filter, pairs[i, 0], 0, pairs[i, 1], pairs[i, 2], 0, pairs[i, 3],
                &refs[0], first[i], first[i + 1] - first[i], _MAX_PATH
            )
            xyz = self.scratch.corner_xyz
            for k in range(1, count):
                total += ((xyz[3 * k] - xyz[3 * k - 3]) ** 2 + (xyz[3 * k + 2] - xyz[3 * k - 1]) ** 2) ** 0.5
        return total
