"""What queries allocate: nothing that stays, and nothing for each item of a bulk call."""

import gc
import random
import tracemalloc

import numpy as np
import pytest
from mode import scaled
from surface_worlds import WORLDS, all_refs, place_in
from traced import FRAMES, held_from

from onepath import NavMeshQuery, TiledNavMesh


def lines_in(mesh, count):
    rng = random.Random(1)
    refs = [rng.choice(all_refs(mesh)) for _ in range(count)]
    starts = [place_in(mesh, ref, rng) for ref in refs]
    ends = [(x + rng.uniform(-9.0, 9.0), y, z + rng.uniform(-9.0, 9.0)) for x, y, z in starts]
    return refs, starts, ends


def ask_everything(query, refs, starts, ends):
    for ref, start, end in zip(refs, starts, ends):
        query.find_nearest_poly(end)
        query.closest_point_on_poly(ref, end)
        query.poly_height(ref, start)
        query.raycast(ref, start, end)
        query.move_along_surface(ref, start, end)
        query.find_walls(ref, start, 5.0)
        query.find_distance_to_wall(ref, start, 20.0)
        query.find_random_point(7)


@pytest.mark.parametrize("name", ["grid", "rectangles"])
def test_ten_thousand_queries_leave_nothing_behind(name):
    query = NavMeshQuery(WORLDS[name](), 16)
    lines = lines_in(query.mesh, scaled(1250, 50))
    ask_everything(query, *lines)
    gc.collect()
    tracemalloc.start(FRAMES)
    try:
        ask_everything(query, *(part[:20] for part in lines))
        before = held_from(__file__)
        ask_everything(query, *lines)
        grown = held_from(__file__) - before
    finally:
        tracemalloc.stop()
    assert grown < 2048


def test_a_bulk_call_allocates_its_arrays_and_nothing_for_each_item():
    """The memory of a call, less what its own arrays take, is the same for a hundred items and for ten thousand."""
    query = NavMeshQuery(WORLDS["rectangles"](), 16)
    refs, starts, ends = lines_in(query.mesh, 100)

    def overhead(repeats, call, bytes_per_item):
        arrays = (np.tile(np.array(refs, dtype=np.uint64), repeats), np.tile(starts, (repeats, 1)),
                  np.tile(ends, (repeats, 1)))
        call(*arrays)
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            call(*arrays)
            return tracemalloc.get_traced_memory()[1] - before - bytes_per_item * 100 * repeats
        finally:
            tracemalloc.stop()

    # A copy of each argument that the call writes to, the results that do not fit there, and the zeros they start as.
    calls = ((lambda r, s, e: query.find_nearest_polys(s), 24 + 8 + 8), (query.raycasts, 8 + 24 + 24 + 8 + 8),
             (query.move_along_surfaces, 8 + 24 + 24))
    for call, bytes_per_item in calls:
        few = overhead(1, call, bytes_per_item)
        many = overhead(scaled(100, 3), call, bytes_per_item)
        # Buffers that are built up may be over-allocated by an eighth while they grow.
        assert many < few + bytes_per_item * 100 * scaled(100, 3) / 8


def test_memory_bytes_is_what_a_mesh_holds():
    def make():
        return TiledNavMesh.from_grid([[1] * size for _ in range(size)], tile_cells=16)

    size = scaled(96, 32)
    small = TiledNavMesh.from_grid([[1] * 8] * 8).memory_bytes
    make()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        mesh = make()
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert small < mesh.memory_bytes
    assert 0.9 * held <= mesh.memory_bytes <= 1.02 * held
