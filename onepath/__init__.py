"""OnePath: navigation meshes, corridors and deterministic crowds.

The package is engine-free typed Python. The same sources run interpreted or compiled by Cython, with the same bits.
"""

from onepath._mode import COMPILED

__all__ = ["COMPILED"]
