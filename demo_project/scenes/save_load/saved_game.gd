class_name DemoSavedGame
extends Resource
## What the scene saves: the crowd's state, and what its own script would otherwise forget.

@export var crowd: CrowdSnapshot
@export var laps: PackedInt32Array
@export var steps := 0
