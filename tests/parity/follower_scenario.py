"""A lone follower among edits, folded into one hash."""

from scenarios.follower import EDITED_EVERY, LoneFollower

from onepath.packing import fnv1a_64

ROUNDS = 20


def run(rerun=False, polygon_nodes=False, seen=None):
    """Walk 1000 steps; with ``rerun`` every 50th state is restored and the steps after it done again.

    ``seen`` is a set to which the states that the follower was in are added.
    """
    walk = LoneFollower(polygon_nodes)
    hashes = []
    for first in range(0, ROUNDS * EDITED_EVERY, EDITED_EVERY):
        saved = walk.save()
        for _ in range(2 if rerun else 1):
            walk.restore(saved)
            part = []
            for tick in range(first, first + EDITED_EVERY):
                walk.step(tick)
                part.append(walk.follower.to_bytes())
                if seen is not None:
                    seen.add(walk.follower.state)
        hashes.append(fnv1a_64(b"".join(part)))
    return fnv1a_64(b"".join(value.to_bytes(8, "little") for value in hashes))
