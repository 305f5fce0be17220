"""What a builder did to its input: nothing is repaired or dropped in silence."""

from dataclasses import dataclass, fields

_TOTALS = {"vertex_count", "poly_count", "tile_count"}


@dataclass(frozen=True)
class BuildReport:
    """Counts of what was built, and the indices of the input that was repaired or dropped.

    Indices count the polygons (or vertices) of the input from 0, ascend, and appear once per field; the length of a
    field is its count. A polygon may be named in several fields.

    Attributes:
        vertex_count: vertices given.
        poly_count: polygons built.
        tile_count: tiles built.
        welded_vertices: vertices replaced by another one within ``weld``.
        snapped_vertices: vertices moved by at most 1e-3 (and ``weld``) onto a line of the tile grid.
        duplicate_vertices: polygons from whose outline repeated vertices were removed.
        dropped_degenerate: polygons dropped for having fewer than three vertices or no area left.
        dropped_crossing: polygons dropped because their outline crosses or touches itself.
        dropped_duplicate: polygons dropped because an earlier one has the same outline.
        rewound: polygons whose vertices ran the other way round.
        split_concave: concave polygons that were cut into convex ones.
        split_large: convex polygons cut because they would have more than 16 vertices, or because vertices in line
            in X/Z but not in height left them no vertex to turn to (see ``turned``).
        incomplete: polygons of which some part, mostly a sliver, could not be made valid and was dropped.
        split_edges: polygons one of whose edges got a vertex of another polygon (a T-junction).
        crowded_edges: polygons left unconnected along an edge that two earlier ones share already.
        cut_by_tiles: polygons cut along the tile grid.
        merged: polygons that were merged with others.
        turned: polygons whose outline begins at another of its vertices than it would have: their surface, the fan
            of triangles at the first vertex, would have missed the height of a vertex within a straight edge.
    """

    vertex_count: int = 0
    poly_count: int = 0
    tile_count: int = 0
    welded_vertices: tuple[int, ...] = ()
    snapped_vertices: tuple[int, ...] = ()
    duplicate_vertices: tuple[int, ...] = ()
    dropped_degenerate: tuple[int, ...] = ()
    dropped_crossing: tuple[int, ...] = ()
    dropped_duplicate: tuple[int, ...] = ()
    rewound: tuple[int, ...] = ()
    split_concave: tuple[int, ...] = ()
    split_large: tuple[int, ...] = ()
    incomplete: tuple[int, ...] = ()
    split_edges: tuple[int, ...] = ()
    crowded_edges: tuple[int, ...] = ()
    cut_by_tiles: tuple[int, ...] = ()
    merged: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()

    @property
    def dropped(self) -> tuple[int, ...]:
        """Input polygons of which nothing was kept, whatever the reason."""
        return tuple(sorted({*self.dropped_degenerate, *self.dropped_crossing, *self.dropped_duplicate}))

    def summary(self) -> str:
        """Return one line: what was built, and every repair that happened with its count."""
        text = f"{self.poly_count} polygons in {self.tile_count} tiles from {self.vertex_count} vertices"
        repairs = [f"{field.name.replace('_', ' ')}: {len(getattr(self, field.name))}"
                   for field in fields(self) if field.name not in _TOTALS and getattr(self, field.name)]
        return "; ".join([text, *repairs])
