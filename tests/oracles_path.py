"""Slow, plain answers to path questions, made from the mesh's public face alone.

:class:`ShortestPaths` is the Polyanya search (Cui, Harabor and Grastien 2017): nodes are intervals seen from a root,
so what it finds is the exact shortest way on the surface, off-mesh links included. Floors have to be flat.
:func:`cheapest` is Dijkstra's algorithm over polygon centres.
"""

import heapq
from itertools import pairwise
from math import hypot, inf, sqrt

_TINY = 1e-9


def _turn(a, b, p):
    """Positive: p lies to the right of b as seen from a."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _gap(a, b):
    return hypot(b[0] - a[0], b[1] - a[1])


def _between(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)


def _distance(a, b):
    return sqrt(sum((q - p) ** 2 for p, q in zip(a, b)))


def _through(root, left, right, target):
    """Return the length of the shortest way root → point of left..right → target, all in the plane."""
    if _turn(left, right, root) * _turn(left, right, target) > 0.0:
        dx, dz = right[0] - left[0], right[1] - left[1]
        away = 2.0 * _turn(left, right, target) / (dx * dx + dz * dz)
        target = (target[0] + dz * away, target[1] - dx * away)
    if _turn(root, left, target) < 0.0:
        return _gap(root, left) + _gap(left, target)
    if _turn(root, right, target) > 0.0:
        return _gap(root, right) + _gap(right, target)
    return _gap(root, target)


def _plane(vertices):
    return [(x, z) for x, _y, z in vertices]


def _shared(a, b, c, d):
    """Return the part of a→b that lies on the segment c, d, or None."""
    length = _gap(a, b)
    along = sorted(((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length**2 for p in (c, d))
    if max(abs(_turn(a, b, c)), abs(_turn(a, b, d))) > 1e-6 * length:
        return None
    low, high = max(along[0], 0.0), min(along[1], 1.0)
    if (high - low) * length < 1e-3:
        return None
    return (a if low <= _TINY else _between(a, b, low), b if high >= 1.0 - _TINY else _between(a, b, high))


class ShortestPaths:
    """Exact shortest lengths over one mesh of flat floors, every area at cost 1."""

    def __init__(self, mesh):
        self.mesh = mesh
        self.pieces = {}
        self.links = {}
        self.corners = set()
        for tile in mesh.tiles():
            for ref in mesh.tile_polygons(*tile):
                self._survey(ref)
        for number, link in mesh.links():
            start, end = mesh.link_refs(number)
            if start and end:
                self.links.setdefault(start, []).append((link.start, link.end, end))
                if link.bidirectional:
                    self.links.setdefault(end, []).append((link.end, link.start, start))

    def _survey(self, ref):
        """List the pieces of a polygon's outline that lead somewhere; the ends of the rest are corners."""
        vertices = self.mesh.poly_vertices(ref)
        outline, level = _plane(vertices), round(vertices[0][1], 3)
        pieces = []
        others = [other for other, kind in self.mesh.neighbours(ref) if kind != "link"]
        outlines = [(other, _plane(self.mesh.poly_vertices(other))) for other in dict.fromkeys(others)]
        for i, a in enumerate(outline):
            b = outline[(i + 1) % len(outline)]
            open_parts = []
            for other, far in outlines:
                for c, d in zip(far, far[1:] + far[:1]):
                    part = _shared(a, b, c, d)
                    if part and (d[0] - c[0]) * (b[0] - a[0]) + (d[1] - c[1]) * (b[1] - a[1]) < 0.0:
                        open_parts.append((part[0], part[1], other))
            open_parts.sort(key=lambda part: _gap(a, part[0]))
            pieces += open_parts
            reach = a
            for left, right, _other in open_parts:
                if _gap(reach, left) > 1e-3:
                    self.corners.update((self._key(reach, level), self._key(left, level)))
                reach = right
            if _gap(reach, b) > 1e-3:
                self.corners.update((self._key(reach, level), self._key(b, level)))
        self.pieces[ref] = (level, pieces)

    @staticmethod
    def _key(point, level):
        return (round(point[0], 6), round(point[1], 6), level)

    def length(self, start_ref, start, end_ref, end):
        """Return the length of the shortest way, or infinity."""
        self.target, self.end_ref = (end[0], end[2]), end_ref
        self.queue, self.best_root, self.count = [], {}, 0
        self._open_polygon((start[0], start[2]), 0.0, start_ref, None)
        while self.queue:
            f, _count, node = heapq.heappop(self.queue)
            if node is None:
                return f
            self._expand(*node)
        return inf

    def _push(self, f, node):
        self.count += 1
        heapq.heappush(self.queue, (f, self.count, node))

    def _root_is_best(self, root, level, g):
        key = self._key(root, level)
        if g > self.best_root.get(key, inf) + _TINY:
            return False
        self.best_root[key] = min(g, self.best_root.get(key, inf))
        return True

    def _open_polygon(self, root, g, ref, came_from):
        """Everything in a polygon that holds the root can be seen from it."""
        level, pieces = self.pieces[ref]
        if not self._root_is_best(root, level, g):
            return
        if ref == self.end_ref:
            self._push(g + _gap(root, self.target), None)
        for entry, far, target in self.links.get(ref, ()):
            self._jump(g + _gap(root, (entry[0], entry[2])), entry, far, target)
        for left, right, other in pieces:
            if other != came_from:
                self._open_interval(root, g, left, right, other, ref, level)

    def _jump(self, g, entry, far, target):
        self._open_polygon((far[0], far[2]), g + _distance(entry, far), target, None)

    def _open_interval(self, root, g, left, right, ref, came_from, level):
        if _gap(left, right) < _TINY or not self._root_is_best(root, level, g):
            return
        f = g + _through(root, left, right, self.target)
        self._push(f, (root, g, left, right, ref, came_from, level))

    def _expand(self, root, g, left, right, ref, came_from, level):
        if g > self.best_root[self._key(root, level)] + _TINY:
            return
        if abs(_turn(left, right, root)) <= _TINY * _gap(left, right):
            near = root if self._on(root, left, right) else min(left, right, key=lambda p: _gap(root, p))
            if near == root or self._key(near, level) in self.corners:
                self._open_polygon(near, g + _gap(root, near), ref, came_from)
            return
        if ref == self.end_ref:
            self._push(g + _through(root, left, right, self.target), None)
        for entry, far, target in self.links.get(ref, ()):
            self._jump(g + _through(root, left, right, (entry[0], entry[2])), entry, far, target)
        new_level, pieces = self.pieces[ref]
        for a, b, other in pieces:
            if other != came_from:
                self._split(root, g, left, right, a, b, other, ref, new_level)

    @staticmethod
    def _on(root, left, right):
        return abs(_gap(root, left) + _gap(root, right) - _gap(left, right)) <= _TINY

    def _split(self, root, g, left, right, a, b, other, ref, level):
        """Cut a→b by the two sides of the view: what is seen keeps the root, the rest turns round a corner."""
        first = self._cut(_turn(root, left, a), _turn(root, left, b), 0.0)
        last = self._cut(_turn(root, right, a), _turn(root, right, b), 1.0)
        seen_from = a if first <= 0.0 else b if first >= 1.0 else _between(a, b, first)
        seen_to = a if last <= 0.0 else b if last >= 1.0 else _between(a, b, last)
        if first > 0.0 and self._key(left, level) in self.corners:
            self._open_interval(left, g + _gap(root, left), a, seen_from, other, ref, level)
        if last > first:
            self._open_interval(root, g, seen_from, seen_to, other, ref, level)
        if last < 1.0 and self._key(right, level) in self.corners:
            self._open_interval(right, g + _gap(root, right), seen_to, b, other, ref, level)

    @staticmethod
    def _cut(at_a, at_b, along):
        """Return the parameter from which on a piece lies to the right of a side, 0..1; ``along`` if it lies on it."""
        if at_a < 0.0 < at_b:
            return at_a / (at_a - at_b)
        if abs(at_a + at_b) < _TINY:
            return along
        return 0.0 if at_a + at_b > 0.0 else 1.0


def path_length(points):
    """Return the length of a polyline in space."""
    return sum(_distance(a, b) for a, b in pairwise(points))


def _centre(vertices):
    return tuple(sum(v[axis] for v in vertices) / len(vertices) for axis in range(3))


def cheapest(mesh, costs, start_ref, start, end_ref, end, accepted=None):
    """Return the least cost from polygon centre to polygon centre (start and end at their points), or infinity.

    Moving to a neighbour costs the distance times the cost of the area left. A link costs the way to its entry, its
    length times its own area's cost, and the way from its exit at the cost of the area entered.
    """
    def cost(ref):
        return costs.get(mesh.poly_area(ref), 1.0)

    def place(ref):
        return start if ref == start_ref else end if ref == end_ref else _centre(mesh.poly_vertices(ref))

    ways = {}
    for number, link in mesh.links():
        first, last = mesh.link_refs(number)
        if first and last and mesh.is_link_enabled(number):
            ways.setdefault(first, []).append((last, link.start, link.end, costs.get(link.area, 1.0)))
            if link.bidirectional:
                ways.setdefault(last, []).append((first, link.end, link.start, costs.get(link.area, 1.0)))
    if start_ref == end_ref:
        return _distance(start, end) * cost(start_ref)
    best = {start_ref: 0.0}
    queue = [(0.0, start_ref)]
    while queue:
        g, ref = heapq.heappop(queue)
        if ref == end_ref:
            return g
        if g > best[ref]:
            continue
        here = place(ref)
        steps = [(other, cost(ref) * _distance(here, place(other)))
                 for other, kind in mesh.neighbours(ref) if kind != "link"]
        steps += [(other, cost(ref) * _distance(here, entry) + own * _distance(entry, far)
                   + cost(other) * _distance(far, place(other))) for other, entry, far, own in ways.get(ref, ())]
        for other, step in steps:
            if (accepted is None or accepted(other)) and g + step < best.get(other, inf):
                best[other] = g + step
                heapq.heappush(queue, (g + step, other))
    return inf
