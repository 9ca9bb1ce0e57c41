"""``boundary approve`` and ``boundary revoke``: structured approvals that widen a goal's write scope (IP-006).

An approval is one entry of ``checkpointed_boundary_authority_v0`` for each scope. It is never deleted: one that is
taken back says so and stays as a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from .. import globs
from ..errors import UsageError
from ..model import Authority
from ..project.times import iso
from .documents import change_part
from .goal_steps import check_glob
from .places import Ground
from .registry_text import RegistryText
from .write import Judge, Plan, allow

Json = dict[str, Any]
ENTRIES = ("coordination", "checkpointed_boundary_authority")
SCHEMA = "checkpointed_boundary_authority_v0"


def approve(
    here: Ground,
    judge: Judge,
    scopes: Sequence[str],
    *,
    source: str,
    provenance: str,
    expires_at: int | None = None,
    operator: bool = False,
) -> Plan:
    """Approve write scopes; ``expires_at`` is seconds since the epoch."""
    for scope in scopes:
        check_glob(scope)
    asked: Json = {"write_scope": list(scopes), "source": source, "provenance": provenance}
    if expires_at is not None:
        asked["expires_at"] = expires_at
    document = {"operation": "approve_boundary", **change_part(here, operator), "boundary": asked}
    allow(judge, "goal_change", document | {"texts": {"source": source, "provenance": provenance, "scopes": scopes}})
    text = RegistryText(here)
    for scope in dict.fromkeys(scopes):
        entry = {"schema_version": SCHEMA, "write_scope": scope, "decision": "approve", "status": "active"}
        entry |= {"source": source, "provenance": provenance, "recorded_at": iso(here.caller.now)}
        if expires_at is not None:
            entry["expires_at"] = iso(expires_at)
        text.append(*ENTRIES, value=entry)
    result = {"write_scope": list(dict.fromkeys(scopes)), "source": source, "provenance": provenance}
    result["expires_at"] = iso(expires_at) if expires_at is not None else "never"
    return Plan(f"Approve writing to {', '.join(scopes)} in {here.goal.goal_id}", result, text.edits())


def revoke(here: Ground, judge: Judge, scopes: Sequence[str], *, reason: str = "", operator: bool = False) -> Plan:
    """Take back every approval in force that covers these scopes and no other."""
    document = {
        "operation": "revoke_boundary",
        **change_part(here, operator),
        "boundary": {"write_scope": list(scopes)},
    }
    allow(judge, "goal_change", document | {"texts": {"reason": reason}})
    text = RegistryText(here)
    approvals = list(_approvals(here))
    for scope in scopes:
        _known(here, scope, [each for _, entry in approvals for each in entry.write_scope])
    revoked = [(number, entry) for number, entry in approvals if set(entry.write_scope) & set(scopes)]
    for number, entry in revoked:
        rest = [each for each in entry.write_scope if each not in scopes]
        if rest:
            raise UsageError(
                f"One approval is about {', '.join(entry.write_scope)} together.",
                fix=f"Name {', '.join(rest)} too, and approve again what shall stay.",
            )
        text.put(*ENTRIES, number, "status", value="revoked")
        text.put(*ENTRIES, number, "revoked_at", value=iso(here.caller.now))
        if reason:
            text.put(*ENTRIES, number, "revoked_reason", value=" ".join(reason.split()))
    left = [*here.goal.write_scope, *(s for n, e in approvals if (n, e) not in revoked for s in e.write_scope)]
    allowed = [scope for scope in scopes if any(globs.covers(glob, scope) for glob in left)]
    result: Json = {"write_scope": list(dict.fromkeys(scopes)), "approvals": len(revoked), "still_allowed": allowed}
    return Plan(f"Take back the approval of {', '.join(scopes)} in {here.goal.goal_id}", result, text.edits())


def _approvals(here: Ground) -> Iterator[tuple[int, Authority]]:
    """Entries that are approvals and not taken back, whether or not they have ended."""
    for number, entry in enumerate(here.goal.authority):
        if entry.decision == "approve" and entry.status == "active":
            yield number, entry


def _known(here: Ground, scope: str, approved: Sequence[str]) -> None:
    if scope in approved:
        return
    near = get_close_matches(scope, approved, n=1)
    if near:
        fix = f"Did you mean {near[0]}?"
    elif scope in here.goal.write_scope:
        fix = f"It is declared; take it out with loopx goal set --remove-write-scope {scope!r}."
    else:
        fix = f"Approved: {', '.join(approved) or 'nothing'}."
    raise UsageError(f"No approval in force is about {scope[:80]}.", fix=fix)
