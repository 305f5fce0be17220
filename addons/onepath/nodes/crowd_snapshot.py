"""CrowdSnapshot: the saved state of a crowd."""

from __future__ import annotations

import enum

import godot
from godot import Resource, prop, register

#: The version that this addon writes.
VERSION = 2


@register
class CrowdSnapshot(Resource):
    """The state of a crowd at one moment, made by [method NavCrowd.save_snapshot].

    It can be saved as .tres or .res, with a level or by itself, and comes back bit for bit. A crowd that runs does not
    change it.
    """

    class MeshMode(enum.IntEnum):
        """What of the mesh is in it: nothing, references to the tiles of the level's mesh, or the whole mesh."""

        NONE = 0
        REFERENCED = 1
        FULL = 2

    version = prop(int, VERSION, "Version of the format.", shown=False)
    mesh_mode = prop("MeshMode", 2, "What of the mesh is in it.")
    hash = prop(str, doc="What [method NavCrowd.state_hash] returned when it was made.")
    agents = prop(dict, doc="Paths from the crowd to the agents' NavAgents, by id; without nodeless agents.")
    data = prop(godot.PackedByteArray, doc="The state as the library saves it, and what the nodes add to it.")
