"""Facts of ``lease_claim``: a ``task_lease_v0`` to be taken, renewed or given back.

Leases compete for a todo or for overlapping write scopes; sharing a goal is no conflict. Seed: IP-016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loopx_policy import globs
from loopx_policy.facts.points.projection import (
    Document, Parameters, Projection, flag, number, part, seconds, text, texts,
)  # fmt: skip


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``lease.*``, ``request.*``, ``owner.*``, ``todo.*``, ``claim.*`` and ``scope.*``."""
    del parameters
    made = Projection()
    goal, request, todo = part(document, "goal"), part(document, "request"), part(document, "todo")
    owner, todo_id, scopes = text(request, "owner"), text(request, "todo_id"), texts(request, "write_scopes")
    leases: Sequence[Any] = document.get("leases") or []
    standing, own = _standing(leases, todo_id, owner, seconds(document, "now"))
    rivals = [
        lease
        for lease in leases
        if text(lease, "owner") != owner
        and text(lease, "todo_id") != todo_id
        and _in_force(lease, seconds(document, "now"))
        and globs.any_overlap(scopes, texts(lease, "write_scopes"))
    ]
    missing = _missing(document["operation"], request)
    outside = [scope for scope in scopes if not globs.covered(texts(goal, "write_scope"), scope)]
    malformed = [scope for scope in scopes if globs.problem(scope)]
    registered = texts(goal, "registered_agents")
    limit = number(goal, "claim_ttl_minutes")
    made.values.update(
        {
            "lease.operation": document["operation"],
            "request.missing": len(missing),
            "owner.registered": not registered or owner in registered,
            "todo.status": text(todo, "status") or "missing",
            "claim.holder": _holder(text(todo, "claimed_by"), owner),
            "lease.over_limit": bool(limit) and number(request, "ttl_minutes") > limit,
            "scope.malformed": len(malformed),
            "scope.outside": len(outside),
            "lease.key": _key(leases, request),
            "lease.standing": standing,
            "lease.overlapping": len(rivals),
            "lease.widens": any(not globs.covered(texts(own, "write_scopes"), scope) for scope in scopes),
        }
    )
    made.say(
        todo=todo_id or "the todo",
        acting_agent=owner or "nobody",
        registered_agents=registered,
        holder=text(todo, "claimed_by"),
        missing_parts=missing,
        malformed_scopes=malformed,
        outside_scopes=outside,
        lease_limit=str(limit),
        lease_owner=text(own, "owner"),
        rival_owners=sorted({text(lease, "owner") for lease in rivals}),
        rival_todos=sorted({text(lease, "todo_id") for lease in rivals}),
    )
    return made


def _missing(operation: str, request: Document) -> list[str]:
    needed = {"claim": ("todo_id", "owner", "idempotency_key"), "renew": ("todo_id", "owner"), "release": ("todo_id", "owner")}
    missing = [name for name in needed[operation] if not text(request, name)]
    if operation != "release" and number(request, "ttl_minutes") <= 0:
        missing.append("ttl_minutes")
    if operation == "claim" and not texts(request, "write_scopes") and not flag(request, "read_only"):
        missing.append("write_scopes")
    return missing


def _in_force(lease: Document, now: int | None) -> bool:
    """Not finished and not known to be past its end: what cannot be told still counts."""
    end = seconds(lease, "expires_at")
    return not flag(lease, "todo_done") and not (now is not None and end is not None and end <= now)


def _standing(leases: Sequence[Any], todo_id: str, owner: str, now: int | None) -> tuple[str, Document]:
    """How this todo is leased, and that lease; what is in force counts before what is not."""
    on_todo = [lease for lease in leases if todo_id and text(lease, "todo_id") == todo_id]
    for in_force in (True, False):
        for mine in (False, True):
            for lease in on_todo:
                if _in_force(lease, now) == in_force and (text(lease, "owner") == owner) == mine:
                    return ("mine" if mine else "other") + ("" if in_force else "_lapsed"), lease
    return "none", {}


def _key(leases: Sequence[Any], request: Document) -> str:
    key = text(request, "idempotency_key")
    used = [lease for lease in leases if key and text(lease, "idempotency_key") == key]
    if not used:
        return "new"
    same = all(text(lease, name) == text(request, name) for lease in used for name in ("todo_id", "owner"))
    return "repeat" if same else "taken"


def _holder(holder: str, owner: str) -> str:
    if not holder:
        return "nobody"
    return "owner" if holder == owner else "other"
