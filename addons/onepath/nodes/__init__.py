"""The addon's nodes and resources: importing this package registers them with the engine."""

import onepath as onepath  # the compiled core; without it the host says that a part of the addon is missing

from . import corridor_follower, crowd_snapshot, nav_agent, nav_agent_settings, nav_crowd, nav_mesh
