"""Our side of every section."""

from .ours_crowds import OurCrossers, OurWalkers, crowd_bytes
from .ours_queries import OurQueries

__all__ = ["OurCrossers", "OurQueries", "OurWalkers", "crowd_bytes"]
