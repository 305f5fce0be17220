"""How a build step says that it cannot go on."""


class BuildStop(Exception):
    """One sentence for the person at the keyboard: what is wrong and what to do about it."""
