"""Stepping a crowd in the edited scene, and putting everything back."""

from __future__ import annotations


class Rehearsal:
    """Remembers a crowd as it is in the edited scene.

    Args:
        runtime: what runs behind the NavCrowd.
    """

    def __init__(self, runtime) -> None:
        everyone = [agent for agent in (*runtime.agents, *runtime.pending) if agent]
        self.agents = [(agent, agent.wants, agent.target_position) for agent in everyone]
        self.places = [(agent.get_parent(), agent.get_parent().transform) for agent in everyone]

    def end(self, runtime) -> None:
        """Put nodes and agents back; those that came meanwhile stay where they are."""
        runtime.disband()
        for body, transform in self.places:
            if body:
                body.transform = transform
        for agent, wants, target in self.agents:
            if agent:
                agent.remember(wants, target)
