"""Nodes that fail, outlive each other and connect to each other."""

import godot
from godot import Node, RefCounted, method, prop, register, signal

_remembered = []


@register
class FailsInProcess(Node):
    """Raises on its third physics tick."""

    ticks = prop(int, 0, "Ticks seen.")

    def _physics_process(self, delta):
        self.ticks += 1
        if self.ticks == 3:
            raise ZeroDivisionError("on purpose")

    @method
    def broken(self) -> int:
        """Raises whenever it is called."""
        return [][1]


@register
class FailsInInit(Node):
    """Raises while it is made, once the game has asked for that (the editor makes one of every class)."""

    def __init__(self):
        if godot.singleton("Engine").has_meta("fail_in_init"):
            raise KeyError("not today")

    def _ready(self):
        print("never printed")


@register
class Keeper(Node):
    """Keeps other objects and is told about them."""

    heard = prop(int, 0, "Signals received.")
    friend = prop(Node, doc="Another node.")
    pinged = signal("When asked to.", value=int)

    def __init__(self):
        self.kept = {}

    @method
    def keep(self, name: str, thing: object) -> None:
        """Keeps an object under a name."""
        self.kept[name] = thing

    @method
    def drop(self, name: str) -> None:
        """Forgets it."""
        self.kept.pop(name)

    @method
    def remember(self, thing: object) -> None:
        """Keeps an object for as long as Python lives."""
        _remembered.append(thing)

    @method
    def try_to_use(self, name: str) -> str:
        """What happens when the kept object is used."""
        thing = self.kept[name]
        alive = bool(thing)
        try:
            return f"{alive} {thing.get_class()}"
        except godot.FreedObjectError as error:
            return f"{alive} {error}"

    @method
    def listen_to(self, other: Node, name: str) -> None:
        """Connects a bound method of this node to another's signal."""
        other.connect(name, self._heard)

    def _heard(self, value):
        self.heard += value

    @method
    def ping(self, value: int) -> None:
        """Emits."""
        self.pinged.emit(value)


@register
class Thing(RefCounted):
    """Counts how many of it are alive."""

    alive = 0

    def __init__(self):
        Thing.alive += 1

    def __del__(self):
        Thing.alive -= 1

    @method
    def count_alive(self) -> int:
        """How many things are alive."""
        return Thing.alive
