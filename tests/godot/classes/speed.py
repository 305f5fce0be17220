"""Measures what one call across the border costs, for the record and not for a test."""

import array
import time

import godot
from godot import Node, Node3D, method, prop, register, signal


@register
class IdleNode(Node3D):
    """Gets a physics tick and does nothing."""

    number = prop(int, 0, "A number.")

    def _physics_process(self, delta):
        pass


@register
class Bulk(Node):
    """Moves many nodes in one call."""

    arrived = signal("One agent arrived.", agent=int)

    @method
    def take(self, nodes: list) -> None:
        """The nodes that the bulk functions work on."""
        self.ids = array.array("Q", [godot.instance_id(node) for node in nodes])
        self.positions = array.array("d", bytes(24 * len(nodes)))
        self.facing = array.array("d", [0.0, 0.0, 1.0] * len(nodes))

    @method
    def place(self, x: float, y: float, z: float, turn: bool = False) -> object:
        """Puts the nodes in a row; gives the indices of freed ones."""
        for index in range(len(self.ids)):
            self.positions[3 * index : 3 * index + 3] = array.array("d", [x + index, y, z])
        return godot.write_nodes(self.ids, self.positions, self.facing if turn else None)[0]

    @method
    def read(self) -> list:
        """Freed and moved nodes, and the positions that were read."""
        found = array.array("d", bytes(8 * len(self.positions)))
        dead, moved = godot.read_nodes(self.ids, found, self.positions)
        return [dead, moved, list(found)]

    @method
    def fill(self, rid: godot.RID, instances: int) -> None:
        """Fills a MultiMesh from the same positions."""
        godot.fill_multimesh(rid, instances, self.positions, self.facing)

    @method
    def shout(self, name: str) -> object:
        """Emits one vector signal for each node."""
        return godot.emit_vectors(self.ids, name, self.positions)

    @method
    def measure(self, rid: godot.RID, repeats: int) -> dict:
        """Nanoseconds for each node and call."""
        count = len(self.ids)
        mesh = (rid, count, self.positions, self.facing)
        jobs = {
            "write": lambda: godot.write_nodes(self.ids, self.positions),
            "write and turn": lambda: godot.write_nodes(self.ids, self.positions, self.facing),
            "read": lambda: godot.read_nodes(self.ids, self.positions, self.positions),
            "multimesh": lambda: godot.fill_multimesh(*mesh),
            "emit": lambda: [self.arrived.emit(index) for index in range(count)],
            "engine method": lambda: [self.get_index() for _ in range(count)],
        }
        result = {}
        for name, job in jobs.items():
            times = []
            for _ in range(repeats):
                start = time.perf_counter_ns()
                job()
                times.append((time.perf_counter_ns() - start) / count)
            result[name] = sorted(times)[repeats // 2]
        return result
