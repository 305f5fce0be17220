"""What becomes of a crowd's agents when their mesh is replaced by another one: they keep ids, slots and targets."""

from __future__ import annotations


def leave(runtime) -> None:
    """Let go of the mesh. Who is in the crowd is kept until there is another one, which is when it is next needed."""
    runtime.see_off()
    columns = runtime.host.columns
    runtime.carried = runtime.crowd.save_state(), columns["lift"], columns["role"]
    runtime.forget_mesh()
    for agent in runtime.agents:
        if agent:
            agent.loosen()
    runtime.life += 1


def wait(runtime) -> None:
    """There is no mesh yet: say that everybody is outside."""
    for agent in runtime.agents:
        if agent:
            agent.show(agent.State.OUTSIDE)


def arrive(runtime) -> None:
    """Place those who were on another mesh on the new one.

    Where there is no ground, a NavAgent waits outside, and an agent without a node stays as it is and looks around
    after each change of the mesh.
    """
    (state, lifts, roles), runtime.carried = runtime.carried, None
    runtime.crowd.restore_state(state)
    runtime.host.fit()
    for member in runtime.crowd:
        slot, agent = member.slot, runtime.agents[member.slot]
        runtime.members[slot] = member
        runtime.host.enter(slot, lifts[slot], roles[slot])
        if agent is None:
            _place_nodeless(runtime, slot)
        elif agent and agent.is_inside_tree() and agent.home is runtime:
            _place(runtime, slot, agent)
        else:
            runtime.remove(slot)
            if agent and agent.home is runtime:
                agent.unbind()
    runtime.edits = -1  # the next tick tells of the new mesh


def _place_nodeless(runtime, slot: int) -> None:
    member = runtime.members[slot]
    target = runtime.targets.get(member.id)
    if not _step_down(runtime, slot, target if runtime.awaiting[slot] else None):
        runtime.host.forget_ground(slot)


def _place(runtime, slot: int, agent) -> None:
    if agent in runtime.pending:
        runtime.pending.remove(agent)
    runtime.bind(slot, agent)
    runtime.members[slot].set_options(agent.options())
    runtime.awaiting[slot] = agent.wants
    if not _step_down(runtime, slot, agent.target_position if agent.wants else None):
        runtime.send_out(slot)


def _step_down(runtime, slot: int, target) -> bool:
    """Put an agent on the ground that it stands on and send it on; False where there is none."""
    member, columns = runtime.members[slot], runtime.host.columns
    place = runtime.ground(member.position, member.options)
    if place is None or not member.warp(place):
        return False
    runtime.host.enter(slot, columns["lift"][slot], columns["role"][slot])
    if target is not None:
        runtime.send(slot, target)
    elif slot in runtime.short:
        runtime.try_again(slot)
    return True
