"""The memory that calls of a test hold: what the test runner's own threads allocate meanwhile is not counted."""

import gc
import tracemalloc

#: Enough for the deepest call, so that every allocation shows whose it is: ``tracemalloc.start(FRAMES)``.
FRAMES = 50


def held_from(file: str) -> int:
    """The bytes held now that were allocated, since tracing began, in calls from a test's file."""
    gc.collect()
    # Looking allocates, too.
    filters = [tracemalloc.Filter(True, file, all_frames=True), tracemalloc.Filter(False, __file__, all_frames=True)]
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces(filters).traces)
