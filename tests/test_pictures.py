"""Pictures of meshes and crowds are what their debug data say, whatever room a canvas had before."""

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from meshes import cell_mesh, scatter_cells
from mode import scaled
from surface_worlds import WORLDS, rectangle, world_of

from onepath import Crowd, CrowdOptions, NavMeshQuery, OffMeshLink, OutOfRangeError, PathFollower
from onepath.corridors import picture
from onepath.corridors.debug import FollowerDebug
from onepath.corridors.picture import draw_follower
from onepath.corridors.states import FollowerState
from onepath.crowds.debug import CrowdDebug
from onepath.crowds.picture import AGENT_PLANE, HALF_PLANES, WALL_PLANE, WALLS, draw_crowd
from onepath.navmesh.canvas import DISC_SIDES, Canvas
from onepath.navmesh.debug import MeshDebug
from onepath.navmesh.picture import AREAS, FIRST_AREA, LINKS, POLYGONS, PORTALS, draw_mesh

ON_MESH, ON_CORRIDOR, ON_AGENT, ABOVE = 0.03, 0.05, 0.07, 0.12


def points(canvas, name, size=3):
    column = canvas.take(name)
    return [tuple(column[i : i + size]) for i in range(0, len(column), size)]


def lines(canvas, row=None):
    """Pairs of ends, of all lines or of those in the colour of a row of the palette."""
    ends, colours = points(canvas, "lines"), points(canvas, "line_colors", 4)
    pairs = list(zip(ends[::2], ends[1::2]))
    return [pair for pair, colour in zip(pairs, colours[::2]) if row is None or colour[0] == float(row)]


def lifted(point, height):
    return (point[0], point[1] + height, point[2])


def outline(corners, height):
    return [(lifted(a, height), lifted(b, height)) for a, b in zip(corners, [*corners[1:], corners[0]])]


def pieces(column, height):
    found = [tuple(column[i : i + 3]) for i in range(0, len(column), 3)]
    return [(lifted(a, height), lifted(b, height)) for a, b in zip(found[::2], found[1::2])]


def mesh_canvas():
    """A canvas whose red is the row of the palette."""
    return Canvas([(row, 0.0, 0.0, 0.5) for row in range(FIRST_AREA + AREAS)])


def crowd_canvas():
    return Canvas([(row, 0.0, 0.0, 1.0) for row in range(AGENT_PLANE + 1)])


@pytest.mark.parametrize("make", WORLDS.values(), ids=WORLDS)
def test_a_meshs_picture_has_the_lines_of_its_debug_data(make):
    mesh, canvas = make(), mesh_canvas()
    data = MeshDebug.collect(mesh)
    draw_mesh(mesh, canvas, POLYGONS | PORTALS)
    corners = [tuple(data.corners[i : i + 3]) for i in range(0, len(data.corners), 3)]
    outlines = [corners[a:b] for a, b in pairwise(data.starts)]
    expected = [pair for polygon in outlines for pair in outline(polygon, ON_MESH)]
    expected += pieces(data.walls, ON_MESH) + pieces(data.portals, ON_MESH)
    assert lines(canvas) == expected
    triangles = [lifted(p, ON_MESH) for o in outlines for k in range(1, len(o) - 1) for p in (o[0], o[k], o[k + 1])]
    assert points(canvas, "triangles") == triangles
    areas = [colour[0] - FIRST_AREA for colour in points(canvas, "triangle_colors", 4)[::3]]
    assert areas == [area for area, o in zip(data.areas, outlines) for _ in o[2:]]


def test_links_are_arcs_with_heads_and_look_different_when_dormant_or_off():
    mesh = world_of([rectangle(0, 0, 4, 4), rectangle(8, 0, 12, 4)])
    for ends in (((4.0, 0.0, 2.0), (8.0, 0.0, 2.0)), ((4.0, 0.0, 1.0), (8.0, 0.0, 1.0))):
        off = mesh.add_link(OffMeshLink(*ends, bidirectional=False))
    mesh.set_link_enabled(off, False)
    mesh.add_link(OffMeshLink((1.0, 0.0, 1.0), (6.0, 0.0, 2.0)))
    canvas = mesh_canvas()
    draw_mesh(mesh, canvas, LINKS)
    drawn = [lines(canvas, row) for row in range(2, 5)]
    assert [len(found) for found in drawn] == [12 + 2, 6 + 2, 6 + 4 + 2]
    assert drawn[0][0][0] == (4.0, ON_MESH, 2.0)
    assert drawn[0][11][1] == (8.0, ON_MESH, 2.0)


def walkers(count, seed=5):
    """A crowd under way, with everything recorded, on a field with holes."""
    cells = scatter_cells(24, seed)
    mesh, rng = cell_mesh(cells), random.Random(seed)
    crowd = Crowd(mesh, CrowdOptions(record_constraints=True))
    for _ in range(count):
        here, there = (cells[rng.randrange(len(cells))] for _ in range(2))
        agent = crowd.add((here[0] + 0.5, 0.0, here[1] + 0.5))
        if rng.random() < 0.8:
            agent.set_destination((there[0] + 0.5, 0.0, there[1] + 0.5))
    for _ in range(40):
        crowd.step(1 / 60)
    return crowd


def row_of(follower):
    slow = math.hypot(follower.velocity[0], follower.velocity[2]) < picture.WAITING_SPEED
    waits = follower.state == FollowerState.MOVING and slow
    return picture.WAITING if waits else int(follower.state)


def test_a_crowds_picture_has_the_lines_of_its_debug_data():
    crowd, canvas = walkers(scaled(60, 12)), crowd_canvas()
    before, details = crowd.state_hash(), CrowdDebug.collect(crowd)
    draw_crowd(crowd, canvas, picture.DISCS)
    assert len(lines(canvas)) == DISC_SIDES * len(details)
    for drawn, shown in zip(details, points(canvas, "triangles")[:: 3 * DISC_SIDES]):
        assert shown == lifted(drawn.follower.position, ON_AGENT)
    assert [c[0] for c in points(canvas, "line_colors", 4)[:: 2 * DISC_SIDES]] == [row_of(d.follower) for d in details]

    canvas.clear()
    draw_crowd(crowd, canvas, picture.CORNERS)
    ways = [(lifted(a.point, ON_AGENT), lifted(b.point, ON_AGENT))
            for d in details for a, b in pairwise(d.follower.corners)]  # fmt: skip
    moving = sum(1 for d in details if d.follower.state not in (FollowerState.IDLE, FollowerState.ARRIVED))
    assert set(ways) <= set(lines(canvas))
    assert len(lines(canvas, picture.WAY)) == len(ways) + 2 * moving

    canvas.clear()
    draw_crowd(crowd, canvas, picture.VELOCITIES)
    shown = [(d.follower.position, d.follower.velocity) for d in details if any(d.follower.velocity)]
    tips = [(lifted(p, ABOVE), lifted((p[0] + v[0], p[1] + v[1], p[2] + v[2]), ABOVE)) for p, v in shown]
    assert lines(canvas, picture.VELOCITY) == tips
    assert len(lines(canvas, picture.WANTED)) == sum(1 for d in details if any(d.wanted_velocity))

    canvas.clear()
    draw_crowd(crowd, canvas, WALLS)
    assert lines(canvas) == [(lifted(w.a, ABOVE), lifted(w.b, ABOVE)) for d in details for w in d.walls]
    assert lines(canvas)
    assert crowd.state_hash() == before


def test_each_polygon_of_a_corridor_is_drawn_once_for_each_state_of_those_who_go_there():
    crowd, canvas = walkers(scaled(60, 12)), crowd_canvas()
    layers = Counter((row_of(d.follower), tuple(o)) for d in CrowdDebug.collect(crowd) for o in d.follower.outlines)
    draw_crowd(crowd, canvas, picture.CORRIDORS)
    drawn, colours = lines(canvas), points(canvas, "line_colors", 4)[::2]
    expected = [(row, pair) for row, corners in layers for pair in outline(corners, ON_CORRIDOR)]
    assert Counter((colour[0], pair) for colour, pair in zip(colours, drawn)) == Counter(expected)
    # Layers over each other: the more corridors lead through a polygon, the stronger it is, and never more than full.
    shade = {}
    for (row, corners), count in layers.items():
        first = (float(row), outline(corners, ON_CORRIDOR)[0])
        alpha = next(c[3] for c, pair in zip(colours, drawn) if (c[0], pair) == first)
        shade.setdefault(count, set()).add(alpha)
    assert all(len(alphas) == 1 for alphas in shade.values())
    ordered = [min(shade[count]) for count in sorted(shade)]
    assert ordered == sorted(ordered) and len(ordered) > 1
    assert 0.0 < ordered[0] < ordered[-1] <= 1.0


def test_a_followers_picture_has_the_lines_of_its_debug_data():
    cells = scatter_cells(16, 3)
    mesh = cell_mesh(cells)
    here, there = ((x + 0.5, 0.0, z + 0.5) for x, z in (cells[0], cells[-1]))
    query, follower, crowd = NavMeshQuery(mesh), PathFollower(), Crowd(mesh)
    follower.place(query, here)
    agent = crowd.add(here)
    for ticks, goes in ((0, False), (30, True)):
        if goes:
            follower.set_destination(query, there)
            agent.set_destination(there)
        for _ in range(ticks):
            follower.step(query, 1 / 60)
            crowd.step(1 / 60)
        before, data = follower.to_bytes(), FollowerDebug.collect(query, follower)
        alone, among = crowd_canvas(), crowd_canvas()
        draw_follower(follower, query, alone, 15, agent.options.radius)
        draw_crowd(crowd, among, 15)
        assert follower.to_bytes() == before
        ways = [(lifted(a.point, ON_AGENT), lifted(b.point, ON_AGENT)) for a, b in pairwise(data.corners)]
        outlines = [pair for polygon in data.outlines for pair in outline(polygon, ON_CORRIDOR)]
        assert set(ways) | set(outlines) <= set(lines(alone))
        assert len(lines(alone, picture.WAY)) == len(ways) + 2 * goes
        assert len(lines(alone, row_of(data))) == len(outlines) + DISC_SIDES
        for part, draws in ((picture.DISCS, True), (picture.CORRIDORS, True), (picture.VELOCITIES, goes)):
            alone.clear()
            draw_follower(follower, query, alone, part, 0.5)
            assert bool(lines(alone)) == draws
        shown = [data.velocity] if any(data.velocity) else []
        tips = [lifted([a + b for a, b in zip(data.position, v)], ABOVE) for v in shown]
        assert [end for _start, end in lines(alone, picture.VELOCITY)] == tips
        alone.clear()
        draw_follower(follower, query, alone, 15, agent.options.radius)
        if not goes:  # standing, it looks as an agent of a crowd does
            assert Counter(lines(alone)) == Counter(lines(among))


def test_half_planes_are_those_of_the_chosen_agent():
    crowd, canvas = walkers(scaled(60, 12)), crowd_canvas()
    chosen = max(CrowdDebug.collect(crowd), key=lambda details: len(details.half_planes))
    draw_crowd(crowd, canvas, HALF_PLANES, chosen.id)
    rows = [WALL_PLANE] * chosen.wall_count
    rows += [AGENT_PLANE] * (len(chosen.half_planes) - chosen.wall_count)
    assert [colour[0] for colour in points(canvas, "line_colors", 4)[::4]] == rows
    assert rows
    x, y, z = chosen.follower.position
    for ((px, pz), (nx, nz)), (foot, tip) in zip(chosen.half_planes, lines(canvas)[1::2]):
        assert foot == lifted((x + px, y, z + pz), ABOVE)
        assert tip == pytest.approx(lifted((x + px + 0.4 * nx, y, z + pz + 0.4 * nz), ABOVE))
    canvas.clear()
    draw_crowd(crowd, canvas, HALF_PLANES)
    assert lines(canvas) == []


def test_a_canvas_that_is_too_small_grows_and_shows_the_same():
    crowd, small, large = walkers(scaled(300, 30)), crowd_canvas(), crowd_canvas()
    large.reserve(200_000, 200_000)
    for canvas in (small, large):
        draw_crowd(crowd, canvas, 63, 3)
    for name in ("lines", "line_colors", "triangles", "triangle_colors"):
        assert small.take(name).tobytes() == large.take(name).tobytes()
    again = small.take("lines").tobytes()
    small.clear()
    draw_crowd(crowd, small, 63, 3)
    assert small.take("lines").tobytes() == again


def test_a_canvas_grows_all_its_columns_alike():
    """From whatever size: every column has room for as many points as the canvas says that there are."""
    rng, crowd = random.Random(3), walkers(scaled(100, 10))
    for _ in range(scaled(100, 5)):
        canvas = crowd_canvas()
        canvas.reserve(rng.randrange(500), rng.randrange(500))
        draw_crowd(crowd, canvas, 63)
        for name, size in (("lines", 3), ("line_colors", 4)):
            assert size * canvas.line_points <= len(canvas.columns[name])
        for name, size in (("triangles", 3), ("triangle_colors", 4)):
            assert size * canvas.corners <= len(canvas.columns[name])


@pytest.mark.parametrize("palette", [[], [(1, 2, 3)]])
def test_a_palette_is_rows_of_four_numbers(palette):
    with pytest.raises(OutOfRangeError, match=r"^palette:"):
        Canvas(palette)


def test_only_meshes_and_crowds_are_drawn_and_only_on_a_canvas():
    crowd = walkers(1)
    with pytest.raises(OutOfRangeError, match=r"^mesh:"):
        draw_mesh(crowd, mesh_canvas(), 7)
    with pytest.raises(OutOfRangeError, match=r"^canvas:"):
        draw_mesh(crowd.mesh, None, 7)
    follower, query = PathFollower(), NavMeshQuery(crowd.mesh)
    with pytest.raises(TypeError, match="follower must be a PathFollower"):
        draw_follower(None, query, crowd_canvas(), 15, 0.5)
    with pytest.raises(TypeError, match="query must be a NavMeshQuery"):
        draw_follower(follower, crowd.mesh, crowd_canvas(), 15, 0.5)
    with pytest.raises(OutOfRangeError, match=r"^canvas:"):
        draw_follower(follower, query, None, 15, 0.5)
    with pytest.raises(OutOfRangeError, match=r"^radius:"):
        draw_follower(follower, query, crowd_canvas(), 15, 0.0)
    with pytest.raises(TypeError, match="crowd must be a Crowd"):
        draw_crowd(None, crowd_canvas(), 63)
    with pytest.raises(OutOfRangeError, match=r"^canvas:"):
        draw_crowd(crowd, None, 63)
