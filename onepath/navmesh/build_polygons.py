"""Tiles from polygons of any quality: the steps of the repair in their order."""

from array import array

from onepath.errors import OutOfRangeError
from onepath.geometry import COORDINATE_LIMIT, checked_flag, checked_number
from onepath.navmesh.build_clean import clean
from onepath.navmesh.build_cut import SNAP_DISTANCE, check_grid, cut_polygons, snap_vertices
from onepath.navmesh.build_edges import EdgeTable
from onepath.navmesh.build_emit import emit_tiles, tile_numbers
from onepath.navmesh.build_fans import mend_fans
from onepath.navmesh.build_input import read_areas, read_flags, read_soup
from onepath.navmesh.build_junctions import repair_junctions
from onepath.navmesh.build_merge import merge_polygons
from onepath.navmesh.build_soup import MINIMUM_WIDTH
from onepath.navmesh.build_split import drop_invalid, split_polygons
from onepath.navmesh.build_weld import default_weld, extent_of, weld as weld_vertices
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import TileData


def tiles_from_polygons(vertices, polygons, areas=None, flags=None, tile_size=None, origin=(0.0, 0.0), max_climb=0.9,
                        weld=None, merge=False, height_tolerance=0.05) -> tuple[list[TileData], BuildReport]:
    """Build tiles from polygons.

    Args:
        vertices: V triples of finite coordinates below 2^21 in magnitude, world units (lists or a numpy array).
        polygons: P sequences of vertex indices, either way round, convex or not.
        areas: P area ids (0..63); ``None``: all 0.
        flags: P times 16 flag bits; ``None``: all 1.
        tile_size: side of a tile, above 0; ``None``: one tile (0, 0) with everything. So large that there are at most
            2^16 pieces and 16 more for each polygon, counted by the tiles that the polygons' bounds touch.
        origin: x and z of the outer corner of tile (0, 0).
        max_climb: a vertex lies on another polygon's edge only if their heights differ by at most this.
        weld: vertices within this distance become one; ``None``: 1e-4 of the largest extent of the polygons, at
            least 1e-5.
        merge: merge polygons into larger convex ones of up to 16 vertices.
        height_tolerance: how far the surface of merged polygons may be from that of the polygons they replace.

    Returns:
        (tiles, report). No polygons, or none that can be kept, give no tile.

    Raises:
        OutOfRangeError: an argument is out of range; the message names it.
    """
    soup = read_soup(vertices, polygons)
    return repaired_tiles(soup, read_areas(areas, soup.poly_count), read_flags(flags, soup.poly_count), tile_size,
                          origin, max_climb, weld, merge, height_tolerance)


def repaired_tiles(soup, areas, flags, tile_size, origin, max_climb, weld, merge,
                   height_tolerance) -> tuple[list[TileData], BuildReport]:
    """Run the repair; arguments as for :func:`tiles_from_polygons`, with the polygons flattened already."""
    origin = checked_origin(origin)
    if tile_size is not None:
        tile_size = checked_number("tile_size", tile_size, 0.0, COORDINATE_LIMIT, low_open=True)
    max_climb = checked_number("max_climb", max_climb, 0.0, COORDINATE_LIMIT)
    height_tolerance = checked_number("height_tolerance", height_tolerance, 0.0, COORDINATE_LIMIT)
    low, extent = extent_of(soup)
    distance = default_weld(extent) if weld is None else checked_number("weld", weld, 0.0, COORDINATE_LIMIT)
    found: dict[str, set[int]] = {}
    vertex_count = soup.vertex_count
    if tile_size is not None:
        near = max(MINIMUM_WIDTH, min(distance, SNAP_DISTANCE))
        check_grid(soup, origin, tile_size, near)
        _note(found, snapped_vertices=snap_vertices(soup, origin, tile_size, near))
    _note(found, welded_vertices=weld_vertices(soup, distance, low, extent))
    _note(found, **clean(soup))
    _note(found, split_edges=repair_junctions(soup, distance, max_climb))
    _note(found, **split_polygons(soup))
    if tile_size is not None:
        _note(found, cut_by_tiles=cut_polygons(soup, origin, tile_size))
        # Edges that lay on one another without being the same may now have been cut at the same place.
        weld_vertices(soup, 0.0, low, extent)
        _note(found, **split_polygons(soup))
    if checked_flag("merge", merge):
        _note(found, merged=merge_alike(soup, areas, flags, origin, tile_size, height_tolerance))
    _note(found, **mend_fans(soup))
    dropped, left = drop_invalid(soup)
    _note(found, dropped_degenerate=dropped - left, incomplete=dropped & left)
    _note(found, crowded_edges=crowded_polygons(soup))
    tiles = emit_tiles(soup, areas, flags, origin, tile_size)
    return tiles, BuildReport(vertex_count=vertex_count, poly_count=soup.poly_count, tile_count=len(tiles),
                              **{name: tuple(sorted(numbers)) for name, numbers in found.items()})


def _note(found: dict[str, set[int]], **fields) -> None:
    """Add what a step reports to what earlier ones did."""
    for name, numbers in fields.items():
        found.setdefault(name, set()).update(numbers)


def merge_alike(soup, areas, flags, origin, tile_size, height_tolerance: float) -> set[int]:
    """Merge polygons of one tile, area and flags; return the input polygons concerned."""
    tile_column = tile_numbers(soup, origin, tile_size)
    kinds: dict[tuple, int] = {}
    keys = array("i")
    for poly, source in enumerate(soup.source_column):
        kind = (tile_column[2 * poly], tile_column[2 * poly + 1], areas[source], flags[source])
        keys.append(kinds.setdefault(kind, len(kinds)))
    sources = soup.source_column
    merged = merge_polygons(soup, keys, height_tolerance, True)
    return {source for source, mark in zip(sources, merged) if mark}


def crowded_polygons(soup) -> tuple[int, ...]:
    """Return the input polygons that stay unconnected along an edge because two others share it."""
    table = EdgeTable(soup)
    if 1 not in table.crowded_column:
        return ()
    return tuple({soup.source_column[table.poly_column[edge]]
                  for edge, crowded in enumerate(table.crowded_column) if crowded})


def checked_origin(origin) -> tuple[float, float]:
    """Return the tile grid's origin as two floats.

    Raises:
        OutOfRangeError: it is not two finite numbers below 2^21 in magnitude.
    """
    try:
        x, z = origin
    except (TypeError, ValueError):
        raise OutOfRangeError("origin", "must be two numbers, x and z") from None
    return (checked_number("origin", x, -COORDINATE_LIMIT, COORDINATE_LIMIT),
            checked_number("origin", z, -COORDINATE_LIMIT, COORDINATE_LIMIT))
