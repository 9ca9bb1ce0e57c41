"""Whether a task lease still holds.

Seed: IP-016. A lease holds until its end, whatever happens to its todo, unless that is done.
"""

from __future__ import annotations


def in_force(expires_at: int | None, now: int | None, *, done: bool) -> bool:
    """``expires_at`` and ``now`` in seconds; a lease without an end holds, and so does any where no time is known.

    A blocked or deferred todo keeps its lease: whoever holds it may have begun to write.
    """
    return not done and (expires_at is None or now is None or expires_at > now)
