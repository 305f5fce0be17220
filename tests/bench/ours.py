"""Our side of every section."""

from .ours_queries import OurQueries

__all__ = ["OurQueries"]
