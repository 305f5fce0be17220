"""The comparison with NavigationAgent3D counts what it says it counts."""

import compare_engine


def test_two_agents_head_on_reach_their_targets_on_the_mesh_and_the_same_way_each_time(engine):
    row = compare_engine.measure(compare_engine.head_on(), "ours", 2, engine)
    assert (row["finished"], row["off_mesh"], len(row["hashes"])) == ([2, 2], [0, 0], 1)
    assert row["last_arrival_s"][0] < 1.5 * 10 / 3.5


def test_a_walker_outside_the_mesh_is_counted_each_tick(engine):
    """The start is outside by more than the tolerance, and the engine's agents are left where they are put."""
    case = {"rects": [[0, 0, 10, 10]], "starts": [[-0.2, 5.0]], "goals": [[[-0.2, 5.0]]], "radius": 0.5, "ticks": 60}
    assert compare_engine.measure(case, "engine", 1, engine)["off_mesh"][0] > 50


def test_the_closest_two_are_told_as_a_share_of_two_radii(engine):
    """They stand 0.75 m apart, and the engine's agents are left where they are put."""
    places = [[5.0, 5.0], [5.75, 5.0], [8.0, 5.0]]
    case = {"rects": [[0, 0, 10, 10]], "starts": places, "goals": [[at] for at in places], "radius": 0.25, "ticks": 12}
    assert compare_engine.measure(case, "engine", 1, engine)["closest"] == [1.5]


def test_the_table_has_a_row_for_each_side(engine):
    row = {
        "finished": [1, 2], "last_arrival_s": [3.0, 3.0], "off_mesh": [0, 0], "closest": [0.9, 1.0], "hashes": ["a", "b"],
        "us_per_agent_tick": 1.25,
    }  # fmt: skip
    lines = compare_engine.table({"a case": {"ours": row, "engine": row}}).splitlines()
    assert lines[2] == "| a case | NavAgent | 1 to 2 | 3 | 0 | 0.9 to 1 | 2 | 1.2 |"
    assert len(lines) == 4
