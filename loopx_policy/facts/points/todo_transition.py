"""Facts of ``todo_transition``: one step in the life of one todo.

Seed: IP-019, IP-020; Decision Scope Model (scope of user gates); IP-027, IP-029 (ways out of a replan).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    flag,
    identity,
    part,
    private_texts,
    text,
    texts,
)  # fmt: skip
from loopx_policy.facts.view import LIVE
from loopx_policy.facts.watches import route_closed
from loopx_policy.records import record

LIFECYCLE_KEYS = frozenset(
    ("status", "claimed_by", "superseded_by", "successor_todo_ids", "no_followup", "resume_when", "completed_at")
)
"""Metadata that only the commands of the lifecycle change."""

GATE_KEYS = frozenset(("decision", "decision_ref", "decision_scope", "expires_at"))
"""What a gate decides and how it was answered: its owner's words, and the program's for them."""

STEPS = {
    "claim": ("claim", "reassign"),
    "edit": ("update",),
    "completion": ("complete",),
    "supersede": ("supersede",),
    "defer": ("defer",),
    "reopen": ("reopen",),
}
"""The part of the document that belongs to a step; with any other step only its texts are read."""


@record(frozen=True)
class _Actor:
    """``me`` is empty for a person; ``identity`` then says operator."""

    me: str
    identity: str
    registered: Sequence[str]
    handoff_owner: str


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``todo.*``, ``actor.*``, ``claim.*``, ``gate.*``, ``edit.*``, ``completion.*``, ``merge.*`` and more."""
    del parameters
    made = Projection()
    actor, todo = _actor(document), part(document, "todo")
    _todo(made, document, todo, actor)
    _written(made, document, actor)
    _edit(made, _handed(document, "edit"), todo)
    _completion(made, document, actor)
    target = text(_handed(document, "claim"), "claimed_by")
    made.values["claim.target"] = _holder(target, actor, strict=True)
    made.say(new_holder=target)
    made.values["supersede.replacement"] = _replacement(_handed(document, "supersede"), text(todo, "todo_id"))
    made.values["defer.condition"] = _condition(_handed(document, "defer"), text(todo, "todo_id"))
    made.values["reopen.ready"] = flag(_handed(document, "reopen"), "resume_ready")
    made.values["reason.given"] = bool(text(document, "reason"))
    private_texts(made, _all_texts(document))
    return made


def _handed(document: Document, name: str) -> Document:
    """What is handed in with the step; empty where it belongs to another."""
    return part(document, name) if document["operation"] in STEPS[name] else {}


def _actor(document: Document) -> _Actor:
    actor, goal = part(document, "actor"), part(document, "goal")
    registered, primary = texts(goal, "registered_agents"), text(goal, "primary_agent")
    owner = text(goal, "side_agent_handoff_agent")
    if actor["kind"] == "operator":
        return _Actor("", "operator", registered, owner or primary)
    me = text(actor, "agent_id")
    # Whoever takes handoffs hands its own work to the primary agent, since nobody hands work to itself.
    owner = primary if owner in ("", me) else owner
    return _Actor(me, identity(me, registered, primary), registered, owner)


def _todo(made: Projection, document: Document, todo: Document, actor: _Actor) -> None:
    holder = text(todo, "claimed_by")
    successors = texts(todo, "successor_todo_ids")
    settled = bool(successors or text(todo, "superseded_by") or flag(todo, "no_followup"))
    handoff = text(todo, "role") == "agent" and bool(text(todo, "blocks_agent"))
    live, marked = text(todo, "status") in LIVE, flag(todo, "route_continuation_replan_required")
    made.values.update(
        {
            "todo.operation": document["operation"],
            "actor.identity": actor.identity,
            "todo.status": text(todo, "status") or ("open" if document["operation"] == "add" else "missing"),
            "todo.role": text(todo, "role") or "unstated",
            "todo.class": text(todo, "task_class") or "unstated",
            "todo.holder": _holder(holder, actor),
            "todo.superseded": bool(text(todo, "superseded_by")),
            "todo.settled": settled,
            "todo.handoff": handoff,
            "todo.blocks_me": bool(actor.me) and text(todo, "blocks_agent") == actor.me,
            "todo.stale": handoff and live and route_closed(marked, text(todo, "superseded_by"), successors),
            "todo.decided": flag(todo, "decided"),
            "goal.several_agents": len(actor.registered) > 1,
        }
    )
    made.say(
        todo=text(todo, "todo_id") or "the todo",
        holder=holder,
        acting_agent=actor.me or ("an unnamed caller" if actor.identity == "missing" else actor.identity),
        registered_agents=list(actor.registered),
        handoff_agent=actor.handoff_owner,
    )


def _holder(agent: str, actor: _Actor, *, strict: bool = False) -> str:
    """``nobody``, ``me``, ``other``; with ``strict`` also ``unregistered`` where the goal registers agents."""
    if not agent:
        return "nobody"
    if strict and actor.registered and agent not in actor.registered:
        return "unregistered"
    return "me" if agent == actor.me else "other"


def _written(made: Projection, document: Document, actor: _Actor) -> None:
    """Facts about todos that the step would write: the one that is added or edited, successors, a replacement."""
    written: list[Any] = list(_handed(document, "completion").get("successors") or ())
    written += [each for each in [part(_handed(document, "supersede"), "replacement")] if each]
    if document["operation"] == "add":
        written.append(part(document, "todo"))
    if document["operation"] == "update":
        written.append({**part(document, "todo"), **part(_handed(document, "edit"), "todo")})
    scopes = [_gate_scope(todo, actor) for todo in written if text(todo, "task_class") == "user_gate"]
    made.values["gate.scope"] = next((scope for scope in _GATE_SCOPES if scope in scopes), "no_gate")
    made.values["written.unclassed"] = any(
        text(todo, "role") == "user" and text(todo, "task_class") not in ("user_gate", "user_action")
        for todo in written
    )
    made.values["written.foreign_claim"] = any(
        _holder(text(todo, "claimed_by"), actor, strict=True) == "unregistered" for todo in written
    )


_GATE_SCOPES = ("both", "unscoped", "unknown_agent", "one_agent", "everyone")


def _gate_scope(todo: Document, actor: _Actor) -> str:
    agent = text(todo, "blocks_agent")
    if flag(todo, "global_gate"):
        return "both" if agent else "everyone"
    if not agent:
        return "unscoped"
    return "one_agent" if not actor.registered or agent in actor.registered else "unknown_agent"


def _edit(made: Projection, edit: Document, todo: Document) -> None:
    fields = [name.replace("-", "_") for name in texts(edit, "fields")]
    after: Document = {**todo, **part(edit, "todo")}
    # That work is blocked, or freed again, is a detail of open work and no step of its life.
    stays = {text(todo, "status"), text(after, "status")} <= {"open", "blocked"}
    lifecycle = sorted(LIFECYCLE_KEYS.intersection(fields) - ({"status"} if stays else set()))
    gate = text(todo, "task_class") == "user_gate"
    narrowed = flag(todo, "global_gate") and not flag(after, "global_gate")
    moved = bool(text(todo, "blocks_agent")) and text(todo, "blocks_agent") != text(after, "blocks_agent")
    declassed = text(after, "task_class") != "user_gate"
    made.values["edit.wording"] = "text" in fields
    made.values["edit.same_route"] = flag(edit, "same_route")
    made.values["edit.lifecycle"] = len(lifecycle)
    weaker = declassed or narrowed or (moved and not flag(after, "global_gate")) or bool(GATE_KEYS.intersection(fields))
    made.values["edit.weakens_gate"] = gate and weaker
    made.say(lifecycle_fields=lifecycle)


def _completion(made: Projection, document: Document, actor: _Actor) -> None:
    completion = _handed(document, "completion")
    successors = completion.get("successors") or []
    closed = flag(completion, "no_follow_up") or document["operation"] == "no_followup"
    if closed:
        followup = "both" if successors else "rationale" if text(document, "reason") else "bare"
    else:
        followup = "successor" if successors else "none"
    owners = [text(successor, "claimed_by") for successor in successors]
    to_owner = [each for each in successors if actor.handoff_owner and text(each, "claimed_by") == actor.handoff_owner]
    if to_owner and actor.handoff_owner != actor.me:
        handoff = "owner"
    elif actor.me and actor.me in owners:
        handoff = "me"
    elif not successors:
        handoff = "none"
    else:
        handoff = "other" if any(owners) else "nobody"
    made.values.update(
        {
            "completion.evidence": bool(text(completion, "evidence")),
            "completion.trivial": flag(completion, "trivial"),
            "completion.followup": followup,
            "merge.by_side_agent": flag(completion, "side_agent_self_merged"),
            "merge.scale": text(completion, "scale") or "unstated",
            "completion.failed_check": completion.get("validated") is False,
            "merge.forbidden": completion.get("policy_allows_self_merge") is False,
            "handoff.to": handoff,
            "handoff.linked": bool(actor.me)
            and any(text(each, "blocks_agent") == actor.me and text(each, "unblocks_todo_id") for each in to_owner),
        }
    )


def _replacement(supersede: Document, todo_id: str) -> str:
    existing = text(supersede, "replacement_todo_id")
    if existing:
        if existing == todo_id:
            return "itself"
        status = text(supersede, "replacement_status") or "missing"
        return status if status in ("missing", "done") else "open"
    return "new" if text(supersede, "replacement_text") else "none"


def _condition(defer: Document, todo_id: str) -> str:
    condition = text(defer, "resume_when")
    if not condition:
        return "linked" if flag(defer, "linked") else "none"
    if flag(defer, "cycle") or (todo_id and condition == f"todo_done:{todo_id}"):
        return "cycle"
    if flag(defer, "lost"):
        return "lost"
    return "set" if condition.startswith(("todo_done:", "pr_merged:")) else "unreadable"


def _all_texts(document: Document) -> dict[str, Any]:
    others = document.get("texts")
    return {
        "reason": document.get("reason"),
        "evidence": part(document, "completion").get("evidence"),
        "replacement_text": part(document, "supersede").get("replacement_text"),
        **(others if isinstance(others, Mapping) else {"texts": others}),
    }
