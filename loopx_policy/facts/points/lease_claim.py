"""Facts of ``lease_claim``: a ``task_lease_v0`` about to be taken, renewed or given back.

Seed: IP-016.
"""

from __future__ import annotations

from loopx_policy import globs
from loopx_policy.facts.leases import in_force
from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    as_typed,
    flag,
    number,
    part,
    private_texts,
    seconds,
    text,
    texts,
)  # fmt: skip

USUAL = "IP-016.usual_minutes"


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``lease.*``, ``todo.*`` and ``owner.*``."""
    made = Projection()
    goal, request, todo = part(document, "goal"), part(document, "request"), part(document, "todo")
    owner, todo_id = text(request, "owner"), text(request, "todo_id")
    scopes, allowed = texts(request, "write_scopes"), texts(goal, "write_scope")
    outside = [scope for scope in scopes if not globs.covered(allowed, scope)]
    conflict, other = _conflict(document, owner, todo_id, scopes)
    holder, key = text(todo, "claimed_by"), text(request, "idempotency_key")
    made.values.update(
        {
            "lease.operation": document["operation"],
            "todo.status": text(todo, "status") or "missing",
            "todo.holder": "nobody" if not holder else "me" if holder == owner else "other",
            "owner.standing": _owner(owner, texts(goal, "registered_agents")),
            "lease.ttl": _ttl(number(request, "ttl_minutes"), number(goal, "claim_ttl_minutes")),
            "lease.scope": "named" if scopes else "read_only" if flag(request, "read_only") else "empty",
            "lease.key": _key(document, owner, todo_id, key),
            "lease.projected": not outside,
            "lease.conflict": conflict,
            "lease.own": _own(document, owner, todo_id, key),
        }
    )
    private_texts(made, {**part(document, "texts"), **({"idempotency_key": key} if key else {})})
    made.say(
        todo=todo_id or "the todo",
        lease_step=document["operation"],
        holder=holder,
        lease_owner=text(other, "owner") or "somebody unknown",
        leased_todo=text(other, "todo_id"),
        outside_scopes=outside,
        registered_agents=texts(goal, "registered_agents"),
        longest_minutes=str(number(goal, "claim_ttl_minutes")),
    )
    made.typed |= _proposed(document, made.values["lease.key"] == "given", parameters)
    return made


def _proposed(document: Document, keyed: bool, parameters: Parameters) -> dict[str, str]:
    """The same request as options that would be accepted: a lease that ends in time, with a key of its own."""
    goal, request = part(document, "goal"), part(document, "request")
    todo_id, scopes = text(request, "todo_id"), texts(request, "write_scopes")
    longest = number(goal, "claim_ttl_minutes")
    usual = parameters.get(USUAL)
    minutes = number(request, "ttl_minutes") or longest or (usual if isinstance(usual, int) else 0)
    renews = document["operation"] == "renew"
    fresh = f"{text(request, 'owner')}-{todo_id}-{seconds(document, 'now') or 0}"
    key = as_typed(("--idempotency-key", text(request, "idempotency_key") if keyed and not renews else fresh))
    bounds = as_typed(
        ("--todo-id", todo_id),
        ("--ttl-minutes", str(min(minutes, longest) if longest else minutes)),
        *(("--write-scope", scope) for scope in scopes),
    ) + ("" if scopes else " --read-only")
    return {
        "lease_flags": bounds if renews else bounds + key,
        "claim_flags": bounds + key,
        "lease_todo_flag": as_typed(("--todo-id", todo_id)),
    }


def _in_force(lease: Document, now: int | None) -> bool:
    return in_force(seconds(lease, "expires_at"), now, done=flag(lease, "todo_done"))


def _owner(owner: str, registered: list[str]) -> str:
    if not owner:
        return "unnamed"
    return "accepted" if not registered or owner in registered else "unregistered"


def _ttl(minutes: int, longest: int) -> str:
    if minutes <= 0:
        return "missing"
    return "too_long" if longest and minutes > longest else "bounded"


def _conflict(document: Document, owner: str, todo_id: str, scopes: list[str]) -> tuple[str, Document]:
    now = seconds(document, "now")
    leases = document.get("leases") or ()
    others = [each for each in leases if text(each, "owner") != owner and _in_force(each, now)]
    for lease in others:
        if text(lease, "todo_id") == todo_id:
            return "same_todo", lease
    for lease in others:
        if any(globs.any_overlap([scope], texts(lease, "write_scopes")) for scope in scopes):
            return "overlapping", lease
    return "none", {}


def _key(document: Document, owner: str, todo_id: str, key: str) -> str:
    used = [each for each in document.get("leases") or () if key and text(each, "idempotency_key") == key]
    if any(text(each, "owner") != owner or text(each, "todo_id") != todo_id for each in used):
        return "of_another"
    return "given" if key else "missing"


def _own(document: Document, owner: str, todo_id: str, key: str) -> str:
    now = seconds(document, "now")
    found = "none"
    for lease in document.get("leases") or ():
        if text(lease, "owner") != owner or text(lease, "todo_id") != todo_id or flag(lease, "todo_done"):
            continue
        if not _in_force(lease, now):
            found = "expired" if found == "none" else found
        elif key and text(lease, "idempotency_key") == key:
            return "repeated"
        else:
            found = "active"
    return found
