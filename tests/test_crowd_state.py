"""Saving, hashing and restoring crowds."""

import random
import struct

import pytest
from meshes import cell_mesh, scatter, two_floors
from mode import scaled
from scenarios.walks import DT, scattered_places

from onepath.corridors.options import FollowerOptions
from onepath.crowds.crowd import Crowd
from onepath.crowds.debug import CrowdDebug
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.errors import CrowdStateError, NavMeshFormatError
from onepath.packing import fnv1a_64

STEPS = scaled(60, 12)


def busy_crowd(field, count, seed, steps=30, options=None):
    rng = random.Random(seed)
    crowd = Crowd(field.mesh, options)
    for place in scattered_places(field, count, seed, 1.0):
        agent = crowd.add(place, AgentOptions(radius=rng.uniform(0.3, 0.6), quality=AvoidanceQuality(rng.randrange(4))))
        if rng.random() < 0.9:
            agent.set_destination(field.place(rng)[1])
    for _ in range(steps):
        crowd.step(DT)
    return crowd


def run_on(crowd, steps=STEPS):
    hashes = []
    for _ in range(steps):
        crowd.step(DT)
        hashes.append(crowd.state_hash())
    return hashes


@pytest.fixture(scope="module")
def field():
    return scatter(16)


def test_the_step_after_a_restore_equals_the_step_after_the_save(field):
    crowd = busy_crowd(field, 12, 1)
    state = crowd.save_state()
    expected = run_on(crowd)
    crowd.restore_state(state)
    assert crowd.save_state() == state
    assert run_on(crowd) == expected
    other = Crowd(field.mesh)
    other.restore_state(state)
    assert other.save_state() == state
    assert run_on(other) == expected


def test_a_crowd_on_two_floors_with_links_is_restored_at_any_moment():
    floors = two_floors(10, link_count=6)
    crowd = busy_crowd(floors, 14, 3)
    for round in range(scaled(12, 3)):
        state = crowd.save_state()
        expected = run_on(crowd, 15)
        other = Crowd(floors.mesh, CrowdOptions(max_threads=1 + round % 3))
        other.restore_state(state)
        assert run_on(other, 15) == expected
        crowd.restore_state(state)
        assert run_on(crowd, 15) == expected


def test_a_restore_that_forgot_the_wall_caches_would_go_another_way(field):
    crowd = busy_crowd(field, 12, 1)
    state = crowd.save_state()
    expected = run_on(crowd, 40)
    crowd.restore_state(state)
    for agent in crowd:
        agent.set_options(agent.options)
    assert run_on(crowd, 40) != expected


def test_size_bytes_hash_and_buffer_forms_agree(field):
    crowd = busy_crowd(field, 9, 5)
    state = crowd.save_state()
    assert crowd.state_size() == len(state)
    assert crowd.state_hash() == fnv1a_64(state)
    buffer = bytearray(len(state) + 7)
    assert crowd.save_state_into(buffer) == len(state)
    assert buffer == state + bytes(7)
    exact = bytearray(len(state))
    assert crowd.save_state_into(memoryview(exact)) == len(state)
    assert exact == state
    short = bytearray(b"x" * (len(state) - 1))
    assert crowd.save_state_into(short) is None
    assert short == b"x" * (len(state) - 1)
    with pytest.raises((TypeError, BufferError)):
        crowd.save_state_into(state)
    padded = memoryview(b"abc" + state + b"de")
    crowd.restore_state(padded[3:-2])
    assert crowd.save_state() == state


def test_an_empty_crowd_has_a_state():
    crowd = Crowd(cell_mesh([(0, 0)]))
    state = crowd.save_state()
    assert state == b"OPCS\x01\x01" + struct.pack("<iiiqQ", 0, 0, 0, 0, 0)
    crowd.restore_state(state)
    assert crowd.state_hash() == fnv1a_64(state)


def test_the_bytes_follow_the_table():
    mesh = cell_mesh([(x, z) for z in range(3) for x in range(3)])
    crowd = Crowd(mesh)
    crowd.add((1, 0, 1))
    path = FollowerOptions(corridor_capacity=64, max_corners=6)
    agent = crowd.add((3, 0, 3), AgentOptions(radius=0.5, path=path, group_arrival=True), priority=2.5)
    crowd.remove(crowd.get_agent(0))
    agent.set_destination((5, 0, 5))
    crowd.step(0.25)
    state = crowd.save_state()
    assert struct.unpack_from("<4sBBiiiqQ", state) == (b"OPCS", 1, 1, 2, 1, 0, 2, 1)
    at = 34
    assert state[at] == 0
    assert state[at + 1] == 1
    assert struct.unpack_from("<qd", state, at + 2) == (1, 2.5)
    at += 18
    options = struct.unpack_from("<6dB5dBBiB", state, at)
    assert options == (0.5, 0.0, 3.5, 8.0, 0.25, 1.0, 2, 0.05, 0.0, 0.3, 0.05, 0.0, 1, 0, 65535, 1)
    at += struct.calcsize("<6dB5dBBiB")
    stated = struct.unpack_from("<5diiidiiiiiddiBdd3diid", state, at)
    assert stated == (3.5, 8.0, 1.0, 0.25, 0.01, 6, 8, 4, 10.0, 16, 16, 32, 2048, 16, 1.0, 0.1, 2, 0, 3.5, 0.05,
                      2.0, 4.0, 2.0, 64, 128, 0.0)
    at += struct.calcsize("<5diiidiiiiiddiBdd3diid")
    walking, crossing, wanted_x, wanted_z, length = struct.unpack_from("<BBddi", state, at)
    assert (walking, crossing) == (1, 0)
    assert (wanted_x, 0.0, wanted_z) == agent.wanted_velocity
    at += 22
    assert state[at:at + 2] == b"\x01\x01"
    assert struct.unpack_from("<3d", state, at + 51) == agent.position
    at += length
    valid, *centre, count = struct.unpack_from("<B3di", state, at)
    assert (valid, tuple(centre)) == (1, (3.0, 0.0, 3.0))
    assert count == 12
    assert len(state) == at + 29 + 60 * count


@pytest.mark.parametrize("referenced", [False, True])
def test_the_combined_bytes_are_mesh_and_crowd_each_behind_its_length(field, referenced):
    crowd = busy_crowd(field, 4, 19, steps=3)
    mesh, alone = field.mesh.save_state(referenced), crowd.save_state()
    lengths = [struct.pack("<i", len(part)) for part in (mesh, alone)]
    assert crowd.save_state_with_mesh(referenced) == b"OPCS\x01\x02" + lengths[0] + mesh + lengths[1] + alone


def test_slots_are_never_given_back(field):
    crowd = busy_crowd(field, 4, 19, steps=3)
    for agent in crowd:
        crowd.remove(agent)
    assert struct.unpack_from("<iii", crowd.save_state(), 6) == (4, 0, 0)
    assert crowd.save_state()[34:] == bytes(4)


def test_recorded_half_planes_are_no_state_and_read_as_empty_until_the_next_step(field):
    crowd = busy_crowd(field, 12, 1, options=CrowdOptions(record_constraints=True))
    assert any(drawn.half_planes for drawn in CrowdDebug.collect(crowd))
    crowd.restore_state(crowd.save_state())
    assert all(drawn.half_planes == [] and drawn.wall_count == 0 for drawn in CrowdDebug.collect(crowd))
    crowd.step(DT)
    assert any(drawn.half_planes for drawn in CrowdDebug.collect(crowd))


def test_agent_objects_are_kept_deactivated_or_made_anew(field):
    crowd = busy_crowd(field, 6, 7)
    kept, removed = list(crowd)[1], list(crowd)[3]
    state = crowd.save_state()
    crowd.remove(removed)
    added = crowd.add(field.place(random.Random(1))[1])
    later = crowd.add(field.place(random.Random(2))[1])
    assert added.slot == 3
    crowd.restore_state(state)
    assert kept.active
    assert crowd.get_agent(kept.id) is kept
    assert not (added.active or later.active or removed.active)
    back = crowd.get_agent(removed.id)
    assert back is not removed
    assert back.slot == 3
    assert [agent.slot for agent in crowd] == list(range(6))
    assert crowd.add(field.place(random.Random(3))[1]).id == 6


def test_ids_and_slots_go_on_as_in_the_saved_run(field):
    crowd = busy_crowd(field, 6, 9)
    crowd.remove(list(crowd)[2])
    state = crowd.save_state()
    places = [field.place(random.Random(k))[1] for k in range(3)]
    first = [(agent.id, agent.slot) for agent in map(crowd.add, places)]
    other = Crowd(field.mesh)
    other.restore_state(state)
    assert [(agent.id, agent.slot) for agent in map(other.add, places)] == first
    crowd.restore_state(state)
    assert [(agent.id, agent.slot) for agent in map(crowd.add, places)] == first


def test_changed_settings_are_restored_and_the_agent_object_kept(field):
    crowd = busy_crowd(field, 5, 11)
    agent = list(crowd)[2]
    options = agent.options
    state = crowd.save_state()
    expected = run_on(crowd, 10)
    agent.set_options(AgentOptions(radius=0.9, max_speed=1.0, height=1.8))
    crowd.step(DT)
    crowd.restore_state(state)
    assert crowd.get_agent(agent.id) is agent
    assert agent.options == options
    assert run_on(crowd, 10) == expected


def test_settings_survive_a_save_whatever_they_are(field):
    rng = random.Random(4)
    crowd = Crowd(field.mesh)
    for k in range(12):
        path = None
        if k % 2:
            path = FollowerOptions(corridor_capacity=40 + k, stuck_window=rng.random(), optimize_interval=k)
        crowd.add(field.place(rng)[1], AgentOptions(
            radius=0.1 + rng.random(), height=rng.random(), quality=AvoidanceQuality(k % 4), path=path,
            separation_distance=rng.random(), yield_and_return=k % 3 == 0, side_preference=-0.0 if k == 5 else 0.1))
    state = crowd.save_state()
    other = Crowd(field.mesh)
    other.restore_state(state)
    assert [agent.options for agent in other] == [agent.options for agent in crowd]
    assert other.save_state() == state


def test_a_stale_wall_cache_is_saved_as_stale_and_filled_by_the_next_step(field):
    crowd = busy_crowd(field, 6, 13)
    fresh = crowd.state_size()
    field.mesh.set_poly_area(field.refs[0], 1)
    assert crowd.state_size() < fresh
    state = crowd.save_state()
    expected = run_on(crowd, 20)
    other = Crowd(field.mesh)
    other.restore_state(state)
    assert other.save_state() == state
    assert run_on(other, 20) == expected


def test_walls_that_the_mesh_does_not_have_are_looked_up_again(field):
    crowd = busy_crowd(field, 6, 13)
    state = crowd.save_state()
    stranger = Crowd(scatter(16, blocked=300).mesh)
    stranger.restore_state(state)
    assert len(stranger) == 6
    run_on(stranger, 5)


@pytest.mark.parametrize("referenced", [False, True])
def test_mesh_and_crowd_are_restored_together(referenced):
    field = scatter(12)
    crowd = busy_crowd(field, 8, 15)
    state = crowd.save_state_with_mesh(referenced)
    assert state[:6] == b"OPCS\x01\x02"
    alone = crowd.save_state()
    expected = run_on(crowd)
    for ref in field.refs[::7]:
        field.mesh.set_poly_flags(ref, 0)
    run_on(crowd, 5)
    crowd.restore_state_with_mesh(state)
    assert crowd.save_state() == alone
    assert crowd.save_state_with_mesh(referenced) == state
    assert run_on(crowd) == expected


def test_a_bad_part_of_a_combined_state_leaves_mesh_and_crowd_alone():
    field = scatter(12)
    crowd = busy_crowd(field, 8, 15)
    state = crowd.save_state_with_mesh()
    crowd.step(DT)
    field.mesh.set_poly_area(field.refs[3], 5)
    before = crowd.save_state_with_mesh()
    length = struct.unpack_from("<i", state, 6)[0]
    for at, error in ((10 + length // 2, NavMeshFormatError), (14 + length, CrowdStateError), (7, CrowdStateError)):
        bad = bytearray(state)
        bad[at] ^= 0x55
        with pytest.raises(error):
            crowd.restore_state_with_mesh(bad)
        assert crowd.save_state_with_mesh() == before
    for cut in (0, 5, 8, 10 + length, len(state) - 1):
        with pytest.raises((CrowdStateError, NavMeshFormatError)):
            crowd.restore_state_with_mesh(state[:cut])
    with pytest.raises(CrowdStateError):
        crowd.restore_state_with_mesh(state + b"\0")
    with pytest.raises(CrowdStateError):
        crowd.restore_state_with_mesh(crowd.save_state())
    with pytest.raises(CrowdStateError):
        crowd.restore_state(state)
    assert crowd.save_state_with_mesh() == before


def small_state():
    mesh = cell_mesh([(x, z) for z in range(3) for x in range(3)])
    crowd = Crowd(mesh)
    crowd.add((1, 0, 1)).set_destination((5, 0, 5))
    crowd.add((3, 0, 1))
    crowd.step(DT)
    return crowd, crowd.save_state()


@pytest.mark.parametrize(("offset", "format", "value", "field"), [
    (0, "4s", b"OPCX", "magic"), (4, "B", 2, "version"), (5, "B", 3, "kind"), (6, "i", -1, "slot count"),
    (6, "i", 65537, "slot count"), (10, "i", 3, "agent count"), (10, "i", 1, "agent count"),
    (14, "i", 3, "lowest free slot"), (18, "q", -5, "next id"), (18, "q", 1, "next id"), (34, "B", 2, "active"),
    (35, "q", 9, "id"), (35, "q", -1, "id"), (35, "q", 1, "id"), (43, "d", 0.0, "priority"),
    (43, "d", float("nan"), "priority"), (51, "d", -1.0, "options.radius"), (51, "d", float("inf"), "options.radius"),
    (99, "B", 4, "options.quality"), (140, "B", 2, "options.group_arrival"), (142, "i", 1 << 16, "options.layers"),
    (146, "B", 2, "options.path"), (147, "B", 2, "walking"), (148, "B", 7, "crossing"),
    (149, "d", float("nan"), "wanted velocity"), (165, "i", -1, "follower length"),
    (165, "i", 1 << 30, "follower length"), (169, "B", 9, "follower version"),
])
def test_every_field_that_is_wrong_is_named_with_its_offset(offset, format, value, field):
    crowd, state = small_state()
    before = crowd.save_state()
    bad = bytearray(state)
    struct.pack_into("<" + format, bad, offset, value)
    with pytest.raises(CrowdStateError) as caught:
        crowd.restore_state(bad)
    assert caught.value.field == field
    if (field, value) != ("agent count", 1) and field != "id":
        assert caught.value.offset == offset
    assert crowd.save_state() == before


def test_truncated_and_trailing_bytes_are_refused():
    crowd, state = small_state()
    for length in range(len(state)):
        with pytest.raises(CrowdStateError):
            crowd.restore_state(state[:length])
    with pytest.raises(CrowdStateError) as caught:
        crowd.restore_state(state + b"\0")
    assert (caught.value.field, caught.value.offset) == ("trailing bytes", len(state))
    assert crowd.save_state() == state


def test_a_state_with_more_walls_or_agents_than_the_options_allow_is_refused(field):
    crowd = busy_crowd(field, 6, 13)
    state = crowd.save_state()
    for options in (CrowdOptions(max_walls_per_agent=1), CrowdOptions(max_agents=5)):
        with pytest.raises(CrowdStateError):
            Crowd(field.mesh, options).restore_state(state)


def mutated(rng, state):
    bad = bytearray(state)
    for _ in range(rng.choice((1, 1, 2, 5))):
        kind = rng.randrange(7)
        at = rng.randrange(len(bad))
        if kind == 0:
            bad[at] = rng.randrange(256)
        elif kind == 1:
            bad[at:at + 8] = struct.pack("<d", rng.choice((0.0, -1.0, 1e300, float("nan"), 3.0, 2.0**21)))
        elif kind == 2:
            bad[at:at + 4] = struct.pack("<i", rng.choice((-1, 0, 1, 2, 1 << 30, -(1 << 31))))
        elif kind == 3:
            del bad[at:at + rng.randrange(1, 30)]
        elif kind == 4:
            # Numbers and references of other agents, which are good ones in the wrong place.
            source = rng.randrange(len(bad))
            bad[at:at + 8] = bad[source:source + 8]
        elif kind == 5:
            bad[at:at] = bad[rng.randrange(len(bad)):][:rng.randrange(1, 30)]
        else:
            bad[at] ^= 1 << rng.randrange(8)
        if not bad:
            bad = bytearray(b"\0")
    return bad


def check_mutations(count, seed):
    floors = two_floors(8, link_count=4)
    crowd = busy_crowd(floors, 8, 3, 100)
    states = [crowd.save_state()]
    crowd.remove(crowd.get_agent(2))
    crowd.get_agent(3).set_options(AgentOptions(radius=0.2, path=FollowerOptions(corridor_capacity=64)))
    run_on(crowd, 20)
    states.append(crowd.save_state())
    floors.mesh.set_poly_flags(floors.refs[5], 0)
    states.append(crowd.save_state())
    rng = random.Random(seed)
    accepted = 0
    for round in range(count):
        bad = mutated(rng, rng.choice(states))
        before = crowd.state_hash()
        try:
            crowd.restore_state(bad)
        except CrowdStateError as error:
            assert 0 <= error.offset <= len(bad)
            assert error.field
            assert crowd.state_hash() == before
        else:
            accepted += 1
            assert crowd.save_state() == bad or not_all_walls(crowd, bad)
            for agent in list(crowd)[:1]:
                agent.set_destination(floors.place(rng)[1])
            for _ in range(2):
                crowd.step(DT)
        if round % 50 == 0:
            crowd.restore_state(rng.choice(states))
    assert accepted > count // 50


def not_all_walls(crowd, state):
    """A wall that is not the mesh's makes its cache stale, which shortens what is saved again."""
    return crowd.state_size() < len(state)


def test_mutated_bytes_are_refused_or_make_a_crowd_that_steps():
    check_mutations(scaled(3000, 150), 17)


@pytest.mark.full
def test_mutated_bytes_at_full_size():
    check_mutations(scaled(100_000, 3000), 19)


def test_a_snapshot_between_two_others_changes_nothing(field):
    def at_300(saves):
        crowd = busy_crowd(field, 8, 21, steps=0)
        states = {}
        for step in range(scaled(300, 40)):
            if step in saves:
                states[step] = crowd.save_state()
            crowd.step(DT)
        return crowd.state_hash(), states

    plain, _ = at_300(())
    watched, states = at_300((5, 9))
    assert watched == plain
    crowd = busy_crowd(field, 8, 21, steps=0)
    crowd.restore_state(states[9])
    run_on(crowd, scaled(300, 40) - 9)
    assert crowd.state_hash() == plain
