"""Saying, once, that a crowd has nothing to walk on."""

from __future__ import annotations

import godot

from .threads import on_main_thread

#: So long (s of steps) a crowd may wait for ground without a word: levels are baked and loaded while it runs.
_PATIENCE = 1.0


def tell(runtime, dt: float) -> None:
    """Look, once in each step, whether there is ground; warn after a second in which there has not been any yet.

    ``runtime.groundless`` counts the seconds; below zero it is settled.
    """
    if runtime.mesh is not None and runtime.mesh.poly_count > 0:
        runtime.groundless = -1.0
    elif runtime.node.is_inside_tree():
        runtime.groundless += dt
        if runtime.groundless >= _PATIENCE:
            runtime.groundless = -1.0
            _warn(runtime)


def _warn(runtime) -> None:
    node = runtime.node
    if not on_main_thread():
        reasons = ["It is processed in a thread, where regions outside its thread group cannot be read: put them under "
                   "the node whose process_thread_group is Sub Thread, or set that to Inherit."]
    elif node.nav_mesh is not None and len(node.nav_mesh.data):
        return  # that it is damaged has been told
    else:
        reasons = runtime.mesh_warnings() or ["No region that is enabled has any ground: enable or bake one."]
    godot.warn(f"{node.get_path()} has no ground to walk on. {' '.join(reasons)}")
