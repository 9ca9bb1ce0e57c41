"""The goal's write boundary: the declared scope and the fresh approved checkpoints.

Seed: IP-006. Only structured authority counts: an approval needs its schema, a source, the time it was
recorded, an active status and no expiry in the past. Everything else is shown and grants nothing.
"""

from __future__ import annotations

from functools import lru_cache

from loopx_policy import globs
from loopx_policy.model import Authority, Goal
from loopx_policy.records import record

SCHEMA = "checkpointed_boundary_authority_v0"


def rejection(entry: Authority, now: int) -> str:
    """Why an authority entry grants nothing; empty where it does."""
    if entry.schema_version != SCHEMA:
        return f"schema_version is not {SCHEMA}"
    if entry.decision != "approve":
        return f"decision is {entry.decision or 'missing'}"
    if entry.status != "active":
        return f"status is {entry.status or 'missing'}"
    if not entry.source:
        return "no source"
    if entry.recorded_at is None:
        return "no recorded_at"
    if entry.recorded_at > now:
        return "recorded in the future"
    if entry.expires_at is not None and entry.expires_at <= now:
        return "expired"
    return ""


@lru_cache(maxsize=4096)
def _covered(allowed: tuple[str, ...], scope: str) -> bool:
    return any(globs.covers(pattern, scope) for pattern in allowed)


@record(frozen=True)
class Boundary:
    """What may be written. ``allowed`` are globs; an empty tuple allows nothing."""

    allowed: tuple[str, ...]

    def outside(self, scopes: tuple[str, ...]) -> list[str]:
        """Those of the required write scopes that no allowed glob contains."""
        return [scope for scope in scopes if not _covered(self.allowed, scope)]


def read_boundary(goal: Goal, now: int) -> Boundary:
    """The boundary in force at ``now``."""
    approved = [scope for entry in goal.authority if not rejection(entry, now) for scope in entry.write_scope]
    return Boundary(tuple(dict.fromkeys((*goal.write_scope, *approved))))
