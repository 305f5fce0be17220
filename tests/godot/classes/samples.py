"""A node, a resource and a walker that use every part of the binding."""

import enum

import godot
from godot import Node, Node3D, Resource, method, on, prop, register, signal


@register
class SampleSettings(Resource):
    """Settings that can be saved by themselves."""

    speed = prop(float, 1.5, "How fast.", limits=(0.0, 10.0, 0.1), suffix="m/s")
    data = prop(godot.PackedByteArray, doc="Raw bytes.")
    touched = prop(int, 0, "How often the speed was set.", stored=False)

    @speed.changed
    def _speed_changed(self):
        self.touched += 1
        self.emit_changed()


@register
class SampleHandle(Resource):
    """A resource that names a server's object itself."""

    def _get_rid(self):
        return godot.RID(77)


@register
class SampleValues(Node):
    """Holds one value of every type.

    The second paragraph only says that there is one.
    """

    class Mode(enum.IntEnum):
        """What to do."""

        SLEEP = 0
        WALK = 1
        RUN = 5

    class Layers(enum.IntFlag):
        """Where to be."""

        LOW = 1
        HIGH = 2

    truth = prop(bool, True, "A truth.", group="Numbers")
    count = prop(int, 3, "A count.", limits=(0, 100), or_more=True)
    ratio = prop(float, 0.25, "A ratio.", limits=(0.0, 1.0))
    mode = prop("Mode", doc="A mode.")
    layers = prop("Layers", doc="Layers.")
    text = prop(str, "ab", "A text.", group="Texts", subgroup="Plain")
    label = prop(godot.StringName, doc="A name.")
    path = prop(godot.NodePath, doc="A path.")
    point2 = prop(godot.Vector2, doc="A point.", group="Values")
    point = prop(godot.Vector3, godot.Vector3(1.0, 2.0, 3.0), "A point in space.", suffix="m")
    cell = prop(godot.Vector3i, doc="A cell.")
    color = prop(godot.Color, doc="A colour.")
    plane = prop(godot.Plane, doc="A plane.")
    box = prop(godot.AABB, doc="A box.")
    basis = prop(godot.Basis, doc="A basis.")
    transform = prop(godot.Transform3D, doc="A transform.")
    items = prop(list, doc="Items.", group="Collections")
    table = prop(dict, doc="A table.")
    raw = prop(godot.PackedByteArray, doc="Bytes.")
    ints = prop(godot.PackedInt32Array, doc="Integers.")
    longs = prop(godot.PackedInt64Array, doc="Long integers.")
    floats = prop(godot.PackedFloat32Array, doc="Floats.")
    doubles = prop(godot.PackedFloat64Array, doc="Doubles.")
    points = prop(godot.PackedVector3Array, doc="Points.")
    colors = prop(godot.PackedColorArray, doc="Colours.")
    words = prop(godot.PackedStringArray, doc="Words.")
    settings = prop(SampleSettings, doc="Settings.")
    hidden = prop(int, 7, "Not shown, but saved.", shown=False)
    doubled = prop(int, doc="Twice the count.", read_only=True)
    positive = prop(float, 1.0, "Never negative.")

    @doubled.getter
    def _doubled(self):
        return 2 * self.count

    @positive.checked
    def _check_positive(self, value):
        if not 0.0 <= value < float("inf"):
            raise godot.Refused(f"must be finite and not negative, not {value}")
        return value

    @method
    def echo(self, value: object) -> object:
        """Gives back what it gets."""
        return value

    @method
    def add(self, a: int, b: float = 0.5, text: str = "x") -> str:
        """Numbers and text, two of them optional."""
        return f"{a + b}{text}"

    @method
    def half(self, point: godot.Vector3) -> godot.Vector3:
        """Half a vector."""
        return point * 0.5

    @method
    def kind_of(self, value: object) -> str:
        """The Python type of a value."""
        return type(value).__name__

    @method
    def sum_floats(self, numbers: godot.PackedFloat64Array) -> float:
        """The sum of a buffer's numbers."""
        return sum(memoryview(numbers))

    @method
    def make_bytes(self, size: int) -> godot.PackedByteArray:
        """Bytes counting up."""
        return bytes(index & 255 for index in range(size))

    @method
    def parent_name(self, node: Node) -> str:
        """The name of a node's parent, or nothing."""
        return str(node.get_parent().name) if node and node.get_parent() else ""

    @method
    def make_settings(self, speed: float) -> SampleSettings:
        """New settings, made in Python."""
        made = godot.new("SampleSettings")
        made.speed = speed
        return made

    @method
    def call_back(self, function: godot.Callable, value: object) -> object:
        """Calls what it is given."""
        return function(value)

    def _validate_property(self, name, usage):
        if name == "hidden" and self.mode == self.Mode.RUN:
            return usage | godot.CONSTANTS["PROPERTY_USAGE_EDITOR"]
        return None

    def _get_configuration_warnings(self):
        return [] if self.truth else ["Set truth.", "Then look again."]


@register
class SampleWalker(Node3D):
    """Moves along X and says so."""

    speed = prop(float, 2.0, "Metres a second.")
    log = prop(list, doc="What happened.", stored=False)
    moved = signal("After each step.", distance=float, where=godot.Vector3)
    started = signal()

    def _enter_tree(self):
        self.log.append("enter")

    def _ready(self):
        self.log.append("ready")
        self.set_notify_transform(True)
        self.started.emit()

    def _exit_tree(self):
        self.log.append("exit")

    @on("NOTIFICATION_PARENTED")
    def _joined(self):
        self.log.append("parented")

    @on("NOTIFICATION_UNPARENTED")
    def _left(self):
        self.log.append("unparented")

    @on("NOTIFICATION_TRANSFORM_CHANGED")
    def _turned(self):
        if self.log[-1] != "transform":
            self.log.append("transform")

    def _process(self, delta):
        self.last_frame = delta

    def _physics_process(self, delta):
        step = self.speed * delta
        self.position = self.position + godot.Vector3(step)
        self.last_delta = delta
        self.moved.emit(step, self.position)

    @method
    def deltas(self) -> list:
        """The last physics and frame times."""
        return [getattr(self, "last_delta", -1.0), getattr(self, "last_frame", -1.0)]
