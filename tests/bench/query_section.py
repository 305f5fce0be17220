"""The mesh and its queries against Detour: build time, memory and every query that a crowd stands on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import recipe
from .measure import Effort, Pass, Report, Row, Timing, compare
from .peers.detour import Detour
from .sides import Core, Queries

PEER = "Detour"
PAIRS = {64: 400, 256: 100}
WARM_PLACES, COLD_PLACES = 200, 4000
SEARCH_NODES = 65535


@dataclass(frozen=True)
class Operation:
    """One line of the table: its name, the word for Detour's program, what both sides are asked with, and the bar.

    `quick` rows are in the quick run; in a `bulk` row our side is one call from Python, arrays in and out.
    """

    name: str
    verb: str
    arguments: tuple[float, ...]
    bar: float | None
    quick: bool = True
    bulk: bool = False


def operations(width: int) -> list[Operation]:
    """Return the operations measured on the field of this width."""
    warm = [
        Operation("find_path, per query", "find_path", (SEARCH_NODES,), 1.0),
        Operation("find_straight_path, whole route", "straight", (256,), None),
        Operation("find_straight_path, first 4 corners", "straight", (4,), 1.5),
        Operation("find_nearest_poly, box 2 x 4 x 2", "nearest", (2.0, WARM_PLACES), 1.0),
        Operation("find_nearest_poly, box 0.5 x 4 x 0.5", "nearest", (0.5, WARM_PLACES), 1.0),
        *(
            Operation(f"raycast, {length:g} units", "raycast", (length, WARM_PLACES), 1.2)
            for length in recipe.RAY_LENGTHS
        ),
        *(
            Operation(f"move_along_surface, {length:g} units", "move", (length, WARM_PLACES), 1.5)
            for length in recipe.MOVE_LENGTHS
        ),
    ]
    spread = f"{COLD_PLACES} places"
    if width == 64:
        return [
            *warm,
            Operation("find_paths, all pairs at once", "find_path", (SEARCH_NODES,), 1.0, bulk=True),
            Operation(f"find_nearest_polys, {spread} at once", "nearest", (2.0, COLD_PLACES), 1.0, bulk=True),
            Operation(f"raycasts, 20 units, {spread} at once", "raycast", (20.0, COLD_PLACES), 1.2, bulk=True),
            Operation(f"move_along_surfaces, 2 units, {spread} at once", "move", (2.0, COLD_PLACES), 1.5, bulk=True),
        ]
    return [
        *warm,
        Operation(f"find_nearest_poly, box 2 x 4 x 2, {spread}", "nearest", (2.0, COLD_PLACES), 1.0, quick=False),
        Operation(f"raycast, 20 units, {spread}", "raycast", (20.0, COLD_PLACES), 1.2, quick=False),
        Operation(f"move_along_surface, 2 units, {spread}", "move", (2.0, COLD_PLACES), 1.5, quick=False),
    ]


def asked(detour: Detour | None, *words: object) -> Pass | None:
    """Return a pass that asks Detour's program, or None without it."""
    if detour is None:
        return None

    def run(repeats: int) -> Timing:
        answer = detour.ask(*words, repeats)
        return Timing(answer.pop("ns"), answer.pop("calls"), answer)

    return run


def measure_queries(
    report: Report,
    width: int,
    core: Core | None,
    detour: Detour | None,
    build: Path,
    effort: Effort,
    quick: bool,
) -> None:
    """Measure the mesh of the field and its queries, a row for each."""
    world = recipe.scatter(width)
    pairs = recipe.path_pairs(world, PAIRS[width])
    agents = recipe.walkers(world, COLD_PLACES)
    section = f"queries, W = {width}"
    report.section(f"{section}, {world.free_cells} polygons", PEER)
    if detour is not None:
        path = build / f"world_{width}.bin"
        recipe.write_world(path, world, pairs, agents)
        detour.ask("load", path)
    our_side = core.OurQueries(world, pairs, agents) if core is not None else None
    _measure_mesh(report, section, our_side, detour, effort)
    for operation in operations(width):
        if quick and not operation.quick:
            continue
        our_verb = operation.verb + "_bulk" if operation.bulk else operation.verb
        row = compare(
            section,
            operation.name,
            our_side.loop(our_verb, *operation.arguments) if our_side is not None else None,
            asked(detour, operation.verb, *operation.arguments),
            effort,
            peer_name=PEER,
            bar=operation.bar,
        )
        report.add(row)
        if operation.verb == "find_path" and not operation.bulk:
            report.add(_per_node(row))


def _measure_mesh(report: Report, section: str, ours: Queries | None, detour: Detour | None, effort: Effort) -> None:
    row = compare(
        section,
        "build the mesh, per polygon",
        ours.build if ours is not None else None,
        asked(detour, "build"),
        Effort(max(3, effort.rounds // 3), 0.0),
        peer_name=PEER,
        bar=None,
    )
    report.add(row)
    peer_bytes = row.notes["peer"]["bytes"] / row.notes["peer"]["polygons"] if detour is not None else None
    our_bytes = ours.bytes_per_polygon() if ours is not None else None
    ratio = our_bytes / peer_bytes if our_bytes and peer_bytes else None
    report.add(Row(section, "mesh, per polygon", "B", our_bytes, PEER, peer_bytes, ratio, bar=200, bar_on="ours"))


def _per_node(row: Row) -> Row:
    """Return the row of the same search divided by the nodes each side made."""
    ours, peer = row.ours, row.peer
    our_nodes = row.notes.get("ours", {}).get("nodes")
    peer_nodes = row.notes.get("peer", {}).get("nodes")
    ours = 1000 * ours / our_nodes if ours and our_nodes else None
    peer = 1000 * peer / peer_nodes if peer and peer_nodes else None
    ratio = ours / peer if ours and peer else None
    return Row(row.section, "find_path, per search node", "ns", ours, PEER, peer, ratio)
