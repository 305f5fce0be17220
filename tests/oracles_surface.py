"""Brute force for point queries, from what a mesh says about itself in public: outlines and neighbours."""

from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot, inf

import numpy as np

EPSILON = 1e-9
#: How far along a line the places may differ at which it leaves one polygon and enters the next: a line that meets an
#: edge at a small angle does so with its rounding error multiplied.
ALONG = 1e-7


@dataclass
class Passage:
    """A piece of a polygon's edge with a polygon behind it."""

    edge: int
    a: tuple[float, float, float]
    b: tuple[float, float, float]
    other: int


@dataclass
class Outline:
    """A polygon: its corners, what is behind its edges, and which pieces of them are walls."""

    ref: int
    corners: list[tuple[float, float, float]]
    passages: list[Passage] = field(default_factory=list)
    walls: list[tuple[int, tuple, tuple]] = field(default_factory=list)

    def edges(self):
        return list(enumerate(zip(self.corners, self.corners[1:] + self.corners[:1])))


class Survey:
    """All polygons of a mesh with passages and walls, found by comparing outlines. ``refused`` polygons are walls."""

    def __init__(self, mesh, refs, refused=()):
        self.outlines = {ref: Outline(ref, mesh.poly_vertices(ref)) for ref in refs}
        self.refused = set(refused)
        for outline in self.outlines.values():
            neighbours = mesh.neighbours(outline.ref)
            for number, (a, b) in outline.edges():
                covered = self._passages_of(outline, neighbours, number, a, b)
                at = 0.0
                for low, high in [*sorted(covered), (1.0, 1.0)]:
                    if (low - at) * hypot(b[0] - a[0], b[2] - a[2]) > 1e-6:
                        outline.walls.append((number, between(a, b, at), between(a, b, low)))
                    at = max(at, high)
        self._lay_out()

    def _lay_out(self):
        """Edges of all polygons and walls of all polygons as arrays, for asking all of them at once."""
        outlines = list(self.outlines.values())
        self.refs = [outline.ref for outline in outlines]
        edges = [edge for outline in outlines for _, edge in outline.edges()]
        self.edge_a = np.array([(a[0], a[2]) for a, _ in edges])
        self.edge_b = np.array([(b[0], b[2]) for _, b in edges])
        self.first_edges = np.cumsum([0] + [len(outline.corners) for outline in outlines])[:-1]
        self.walls = [(outline.ref, *wall) for outline in outlines for wall in outline.walls]
        self.wall_a = np.array([(a[0], a[2]) for _, _, a, _ in self.walls])
        self.wall_b = np.array([(b[0], b[2]) for _, _, _, b in self.walls])

    def distances(self, x, z):
        """Distance in X/Z of each polygon, by reference; 0 inside."""
        inside = np.minimum.reduceat(sides(self.edge_a, self.edge_b, x, z), self.first_edges) >= 0.0
        nearest = np.minimum.reduceat(segment_distances(self.edge_a, self.edge_b, x, z), self.first_edges)
        return dict(zip(self.refs, np.where(inside, 0.0, nearest).tolist()))

    def _passages_of(self, outline, neighbours, number, a, b):
        covered = []
        for ref, kind in neighbours:
            if kind == "link" or ref in self.refused:
                continue
            for _, (c, d) in self.outlines[ref].edges():
                if kind == "edge" and (a, b) == (d, c):
                    low, high = 0.0, 1.0
                elif kind == "portal" and facing(a, b, c, d):
                    low, high = sorted((along(a, b, c), along(a, b, d)))
                    low, high = max(low, 0.0), min(high, 1.0)
                else:
                    continue
                if high > low:
                    covered.append((low, high))
                    outline.passages.append(Passage(number, between(a, b, low), between(a, b, high), ref))
        return covered


def between(a, b, t):
    return b if t >= 1.0 else tuple(p + (q - p) * t for p, q in zip(a, b))


def along(a, b, p):
    dx, dz = b[0] - a[0], b[2] - a[2]
    return ((p[0] - a[0]) * dx + (p[2] - a[2]) * dz) / (dx * dx + dz * dz)


def side(a, b, p):
    """Distance of p from the line through a and b, positive on the walkable side."""
    dx, dz = b[0] - a[0], b[2] - a[2]
    return (dx * (p[2] - a[2]) - dz * (p[0] - a[0])) / hypot(dx, dz)


def sides(a, b, x, z):
    """:func:`side` of one place for many edges, as (n, 2) arrays of x and z."""
    d = b - a
    return (d[:, 0] * (z - a[:, 1]) - d[:, 1] * (x - a[:, 0])) / np.hypot(d[:, 0], d[:, 1])


def segment_distances(a, b, x, z):
    """Distance in X/Z from one place to many edges."""
    d = b - a
    t = ((x - a[:, 0]) * d[:, 0] + (z - a[:, 1]) * d[:, 1]) / (d**2).sum(axis=1)
    nearest = np.where((t >= 1.0)[:, None], b, a + np.clip(t, 0.0, 1.0)[:, None] * d)
    return np.hypot(nearest[:, 0] - x, nearest[:, 1] - z)


def facing(a, b, c, d):
    """Whether edge c→d lies on the line of a→b and runs against it."""
    opposed = (b[0] - a[0]) * (d[0] - c[0]) + (b[2] - a[2]) * (d[2] - c[2]) < 0
    return opposed and abs(side(a, b, c)) < 1e-6 and abs(side(a, b, d)) < 1e-6


def segment_distance(a, b, x, z):
    """Distance in X/Z, and the parameter of the nearest point."""
    t = min(max(along(a, b, (x, 0.0, z)), 0.0), 1.0)
    p = between(a, b, t)
    return hypot(p[0] - x, p[2] - z), t


def closest_points(corners, points):
    """The closest point of one polygon to each of n places, by all edges and all triangles of the fan at corner 0."""
    corners = np.asarray(corners)
    best = np.full(len(points), inf)
    result = np.empty_like(points)
    inside = np.ones(len(points), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0)):
        d = b - a
        to = points - a
        inside &= d[0] * to[:, 2] - d[2] * to[:, 0] >= 0.0
        t = np.clip((to[:, 0] * d[0] + to[:, 2] * d[2]) / (d[0] ** 2 + d[2] ** 2), 0.0, 1.0)
        on_edge = a + t[:, None] * d
        distance = np.hypot(on_edge[:, 0] - points[:, 0], on_edge[:, 2] - points[:, 2])
        nearer = distance < best
        best[nearer] = distance[nearer]
        result[nearer] = on_edge[nearer]
    result[inside] = points[inside]
    result[inside, 1] = fan_heights(corners, points[inside])
    return result, inside


def fan_heights(corners, points):
    """Heights of a polygon's fan at places inside: of the triangle in which the least weight is largest."""
    heights = np.full(len(points), np.nan)
    depth = np.full(len(points), -inf)
    o = corners[0]
    for b, c in pairwise(corners):
        u, v = b - o, c - o
        area = u[0] * v[2] - u[2] * v[0]
        if area <= 1e-9:
            continue
        to = points - o
        weight_b = (to[:, 0] * v[2] - to[:, 2] * v[0]) / area
        weight_c = (u[0] * to[:, 2] - u[2] * to[:, 0]) / area
        least = np.minimum(np.minimum(weight_b, weight_c), 1.0 - weight_b - weight_c)
        deeper = least > depth
        depth[deeper] = least[deeper]
        heights[deeper] = (o[1] + weight_b * u[1] + weight_c * v[1])[deeper]
    return heights


def nearest_polys(outlines, points, extents):
    """(refs, distances) of the nearest polygon to each place, by asking every polygon."""
    refs = np.array([outline.ref for outline in outlines], dtype=np.uint64)
    offsets = np.stack([closest_points(outline.corners, points)[0] - points for outline in outlines])
    distances = np.sqrt((offsets**2).sum(axis=2))
    distances[(np.abs(offsets) > np.asarray(extents)).any(axis=2)] = inf
    least = distances.min(axis=0)
    rises = np.where(distances <= least + EPSILON, np.abs(offsets[:, :, 1]), inf)
    level = rises <= rises.min(axis=0) + EPSILON
    chosen = np.where(level, refs[:, None], np.uint64(2**64 - 1)).min(axis=0)
    chosen[np.isinf(least)] = 0
    return chosen, least


def ray_spans(survey, start, end):
    """For each polygon that a line touches: the parameters between which it is in the outline (rim included)."""
    at_start = sides(survey.edge_a, survey.edge_b, start[0], start[2]) + EPSILON
    at_end = sides(survey.edge_a, survey.edge_b, end[0], end[2]) + EPSILON
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = at_start / (at_start - at_end)
    low = np.where((at_start < 0.0) & (at_end >= 0.0), crossing, 0.0)
    high = np.where((at_start >= 0.0) & (at_end < 0.0), crossing, 1.0)
    high[(at_start < 0.0) & (at_end < 0.0)] = -1.0
    low = np.maximum.reduceat(low, survey.first_edges)
    high = np.minimum.reduceat(high, survey.first_edges)
    return {survey.refs[i]: (low[i], high[i]) for i in np.flatnonzero(low <= high)}


def ray_region(survey, ref, start, end):
    """The polygons that a line comes to which stays on the surface, touching allowed, and where it leaves each.

    Polygons that the line touches are joined where it touches a passage between them while in both.
    """
    spans = ray_spans(survey, start, end)
    length = hypot(end[0] - start[0], end[2] - start[2])
    reached, todo = {ref}, [ref]
    while todo:
        here = todo.pop()
        for passage in survey.outlines[here].passages:
            if passage.other in reached or passage.other not in spans:
                continue
            low = max(spans[here][0], spans[passage.other][0])
            high = min(spans[here][1], spans[passage.other][1])
            if touches(passage, start, end, low - ALONG / length, high + ALONG / length):
                reached.add(passage.other)
                todo.append(passage.other)
    return {other: spans[other][1] for other in reached}


def ray_reach(survey, ref, start, end):
    """How far such a line gets: the fraction, or infinity for all the way."""
    far = max(ray_region(survey, ref, start, end).values())
    return inf if far >= 1.0 else far


def touches(passage, start, end, low, high):
    """Whether a line comes to a passage at a parameter within [low, high]."""
    at_a, at_b = side(start, end, passage.a), side(start, end, passage.b)
    if (at_a > EPSILON and at_b > EPSILON) or (at_a < -EPSILON and at_b < -EPSILON):
        return False
    if abs(at_a) <= EPSILON and abs(at_b) <= EPSILON:
        ends = sorted((along(start, end, passage.a), along(start, end, passage.b)))
        return ends[0] <= high and ends[1] >= low
    crossing = between(passage.a, passage.b, min(max(at_a / (at_a - at_b), 0.0), 1.0)) if at_a != at_b else passage.a
    return low <= along(start, end, crossing) <= high


def circle_region(survey, ref, x, z, radius):
    """The polygons joined to one by polygons that come within a circle."""
    distances = survey.distances(x, z)
    reached, todo = {ref}, [ref]
    while todo:
        for passage in survey.outlines[todo.pop()].passages:
            if passage.other not in reached and distances[passage.other] <= radius:
                reached.add(passage.other)
                todo.append(passage.other)
    return reached


def walls_around(survey, ref, x, z, radius):
    """(distance, ref, edge, a, b) of every wall piece of the circle's region within the radius, in order."""
    region = circle_region(survey, ref, x, z, radius)
    found = []
    distances = segment_distances(survey.wall_a, survey.wall_b, x, z)
    for i in np.flatnonzero(distances <= radius):
        other, edge, a, b = survey.walls[i]
        if other in region:
            found.append((float(distances[i]), other, edge, a, b))
    return sorted(found, key=lambda wall: (wall[0], wall[1], wall[2], wall[3][0], wall[3][2]))


def move_region(survey, ref, start, end, margin=1e-3):
    """The polygons that a move may end in: joined by passages within the circle over the move."""
    x, z = 0.5 * (start[0] + end[0]), 0.5 * (start[2] + end[2])
    radius = 0.5 * hypot(end[0] - start[0], end[2] - start[2]) + margin
    reached, todo = {ref}, [ref]
    while todo:
        for passage in survey.outlines[todo.pop()].passages:
            if passage.other not in reached and segment_distance(passage.a, passage.b, x, z)[0] <= radius:
                reached.add(passage.other)
                todo.append(passage.other)
    return reached


def move_shortfall(survey, ref, start, end):
    """How near a move can come to its target without going farther from its start than that is."""
    distances = survey.distances(end[0], end[2])
    best = inf
    for other in sorted(move_region(survey, ref, start, end), key=distances.get):
        if distances[other] >= best:
            break
        best = min(best, clipped_distance(survey.outlines[other], start, end) if distances[other] > 0.0 else 0.0)
    return best


def clipped_distance(outline, start, end):
    """Distance from a place to the nearest point of an outline that is no farther from the start than that place."""
    length = apart(start, end)
    best = inf
    for _, (a, b) in outline.edges():
        inside, outside = (segment_distance(a, b, place[0], place[2])[1] for place in (start, end))
        if apart(start, between(a, b, inside)) > length:
            continue
        if apart(start, between(a, b, outside)) <= length + EPSILON:
            inside = outside
        # From the point nearest to the start on, distances from the start only grow.
        for _ in range(50):
            middle = 0.5 * (inside + outside)
            if apart(start, between(a, b, middle)) <= length:
                inside = middle
            else:
                outside = middle
        best = min(best, apart(end, between(a, b, inside)))
    return best


def apart(a, b):
    """Distance in X/Z."""
    return hypot(a[0] - b[0], a[2] - b[2])
