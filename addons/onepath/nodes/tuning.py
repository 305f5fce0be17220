"""How an agent walks, as properties that NavAgent and NavAgentSettings share, and as options of the core."""

from __future__ import annotations

from functools import lru_cache, partial
from math import isfinite

import godot
from godot import prop

import onepath

from .scene_regions import FLAG_BITS

#: A coordinate or length must stay below this (m).
WORLD = 2097152.0
_LEAST_TILE, _LARGEST_TILE = 0.01, 1e6
_CORRIDOR_CAPACITY = 64

# What each of NavAgentSettings.Preset sets: the core's presets, and a height that keeps agents on two floors apart.
PRESETS = {
    0: {"radius": 0.6, "height": 1.8, "max_speed": 3.5, "max_acceleration": 8.0, "target_desired_distance": 0.25},
    1: {"radius": 0.3, "height": 0.9, "max_speed": 2.5, "max_acceleration": 6.0, "target_desired_distance": 0.3},
    2: {"radius": 1.5, "height": 2.5, "max_speed": 3.0, "max_acceleration": 5.0, "target_desired_distance": 0.6},
}
_USUAL = PRESETS[0]
_CUSTOM = 3
_MEDIUM = 2


def number(value: float, low: float, high: float, low_open: bool = False) -> float:
    """Return a value within [low, high], or (low, high] with `low_open`; raise Refused for any other."""
    if not (isfinite(value) and (low < value if low_open else low <= value) and value <= high):
        raise godot.Refused(f"must be in {'(' if low_open else '['}{low:g}, {high:g}], not {value}")
    return value


def tile_side(value: float, name: str = "") -> float:
    """Return the side of a tile (m), 0 for one tile; raise Refused, with the argument's name, for any other value."""
    if value == 0.0 or _LEAST_TILE <= value <= _LARGEST_TILE:
        return value
    text = f"must be 0, for one tile, or in [{_LEAST_TILE:g}, {_LARGEST_TILE:g}], not {value}"
    raise godot.Refused(f"{name} {text}" if name else text)


def is_place(xyz) -> bool:
    """Whether coordinates are finite and below 2^21."""
    return all(-WORLD < part < WORLD for part in xyz)  # false also for what is no number


def point(value, name: str = "") -> godot.Vector3:
    """Return three finite coordinates below 2^21; raise Refused, with the argument's name, for any others."""
    if not is_place(value):
        text = f"must be finite and below 2^21 in magnitude, not {tuple(value)}"
        raise godot.Refused(f"{name} {text}" if name else text)
    return value


def _length(default: float, doc: str, most: float, shown: float, low_open: bool = False, suffix: str = "m", **more):
    made = prop(float, default, doc, limits=(0.0, shown, 0.01), or_more=True, suffix=suffix, **more)
    made.checked(lambda _instance, value: number(value, 0.0, most, low_open))
    return made


def _squeeze():
    made = prop(float, 0.0, "Share by which two agents that walk opposite ways and hold each other up may overlap, so "
                "that crowds that meet in a narrow door get through it. The smaller of the two counts; 0 is off.",
                limits=(0.0, 0.9, 0.05))
    made.checked(lambda _instance, value: number(value, 0.0, 0.9))
    return made


def _properties() -> dict[str, prop]:
    return {
        "preset": prop("NavAgentSettings.Preset", 0, "Sets size and speed at once; changing one of them makes it "
                       "Custom.", group="Body and Speed"),
        "radius": _length(_USUAL["radius"], "Radius of the body. The mesh is shrunk by a radius already.", 1e4, 5.0,
                          True),
        "height": _length(_USUAL["height"], "Height of the body. Agents above each other do not avoid each other; 0 "
                          "avoids agents at any height.", WORLD, 5.0),
        "max_speed": _length(_USUAL["max_speed"], "Walking speed.", 1e6, 20.0, True, "m/s"),
        "max_acceleration": _length(_USUAL["max_acceleration"], "Largest change of velocity.", 1e9, 50.0, True,
                                    "m/s²"),
        "target_desired_distance": _length(
            _USUAL["target_desired_distance"], "Distance to the target, along the ground, at which it is reached; "
            "standing exactly there counts.", WORLD, 5.0),
        "avoidance_enabled": prop(bool, True, "Whether the agent avoids others. They avoid it in any case.",
                                  group="Avoidance"),
        "avoidance_quality": prop("NavAgentSettings.Quality", _MEDIUM, "How far the agent looks to avoid others."),
        "avoidance_priority": _length(1.0, "A weight: of two agents the one with the higher priority gives way less.",
                                      1e9, 10.0, True, ""),
        "separation_distance": _length(0.0, "Agents nearer than this are pushed apart; 0 is off.", 1e4, 5.0),
        "separation_weight": _length(0.3, "How strongly, as a share of the speed.", 1e3, 1.0, False, ""),
        "squeeze": _squeeze(),
        "group_arrival": prop(bool, True, "Whether the agent has arrived, too, when agents that reached the same place "
                              "hold it up, so that a group with one target comes to rest."),
        "yield_and_return": prop(bool, True, "Whether the agent, once arrived, walks back to its place after it gave "
                                 "way."),
        "navigation_layers": prop(int, 1, "Layers of regions that the agent may walk on, as far as the crowd allows "
                                  "them, too. The first 16 count.", group="Navigation", hint="LAYERS_3D_NAVIGATION"),
        "link_mode": prop("NavAgentSettings.LinkMode", 0, "Whether the crowd moves the agent over links or "
                          "the game does, which then calls [code]complete_link[/code]."),
        "stuck_time": _length(0.0, "Seconds over which an agent at full speed must make progress; after three such "
                              "times without it is stuck and gives up. 0 is off: a crowd stands in queues.", 1e6, 10.0,
                              False, "s"),
    }


_NAMES = tuple(_properties())
_LONE_NAMES = ("preset", "max_speed", "max_acceleration", "target_desired_distance", "navigation_layers", "link_mode",
               "stuck_time")


def with_tuning(cls):
    """Class decorator that adds the properties. The class has `_tuning_changed()`, called after each change."""
    return _with(cls, _NAMES)


def with_lone_tuning(cls):
    """The same for a walker without neighbours: only what counts for it."""
    return _with(cls, _LONE_NAMES)


def _with(cls, names):
    for name, made in _properties().items():
        if name not in names:
            continue
        made.changed(partial(_changed, name))
        made.__set_name__(cls, name)
        setattr(cls, name, made)
    return cls


def _changed(name: str, instance) -> None:
    """Keep the preset and what it stands for in step, then tell the instance."""
    values = instance.__dict__
    if name == "preset":
        if instance.preset != _CUSTOM:
            values.update(PRESETS[instance.preset])
        instance.notify_property_list_changed()
    elif name in _USUAL and instance.preset != _CUSTOM:
        if values[name] != PRESETS[instance.preset][name]:
            values["preset"] = _CUSTOM
    instance._tuning_changed()


def options_of(source) -> onepath.AgentOptions:
    """The core's options of a NavAgent or NavAgentSettings; equal settings give the same object."""
    return _options(*(getattr(source, name) for name in _NAMES[1:]))


@lru_cache(maxsize=256)
def _options(radius, height, max_speed, max_acceleration, target_desired_distance, avoidance_enabled,
             avoidance_quality, avoidance_priority, separation_distance, separation_weight, squeeze,
             group_arrival, yield_and_return, navigation_layers, link_mode, stuck_time) -> onepath.AgentOptions:
    quality = onepath.AvoidanceQuality(avoidance_quality) if avoidance_enabled else onepath.AvoidanceQuality.OFF
    path = onepath.FollowerOptions(corridor_capacity=_CORRIDOR_CAPACITY, stuck_window=stuck_time,
                                   off_mesh_mode=onepath.OffMeshMode(link_mode), off_mesh_speed=max_speed)
    return onepath.AgentOptions(
        radius=radius, height=height, max_speed=max_speed, max_acceleration=max_acceleration,
        arrival_radius=target_desired_distance, priority=avoidance_priority, quality=quality,
        separation_distance=separation_distance, separation_weight=separation_weight, squeeze=squeeze,
        group_arrival=group_arrival, yield_and_return=yield_and_return, layers=navigation_layers & FLAG_BITS,
        path=path)


def follower_options_of(source) -> onepath.FollowerOptions:
    """The core's options of a CorridorFollower or NavAgentSettings, as a crowd would use them."""
    return onepath.FollowerOptions(
        max_speed=source.max_speed, max_acceleration=source.max_acceleration,
        arrival_radius=source.target_desired_distance, stuck_window=source.stuck_time,
        off_mesh_mode=onepath.OffMeshMode(source.link_mode), off_mesh_speed=source.max_speed)


def radius_of(source) -> float:
    """How large a CorridorFollower or NavAgentSettings is drawn; a follower's preset has set it, if anything has."""
    return getattr(source, "radius", _USUAL["radius"])
