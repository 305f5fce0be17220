"""A mesh as plain arrays, for drawing it."""

from array import array
from dataclasses import dataclass

from onepath.errors import OutOfRangeError
from onepath.navmesh.contents import made
from onepath.navmesh.drawing import outlines_of, portals_of, walls_of
from onepath.navmesh.filter import QueryFilter, resolved_filter
from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.store import Reading

#: Bits of ``MeshDebug.link_states``.
LINK_ENABLED, LINK_BIDIRECTIONAL, LINK_DORMANT = 1, 2, 4


@dataclass(frozen=True)
class MeshDebug:
    """What there is to draw of a mesh. Columns are ``array.array`` objects, copies that the mesh does not know of.

    Attributes:
        refs: ``Q``, reference of each polygon, by tile slot and number.
        areas: ``i``, area id of each polygon.
        starts: ``i``, one more than there are polygons: polygon i has the corners starts[i] .. starts[i + 1] − 1.
        corners: ``d``, x, y, z of each corner; the surface is the fan of triangles at a polygon's first.
        portals: ``d``, six numbers (two points) per piece of tile border that leads into a polygon of another tile,
            once for each side.
        walls: ``d``, six numbers per piece of edge with nothing walkable behind it.
        links: ``d``, six numbers per off-mesh link by id: start and end, on the surface where they are attached.
        link_ids: ``q``, id of each link.
        link_states: ``i``, bits of each link: 1 enabled, 2 both ways, 4 dormant (an end has no polygon near).
    """

    refs: array
    areas: array
    starts: array
    corners: array
    portals: array
    walls: array
    links: array
    link_ids: array
    link_states: array

    @classmethod
    def collect(cls, mesh: TiledNavMesh, filter: QueryFilter | None = None) -> "MeshDebug":
        """Copy out what there is to draw now.

        Args:
            mesh: the mesh.
            filter: edges to polygons that it refuses are walls too. Default: none are refused.

        Raises:
            OutOfRangeError: an argument is of another type; the message names it.
            OnePathError: another thread is editing the mesh, or an argument was made without its ``__init__``.
        """
        if not isinstance(mesh, TiledNavMesh):
            raise OutOfRangeError("mesh", f"must be a TiledNavMesh, not {type(mesh).__name__}")
        if not (filter is None or isinstance(filter, QueryFilter)):
            raise OutOfRangeError("filter", f"must be a QueryFilter or None, not {type(filter).__name__}")
        if filter is not None:
            resolved_filter(filter)
        with Reading(made(mesh.store)):
            return cls._collected(mesh, filter)

    @classmethod
    def _collected(cls, mesh, filter):
        table = mesh.link_table
        links, link_ids, link_states = array("d"), array("q"), array("i")
        for link_id, link in sorted(table.links.items()):
            start_poly, end_poly, start, end = table.ends(link_id)
            links.extend((*start, *end))
            link_ids.append(link_id)
            link_states.append((LINK_ENABLED if table.is_enabled(link_id) else 0)
                               | (LINK_BIDIRECTIONAL if link.bidirectional else 0)
                               | (LINK_DORMANT if min(start_poly, end_poly) < 0 else 0))
        return cls(*outlines_of(mesh.store), portals_of(mesh.store), walls_of(mesh.store, filter), links, link_ids,
                   link_states)
