"""Bounding volume trees over the polygons of a tile, for every query that starts from a place.

A tree is a pure function of the tile's polygons: nodes split at the middle of their polygons' centres along the longer
side, so that it comes out the same wherever and whenever it is built.
"""

import cython

from onepath.buffers import zeros
from cython.cimports.onepath.buffers import double_pointer, int_pointer

#: A node of at most this many polygons is a leaf.
_LEAF_POLYS = cython.declare(cython.int, 4)


@cython.cclass
class TreeBuilder:
    """Builds the tree of one tile; the result is read from its columns.

    Args:
        bounds: ``d`` column with min x, y, z, max x, y, z of each polygon.
        count: number of polygons (≥ 1).
    """

    def __init__(self, bounds, count: cython.int):
        self.bounds_column = bounds
        self.item_column = zeros("i", count)
        self.node_bounds_column = zeros("d", 6 * (2 * count - 1))
        self.node_skip_column = zeros("i", 2 * count - 1)
        self.node_first_column = zeros("i", 2 * count - 1)
        self.bounds = double_pointer(self.bounds_column)
        self.item = int_pointer(self.item_column)
        self.node_bounds = double_pointer(self.node_bounds_column)
        self.node_skip = int_pointer(self.node_skip_column)
        self.node_first = int_pointer(self.node_first_column)
        self.node_count = 0
        i: cython.int
        for i in range(count):
            self.item[i] = i
        with cython.nogil:
            _build(self, 0, count)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _build(tree: TreeBuilder, first: cython.int, last: cython.int) -> cython.int:
    """Emit the node of items first..last−1 and those below it."""
    node: cython.int = tree.node_count
    tree.node_count += 1
    _enclose(tree, node, first, last)
    tree.node_first[node] = -1
    if last - first <= _LEAF_POLYS:
        tree.node_first[node] = first
    else:
        middle: cython.int = _partition(tree, first, last)
        _build(tree, first, middle)
        _build(tree, middle, last)
    tree.node_skip[node] = tree.node_count - node
    return node


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _enclose(tree: TreeBuilder, node: cython.int, first: cython.int, last: cython.int) -> cython.void:
    source: cython.p_double = tree.bounds
    target: cython.p_double = tree.node_bounds
    i: cython.int
    axis: cython.int
    for axis in range(3):
        low: cython.double = source[6 * tree.item[first] + axis]
        high: cython.double = source[6 * tree.item[first] + 3 + axis]
        for i in range(first + 1, last):
            low = min(low, source[6 * tree.item[i] + axis])
            high = max(high, source[6 * tree.item[i] + 3 + axis])
        target[6 * node + axis] = low
        target[6 * node + 3 + axis] = high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _doubled_centre(tree: TreeBuilder, i: cython.int, axis: cython.int) -> cython.double:
    return tree.bounds[6 * tree.item[i] + axis] + tree.bounds[6 * tree.item[i] + 3 + axis]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _partition(tree: TreeBuilder, first: cython.int, last: cython.int) -> cython.int:
    """Order the items of a node so that those on the low side come first; return where the high side starts."""
    axis: cython.int
    best_axis: cython.int = 0
    best_extent: cython.double = -1.0
    split: cython.double = 0.0
    i: cython.int
    for axis in range(3):
        low: cython.double = _doubled_centre(tree, first, axis)
        high: cython.double = low
        for i in range(first + 1, last):
            centre: cython.double = _doubled_centre(tree, i, axis)
            low = min(low, centre)
            high = max(high, centre)
        if high - low > best_extent:
            best_extent = high - low
            best_axis = axis
            split = 0.5 * (low + high)
    left: cython.int = first
    right: cython.int = last
    while left < right:
        if _doubled_centre(tree, left, best_axis) < split:
            left += 1
        else:
            right -= 1
            swapped: cython.int = tree.item[left]
            tree.item[left] = tree.item[right]
            tree.item[right] = swapped
    if left == first or left == last:  # all centres on one side (equal ones): any halving serves
        return (first + last) // 2
    return left
