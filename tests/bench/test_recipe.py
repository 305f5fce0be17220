"""The benchmark's worlds are the agreed ones: a few numbers that any other implementation of the recipe also gives."""

import numpy as np
import pytest
from bench import recipe


@pytest.mark.parametrize(("width", "free", "reachable"), [(64, 3626, 3625), (256, 57797, 57783)])
def test_scatter_field_has_the_agreed_cells(width: int, free: int, reachable: int) -> None:
    world = recipe.scatter(width)
    assert world.free_cells == free
    assert len(world.component) == reachable
    assert world.component == sorted(set(world.component))


def test_first_walker_has_the_agreed_start_and_goals() -> None:
    walker = recipe.Walker(recipe.scatter(64), 0)
    assert walker.start == pytest.approx((62.8303, 121.7402), abs=5e-5)
    assert [walker.next_goal() for _ in range(3)] == [(121, 109), (21, 75), (35, 3)]


def test_walkers_start_on_free_cells_and_their_goals_are_far() -> None:
    world = recipe.scatter(64)
    rows = recipe.walkers(world, 300)
    cells = (rows // recipe.CELL).astype(int)
    assert world.walkable[cells[:, 1], cells[:, 0]].all()
    assert world.walkable[cells[:, 3], cells[:, 2]].all()
    assert (np.hypot(rows[:, 2] - rows[:, 0], rows[:, 3] - rows[:, 1]) >= 0.4 * world.size).all()


def test_segments_have_the_asked_length_and_direction() -> None:
    rows = recipe.segments(np.array([[1.0, 1.0, 4.0, 5.0]]), 10.0)
    assert rows.tolist() == [[1.0, 1.0, 7.0, 9.0]]


def test_plane_keeps_agents_apart_and_inside_its_square() -> None:
    plane = recipe.plane(100)
    assert plane.side == 25.0
    assert plane.positions.min() >= 0.0
    assert plane.positions.max() <= plane.side
    apart = plane.positions[:, None, :] - plane.positions[None, :, :]
    distance = np.sqrt((apart**2).sum(axis=2)) + np.eye(100) * 100
    assert distance.min() >= 1.25
    assert plane.wanted[0].tolist() == [recipe.SPEED, 0.0]
    assert plane.wanted[1].tolist() == [0.0, recipe.SPEED]
