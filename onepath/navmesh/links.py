"""Off-mesh links in the columns: attaching their ends to polygons, and which polygon they leave from."""

from heapq import heappop, heappush

import cython

from onepath.buffers import grown
from cython.cimports.onepath.navmesh.locate import find_nearest
from cython.cimports.onepath.navmesh.store import MeshStore, SurfacePoint
from onepath.navmesh.store import SurfacePoint as _SurfacePoint


@cython.cclass
class LinkTable:
    """Every link of a mesh by id; the only writer of the link columns and of the polygons' link lists.

    The lowest free slot is taken: of those below ``used`` the least in the heap ``free``, else ``used`` itself. The
    last end of each polygon's list is in ``tails``, so that links added one after another are not looked through.
    """

    def __init__(self, mesh: MeshStore):
        self.mesh = mesh
        self.next_id = 0
        self.slots = {}
        self.links = {}
        self.ids = []
        self.free = []
        self.used = 0
        self.tails = {}
        self.spot = _SurfacePoint()

    def insert(self, link_id: int, link, enabled: cython.bint) -> None:
        """Add a link under an id that is not in use, and attach its ends where there is ground."""
        mesh: MeshStore = self.mesh
        slot: cython.int = self.used
        if self.free:
            slot = heappop(self.free)
        else:
            self.used += 1
            if slot >= mesh.link_capacity:
                self._grow(slot + 1)
        self.slots[link_id] = slot
        self.links[link_id] = link
        self.ids[slot] = link_id
        self.next_id = max(self.next_id, link_id + 1)
        mesh.link_area[slot] = link.area
        mesh.link_flags[slot] = link.flags
        mesh.link_state[slot] = (1 if enabled else 0) | (2 if link.bidirectional else 0)
        for which in range(2):
            mesh.link_poly[2 * slot + which] = mesh.link_next[2 * slot + which] = -1
            self._attach(2 * slot + which)

    def remove(self, link_id: int) -> None:
        """Take a link out."""
        mesh: MeshStore = self.mesh
        slot: cython.int = self.slots.pop(link_id)
        del self.links[link_id]
        self._detach(2 * slot)
        self._detach(2 * slot + 1)
        mesh.link_state[slot] = -1
        heappush(self.free, slot)

    def set_enabled(self, link_id: int, on: cython.bint) -> None:
        """Switch a link on or off."""
        mesh: MeshStore = self.mesh
        slot: cython.int = self.slots[link_id]
        mesh.link_state[slot] = (mesh.link_state[slot] & 2) | (1 if on else 0)

    def is_enabled(self, link_id: int) -> bool:
        """Tell whether a link is switched on (it may still be dormant)."""
        mesh: MeshStore = self.mesh
        slot: cython.int = self.slots[link_id]
        return (mesh.link_state[slot] & 1) != 0

    def ends(self, link_id: int):
        """Return the polygons (−1: none near) that start and end are attached to, and the two attached points."""
        mesh: MeshStore = self.mesh
        slot: cython.int = self.slots[link_id]
        start = (mesh.link_xyz[6 * slot], mesh.link_xyz[6 * slot + 1], mesh.link_xyz[6 * slot + 2])
        end = (mesh.link_xyz[6 * slot + 3], mesh.link_xyz[6 * slot + 4], mesh.link_xyz[6 * slot + 5])
        return mesh.link_poly[2 * slot], mesh.link_poly[2 * slot + 1], start, end

    def id_of_slot(self, slot: cython.int) -> int:
        """Return the id of the link in a slot."""
        return self.ids[slot]

    def detach_tile(self, tile: cython.int) -> None:
        """Take every link end off the polygons of a tile that is about to go."""
        mesh: MeshStore = self.mesh
        first: cython.int = mesh.tile_poly[tile]
        last: cython.int = first + mesh.tile_poly_count[tile]
        slot: cython.int
        end: cython.int
        for slot in self.slots.values():
            for end in range(2 * slot, 2 * slot + 2):
                if first <= mesh.link_poly[end] < last:
                    self._detach(end)

    def reattach_near(self, tx: cython.int, tz: cython.int) -> None:
        """Attach afresh every link end that could reach the tile coordinates (tx, tz), in order of id."""
        mesh: MeshStore = self.mesh
        slot: cython.int
        end: cython.int
        near = []
        for link_id in sorted(self.slots):
            slot = self.slots[link_id]
            link = self.links[link_id]
            for end in range(2 * slot, 2 * slot + 2):
                x, _y, z = link.start if end == 2 * slot else link.end
                if _within(mesh.origin_x, mesh.tile_size, tx, x, link.radius) and _within(
                        mesh.origin_z, mesh.tile_size, tz, z, link.radius):
                    self._detach(end)
                    near.append(end)
        # All off before the first is on again: so each is the last of its polygon's list when it comes.
        for end in near:
            self._attach(end)

    @cython.cfunc
    def _grow(self, count: cython.int):
        mesh: MeshStore = self.mesh
        mesh.link_state_column = grown(mesh.link_state_column, count, -1)
        mesh.link_capacity = len(mesh.link_state_column)
        mesh.link_area_column = grown(mesh.link_area_column, mesh.link_capacity)
        mesh.link_flags_column = grown(mesh.link_flags_column, mesh.link_capacity)
        mesh.link_poly_column = grown(mesh.link_poly_column, 2 * mesh.link_capacity, -1)
        mesh.link_next_column = grown(mesh.link_next_column, 2 * mesh.link_capacity, -1)
        mesh.link_xyz_column = grown(mesh.link_xyz_column, 6 * mesh.link_capacity)
        self.ids.extend([-1] * (mesh.link_capacity - len(self.ids)))
        mesh.bind()

    @cython.cfunc
    def _attach(self, end: cython.int):
        """Find the polygon nearest to a link end and chain the end into its list, by (link id, end)."""
        mesh: MeshStore = self.mesh
        spot: SurfacePoint = self.spot
        link = self.links[self.ids[end >> 1]]
        x, y, z = link.start if (end & 1) == 0 else link.end
        poly: cython.int = find_nearest(mesh, None, spot, x, y, z, link.radius, mesh.max_climb, link.radius)
        mesh.link_poly[end] = poly
        if poly < 0:
            spot.out_x, spot.out_y, spot.out_z = x, y, z
        mesh.link_xyz[3 * end] = spot.out_x
        mesh.link_xyz[3 * end + 1] = spot.out_y
        mesh.link_xyz[3 * end + 2] = spot.out_z
        if poly < 0:
            return
        previous: cython.int = self.tails.get(poly, -1)
        current: cython.int = -1
        if previous >= 0 and not self._comes_before(previous, end):
            previous = -1
            current = mesh.poly_link[poly]
            while self._comes_before(current, end):
                previous = current
                current = mesh.link_next[current]
        mesh.link_next[end] = current
        if current < 0:
            self.tails[poly] = end
        if previous < 0:
            mesh.poly_link[poly] = end
        else:
            mesh.link_next[previous] = end

    @cython.cfunc
    def _comes_before(self, end: cython.int, other: cython.int) -> cython.bint:
        """Tell whether a link end is listed before another: by id, the start of a link before its end."""
        if end >> 1 == other >> 1:
            return end < other
        return self.ids[end >> 1] < self.ids[other >> 1]

    @cython.cfunc
    def _detach(self, end: cython.int):
        mesh: MeshStore = self.mesh
        poly: cython.int = mesh.link_poly[end]
        if poly < 0:
            return
        previous: cython.int = -1
        current: cython.int = mesh.poly_link[poly]
        while current != end:
            previous = current
            current = mesh.link_next[current]
        if previous < 0:
            mesh.poly_link[poly] = mesh.link_next[end]
        else:
            mesh.link_next[previous] = mesh.link_next[end]
        if mesh.link_next[end] < 0:
            if previous < 0:
                del self.tails[poly]
            else:
                self.tails[poly] = previous
        mesh.link_next[end] = -1
        mesh.link_poly[end] = -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _within(origin: cython.double, size: cython.double, index: cython.int, value: cython.double,
            radius: cython.double) -> cython.bint:
    """Tell whether [value − radius, value + radius] touches the tiles' strip ``index``; one tile spans everything."""
    if size > 1e300:
        return True
    low: cython.double = origin + index * size
    return value + radius >= low - 1e-3 and value - radius <= low + size + 1e-3
