"""What the tests of regions share: levels that the engine bakes, and the crowd's mesh as the core reads it."""

import onepath

# Boxes become StaticBody3D; `bake` gives a region with what the engine bakes of them.
BAKED = """
func bytes_of(resource: OnePathNavMesh) -> String: return resource.data.hex_encode()

# The mesh as a crowd made now would get it from the scene, and as the crowd has it.
func fresh() -> String:
	var made = OnePathNavMesh.new()
	made.build_from_crowd(crowd)
	return bytes_of(made)

func live() -> String:
	var made = OnePathNavMesh.new()
	made.copy_from_crowd(crowd)
	return bytes_of(made)

func box(parent: Node, from: Vector3, to: Vector3, slope := 0.0) -> StaticBody3D:
	var shape = CollisionShape3D.new()
	shape.shape = BoxShape3D.new()
	shape.shape.size = to - from
	var body = StaticBody3D.new()
	body.position = (from + to) * 0.5
	body.rotation.z = slope
	body.add_child(shape)
	parent.add_child(body)
	return body

func to_bake(settings := {}) -> NavigationRegion3D:
	var made = NavigationRegion3D.new()
	made.navigation_mesh = NavigationMesh.new()
	made.navigation_mesh.geometry_parsed_geometry_type = NavigationMesh.PARSED_GEOMETRY_STATIC_COLLIDERS
	made.navigation_mesh.agent_radius = 0.5
	made.navigation_mesh.agent_max_climb = 0.25
	for key in settings: made.navigation_mesh.set(key, settings[key])
	world.add_child(made)
	return made

func two_floors() -> NavigationRegion3D:
	var made = to_bake()
	box(made, Vector3(-12, -0.5, -10), Vector3(12, 0, 10))
	box(made, Vector3(0, 2.5, -10), Vector3(12, 3, 10))
	box(made, Vector3(-5.4, 0, 6), Vector3(-3.4, 2, 8))
	for step in 12:
		box(made, Vector3(-6 + 0.5 * step, 0, -8), Vector3(-5.5 + 0.5 * step, 0.25 * (step + 1), -5))
	var ramp = box(made, Vector3(-6.2, 1.25, 1), Vector3(0.2, 1.5, 4), atan(0.5))
	ramp.position = Vector3(-3, 1.38, 2.5)
	ramp.get_child(0).shape.size = Vector3(6.75, 0.25, 3)
	made.bake_navigation_mesh(false)
	return made
"""


def mesh_of(text):
    return onepath.TiledNavMesh.from_bytes(bytes.fromhex(text))


def path_between(mesh, start, end, filter=None):
    """The corners of the way between two places, or None where there is no way."""
    query = onepath.NavMeshQuery(mesh)
    (a, p), (b, q) = (query.find_nearest_poly(place, (1.0, 1.0, 1.0)) for place in (start, end))
    assert a and b, (a, b)
    found = query.find_path(a, b, p, q, filter)
    if found.status != onepath.PathStatus.SUCCESS:
        return None
    return [corner.point for corner in query.find_straight_path(p, q, found.refs)]


def outlines(mesh):
    """Each tile's polygons by their corners, with areas and flags."""
    return {key: [(mesh.poly_vertices(ref), mesh.poly_area(ref), mesh.poly_flags(ref))
                  for ref in mesh.tile_polygons(*key)] for key in sorted(mesh.tiles())}


def same_mesh(one, other):
    """Whether two meshes as bytes have the same tiles and links."""
    a, b = mesh_of(one), mesh_of(other)
    return outlines(a) == outlines(b) and [link for _id, link in a.links()] == [link for _id, link in b.links()]
