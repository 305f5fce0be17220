"""The avoidance phase of a crowd's step written down a second time, plainly, for tests to compare with."""

import math

from onepath.orca.constraints import OrcaConstraints
from onepath.orca.program import OrcaLinearProgram


class Seen:
    """What an agent sees of another at the start of a step."""

    def __init__(self, agent):
        self.slot = agent.slot
        self.options = agent.options
        self.priority = agent.priority
        self.position = agent.position
        self.velocity = (agent.velocity[0], agent.velocity[2])
        self.destination = agent.destination


def snapshot(crowd):
    return {agent.slot: Seen(agent) for agent in crowd}


def flat(a, b):
    return b.position[0] - a.position[0], b.position[2] - a.position[2]


def heights_overlap(a, b):
    if a.options.height == 0.0 or b.options.height == 0.0:
        return True
    return (a.position[1] < b.position[1] + b.options.height) and (b.position[1] < a.position[1] + a.options.height)


def neighbours(seen, me):
    """The nearest others by (squared distance, slot), by looking at all of them."""
    candidates = []
    for other in seen.values():
        dx, dz = flat(me, other)
        distance2 = dx * dx + dz * dz
        if other is not me and distance2 < me.options.neighbor_distance**2 and heights_overlap(me, other):
            candidates.append((distance2, other.slot))
    return [seen[slot] for _, slot in sorted(candidates)[:me.options.quality.max_neighbors]]


def agent_half_plane(me, other, dt, crossing):
    dx, dz = flat(me, other)
    if dx == 0.0 and dz == 0.0:
        dx = 1e-3 if other.slot > me.slot else -1e-3
    share = 1.0 if crossing else other.priority / (me.priority + other.priority)
    return OrcaConstraints.for_agent(
        (dx, dz), me.velocity, other.velocity, me.options.radius + other.options.radius,
        me.options.quality.time_horizon, dt, share)


def nearest_on_piece(wall, x, z):
    ax, _, az = wall.a
    bx, _, bz = wall.b
    length2 = (bx - ax) ** 2 + (bz - az) ** 2
    t = min(max(((x - ax) * (bx - ax) + (z - az) * (bz - az)) / length2, 0.0), 1.0)
    distance = math.hypot(ax + t * (bx - ax) - x, az + t * (bz - az) - z)
    return distance, wall.a[1] + t * (wall.b[1] - wall.a[1])


def wall_half_planes(walls, me, most=8):
    """The half-planes of the facing pieces within reach on the agent's floor, nearest first, with their distances."""
    x, y, z = me.position
    listed = []
    for wall in walls:
        distance, height = nearest_on_piece(wall, x, z)
        half_plane = OrcaConstraints.for_boundary(
            (x, z), (wall.a[0], wall.a[2]), (wall.b[0], wall.b[2]), me.options.wall_clearance,
            me.options.quality.time_horizon / 2)
        if half_plane and distance <= me.options.wall_reach and abs(height - y) <= 1.0 + 1.5 * distance:
            listed.append((distance, wall.ref, wall.edge, wall.a[0], wall.a[2], half_plane))
    listed.sort(key=lambda entry: entry[:5])
    return [(entry[0], entry[5]) for entry in listed[:most]]


def with_separation(me, others, wanted):
    limit = me.options.separation_distance
    x, z = wanted
    if limit == 0.0:
        return wanted
    for other in others:
        dx, dz = flat(me, other)
        distance = math.sqrt(dx * dx + dz * dz)
        if distance >= limit:
            continue
        push = me.options.separation_weight * me.options.max_speed * (1.0 - distance / limit) ** 2
        if distance > 1e-9:
            x -= push * dx / distance
            z -= push * dz / distance
        else:
            x += push if other.slot < me.slot else -push
    length = math.hypot(x, z)
    if length > me.options.max_speed:
        x, z = x * me.options.max_speed / length, z * me.options.max_speed / length
    return x, z


def with_side_bias(me, walls, wanted):
    x, z = wanted
    bias = (z * me.options.side_preference, -x * me.options.side_preference)
    size = math.hypot(*bias)
    for distance, half_plane in walls:
        along = half_plane.normal[0] * bias[0] + half_plane.normal[1] * bias[1]
        if size > 0.0 and distance <= 4 * me.options.radius and along < -0.5 * size:
            return x - bias[0], z - bias[1]
    return x + bias[0], z + bias[1]


def solved_velocity(me, others, walls, planes, wanted, standing):
    """The velocity after avoidance; ``standing`` tells which neighbours are not walking."""
    speed = me.options.max_speed
    best = OrcaLinearProgram.solve(planes, len(walls), speed, wanted)
    to_go = math.hypot(me.destination[0] - me.position[0], me.destination[2] - me.position[2])
    blocked = math.hypot(*best) < 0.3 * math.hypot(*wanted)
    if blocked and to_go > 8 * me.options.radius and any(other.slot in standing for other in others):
        x, z = wanted
        half = math.sqrt(0.5)
        for turned in ((-z, x), (z, -x), (half * (x - z), half * (x + z)), (half * (x + z), half * (z - x))):
            tried = OrcaLinearProgram.solve(planes, len(walls), speed, turned)
            if math.hypot(*tried) > math.hypot(*best):
                best = tried
    return best
