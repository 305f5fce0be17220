"""What a host that draws and moves agents reads and writes each tick: flat columns by slot, without numpy.

A host is a game engine or anything else that has something of its own for each agent. Nothing here is part of the
crowd's state, and nothing here changes it except :meth:`CrowdHost.follow`.
"""

import cython

from onepath.buffers import grown, zeros
from cython.cimports.libc.math import sqrt
from cython.cimports.onepath.buffers import byte_pointer, double_pointer, int_pointer, reference_pointer
from cython.cimports.onepath.corridors.corridor import move_position
from cython.cimports.onepath.corridors.follower import place_at_surface, set_velocity
from cython.cimports.onepath.corridors.known import forget
from cython.cimports.onepath.corridors.states import CornerKind, CorridorFlag, FollowerState
from cython.cimports.onepath.corridors.store import FollowerStore
from cython.cimports.onepath.crowds.worker import narrow

#: Bits of the column ``role``: somebody else draws the agent, it is turned to where it goes, a body leads it.
ROLE_OWN_NODE = 1
ROLE_TURNS = 2
ROLE_BODY = 4
#: Bits of the column ``change``: the state or the destination, the path, a corner that was passed.
CHANGE_STATE = 1
CHANGE_PATH = 2
CHANGE_CORNER = 4

_OWN_NODE = cython.declare(cython.int, ROLE_OWN_NODE)
_TURNS = cython.declare(cython.int, ROLE_TURNS)
_BODY = cython.declare(cython.int, ROLE_BODY)
_STATE = cython.declare(cython.int, CHANGE_STATE)
_PATH = cython.declare(cython.int, CHANGE_PATH)
_CORNER = cython.declare(cython.int, CHANGE_CORNER)

_UNKNOWN = cython.declare(cython.int, 255)
#: Below this share of its full speed an agent shows no direction.
_STANDING = cython.declare(cython.double, 0.1)
#: A body at least this far (m) from where its agent was led it somewhere else at once.
_JUMP = cython.declare(cython.double, 1.0)
#: A body this far (m) above or below its agent may be on another floor.
_OTHER_FLOOR = cython.declare(cython.double, 1.5)
#: A corner passed within this (m) was reached.
_NEAR_CORNER = cython.declare(cython.double, 1.0)

# column → (type code, elements per slot)
_LAYOUT = {
    "lift": ("d", 1), "role": ("B", 1), "place": ("d", 3), "turn": ("d", 3), "heading": ("d", 3), "drawn": ("d", 3),
    "drawn_heading": ("d", 3), "known_state": ("B", 1), "known_flags": ("B", 1), "known_kind": ("B", 1),
    "known_count": ("i", 1), "known_end": ("Q", 1), "known_corner": ("d", 3), "previous": ("d", 3), "changed": ("i", 1),
    "change": ("B", 1),
}


@cython.cclass
class CrowdHost:
    """Columns of one crowd for its host. ``columns`` maps their names to arrays, in slot order:

    ``lift`` (set by the host): added to heights. ``role`` (set by the host): ``ROLE_…`` bits. ``place``: position and
    lift. ``turn``: direction of motion of agents that are to be turned, zero while they stand. ``changed`` begins with
    the slots that the last step changed (:meth:`after_step` tells how many), ``change`` says how. ``drawn``,
    ``drawn_heading``: places and last directions of the agents without a node, without gaps (:meth:`gather_drawn`).

    Args:
        crowd: the :class:`~onepath.crowds.crowd.Crowd`.
    """

    def __init__(self, crowd):
        self.store = crowd._store
        self.worker = crowd._workers[0]
        self.capacity = 0
        self.columns = {name: zeros(code, 0) for name, (code, _) in _LAYOUT.items()}
        self.fit()

    def fit(self) -> None:
        """Make room for all slots of the crowd; to be called after agents were added. Columns may be replaced."""
        slots: cython.int = max(self.store.slot_count, 1)
        if slots <= self.capacity:
            return
        columns = self.columns
        for name, (_, per_slot) in _LAYOUT.items():
            columns[name] = grown(columns[name], slots * per_slot)
        self.capacity = slots
        self.bind()

    @cython.ccall
    def bind(self):
        """Take every pointer again; to be called whenever a column was replaced."""
        columns = self.columns
        self.lift = double_pointer(columns["lift"])
        self.role = byte_pointer(columns["role"])
        self.place = double_pointer(columns["place"])
        self.turn = double_pointer(columns["turn"])
        self.heading = double_pointer(columns["heading"])
        self.drawn = double_pointer(columns["drawn"])
        self.drawn_heading = double_pointer(columns["drawn_heading"])
        self.known_state = byte_pointer(columns["known_state"])
        self.known_flags = byte_pointer(columns["known_flags"])
        self.known_kind = byte_pointer(columns["known_kind"])
        self.known_count = int_pointer(columns["known_count"])
        self.known_end = reference_pointer(columns["known_end"])
        self.known_corner = double_pointer(columns["known_corner"])
        self.previous = double_pointer(columns["previous"])
        self.changed = int_pointer(columns["changed"])
        self.change = byte_pointer(columns["change"])

    @property
    def velocities(self):
        """The agents' velocities, three numbers for each slot, as the crowd has them: to be read only."""
        return self.store.followers.columns["velocity"]

    def gather(self, name: str):
        """Return a follower column of three numbers each (``position``, ``velocity``) without the gaps of free slots.

        A new ``d`` array, in slot order.
        """
        source: cython.p_double = double_pointer(self.store.followers.columns[name])
        column = zeros("d", 3 * self.store.agent_count)
        target: cython.p_double = double_pointer(column)
        slot: cython.int
        i: cython.int
        count: cython.int = 0
        for slot in range(self.store.slot_count):
            if self.store.active[slot] != 0:
                for i in range(3):
                    target[3 * count + i] = source[3 * slot + i]
                count += 1
        return column

    def enter(self, slot: cython.int, lift: cython.double, role: cython.int) -> None:
        """Begin with an agent that was added, moved or restored."""
        self.fit()
        self.lift[slot] = lift
        self.role[slot] = role
        _set_place(self, slot)
        i: cython.int
        for i in range(3):
            self.heading[3 * slot + i] = 0.0
            self.previous[3 * slot + i] = self.store.followers.position[3 * slot + i]
        self.touch(slot)

    def leave(self, slot: cython.int) -> None:
        """Forget what the host said about a slot whose agent is gone."""
        self.lift[slot] = 0.0
        self.role[slot] = 0

    def forget_ground(self, slot: cython.int) -> None:
        """Let go of the polygons that an agent knows, as the mesh is another one; the next step looks around it."""
        s: FollowerStore = self.store.followers
        s.count[slot] = min(s.count[slot], 1)
        s.refs[slot * s.stride] = 0
        forget(s, slot)

    def touch(self, slot: cython.int) -> None:
        """Report the slot as changed after the next step: its destination was set."""
        self.known_state[slot] = _UNKNOWN
        self.known_end[slot] = 0
        self.known_count[slot] = 0

    def touch_all(self) -> None:
        """Report every slot as changed after the next step: the crowd was restored."""
        slot: cython.int
        for slot in range(self.store.slot_count):
            self.touch(slot)
            _set_place(self, slot)
            for i in range(3):
                self.previous[3 * slot + i] = self.store.followers.position[3 * slot + i]

    def before_step(self) -> None:
        """Note what the step may change."""
        s: FollowerStore = self.store.followers
        slot: cython.int
        i: cython.int
        for slot in range(self.store.slot_count):
            self.known_flags[slot] = s.flags[slot]
            self.known_kind[slot] = s.corner_kind[slot]
            for i in range(3):
                self.known_corner[3 * slot + i] = s.corner[3 * slot + i]

    def after_step(self, dt: cython.double) -> int:
        """Fill the columns that tell what the step did; return the number of changed slots."""
        s: FollowerStore = self.store.followers
        slot: cython.int
        count: cython.int = 0
        for slot in range(self.store.slot_count):
            if self.store.active[slot] == 0:
                continue
            _set_place(self, slot)
            _set_direction(self, slot)
            self.change[slot] = _find_change(self, s, slot, dt)
            if self.change[slot] != 0:
                self.changed[count] = slot
                count += 1
        return count

    def gather_drawn(self) -> int:
        """Fill the columns of agents without a node of their own; return how many there are."""
        slot: cython.int
        i: cython.int
        count: cython.int = 0
        for slot in range(self.store.slot_count):
            if self.store.active[slot] == 0 or (self.role[slot] & _OWN_NODE) != 0:
                continue
            for i in range(3):
                self.drawn[3 * count + i] = self.place[3 * slot + i]
                self.drawn_heading[3 * count + i] = self.heading[3 * slot + i]
            count += 1
        return count

    def follow(self, bodies, dt: cython.double) -> list:
        """Lead agents with a body to where their bodies are, along the surface; their velocity is what that makes.

        Args:
            bodies: a ``d`` array, three numbers for each slot; read where ``role`` has ``ROLE_BODY``.
            dt: seconds since the bodies were followed last; 0: velocities stay.

        Returns:
            Slots whose bodies are too far away to have walked there, or may be on another floor.

        Raises:
            OnePathError: another thread is editing the mesh; nothing has changed.
        """
        self.store.mesh.check_unchanging()
        jumped: list = []
        s: FollowerStore = self.store.followers
        place: cython.p_double = double_pointer(bodies)
        slot: cython.int
        for slot in range(self.store.slot_count):
            if self.store.active[slot] == 0 or (self.role[slot] & _BODY) == 0:
                continue
            if not _lead(self, s, slot, place, dt):
                jumped.append(slot)
        return jumped


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_place(host: CrowdHost, slot: cython.int) -> cython.void:
    position: cython.p_double = host.store.followers.position
    host.place[3 * slot] = position[3 * slot]
    host.place[3 * slot + 1] = position[3 * slot + 1] + host.lift[slot]
    host.place[3 * slot + 2] = position[3 * slot + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_direction(host: CrowdHost, slot: cython.int) -> cython.void:
    x: cython.double = host.store.followers.velocity[3 * slot]
    z: cython.double = host.store.followers.velocity[3 * slot + 2]
    slow: cython.double = _STANDING * host.store.followers.max_speed[slot]
    moves: cython.bint = x * x + z * z > slow * slow
    if moves:
        host.heading[3 * slot] = x
        host.heading[3 * slot + 2] = z
    shown: cython.bint = moves and (host.role[slot] & _TURNS) != 0
    host.turn[3 * slot] = x if shown else 0.0
    host.turn[3 * slot + 2] = z if shown else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_change(host: CrowdHost, s: FollowerStore, slot: cython.int, dt: cython.double) -> cython.int:
    """Compare a slot with what was known of it, and know it from now on."""
    change: cython.int = 0
    before: cython.int = host.known_state[slot]
    state: cython.int = s.state[slot]
    if state != before:
        change = _STATE
        host.known_state[slot] = state
    if state != FollowerState.MOVING and before != FollowerState.MOVING:
        return change
    count: cython.int = s.count[slot]
    if (s.flags[slot] & CorridorFlag.NEEDS_REPLAN) == 0 and count > 0:
        end: cython.ulonglong = s.refs[slot * s.stride + count - 1]
        replanned: cython.bint = (host.known_flags[slot] & CorridorFlag.NEEDS_REPLAN) != 0
        if replanned or end != host.known_end[slot] or count > host.known_count[slot] + 1:
            change |= _PATH
        host.known_end[slot] = end
        host.known_count[slot] = count
    if before == FollowerState.MOVING and (change & _PATH) == 0 and _passed_corner(host, s, slot, dt):
        change |= _CORNER
    return change


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _passed_corner(host: CrowdHost, s: FollowerStore, slot: cython.int, dt: cython.double) -> cython.bint:
    """Tell whether the corner steered for has changed because the agent got there."""
    if host.known_kind[slot] != CornerKind.BEND:
        return False
    if (s.corner[3 * slot] == host.known_corner[3 * slot]
            and s.corner[3 * slot + 2] == host.known_corner[3 * slot + 2]):
        return False
    dx: cython.double = s.position[3 * slot] - host.known_corner[3 * slot]
    dz: cython.double = s.position[3 * slot + 2] - host.known_corner[3 * slot + 2]
    return sqrt(dx * dx + dz * dz) <= _NEAR_CORNER + host.store.radius[slot] + s.max_speed[slot] * dt


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lead(host: CrowdHost, s: FollowerStore, slot: cython.int, bodies: cython.p_double,
          dt: cython.double) -> cython.bint:
    """Lead one agent to its body; False if the body has jumped or may be on another floor."""
    i: cython.int
    if s.state[slot] == FollowerState.OFF_MESH_LINK:
        for i in range(3):
            host.previous[3 * slot + i] = s.position[3 * slot + i]
        return True
    x: cython.double = bodies[3 * slot]
    z: cython.double = bodies[3 * slot + 2]
    dx: cython.double = x - s.position[3 * slot]
    dy: cython.double = bodies[3 * slot + 1] - host.lift[slot] - s.position[3 * slot + 1]
    dz: cython.double = z - s.position[3 * slot + 2]
    if sqrt(dx * dx + dz * dz) > _JUMP + 2.0 * host.store.radius[slot] + 2.0 * s.max_speed[slot] * dt:
        return False
    narrow(host.store, host.worker, slot)
    if move_position(s, slot, host.worker.scratch, host.worker.filter, x, z):
        place_at_surface(s, slot)
    if dt > 0.0:
        set_velocity(s, slot, host.previous[3 * slot], host.previous[3 * slot + 1], host.previous[3 * slot + 2], dt)
    for i in range(3):
        host.previous[3 * slot + i] = s.position[3 * slot + i]
    return -_OTHER_FLOOR <= dy <= _OTHER_FLOOR
