"""Facts of ``quota_spend``: a slot about to be booked or taken back.

Seed: IP-001 (once, after validated delivery), IP-008 (polls), IP-019 (identity envelope), IP-021 (the same
capabilities).
"""

from __future__ import annotations

from loopx_policy.engine.conditions import Value
from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    as_typed,
    flag,
    identity,
    number,
    part,
    private_texts,
    text,
    texts,
)  # fmt: skip
from loopx_policy.facts.points.state_refresh import envelope

TURN_MINUTES = "IP-001.turn_minutes"
WATCH = "continuous_monitor"


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``spend.*``, ``actor.*``, ``capabilities.*``, ``decision.*``, ``delivery.*`` and ``watch.*``.

    A watch belongs to a poll; beside a spending or a void it is not read.
    """
    made = Projection()
    polls = document["operation"] == "poll"
    watch = part(document, "watch") if polls else {}
    goal, decision, delivery = part(document, "goal"), part(document, "decision"), part(document, "delivery")
    agent, decided_for = text(document, "agent_id"), text(decision, "agent_id")
    registered = texts(goal, "registered_agents")
    here, there = _capabilities(document), _capabilities(decision)
    person = flag(document, "operator")
    made.values.update(
        {
            "spend.operation": document["operation"],
            "spend.identity": envelope(agent, decided_for) if decision and not person else "same" if agent else "none",
            "actor.identity": "operator" if person else identity(agent, registered, text(goal, "primary_agent")),
            "spend.slots": max(0, number(document, "slots")),
            "spend.booked": max(0, number(document, "spends_for_delivery")),
            "spend.minutes_behind": max(0, number(document, "minutes_behind")),
            "capabilities.carried": not decision or here == there,
            "decision.standing": _standing(decision, parameters),
            "decision.permits": flag(decision, "spend_after_validation"),
            "delivery.kind": (text(delivery, "kind") or "none") if delivery else "none",
            "delivery.product": text(delivery, "product") or "none",
            "delivery.validated": flag(delivery, "validated"),
            "delivery.written_back": flag(delivery, "written_back"),
            "delivery.frontier_changed": flag(delivery, "frontier_changed"),
            "delivery.paid_before": flag(delivery, "paid_before"),
            **_watch(watch, agent, polls and "watch" in document),
        }
    )
    private_texts(made, part(document, "texts"))
    made.say(
        acting_agent=agent or "nobody",
        decided_for=decided_for or "nobody",
        registered_agents=registered,
        mode=text(decision, "mode"),
        other_capabilities=sorted(here ^ there),
        todo=text(watch, "todo_id") or "the watch",
        holder=text(watch, "claimed_by"),
        minutes_behind=str(number(document, "minutes_behind")),
        unchanged_polls=str(number(watch, "unchanged_polls")),
        spend_command={"void": "void-slot", "poll": "monitor-poll"}.get(document["operation"], "spend-slot"),
    )
    made.typed["decided_flags"] = as_typed(
        ("--agent-id", decided_for), *(("--available-capability", name) for name in texts(decision, "capabilities"))
    )
    made.typed["execute_flag"] = "" if document["operation"] == "poll" else " --execute"
    return made


def _standing(decision: Document, parameters: Parameters) -> str:
    """How a decision stands; it speaks for its turn only so long (``IP-001.turn_minutes``)."""
    if not decision:
        return "none"
    longest = parameters.get(TURN_MINUTES)
    old = not isinstance(longest, int) or number(decision, "age_minutes") > longest
    standing = text(decision, "standing") or "stale"
    return "stale" if standing == "fresh" and old else standing


def _watch(watch: Document, agent: str, named: bool) -> dict[str, Value]:
    """Facts ``watch.*``. What is not said counts against the poll."""
    kind = text(watch, "task_class")
    if kind == WATCH:
        standing = "open" if flag(watch, "open") else "closed"
    else:
        standing = "other_class" if kind else "missing" if named else "none"
    holder = text(watch, "claimed_by")
    changed = "result" if flag(watch, "result_changed") else "none"
    return {
        "watch.standing": standing,
        "watch.holder": "nobody" if not holder else "me" if holder == agent else "other",
        "watch.due": flag(watch, "due"),
        "watch.looked": watch.get("looked_before") is not False,
        "watch.unchanged": max(0, number(watch, "unchanged_polls")),
        "watch.news": "material" if flag(watch, "material_change") else changed,
        "watch.follow_up": flag(watch, "follow_up") or flag(watch, "no_follow_up"),
    }


def _capabilities(document: Document) -> set[str]:
    """Capability names as the todo metadata reads them: a hyphen is an underscore."""
    return {name.strip().replace("-", "_") for name in texts(document, "capabilities")}
