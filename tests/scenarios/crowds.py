"""Small crowds that exercise everything: obstacles, a door, two floors with links, queues there, edits underfoot.

A scenario is a :class:`Scenario`: ``step(tick)`` does all that happens in one tick, so that a run can be taken up again
at any tick after a restore.
"""

import random

from meshes import Field, cell_mesh, scatter_cells, two_floors

from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from scenarios.ground import Ground
from scenarios.walks import DT, scattered_places


class Scenario:
    """A crowd whose agents get a new goal, a function of tick and id, whenever they stand."""

    def __init__(self, field, count, seed, options=None, spacing=1.2):
        self.field = field
        self.mesh = field.mesh
        self.tiles = {key: self.mesh.tile_bytes(*key) for key in self.mesh.tiles()}
        self.seed = seed
        self.crowd = Crowd(self.mesh, options)
        rng = random.Random(seed)
        self.goals = [field.place(rng)[1] for _ in range(200)]
        for place in scattered_places(field, count, seed, spacing):
            self.crowd.add(place, AgentOptions(
                radius=rng.choice((0.3, 0.45)), priority=rng.choice((1.0, 2.0)), height=rng.choice((0.0, 1.8)),
                quality=AvoidanceQuality(rng.choice((0, 1, 2, 2, 3))), group_arrival=rng.random() < 0.2,
                yield_and_return=rng.random() < 0.2, squeeze=rng.choice((0.0, 0.5)),
                separation_distance=rng.choice((0.0, 1.0))))

    def goal(self, tick, agent):
        return random.Random(self.seed * 7919 + tick * 1009 + agent.id).choice(self.goals)

    def save(self, referenced=False):
        """Return all that the next ticks depend on, as bytes."""
        return self.crowd.save_state_with_mesh(referenced)

    def restore(self, state):
        """Go back to what was saved, here or in another process; the level has all tiles that there ever were."""
        self.crowd.restore_state_with_mesh(state, self.tiles)

    def state_hash(self):
        """Return a hash of what moves."""
        return self.crowd.state_hash()

    def step(self, tick):
        for agent in self.crowd:
            if agent.state not in (FollowerState.MOVING, FollowerState.OFF_MESH_LINK) and (tick + agent.id) % 7 == 0:
                agent.set_destination(self.goal(tick, agent))
        self.crowd.step(DT)


class Edits(Scenario):
    """The same while tiles go, come back and are replaced, polygons open and close, and links are switched."""

    def __init__(self, field, count, seed, options=None, spacing=1.2):
        super().__init__(field, count, seed, options, spacing)
        self.ground = Ground(self.mesh)

    def step(self, tick):
        rng = random.Random(self.seed * 104729 + tick)
        if rng.random() < 0.3:
            self.ground.edit(rng)
        super().step(tick)

    def restore_ground(self):
        """Put every tile back as it was and switch all links on."""
        self.ground.restore()


def scatter_crowd(count, threads=1):
    return Scenario(Field(cell_mesh(scatter_cells(16, 41))), count, 1, CrowdOptions(max_threads=threads))


def door_crowd(count, threads=1):
    cells = [(x, z) for z in range(8) for x in range(17) if x != 8 or z in (3, 4)]
    options = CrowdOptions(max_threads=threads, replan_budget_per_step=200)
    return Scenario(Field(cell_mesh(cells)), count, 2, options)


def floors_crowd(count, threads=1):
    return Scenario(two_floors(12, seed=3, link_count=8), count, 3, CrowdOptions(max_threads=threads))


def edited_crowd(count, threads=1, width=16):
    field = two_floors(width, seed=5, link_count=8, tile_cells=4)
    return Edits(field, count, 4, CrowdOptions(max_threads=threads))


def queueing_crowd(count, threads=1):
    """Two small floors with few links, so that agents wait at them all the time, and links are switched."""
    field = two_floors(6, seed=3, link_count=3)
    return Edits(field, count, 5, CrowdOptions(max_threads=threads, queue_at_links=True), 0.8)


SCENARIOS = {"scatter": scatter_crowd, "door": door_crowd, "floors": floors_crowd, "edits": edited_crowd,
             "queues": queueing_crowd}
