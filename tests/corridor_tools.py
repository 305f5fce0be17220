"""What the tests of corridors and followers share: short ways to make them, walk them and measure them."""

from itertools import pairwise

from meshes import cell_mesh

from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.path_follower import PathFollower
from onepath.corridors.states import FollowerState
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import NodeModel

DT = 1.0 / 60.0


def grid_cells(width, depth):
    return [(x, z) for z in range(depth) for x in range(width)]


def grid(width, depth, **options):
    """A full grid of 2 × 2 quads and a query on it."""
    return NavMeshQuery(cell_mesh(grid_cells(width, depth), **options))


def strip_query(length, **options):
    """A row of quads along +X: quad i spans [2i, 2i + 2] × [0, 2]."""
    return grid(length, 1, **options)


def polygon_query(mesh, max_nodes=16384):
    return NavMeshQuery(mesh, max_nodes=max_nodes, model=NodeModel.POLYGON)


def ref_at(query, x, z, y=0.0, filter=None):
    ref, _point = query.find_nearest_poly((x, y, z), (0.5, 1.0, 0.5), filter)
    assert ref != 0
    return ref


def corridor_to(query, start, end, capacity=256, filter=None):
    """A corridor from start to end, planned."""
    ref, point = query.find_nearest_poly(start, (2.0, 4.0, 2.0), filter)
    corridor = PathCorridor(capacity)
    assert corridor.reset(ref, point)
    corridor.set_target(query, end, filter)
    corridor.replan(query, filter, 1 << 20)
    return corridor


def connected(query, corridor, filter=None):
    """Whether a corridor holds together: every polygon leads to the next one and none is there twice."""
    path = corridor.path
    pairs_ok = all(any(ref == b for ref, _kind in query.mesh.neighbours(a)) for a, b in pairwise(path))
    return pairs_ok and len(set(path)) == len(path)


def is_on_surface(query, ref, point, tolerance=1e-9):
    """Whether a point lies on the surface of a polygon."""
    result = query.closest_point_on_poly(ref, point)
    return result is not None and distance(result[0], point) <= tolerance


def distance(a, b):
    return sum((p - q) ** 2 for p, q in zip(a, b)) ** 0.5


def flat_distance(a, b):
    return ((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5


def flat_length(points):
    return sum(flat_distance(a, b) for a, b in pairwise(points))


def placed(query, position, options=None, filter=None):
    follower = PathFollower(options)
    assert follower.place(query, position, filter)
    return follower


def sent(query, position, destination, options=None, filter=None):
    """A follower that has been placed and sent."""
    follower = placed(query, position, options, filter)
    assert follower.set_destination(query, destination, filter)
    return follower


def walk(query, follower, dt=DT, filter=None, most=20000):
    """Step until the follower rests; return the points it went through, the first one included."""
    points = [follower.position]
    while follower.state in (FollowerState.MOVING, FollowerState.OFF_MESH_LINK):
        assert len(points) <= most, "it does not come to rest"
        follower.step(query, dt, filter)
        points.append(follower.position)
    return points


def fresh_corridor(query, ref, position, end, filter=None):
    """What a new search from a polygon and a place on it finds: the route, and the corners of its taut string."""
    fresh = PathCorridor(4096)
    fresh.reset(ref, position)
    fresh.set_target(query, end, filter)
    fresh.replan(query, filter, 1 << 20)
    return fresh


def path_length(points):
    """Length of a line through points, in 3D."""
    return sum(distance(a, b) for a, b in pairwise(points))


def random_point(rng, query, refs):
    """A random polygon of ``refs`` and a point inside it."""
    ref = rng.choice(refs)
    vertices = query.mesh.poly_vertices(ref)
    weights = [0.02 + rng.random() for _ in vertices]
    total = sum(weights)
    x, y, z = (sum(w * v[axis] for w, v in zip(weights, vertices)) / total for axis in range(3))
    return ref, (x, y, z)
