"""Crowds on their way, watched: is everybody on the mesh, who overlaps whom, and who has arrived."""

import math
import random

import numpy as np

from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.options import AgentOptions, CrowdOptions
from onepath.queries.query import NavMeshQuery

DT = 1 / 60
#: Who has left a link is not looked at for so many steps: it lands where it lands.
SETTLING_STEPS = 60


class Walk:
    """A crowd and what was seen of it: the deepest overlap so far, and how many agent-steps were off the mesh."""

    def __init__(self, mesh, *, threads=1, options=None, settling=SETTLING_STEPS):
        self.mesh = mesh
        self.crowd = Crowd(mesh, options or CrowdOptions(max_threads=threads))
        self.query = NavMeshQuery(mesh, 64)
        self.overlap = 0.0
        self.off_mesh = 0
        self.links = 0
        self._settling = settling
        self._crossing = set()
        self._landed = {}

    def add(self, position, goal=None, options=None):
        agent = self.crowd.add(position, options)
        if goal is not None:
            agent.set_destination(goal)
        return agent

    def step(self, steps=1, dt=DT, *, look=True):
        for _ in range(steps):
            self.crowd.step(dt)
            if look:
                self.look()

    def look(self):
        """Measure overlaps of agents on the ground and distances to the mesh."""
        agents = list(self.crowd)
        if not agents:
            return
        places = self.crowd.positions()
        assert np.isfinite(places).all()
        assert np.isfinite(self.crowd.velocities()).all()
        crossing = {agent.id for agent in agents if agent.state == FollowerState.OFF_MESH_LINK}
        self.links += len(crossing - self._crossing)
        for landed in self._crossing - crossing:
            self._landed[landed] = self.crowd.step_count
        self._crossing = crossing
        grounded = np.array([agent.id not in crossing for agent in agents])
        self.off_mesh += int((off_mesh_distance(self.query, places[grounded]) > 1e-6).sum())
        settled = grounded & np.array([
            self.crowd.step_count - self._landed.get(agent.id, -self._settling) >= self._settling for agent in agents])
        radii = np.array([agent.options.radius for agent in agents])
        self.overlap = max(self.overlap, deepest_overlap(places[settled], radii[settled]))

    def arrived(self):
        return [agent for agent in self.crowd if agent.state == FollowerState.ARRIVED]

    def run(self, seconds, *, remove=False, look=1):
        """Step until all have arrived (removing those that have, if asked to); return the seconds it took, or inf."""
        for step in range(math.ceil(seconds / DT)):
            self.step(look=step % look == 0)
            done = self.arrived()
            if remove:
                for agent in done:
                    self.crowd.remove(agent)
                if len(self.crowd) == 0:
                    return (step + 1) * DT
            elif len(done) == len(self.crowd):
                return (step + 1) * DT
        return math.inf


def off_mesh_distance(query, places):
    """Return for each position its distance to the nearest point of the mesh (infinite if none is near)."""
    if len(places) == 0:
        return np.zeros(0)
    refs, points = query.find_nearest_polys(places, (0.5, 0.5, 0.5))
    distance = np.linalg.norm(points - places, axis=1)
    distance[np.asarray(refs) == 0] = np.inf
    return distance


def deepest_overlap(places, radii, height=1.5):
    """Return how deep the bodies of two agents on one floor overlap at most."""
    deepest = 0.0
    order = np.argsort(places[:, 0], kind="stable")
    x, y, z, r = places[order, 0], places[order, 1], places[order, 2], radii[order]
    widest = 2 * r.max(initial=0.0)
    for step in range(1, len(order)):
        dx = x[step:] - x[:-step]
        if dx.min(initial=np.inf) >= widest:
            break
        depth = r[step:] + r[:-step] - np.hypot(dx, z[step:] - z[:-step])
        depth[np.abs(y[step:] - y[:-step]) > height] = 0.0
        deepest = max(deepest, depth.max(initial=0.0))
    return float(deepest)


def scattered_places(field, count, seed, apart):
    """Return ``count`` points on the field at least ``apart`` from each other."""
    rng = random.Random(seed)
    chosen = []
    while len(chosen) < count:
        point = field.place(rng)[1]
        if all(math.dist(point, other) >= apart for other in chosen):
            chosen.append(point)
    return chosen


def plain(**changes):
    """Agent options of the reported cases: radius 0.5, speed 3.5."""
    return AgentOptions(radius=0.5, **changes)
