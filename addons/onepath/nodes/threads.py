"""Which threads may build a crowd, and the end of those that step it.

The scene's nodes answer the main thread only, and a crowd that is built without their answers would stay empty.
"""

from __future__ import annotations

import gc
import threading

import godot

_SUB_THREAD, _MAIN_THREAD = 2, 1  # values of Node.ProcessThreadGroup


def on_main_thread() -> bool:
    """Whether this is the thread that the scene's nodes answer."""
    return threading.get_ident() == threading.main_thread().ident


def main_thread_only(node) -> None:
    """Raise Refused in a thread in which a node's neighbours cannot be asked; its own thread group may ask them."""
    if on_main_thread():
        return
    while node is not None and node.process_thread_group != _SUB_THREAD:
        node = None if node.process_thread_group == _MAIN_THREAD else node.get_parent()
    if node is None:
        raise godot.Refused("a crowd is built, and takes agents in and out, in the main thread only: use call_deferred")


def group_warnings(node, root) -> list[str]:
    """Say which regions under a root node cannot be read from a node's process thread; for configuration warnings."""
    owner = node
    while owner is not None and owner.process_thread_group not in (_SUB_THREAD, _MAIN_THREAD):
        owner = owner.get_parent()
    if owner is None or owner.process_thread_group == _MAIN_THREAD or root is None:
        return []
    regions = [*([root] if root.is_class("NavigationRegion3D") else ()),
               *root.find_children("*", "NavigationRegion3D", True, False)]
    outside = [region for region in regions if region != owner and not owner.is_ancestor_of(region)]
    if not outside:
        return []
    return [f"{owner.name} is processed in a thread (process_thread_group), where regions outside it cannot be read, "
            f"as {outside[0].name} is: put them under it, or set its process_thread_group to Inherit."]


@godot.at_exit
def _end_threads() -> None:
    """Wait for the threads of crowds that have gone, so that none is still on its way out when Python ends."""
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith("onepath-"):
            thread.join(1.0)
