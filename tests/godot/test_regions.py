"""The crowd's mesh is what the scene's navigation regions and links say, at the start and after every change."""

import onepath

# Meshes handed over as bytes are looked at here, with the core.
MESH = """
func bytes_of(resource: OnePathNavMesh) -> String: return resource.data.hex_encode()

func fresh() -> String:
	var made = OnePathNavMesh.new()
	made.build_from_crowd(crowd)
	return bytes_of(made)
"""


def mesh_of(text):
    return onepath.TiledNavMesh.from_bytes(bytes.fromhex(text))


def path_between(mesh, start, end):
    """The corners of the way between two places, or None where there is no way."""
    query = onepath.NavMeshQuery(mesh)
    (a, p), (b, q) = query.find_nearest_poly(start, (0.5, 1.0, 0.5)), query.find_nearest_poly(end, (0.5, 1.0, 0.5))
    assert a and b, (a, b)
    found = query.find_path(a, b, p, q)
    if found.status != onepath.PathStatus.SUCCESS:
        return None
    return [corner.point for corner in query.find_straight_path(p, q, found.refs)]


def test_regions_side_by_side_are_one_mesh_wherever_their_borders_meet(level):
    run = level.play(MESH + """
func _ready():
	open_level(0.0)
	floor_at(0, 0, 10, 10)
	floor_at(10, 0, 16, 4)
	floor_at(16, 0, 20, 10)
	floor_at(20.1, 2, 30, 8)
	floor_at(30.5, 0, 40, 10)
	proof(fresh())
""")
    mesh = mesh_of(run.proof)
    assert run.errors == []
    assert len(path_between(mesh, (1, 0, 9), (19, 0, 9))) == 4
    assert path_between(mesh, (1, 0, 9), (29, 0, 7)) is not None
    assert path_between(mesh, (1, 0, 9), (35, 0, 5)) is None
