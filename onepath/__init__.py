"""OnePath: navigation meshes, corridors and deterministic crowds.

The package is engine-free typed Python. The same sources run interpreted or compiled by Cython, with the same bits.
"""

from onepath._mode import COMPILED
from onepath.corridors.corridor_replan import CorridorReplan
from onepath.corridors.debug import FollowerDebug, FollowerDebugGeometry, OffMeshCrossing
from onepath.corridors.options import FollowerOptions, OffMeshMode
from onepath.corridors.path_corridor import PathCorridor
from onepath.corridors.path_follower import PathFollower
from onepath.corridors.states import FollowerState, ReplanStatus, Validity
from onepath.crowds.agent import Agent
from onepath.crowds.crowd import Crowd
from onepath.crowds.debug import AgentDebugGeometry, CrowdDebug
from onepath.crowds.options import AgentOptions, AvoidanceQuality, CrowdOptions
from onepath.errors import CrowdStateError, NavMeshFormatError, OnePathError, OutOfRangeError
from onepath.navmesh.build_regions import MeshRegion
from onepath.navmesh.debug import MeshDebug
from onepath.navmesh.filter import QueryFilter
from onepath.navmesh.link_data import OffMeshLink
from onepath.navmesh.mesh import TiledNavMesh
from onepath.navmesh.report import BuildReport
from onepath.navmesh.tile_data import TileData
from onepath.orca.constraints import HalfPlane, OrcaConstraints
from onepath.orca.program import OrcaLinearProgram
from onepath.packing import fnv1a_64
from onepath.queries.query import NavMeshQuery
from onepath.queries.results import Corner, CornerFlag, NodeModel, PathResult, PathStatus, RayHit, Wall

__all__ = [
    "COMPILED", "Agent", "AgentDebugGeometry", "AgentOptions", "AvoidanceQuality", "BuildReport", "Corner",
    "CornerFlag", "CorridorReplan", "Crowd", "CrowdDebug", "CrowdOptions", "CrowdStateError", "FollowerDebug",
    "FollowerDebugGeometry", "FollowerOptions", "FollowerState", "HalfPlane", "MeshDebug", "MeshRegion",
    "NavMeshFormatError", "NavMeshQuery", "NodeModel", "OffMeshCrossing", "OffMeshLink", "OffMeshMode",
    "OnePathError", "OrcaConstraints", "OrcaLinearProgram", "OutOfRangeError", "PathCorridor", "PathFollower",
    "PathResult", "PathStatus", "QueryFilter", "RayHit", "ReplanStatus", "TileData", "TiledNavMesh", "Validity",
    "Wall", "fnv1a_64",
]
