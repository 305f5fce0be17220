"""How many bytes an object of ours holds."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


def held_by(make: Callable[[], Made]) -> tuple[Made, int]:
    """Make something and return it with the bytes that are held because of it.

    The core keeps its columns in `array.array`, whose buffers come from Python's allocator, so tracing that allocator
    sees columns and objects alike.
    """
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        return made, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
