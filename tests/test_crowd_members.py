"""Who is in a crowd: slots, ids, agents, their settings, and what is refused."""

import gc
import math
import threading
import weakref

import numpy as np
import pytest
from meshes import cell_mesh

from onepath.corridors.options import FollowerOptions
from onepath.corridors.states import FollowerState
from onepath.crowds.crowd import Crowd
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.errors import OutOfRangeError
from onepath.navmesh.filter import QueryFilter

DT = 1 / 60
BAD_POINTS = [(math.nan, 0, 0), (0, math.inf, 0), (0, 0, 2.0**21), (1, 2), "nowhere", None]


def square(width=6):
    return cell_mesh([(x, z) for z in range(width) for x in range(width)])


def test_agents_take_the_lowest_free_slot_and_ids_count_up():
    crowd = Crowd(square())
    agents = [crowd.add((1 + 2 * k, 0, 1)) for k in range(4)]
    assert [(agent.id, agent.slot) for agent in agents] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    crowd.remove(agents[2])
    crowd.remove(agents[0])
    assert [crowd.add((5, 0, 5)).slot for _ in range(3)] == [0, 2, 4]
    assert [agent.id for agent in crowd] == [4, 1, 5, 3, 6]
    assert [agent.slot for agent in crowd] == [0, 1, 2, 3, 4]
    assert len(crowd) == 5
    assert crowd.get_agent(5).slot == 2
    assert crowd.get_agent(0) is None


def test_a_new_agent_stands_on_the_mesh_without_a_destination():
    agent = Crowd(square()).add((3, 1.5, 3))
    assert agent.state == FollowerState.IDLE
    assert agent.position == (3.0, 0.0, 3.0)
    assert agent.velocity == (0.0, 0.0, 0.0)
    assert agent.wanted_velocity == (0.0, 0.0, 0.0)
    assert not agent.reached_target


def test_a_place_without_a_polygon_near_is_refused_and_changes_nothing():
    crowd = Crowd(square())
    before = crowd.save_state()
    for place in ((20, 0, 3), (3, 4.5, 3), (-2.5, 0, 3)):
        with pytest.raises(OutOfRangeError) as caught:
            crowd.add(place)
        assert caught.value.field == "position"
    assert crowd.save_state() == before
    assert crowd.add((-1.5, 0, 3)).position == (0.0, 0.0, 3.0)


def test_the_crowds_filter_holds_for_places_paths_and_walls():
    pond = {(2, 0), (2, 1)}
    mesh = cell_mesh([(x, z) for z in range(3) for x in range(5)], area=lambda x, z: 7 if (x, z) in pond else 0)
    crowd = Crowd(mesh, CrowdOptions(filter=QueryFilter(forbidden_areas=(7,))))
    assert crowd.add((4.5, 0, 1)).position[0] == 4.0
    agent = crowd.add((1, 0, 1))
    agent.set_destination((9, 0, 1))
    for _ in range(400):
        crowd.step(DT)
        x, _, z = agent.position
        assert not (4 + 1e-9 < x < 6 - 1e-9 and z < 4 - 1e-9)
    assert agent.state == FollowerState.ARRIVED


def test_a_removed_agent_is_inactive_for_good():
    crowd = Crowd(square())
    agent, other = crowd.add((1, 0, 1)), Crowd(square()).add((1, 0, 1))
    crowd.remove(agent)
    assert not agent.active
    assert agent.slot == -1
    assert agent.id == 0
    for use in (lambda: agent.position, lambda: agent.set_destination((1, 0, 1)), agent.stop,
                lambda: crowd.remove(agent), lambda: crowd.remove(other)):
        with pytest.raises(OutOfRangeError):
            use()
    assert "removed" in repr(agent)


def test_a_full_crowd_takes_nobody_until_somebody_leaves():
    crowd = Crowd(square(), CrowdOptions(max_agents=2))
    first, _ = crowd.add((1, 0, 1)), crowd.add((5, 0, 1))
    with pytest.raises(OutOfRangeError) as caught:
        crowd.add((5, 0, 5))
    assert caught.value.field == "max_agents"
    crowd.remove(first)
    assert crowd.add((5, 0, 5)).slot == 0


def test_bulk_arrays_list_active_agents_in_slot_order():
    crowd = Crowd(square())
    assert crowd.positions().shape == (0, 3)
    agents = [crowd.add((1 + 2 * k, 0, 1)) for k in range(4)]
    crowd.remove(agents[1])
    agents[3].set_destination((7, 0, 9))
    crowd.step(DT)
    assert crowd.ids().dtype == np.int64
    assert crowd.ids().tolist() == [0, 2, 3]
    assert crowd.positions().dtype == np.float64
    assert [tuple(row) for row in crowd.positions()] == [agent.position for agent in crowd]
    assert [tuple(row) for row in crowd.velocities()] == [agent.velocity for agent in crowd]
    crowd.positions()[:] = 0.0
    assert agents[0].position != (0.0, 0.0, 0.0)


def test_setting_the_same_destination_again_changes_no_byte():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    assert agent.set_destination((9, 0, 9))
    twin = Crowd(square())
    again = twin.add((1, 0, 1))
    for _ in range(250):
        assert again.set_destination((9, 0, 9))
        crowd.step(DT)
        twin.step(DT)
        assert twin.state_hash() == crowd.state_hash()
    assert agent.state == FollowerState.ARRIVED


def test_a_destination_without_a_polygon_near_is_no_path():
    agent = Crowd(square()).add((1, 0, 1))
    assert not agent.set_destination((40, 0, 40))
    assert agent.state == FollowerState.NO_PATH
    assert agent.set_destination((5, 0, 5))
    assert agent.state == FollowerState.MOVING


def test_a_stopped_agent_brakes_within_its_acceleration():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    agent.set_destination((11, 0, 1))
    for _ in range(60):
        crowd.step(DT)
    speed = math.hypot(*agent.velocity)
    assert speed > 3.0
    agent.stop()
    assert agent.state == FollowerState.IDLE
    for _ in range(math.ceil(speed / 8.0 / DT)):
        crowd.step(DT)
    assert agent.velocity == (0.0, 0.0, 0.0)


def test_a_warped_agent_stands_elsewhere_or_stays():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    agent.set_destination((11, 0, 1))
    crowd.step(DT)
    before = crowd.save_state()
    assert not agent.warp((40, 0, 40))
    assert crowd.save_state() == before
    assert agent.warp((7, 1, 7))
    assert agent.position == (7.0, 0.0, 7.0)
    assert agent.state == FollowerState.IDLE


def test_priority_may_change_at_any_time():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1), AgentOptions(priority=2.0))
    assert agent.priority == 2.0
    assert crowd.add((5, 0, 5), priority=7.0).priority == 7.0
    agent.priority = 0.25
    assert agent.priority == 0.25
    for bad in (0.0, -1.0, math.nan, math.inf, "much"):
        with pytest.raises(OutOfRangeError) as caught:
            agent.priority = bad
        assert caught.value.field == "priority"
    assert agent.priority == 0.25


def test_new_settings_leave_position_velocity_destination_and_corridor_alone():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    agent.set_destination((11, 0, 11))
    for _ in range(30):
        crowd.step(DT)
    before = agent.position, agent.velocity, agent.destination, agent.remaining_distance
    agent.set_options(AgentOptions(radius=0.4, max_speed=1.0, priority=3.0, quality=AvoidanceQuality.HIGH))
    assert (agent.position, agent.velocity, agent.destination, agent.remaining_distance) == before
    assert agent.priority == 3.0
    assert agent.options.radius == 0.4
    for _ in range(60):
        crowd.step(DT)
    assert math.hypot(*agent.velocity) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("field", "path"), [
    ("corridor_capacity", FollowerOptions(corridor_capacity=32)),
    ("max_corners", FollowerOptions(corridor_capacity=64, max_corners=4)),
])
def test_corridor_capacity_and_corner_count_cannot_change(field, path):
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    before = crowd.save_state()
    with pytest.raises(OutOfRangeError) as caught:
        agent.set_options(AgentOptions(path=path))
    assert caught.value.field == field
    assert crowd.save_state() == before


def test_bad_points_are_refused_everywhere_and_change_nothing():
    crowd = Crowd(square())
    agent = crowd.add((1, 0, 1))
    before = crowd.save_state()
    for bad in BAD_POINTS:
        for field, use in (("position", crowd.add), ("to", agent.set_destination), ("to", agent.follow),
                           ("to", agent.warp)):
            with pytest.raises(OutOfRangeError) as caught:
                use(bad)
            assert caught.value.field == field
    for wrong in (None, 3, CrowdOptions()):
        with pytest.raises(TypeError):
            agent.set_options(wrong)
    with pytest.raises(TypeError):
        crowd.add((1, 0, 1), CrowdOptions())
    with pytest.raises(TypeError):
        Crowd(square(), AgentOptions())
    assert crowd.save_state() == before


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, math.inf, None, "soon"])
def test_a_bad_dt_is_refused_and_changes_nothing(dt):
    crowd = Crowd(square())
    crowd.add((1, 0, 1)).set_destination((9, 0, 9))
    before = crowd.save_state()
    with pytest.raises(OutOfRangeError) as caught:
        crowd.step(dt)
    assert caught.value.field == "dt"
    assert crowd.save_state() == before


def test_steps_are_counted():
    crowd = Crowd(square())
    assert crowd.step_count == 0
    for _ in range(3):
        crowd.step(DT)
    assert crowd.step_count == 3


def test_threads_end_with_their_crowd():
    crowd = Crowd(square(), CrowdOptions(max_threads=3))
    for k in range(70):
        crowd.add((1 + k % 5, 0, 1 + k % 7))
    before = threading.active_count()
    crowd.step(DT)
    assert threading.active_count() == before + 2
    gone = weakref.ref(crowd)
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("onepath-")]
    del crowd
    gc.collect()
    assert gone() is None
    for thread in threads:
        thread.join(5.0)
        assert not thread.is_alive()
