"""State bytes of corridors and followers: the documented layout, round trips, damaged bytes, resuming."""

import random
import struct

import pytest
from corridor_tools import DT, corridor_to, placed, random_point, ref_at, sent, strip_query, walk
from meshes import scatter, two_floors
from mode import scaled

from onepath.corridors.corridor_replan import CorridorReplan
from onepath.corridors.debug import FollowerDebug
from onepath.corridors.options import FollowerOptions
from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.path_follower import PathFollower
from onepath.corridors.states import FollowerState, ReplanStatus, Validity
from onepath.errors import CrowdStateError
from onepath.queries.query import NavMeshQuery

INFINITY = struct.pack("<d", float("inf"))
NAN = struct.pack("<d", float("nan"))


def test_the_numbers_of_the_vocabularies_are_fixed():
    assert [state.name for state in sorted(FollowerState)] == [
        "IDLE", "MOVING", "OFF_MESH_LINK", "ARRIVED", "NO_PATH", "STUCK"]  # fmt: skip
    assert [status.name for status in sorted(ReplanStatus)] == [
        "SUCCESS", "PARTIAL", "IN_PROGRESS", "INVALID_START", "NO_END_NEARBY"]  # fmt: skip
    assert [validity.name for validity in sorted(Validity)] == ["VALID", "TRIMMED", "INVALID"]


def test_a_corridor_is_written_as_documented():
    query = strip_query(4)
    corridor = corridor_to(query, (1, 0, 0.5), (5, 0, 1.5), capacity=40)
    corridor.request_replan()
    refs = [ref_at(query, x, 1) for x in (1, 3, 5)]
    assert corridor.to_bytes() == struct.pack(
        "<BBii6dQ3Q", 1, 7, 40, 3, 1.0, 0.0, 0.5, 5.0, 0.0, 1.5, refs[2], *refs)  # fmt: skip
    assert len(corridor.to_bytes()) == 1 + 1 + 4 + 4 + 48 + 8 + 8 * 3


def test_a_follower_is_written_as_documented():
    query = strip_query(4)
    follower = sent(query, (1, 0, 1), (7, 0, 1), FollowerOptions(optimize_interval=0))
    for _ in range(3):
        follower.step(query, 0.125)
    x = follower.position[0]
    expected = struct.pack("<BBBQii", 1, 1, 0, 3, 0, 0)
    expected += struct.pack("<d3d3d3d3d", 0.375 if x < 6 else 0.0, 1, 0, 1, x, 0, 1, *follower.velocity, 7, 0, 1)
    expected += struct.pack("<3d3dddQd", 0, 0, 0, 0, 0, 0, 0, 0, 0, follower.remaining_distance)
    assert len(expected) == 203
    assert follower.to_bytes() == expected + follower.corridor.to_bytes()


def test_the_clock_of_a_follower_at_full_speed_is_in_the_bytes():
    query = strip_query(20)
    follower = sent(query, (1, 0, 1), (39, 0, 1))
    for _ in range(8):
        follower.step(query, 0.0625)
    assert struct.unpack_from("<d", follower.to_bytes(), 19) == (0.5,)
    assert struct.unpack_from("<3d", follower.to_bytes(), 27) == (1.0, 0.0, 1.0)


def varied_followers():
    """(query, follower) in all sorts of states."""
    rng = random.Random(41)
    field = two_floors(14, link_count=6)
    query = NavMeshQuery(field.mesh)
    for _ in range(scaled(8, 2)):
        options = FollowerOptions(corridor_capacity=rng.choice([5, 64, 256]))
        follower = placed(query, random_point(rng, query, field.refs)[1], options)
        yield query, follower
        follower.set_destination(query, random_point(rng, query, field.refs)[1])
        for _ in range(12):
            for _ in range(rng.randrange(80)):
                follower.step(query, 0.05)
            yield query, follower
            if follower.state == FollowerState.ARRIVED:
                break


def test_reading_what_was_written_gives_the_same_follower():
    seen = set()
    for query, follower in varied_followers():
        seen.add(follower.state)
        content = follower.to_bytes()
        copy = PathFollower(follower.options)
        copy.read(content)
        assert copy.to_bytes() == content
        for name in ("state", "position", "velocity", "destination", "remaining_distance", "reached_target"):
            assert getattr(copy, name) == getattr(follower, name)
        assert copy.corridor.path == follower.corridor.path
        corridor = PathCorridor(follower.corridor.capacity)
        corridor.read(bytearray(follower.corridor.to_bytes()))
        assert corridor.to_bytes() == memoryview(content)[203:]
        assert FollowerDebug.collect(query, copy) == FollowerDebug.collect(query, follower)
    assert len(seen) >= 3


def test_a_follower_read_back_walks_on_bit_for_bit():
    for query, follower in varied_followers():
        copy = PathFollower(follower.options)
        copy.read(follower.to_bytes())
        original = PathFollower(follower.options)
        original.read(follower.to_bytes())
        for _ in range(20):
            original.step(query, DT)
            copy.step(query, DT)
        assert copy.to_bytes() == original.to_bytes()


def test_a_snapshot_restored_and_rerun_at_every_50th_step_among_edits_gives_the_same_bytes():
    rng = random.Random(5)
    field = scatter(14, tile_cells=7)
    query = NavMeshQuery(field.mesh)
    follower = sent(query, random_point(rng, query, field.refs)[1], random_point(rng, query, field.refs)[1])
    for _ in range(scaled(12, 3)):
        saved = follower.to_bytes()
        traces = []
        for _ in range(2):
            follower.read(saved)
            trace = []
            for _ in range(50):
                follower.step(query, DT)
                trace.append(follower.to_bytes())
            traces.append(trace)
        assert traces[0] == traces[1]
        field.mesh.set_poly_flags(rng.choice(field.refs), rng.choice([0, 1]))
        if follower.state != FollowerState.MOVING:
            follower.set_destination(query, random_point(rng, query, field.refs)[1])


def test_a_replan_under_way_and_the_options_are_not_in_the_bytes():
    query = strip_query(20)
    corridor = corridor_to(query, (1, 0, 1), (39, 0, 1))
    corridor.request_replan()
    before = corridor.to_bytes()
    replan = CorridorReplan()
    replan.begin(corridor, query)
    replan.update(3)
    assert corridor.to_bytes() == before
    follower = sent(query, (1, 0, 1), (39, 0, 1))
    before = follower.to_bytes()
    follower.set_options(FollowerOptions(max_speed=1.0, topology_interval=3))
    assert follower.to_bytes() == before


REJECTED = [
    (0, b"\x02", "version", 0), (1, b"\x06", "state", 1), (2, b"\x02", "reached", 2),
    (11, struct.pack("<i", -1), "replan rounds", 11), (15, struct.pack("<i", -7), "stuck recoveries", 15),
    (19, struct.pack("<d", -0.5), "stuck clock", 19), (19, NAN, "stuck clock", 19), (19, INFINITY, "stuck clock", 19),
    (35, NAN, "stuck anchor", 35), (51, INFINITY, "position", 51), (83, struct.pack("<d", 2.0**21), "velocity", 83),
    (107, struct.pack("<d", -(2.0**21)), "destination", 107), (139, NAN, "off-mesh start", 139),
    (147, NAN, "off-mesh end", 147), (171, struct.pack("<d", -1.0), "off-mesh elapsed", 171),
    (179, INFINITY, "off-mesh duration", 179), (195, NAN, "remaining distance", 195),
    (195, struct.pack("<d", -1e-9), "remaining distance", 195), (203, b"\x00", "version", 203),
    (204, b"\x08", "flags", 204), (205, struct.pack("<i", 255), "capacity", 205),
    (209, struct.pack("<i", -1), "count", 209), (209, struct.pack("<i", 257), "count", 209),
    (213, NAN, "corridor position", 213), (245, INFINITY, "target", 245),
]  # fmt: skip


@pytest.mark.parametrize(("at", "bad", "field", "offset"), REJECTED)
def test_a_bad_value_is_named_with_its_offset_and_nothing_changes(at, bad, field, offset):
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    follower.step(query, DT)
    before = follower.to_bytes()
    content = bytearray(before)
    content[at:at + len(bad)] = bad
    with pytest.raises(CrowdStateError) as caught:
        follower.read(content)
    assert (caught.value.field, caught.value.offset) == (field, offset)
    assert follower.to_bytes() == before
    if at >= 203:
        corridor = PathCorridor()
        with pytest.raises(CrowdStateError) as caught:
            corridor.read(content[203:])
        assert (caught.value.field, caught.value.offset) == (field, offset - 203)
        assert corridor.path == []


FIELD_ENDS = [
    (1, "version"), (2, "state"), (3, "reached"), (11, "step count"), (15, "replan rounds"), (19, "stuck recoveries"),
    (27, "stuck clock"), (51, "stuck anchor"), (75, "position"), (99, "velocity"), (123, "destination"),
    (147, "off-mesh start"), (171, "off-mesh end"), (179, "off-mesh elapsed"), (187, "off-mesh duration"),
    (195, "off-mesh exit polygon"), (203, "remaining distance"), (204, "version"), (205, "flags"), (209, "capacity"),
    (213, "count"), (237, "corridor position"), (261, "target"), (269, "target polygon"), (317, "path"),
]  # fmt: skip


def test_cut_short_anywhere_the_field_that_is_missing_is_named():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    content = follower.to_bytes()
    assert len(content) == 317
    for length in range(len(content)):
        with pytest.raises(CrowdStateError) as caught:
            follower.read(content[:length])
        expected = next(name for end, name in FIELD_ENDS if length < end)
        assert (caught.value.field, caught.value.offset) == (expected, length)
    assert follower.to_bytes() == content


def test_trailing_bytes_are_an_error():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    content = follower.to_bytes()
    for reader, valid in ((follower, content), (PathCorridor(), content[203:])):
        with pytest.raises(CrowdStateError) as caught:
            reader.read(valid + b"\x00")
        assert (caught.value.field, caught.value.offset) == ("trailing bytes", len(valid))


def test_a_corridor_of_another_capacity_is_rejected():
    query = strip_query(6)
    content = sent(query, (1, 0, 1), (11, 0, 1)).to_bytes()
    other = PathFollower(FollowerOptions(corridor_capacity=64))
    with pytest.raises(CrowdStateError) as caught:
        other.read(content)
    assert caught.value.field == "capacity"


def test_what_is_not_bytes_is_a_type_error():
    for content in ("text", 7, None, [1, 2]):
        with pytest.raises(TypeError):
            PathFollower().read(content)


def mutated(rng, content):
    """Damage bytes as disks, networks and forgers do."""
    content = bytearray(content)
    kind = rng.randrange(6)
    if kind == 0:
        for _ in range(rng.randrange(1, 4)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del content[rng.randrange(len(content)):]
    elif kind == 2:
        at = rng.randrange(len(content))
        content[at:at + 8] = rng.choice([NAN, INFINITY, bytes(8), b"\xff" * 8, struct.pack("<q", rng.getrandbits(62)),
                                         struct.pack("<d", rng.uniform(-1e3, 1e3))])  # fmt: skip
    elif kind == 3:
        at = rng.randrange(len(content))
        content[at:at] = content[rng.randrange(len(content)):][:rng.randrange(32)]
    elif kind == 4:
        at, source = (8 * rng.randrange(len(content) // 8) + 5 for _ in range(2))
        content[at:at + 8] = content[source:source + 8].ljust(8, b"\0")
    else:
        at = rng.randrange(len(content))
        content[at] = rng.randrange(256)
    return bytes(content)


def try_mutations(count, seed):
    rng = random.Random(seed)
    sources = [(query, PathFollower(f.options), f.to_bytes()) for query, f in varied_followers()]
    read = 0
    for _ in range(count):
        query, follower, content = rng.choice(sources)
        follower.read(content)
        damaged = mutated(rng, content)
        try:
            follower.read(damaged)
        except CrowdStateError as error:
            assert isinstance(error.field, str)
            assert 0 <= error.offset <= len(damaged)
            assert follower.to_bytes() == content
        else:
            read += 1
            assert follower.to_bytes() == damaged
            for _ in range(5):
                follower.step(query, 0.1)
            follower.complete_off_mesh_link(query)
            FollowerDebug.collect(query, follower)
            follower.set_destination(query, (5.0, 0.0, 5.0))
            follower.step(query, 0.1)
            follower.read(follower.to_bytes())
    return read


def try_corridor_mutations(count, seed):
    rng = random.Random(seed)
    sources = [(query, PathCorridor(f.corridor.capacity), f.corridor.to_bytes()) for query, f in varied_followers()]
    read = 0
    for _ in range(count):
        query, corridor, content = rng.choice(sources)
        corridor.read(content)
        damaged = mutated(rng, content)
        try:
            corridor.read(damaged)
        except CrowdStateError as error:
            assert isinstance(error.field, str)
            assert 0 <= error.offset <= len(damaged)
            assert corridor.to_bytes() == content
        else:
            read += 1
            assert corridor.to_bytes() == damaged
            exercise(corridor, query, rng)
    return read


def exercise(corridor, query, rng):
    """Do all that can be done with a corridor that may hold anything; nothing may raise."""
    x, y, z = corridor.position
    to = (min(max(x + rng.uniform(-9, 9), -2e6), 2e6), y, min(max(z + rng.uniform(-9, 9), -2e6), 2e6))
    corridor.move_position(query, to)
    corridor.move_target(query, to)
    corridor.move_along(query, to, 64)
    corridor.find_corners(query, 64)
    corridor.optimize_visibility(query, to, 10.0)
    corridor.optimize_topology(query, None, 64, 64)
    corridor.replan(query, None, 500)
    corridor.validate(query, None, 64)
    corridor.relocate(query)


def test_damaged_bytes_are_rejected_whole_or_give_a_state_that_can_be_stepped():
    assert try_mutations(scaled(3000, 200), 1) > 50


def test_damaged_bytes_of_corridors_are_rejected_whole_or_give_a_corridor_that_can_be_used():
    assert try_corridor_mutations(scaled(3000, 200), 3) > 50


@pytest.mark.full
def test_damaged_bytes_at_full_size():
    assert try_mutations(scaled(100_000, 3000), 2) > 1000


@pytest.mark.full
def test_damaged_bytes_of_corridors_at_full_size():
    assert try_corridor_mutations(scaled(100_000, 3000), 4) > 1000


def test_debug_geometry_is_plain_data_and_changes_nothing():
    query = strip_query(6)
    follower = sent(query, (1, 0, 1), (11, 0, 1))
    follower.step(query, DT)
    before = follower.to_bytes()
    geometry = FollowerDebug.collect(query, follower)
    assert follower.to_bytes() == before
    assert (geometry.state, geometry.position) == (FollowerState.MOVING, follower.position)
    assert (geometry.velocity, geometry.destination) == (follower.velocity, (11.0, 0.0, 1.0))
    assert geometry.outlines == [query.mesh.poly_vertices(ref) for ref in follower.corridor.path]
    assert [corner.point for corner in geometry.corners] == [follower.position, (11.0, 0.0, 1.0)]
    assert geometry.crossing is None
    query.mesh.remove_tile(0, 0)
    geometry = FollowerDebug.collect(query, follower)
    assert (geometry.outlines, geometry.corners) == ([], [])
    walk(query, follower)
