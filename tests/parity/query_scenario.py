"""Mixed queries and edits on two fields, folded into one hash."""

import random
import struct

from onepath import NavMeshQuery, NodeModel, OffMeshLink, QueryFilter, TiledNavMesh
from onepath.packing import fnv1a_64

QUERIES_PER_FIELD = 1100
EDITS_PER_FIELD = 110


class Fold:
    """Collects results by their bits."""

    def __init__(self):
        self.parts = []

    def add(self, *values):
        for value in values:
            if isinstance(value, float):
                self.parts.append(struct.pack("<d", value))
            elif isinstance(value, int):
                self.parts.append(struct.pack("<Q", value & 0xFFFFFFFFFFFFFFFF))
            elif isinstance(value, bytes):
                self.parts.append(value)
            elif value is None:
                self.parts.append(b"-")
            else:
                self.add(len(value), *value)

    def hash(self):
        return fnv1a_64(b"".join(self.parts))


def sloped_grid(rng):
    """A grid of slopes with holes, links and small tiles."""
    size = 20
    rows = [[rng.random() > 0.15 for _ in range(size)] for _ in range(size)]
    heights = [[rng.uniform(0.0, 0.8) for _ in range(size + 1)] for _ in range(size + 1)]
    links = [OffMeshLink((rng.uniform(0, 30), 0.4, rng.uniform(0, 30)), (rng.uniform(0, 30), 0.4, rng.uniform(0, 30)),
                         bidirectional=rng.random() < 0.5, area=rng.randrange(4)) for _ in range(12)]
    return TiledNavMesh.from_grid(rows, 1.5, heights=heights, tile_cells=5, links=links)


def triangles(rng):
    """Jittered triangles far from the origin, cut into tiles, partly merged."""
    size, step, far = 14, 1.7, 1000.0
    vertices = [(far + x * step + rng.uniform(-0.5, 0.5), rng.uniform(0, 0.4), z * step + rng.uniform(-0.5, 0.5))
                for z in range(size + 1) for x in range(size + 1)]
    polygons = []
    for z in range(size):
        for x in range(size):
            if rng.random() < 0.12:
                continue
            a = z * (size + 1) + x
            polygons += [(a, a + 1, a + size + 2), (a, a + size + 2, a + size + 1)]
    return TiledNavMesh.from_polygons(vertices, polygons, tile_size=8.0, origin=(far, 0.0), merge=True)


def bounds(mesh):
    corners = [v for key in mesh.tiles() for ref in mesh.tile_polygons(*key) for v in mesh.poly_vertices(ref)]
    return [(min(v[axis] for v in corners), max(v[axis] for v in corners)) for axis in range(3)]


def point(rng, box):
    return (rng.uniform(*box[0]), rng.uniform(box[1][0] - 1.0, box[1][1] + 1.0), rng.uniform(*box[2]))


def edit(mesh, rng, taken, fold):
    choice = rng.randrange(6)
    tiles = mesh.tiles()
    if choice == 0 and len(tiles) > 4:
        taken.append(mesh.remove_tile(*rng.choice(tiles)))
    elif choice == 1 and taken:
        mesh.add_tile(taken.pop())
    elif choice == 2:
        mesh.replace_tile(mesh.tile_data(*rng.choice(tiles)))
    elif choice == 3 and mesh.links():
        mesh.set_link_enabled(rng.choice(mesh.links())[0], rng.random() < 0.5)
    else:
        refs = mesh.tile_polygons(*rng.choice(tiles))
        if refs:
            mesh.set_poly_area(rng.choice(refs), rng.randrange(4))
            mesh.set_poly_flags(rng.choice(refs), rng.choice([1, 1, 1, 2, 3]))
    fold.add(mesh.edit_count, fnv1a_64(mesh.save_state()))


def ask(queries, rng, box, filter, fold):
    query = rng.choice(queries)
    p, q = point(rng, box), point(rng, box)
    extents = (rng.uniform(0.5, 4.0), 3.0, rng.uniform(0.5, 4.0))
    ref, start = query.find_nearest_poly(p, extents, filter)
    end_ref, end = query.find_nearest_poly(q, (4.0, 4.0, 4.0), filter)
    fold.add(ref, start, end_ref, end)
    if not ref or not end_ref:
        return
    choice = rng.randrange(8)
    if choice == 0:
        fold.add(*query.raycast(ref, start, end, filter))
    elif choice == 1:
        fold.add(*query.move_along_surface(ref, start, end, filter))
    elif choice == 2:
        for wall in query.find_walls(ref, start, rng.uniform(0.5, 4.0), filter=filter):
            fold.add(*wall)
    elif choice == 3:
        fold.add(query.find_distance_to_wall(ref, start, 5.0, filter), query.poly_height(ref, start),
                 query.closest_point_on_poly(end_ref, p), query.find_random_point(rng.randrange(1 << 30), filter))
    else:
        result = query.find_path(ref, end_ref, start, end, filter)
        fold.add(int(result.status), result.refs, result.cost, result.out_of_nodes, result.iterations)
        corners = query.find_straight_path(start, end, result.refs)
        for corner in corners or ():
            fold.add(corner.point, int(corner.flags), corner.ref)


def run() -> int:
    """Return the hash of the whole scenario."""
    fold = Fold()
    for seed, make in enumerate((sloped_grid, triangles)):
        rng = random.Random(seed)
        mesh = make(rng)
        box = bounds(mesh)
        filters = [None, QueryFilter(costs={1: 2.5, 2: 0.5}), QueryFilter(include=1, forbidden_areas=(3,))]
        queries = [NavMeshQuery(mesh), NavMeshQuery(mesh, 64), NavMeshQuery(mesh, model=NodeModel.POLYGON)]
        taken = []
        for number in range(QUERIES_PER_FIELD):
            if number % (QUERIES_PER_FIELD // EDITS_PER_FIELD) == 0:
                edit(mesh, rng, taken, fold)
            ask(queries, rng, box, rng.choice(filters), fold)
        fold.add(mesh.to_bytes())
    return fold.hash()
