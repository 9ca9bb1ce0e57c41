"""Facts of ``state_refresh``: a run row on its way into the index, and what changed with it.

The frontier is compared here, surface by surface; what the caller claims to have changed is not looked at.
Seed: IP-013 (replan ACK, dreaming proposals), IP-024 (surfaces of a delta), IP-019 (one identity for a turn).
"""

from __future__ import annotations

import json
from typing import Any

from loopx_policy.facts.points.projection import (
    Document, Parameters, Projection, flag, identity, part, private_texts, text, texts,
)  # fmt: skip

SURFACES = (
    "effective_action", "interaction_contract", "runnable_todo_set", "claimed_lane", "successor", "supersede",
    "user_todo", "blocker", "capability_guard", "workspace_guard", "monitor_target", "watch_lane", "evidence_handle",
    "next_action", "goal_boundary",
)  # fmt: skip
"""The machine-visible surfaces of a frontier, which are also the kinds of a repair delta."""
_ORDERED = ("next_action",)
"""Surfaces in which the order is part of the meaning; lists elsewhere are sets."""


def delta_kinds(before: Document, after: Document) -> tuple[str, ...]:
    """The surfaces that differ between two frontiers, in the order of ``SURFACES``."""
    return tuple(name for name in SURFACES if _canonical(name, before) != _canonical(name, after))


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``refresh.*``, ``actor.*``, ``replan.*``, ``delta.<surface>``, ``dreaming.*`` and ``text.private``."""
    del parameters
    made = Projection()
    goal, obligation, dreaming = part(document, "goal"), part(document, "obligation"), part(document, "dreaming")
    me, decided_for = text(document, "agent_id"), text(document, "decision_agent_id")
    registered = texts(goal, "registered_agents")
    known = "before" in document and "after" in document
    kinds = delta_kinds(part(document, "before"), part(document, "after")) if known else ()
    made.values.update({f"delta.{name}": name in kinds for name in SURFACES})
    made.values.update(
        {
            "refresh.operation": document["operation"],
            "refresh.identity": same_identity(me, decided_for) if "decision_agent_id" in document else "unstated",
            "actor.identity": identity(me, registered, text(goal, "primary_agent")),
            "replan.obligation": _obligation(obligation, me),
            "dreaming.command": dreaming.get("carries_command") is not False,
            "dreaming.decided_by": text(dreaming, "decided_by") or "nobody",
            "dreaming.boundary_approved": flag(dreaming, "boundary_approved"),
        }
    )
    private_texts(made, {"texts": dict(part(document, "texts"))})
    made.say(
        acting_agent=me or "nobody",
        decided_for=decided_for or "nobody",
        registered_agents=registered,
        obliged_lane=text(obligation, "lane"),
        changed_surfaces=list(kinds),
    )
    return made


def same_identity(me: str, decided_for: str) -> str:
    """The agent of a follow-up command against the agent of the decision: same, dropped, added or changed."""
    if me == decided_for:
        return "same"
    if not me:
        return "dropped"
    return "changed" if decided_for else "added"


def _obligation(obligation: Document, me: str) -> str:
    if not flag(obligation, "open"):
        return "none"
    if text(obligation, "scope") != "lane":
        return "goal"
    return "mine" if text(obligation, "lane") == me else "other_lane"


def _canonical(name: str, frontier: Document) -> str:
    value: Any = frontier.get(name)
    if isinstance(value, list) and name not in _ORDERED:
        value = sorted({json.dumps(entry, sort_keys=True) for entry in value})
    return json.dumps(value or None, sort_keys=True)
