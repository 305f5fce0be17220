"""NavAgentSettings: how agents walk, shared by many of them."""

from __future__ import annotations

import enum

from godot import Resource, prop, register

from .tuning import with_tuning


@register
@with_tuning
class NavAgentSettings(Resource):
    """Size, speed and manners of agents, to be shared by many NavAgents or given to NavCrowd.add_agent.

    A change of a property reaches all agents that use the resource at their next step.
    """

    class Preset(enum.IntEnum):
        """Ready-made sizes and speeds."""

        HUMANOID = 0
        SMALL = 1
        LARGE = 2
        CUSTOM = 3

    class Quality(enum.IntEnum):
        """How far agents look to avoid others: 4 neighbours in 1.5 s, 8 in 2 s, 12 in 2.5 s."""

        LOW = 1
        MEDIUM = 2
        HIGH = 3

    class LinkMode(enum.IntEnum):
        """Who moves an agent over a link: the crowd, or the game, which then calls complete_link."""

        AUTOMATIC = 0
        HOST = 1

    def _tuning_changed(self):
        self.emit_changed()


class UsualSettings:
    """Settings of a nodeless agent that is added without any: the class's defaults."""


for _name, _value in vars(NavAgentSettings).items():
    if isinstance(_value, prop):
        setattr(UsualSettings, _name, _value.default)
