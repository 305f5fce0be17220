"""Our mesh and queries, as the query section wants them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

import onepath
from onepath.queries.scratch import QueryScratch

from . import compiled_loops, recipe
from .measure import Notes, Pass, Timing, timed
from .memory import held_by

BUILD = Path(__file__).resolve().parents[2] / "build" / "bench"


def make_mesh(world: recipe.Field) -> onepath.TiledNavMesh:
    """Return the mesh of a field: a quad per free cell, tiles of 32 x 32 cells."""
    return onepath.TiledNavMesh.from_grid(world.walkable, recipe.CELL, tile_cells=recipe.TILE_CELLS)


@lru_cache(maxsize=1)
def shared_mesh(width: int) -> onepath.TiledNavMesh:
    """Return the one mesh of a field that all its crowds walk on, as the peer's do."""
    return make_mesh(recipe.scatter(width))


class OurQueries:
    """The mesh of a field with compiled loops over its queries."""

    def __init__(self, world: recipe.Field, pairs: np.ndarray, agents: np.ndarray) -> None:
        self._world, self._pairs, self._agents = world, pairs, agents
        self._mesh, self._bytes = held_by(lambda: make_mesh(world))
        self._query = onepath.NavMeshQuery(self._mesh)
        self._loops: dict[int, Any] = {}
        self._refs = self._refs_at(agents[:, :2])
        self._ends = np.stack([self._refs_at(pairs[:, :2]), self._refs_at(pairs[:, 2:])], axis=1).copy()

    def build(self, repeats: int) -> Timing:
        """Build the mesh again, timed per polygon."""

        def run(repeats: int) -> float:
            for _ in range(repeats):
                make_mesh(self._world)
            return repeats * self._world.free_cells

        return timed(run)(repeats)

    def bytes_per_polygon(self) -> float:
        """Return what the mesh holds over its polygons."""
        return self._bytes / self._world.free_cells

    def loop(self, verb: str, *arguments: float) -> Pass:
        """Return the pass for one operation; the words are those of Detour's program."""
        return getattr(self, f"_{verb}")(*arguments)

    def _nearest(self, half_width: float, places: int) -> Pass:
        rows = np.ascontiguousarray(self._agents[:places, :2])
        return self._counted("found", partial(self._of().nearest, rows, half_width), places)

    def _raycast(self, length: float, places: int) -> Pass:
        rays = recipe.segments(self._agents[:places], length)
        return self._counted("hits", partial(self._of().cast, self._refs[:places], rays), places)

    def _move(self, length: float, places: int) -> Pass:
        legs = recipe.segments(self._agents[:places], length)
        return self._counted("travelled", partial(self._of().move, self._refs[:places], legs), places)

    def _find_path(self, nodes: int) -> Pass:
        loops = self._of(nodes)

        def run(repeats: int) -> float:
            loops.find_paths(self._ends, self._pairs, repeats)
            return repeats * len(self._pairs)

        return timed(run, lambda: {"nodes": loops.nodes, "complete": loops.complete})

    def _find_path_bulk(self, nodes: int) -> Pass:
        query = onepath.NavMeshQuery(self._mesh, nodes)
        starts, ends = _raised(self._pairs[:, :2]), _raised(self._pairs[:, 2:])
        first, last = self._ends.T.copy()

        def work() -> float:
            return float((query.find_paths(first, last, starts, ends)[0] == onepath.PathStatus.SUCCESS).sum())

        return self._called("complete", work, len(starts), per=len(starts))

    def _straight(self, max_corners: int) -> Pass:
        loops = self._of()
        routes = loops.routes(self._ends, self._pairs)
        refs = np.array([ref for route in routes for ref in route], dtype=np.uint64)
        first = np.array([0, *accumulate(len(route) for route in routes)], dtype=np.int32)
        direct = np.sqrt(((self._pairs[:, 2:] - self._pairs[:, :2]) ** 2).sum(axis=1)).sum()
        ratio = loops.walked(refs, first, self._pairs) / direct
        work = partial(loops.pull, refs, first, self._pairs, max_corners)
        return self._counted("corners", work, len(routes), {"length_ratio": ratio}, per=len(routes))

    def _nearest_bulk(self, half_width: float, places: int) -> Pass:
        points = _raised(self._agents[:places, :2])

        def work() -> float:
            return float((self._query.find_nearest_polys(points, (half_width, 4.0, half_width))[0] != 0).sum())

        return self._called("found", work, places)

    def _raycast_bulk(self, length: float, places: int) -> Pass:
        rays = recipe.segments(self._agents[:places], length)
        starts, ends = _raised(rays[:, :2]), _raised(rays[:, 2:])

        def work() -> float:
            return float(np.isfinite(self._query.raycasts(self._refs[:places], starts, ends)[0]).sum())

        return self._called("hits", work, places)

    def _move_bulk(self, length: float, places: int) -> Pass:
        legs = recipe.segments(self._agents[:places], length)
        starts, ends = _raised(legs[:, :2]), _raised(legs[:, 2:])

        def work() -> float:
            return float((self._query.move_along_surfaces(self._refs[:places], starts, ends)[0] - starts).sum())

        return self._called("travelled", work, places)

    def _called(self, name: str, work: Callable[[], float], rows: int, per: int = 1) -> Pass:
        return self._counted(name, lambda repeats: sum(work() for _ in range(repeats)), rows, per=per)

    def _of(self, nodes: int = 65535) -> Any:
        if nodes not in self._loops:
            scratch = QueryScratch(self._mesh.store, nodes, False)
            self._loops[nodes] = compiled_loops.load(BUILD).QueryLoops(scratch, onepath.QueryFilter())
        return self._loops[nodes]

    def _refs_at(self, places: np.ndarray) -> np.ndarray:
        refs = np.zeros(len(places), dtype=np.uint64)
        self._of().refs_at(np.ascontiguousarray(places), refs)
        return refs

    @staticmethod
    def _counted(name: str, work: Any, rows: int, more: Notes | None = None, per: int = 1) -> Pass:
        """Clock a loop over `rows` inputs and keep what it returns, per repeat and over `per`, as a note."""
        notes: Notes = dict(more or {})

        def run(repeats: int) -> float:
            notes[name] = work(repeats) / repeats / per
            return repeats * rows

        return timed(run, lambda: dict(notes))


def _raised(places: np.ndarray) -> np.ndarray:
    """Return rows of x, z as rows of x, y, z on the ground."""
    return np.stack([places[:, 0], np.zeros(len(places)), places[:, 1]], axis=1)
