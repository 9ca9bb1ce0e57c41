"""Facts of ``state_refresh``: a run row on its way into the index.

Seed: IP-013 (replan acknowledgement, dreaming), IP-024 (the surfaces that a repair must change), IP-019 (identity).
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    as_typed,
    flag,
    identity,
    part,
    private_texts,
    text,
    texts,
    words_of,
)  # fmt: skip
from loopx_policy.text import listed

LESSON = ("rule", "scope", "superseded", "owner", "validation")
"""What a correction records (IP-017)."""
SURFACES = (
    "effective_action", "interaction_contract", "runnable_todo_set", "claimed_lane", "successor", "supersede",
    "user_todo", "blocker", "capability_guard", "workspace_guard", "monitor_target", "watch_lane", "evidence_handle",
    "next_action", "goal_boundary",
)  # fmt: skip
"""The machine-visible frontier, one surface a name."""
RESERVED = "IP-023.reserved"
ORDERED = ("next_action",)
"""Surfaces in which the order says what comes first; the lists of the others are sets."""


def envelope(agent: str, decided_for: str) -> str:
    """Who acts against whom the turn was decided for: none, same, dropped, changed or added."""
    if agent == decided_for:
        return "same" if agent else "none"
    if not agent:
        return "dropped"
    return "changed" if decided_for else "added"


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``refresh.*``, ``actor.*``, ``frontier.*``, ``delta.*``, ``obligation.*`` and ``dreaming.*``."""
    made = Projection()
    goal, dreaming = part(document, "goal"), part(document, "dreaming")
    lesson = part(document, "lesson")
    agent, decided_for = text(document, "agent_id"), text(document, "decision_agent_id")
    operator = part(document, "actor").get("kind") == "operator"
    registered = texts(goal, "registered_agents")
    before, after = document.get("before"), document.get("after")
    compared = isinstance(before, dict) and isinstance(after, dict)
    changed = _changed(before or {}, after or {}) if compared else []
    obligation = part(document, "obligation")
    made.values.update(
        {
            "refresh.operation": document["operation"],
            "refresh.identity": envelope(agent, decided_for),
            "refresh.label": "reserved"
            if text(document, "classification") in words_of(parameters, RESERVED)
            else "free",
            "actor.identity": "operator" if operator else identity(agent, registered, text(goal, "primary_agent")),
            "frontier.compared": compared,
            **{f"delta.{surface}": surface in changed for surface in SURFACES},
            "obligation.standing": _standing(obligation, agent),
            "dreaming.command": dreaming.get("carries_command") is not False,
            "dreaming.decided_by": text(dreaming, "decided_by") or "nobody",
            "dreaming.boundary": flag(dreaming, "boundary_approved"),
            "dreaming.standing": text(dreaming, "standing") or "unstated",
            "lesson.missing": sum(not text(lesson, name) for name in LESSON),
            "lesson.standing": text(lesson, "standing") or "unstated",
            "lesson.carrier": _carrier(lesson),
        }
    )
    private_texts(made, part(document, "texts"))
    made.say(
        acting_agent=agent or "nobody",
        decided_for=decided_for or "nobody",
        registered_agents=registered,
        delta_kinds=changed,
        claimed_deltas=[kind for kind in texts(document, "repair_delta_kinds") if kind not in changed],
        obligation_lane=text(obligation, "lane"),
        classification=text(document, "classification"),
        missing_fields=[name for name in LESSON if not text(lesson, name)],
        proposal=text(dreaming, "ref"),
        correction=text(lesson, "ref"),
        carrier=text(lesson, "todo_id") or text(lesson, "recorded_in"),
    )
    near = texts(dreaming, "near") + texts(lesson, "near")
    made.words["near"] = f", perhaps {listed(near)}" if near else ""
    made.typed["decided_flags"] = as_typed(("--agent-id", decided_for))
    made.typed["row_flags"] = as_typed(("--classification", text(document, "classification")))
    return made


def _carrier(lesson: Document) -> str:
    """What a correction is promoted into: a todo, which must not be finished, or a place that is named."""
    if text(lesson, "todo_id"):
        status = text(lesson, "todo_status")
        return "missing_todo" if not status else "done_todo" if status == "done" else "open_todo"
    return "place" if text(lesson, "recorded_in") else "none"


def _changed(before: Document, after: Document) -> list[str]:
    return [
        surface
        for surface in SURFACES
        if _settled(surface, before.get(surface)) != _settled(surface, after.get(surface))
    ]


def _settled(surface: str, value: object) -> object:
    """A surface without what means nothing: order and repetition of a set, and absence against emptiness."""
    if isinstance(value, list):
        entries = [str(entry) for entry in value]
        return (entries if surface in ORDERED else sorted(set(entries))) or None
    return value if value not in ("", {}) else None


def _standing(obligation: Document, agent: str) -> str:
    if not obligation or obligation.get("open") is False:
        return "none"
    if text(obligation, "scope") == "goal":
        return "goal"
    return "mine" if text(obligation, "lane") == agent else "other_lane"
