"""OnePath: navigation meshes, corridors and deterministic crowds.

The package is engine-free typed Python. The same sources run interpreted or compiled by Cython, with the same bits.
"""

from onepath._mode import COMPILED
from onepath.errors import CrowdStateError, NavMeshFormatError, OnePathError, OutOfRangeError
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import TileData

__all__ = [
    "COMPILED", "BuildReport", "CrowdStateError", "NavMeshFormatError", "OffMeshLink", "OnePathError",
    "OutOfRangeError", "QueryFilter", "TileData", "TiledNavMesh",
]
