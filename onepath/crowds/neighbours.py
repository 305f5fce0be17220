"""Who is near whom: the snapshot that a step begins with, sorted into a grid, and the nearest agents of each agent.

The nearest are a set defined by (squared distance, slot) alone. The grid only finds them: its cell size follows from
how many agents there are and where, its cells hold them in slot order, and rings of cells are scanned outwards until
nothing nearer can be left. Cell numbers are integers; there is no hashing.
"""

import cython

from onepath.crowds.store import SMALLEST_GRID
from cython.cimports.onepath.crowds.store import CrowdStore
from cython.cimports.onepath.crowds.worker import CrowdWorker

#: Finest cells: the largest neighbour distance divided by this.
_FINENESS = cython.declare(cython.double, 0.25)
_SMALLEST_CELL = cython.declare(cython.double, 1e-3)
_SMALLEST_GRID = cython.declare(cython.int, SMALLEST_GRID)
#: Rounding of a position to its cell, generously.
_CELL_ROUNDING = cython.declare(cython.double, 1e-6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def take_snapshot(store: CrowdStore) -> cython.void:
    """Copy every agent's position and velocity, sorted by (cell, slot), and lay the grid over them."""
    _lay_grid(store)
    cells: cython.int = store.grid_columns * store.grid_rows
    start: cython.p_int = store.cell_start
    cell_of: cython.p_int = store.cell_of
    position: cython.p_double = store.followers.position
    velocity: cython.p_double = store.followers.velocity
    inverse: cython.double = 1.0 / store.grid_cell
    c: cython.int
    slot: cython.int
    place: cython.int
    before: cython.int = 0
    for c in range(cells + 2):
        start[c] = 0
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        c = (cython.cast(cython.int, (position[3 * slot + 2] - store.grid_z) * inverse) * store.grid_columns
             + cython.cast(cython.int, (position[3 * slot] - store.grid_x) * inverse))
        cell_of[slot] = c
        start[c + 2] += 1
    # Counts to begins: start[c + 1] is where cell c begins and, while it is filled, where its next agent goes.
    for c in range(2, cells + 2):
        before += start[c]
        start[c] = before
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        c = cell_of[slot] + 1
        place = start[c]
        start[c] = place + 1
        store.rank[slot] = place
        store.sorted_slot[place] = slot
        store.sorted_x[place] = position[3 * slot]
        store.sorted_y[place] = position[3 * slot + 1]
        store.sorted_z[place] = position[3 * slot + 2]
        store.sorted_vx[place] = velocity[3 * slot]
        store.sorted_vz[place] = velocity[3 * slot + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lay_grid(store: CrowdStore) -> cython.void:
    """Choose the grid's corner, cell size and numbers of columns and rows, and note whether heights matter."""
    position: cython.p_double = store.followers.position
    low_x: cython.double = 0.0
    low_z: cython.double = 0.0
    high_x: cython.double = 0.0
    high_z: cython.double = 0.0
    widest: cython.double = 0.0
    first: cython.bint = True
    x: cython.double
    z: cython.double
    slot: cython.int
    store.heights = False
    for slot in range(store.slot_count):
        if store.active[slot] == 0:
            continue
        x = position[3 * slot]
        z = position[3 * slot + 2]
        if first or x < low_x:
            low_x = x
        if first or x > high_x:
            high_x = x
        if first or z < low_z:
            low_z = z
        if first or z > high_z:
            high_z = z
        first = False
        widest = max(widest, store.neighbor_distance[slot])
        if store.height[slot] > 0.0:
            store.heights = True
    cell: cython.double = max(widest * _FINENESS, _SMALLEST_CELL)
    most: cython.longlong = max(_SMALLEST_GRID, store.slot_count)
    columns: cython.longlong = cython.cast(cython.longlong, (high_x - low_x) / cell) + 1
    rows: cython.longlong = cython.cast(cython.longlong, (high_z - low_z) / cell) + 1
    while columns * rows > most:
        cell *= 2.0
        columns = cython.cast(cython.longlong, (high_x - low_x) / cell) + 1
        rows = cython.cast(cython.longlong, (high_z - low_z) / cell) + 1
    store.grid_x = low_x
    store.grid_z = low_z
    store.grid_cell = cell
    # Multiplying by the inverse may round the farthest agent into one more column or row.
    inverse: cython.double = 1.0 / cell
    store.grid_columns = max(cython.cast(cython.int, columns), cython.cast(cython.int, (high_x - low_x) * inverse) + 1)
    store.grid_rows = max(cython.cast(cython.int, rows), cython.cast(cython.int, (high_z - low_z) * inverse) + 1)
    while store.grid_columns * store.grid_rows > most and (store.grid_columns > columns or store.grid_rows > rows):
        store.grid_cell *= 2.0
        inverse = 1.0 / store.grid_cell
        store.grid_columns = cython.cast(cython.int, (high_x - low_x) * inverse) + 1
        store.grid_rows = cython.cast(cython.int, (high_z - low_z) * inverse) + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def find_neighbours(store: CrowdStore, worker: CrowdWorker, slot: cython.int) -> cython.void:
    """List the nearest agents of ``slot`` in ``worker.near``: at most its number of neighbours, within its distance."""
    worker.near_count = 0
    most: cython.int = store.max_neighbors[slot]
    me: cython.int = store.rank[slot]
    x: cython.double = store.sorted_x[me]
    z: cython.double = store.sorted_z[me]
    cell: cython.double = store.grid_cell
    columns: cython.int = store.grid_columns
    rows: cython.int = store.grid_rows
    column: cython.int = store.cell_of[slot] % columns
    row: cython.int = store.cell_of[slot] // columns
    reach: cython.double = store.neighbor_distance[slot]
    # Distance to the nearest side of the agent's own cell.
    inset: cython.double = min(
        min(x - store.grid_x - column * cell, store.grid_x + (column + 1) * cell - x),
        min(z - store.grid_z - row * cell, store.grid_z + (row + 1) * cell - z))
    ring: cython.int = 1
    left: cython.int
    right: cython.int
    r: cython.int
    edge: cython.bint
    clear: cython.double
    while True:
        left = max(column - ring, 0)
        right = min(column + ring, columns - 1)
        for r in range(max(row - ring, 0), min(row + ring, rows - 1) + 1):
            edge = ring == 1 or r == row - ring or r == row + ring
            if edge:
                _scan(store, worker, slot, me, most, reach, r * columns + left, r * columns + right)
            else:
                if column - ring >= 0:
                    _scan(store, worker, slot, me, most, reach, r * columns + left, r * columns + left)
                if column + ring < columns:
                    _scan(store, worker, slot, me, most, reach, r * columns + right, r * columns + right)
        # Everything outside these rings is at least this far away.
        clear = inset + ring * cell - _CELL_ROUNDING
        if clear >= reach:
            return
        if worker.near_count == most and clear > 0.0 and clear * clear > worker.near_distance2[most - 1]:
            return
        if column - ring <= 0 and column + ring >= columns - 1 and row - ring <= 0 and row + ring >= rows - 1:
            return
        ring += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scan(
    store: CrowdStore, worker: CrowdWorker, slot: cython.int, me: cython.int, most: cython.int, reach: cython.double,
    first_cell: cython.int, last_cell: cython.int,
) -> cython.void:
    """Sort the agents of a run of cells into the list of the nearest."""
    xs: cython.p_double = store.sorted_x
    zs: cython.p_double = store.sorted_z
    slots: cython.p_int = store.sorted_slot
    near: cython.p_int = worker.near
    distances: cython.p_double = worker.near_distance2
    x: cython.double = xs[me]
    z: cython.double = zs[me]
    count: cython.int = worker.near_count
    # Strictly nearer than this, or as near and with a lower slot than the last of a full list.
    limit: cython.double = reach * reach
    if count == most:
        limit = distances[most - 1]
    place: cython.int
    i: cython.int
    dx: cython.double
    dz: cython.double
    distance2: cython.double
    for i in range(store.cell_start[first_cell], store.cell_start[last_cell + 1]):
        dx = xs[i] - x
        dz = zs[i] - z
        distance2 = dx * dx + dz * dz
        if distance2 > limit or i == me or distance2 >= reach * reach:
            continue
        if count == most and distance2 == limit and slots[i] > slots[near[most - 1]]:
            continue
        if store.heights and _heights_apart(store, slot, me, i):
            continue
        place = count
        if count == most:
            place = most - 1
        else:
            count += 1
        while place > 0 and (distance2 < distances[place - 1]
                             or (distance2 == distances[place - 1] and slots[i] < slots[near[place - 1]])):
            near[place] = near[place - 1]
            distances[place] = distances[place - 1]
            place -= 1
        near[place] = i
        distances[place] = distance2
        if count == most:
            limit = distances[most - 1]
    worker.near_count = count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _heights_apart(store: CrowdStore, slot: cython.int, me: cython.int, other: cython.int) -> cython.bint:
    """Tell whether both agents have a height and one ends at or below where the other begins."""
    mine: cython.double = store.height[slot]
    its: cython.double = store.height[store.sorted_slot[other]]
    if mine <= 0.0 or its <= 0.0:
        return False
    bottom: cython.double = store.sorted_y[me]
    its_bottom: cython.double = store.sorted_y[other]
    return bottom + mine <= its_bottom or its_bottom + its <= bottom

@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def cell_at(offset: cython.double, cell: cython.double, count: cython.int) -> cython.int:
    """Return the grid column (or row) at an offset from the grid's corner, the outermost for what lies outside."""
    if offset <= 0.0:
        return 0
    if offset >= cell * count:
        return count - 1
    return min(cython.cast(cython.int, offset / cell), count - 1)
