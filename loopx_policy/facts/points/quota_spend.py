"""Facts of ``quota_spend``: a slot to be booked, the decision it rests on, and what was delivered.

Seed: IP-001 (spend once, after validated writeback), IP-019 (one identity), IP-021 (one set of capabilities).
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import (
    Document, Parameters, Projection, flag, identity, number, part, text, texts,
)  # fmt: skip
from loopx_policy.facts.points.state_refresh import same_identity


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``spend.*``, ``actor.*``, ``decision.*`` and ``delivery.*``."""
    del parameters
    made = Projection()
    goal, decision, delivery = part(document, "goal"), part(document, "decision"), part(document, "delivery")
    me, decided_for = text(document, "agent_id"), text(decision, "agent_id")
    registered = texts(goal, "registered_agents")
    carried, decided = _capabilities(document), _capabilities(decision)
    made.values.update(
        {
            "spend.operation": document["operation"],
            "spend.slots": number(document, "slots"),
            "spend.earlier": number(document, "spends_for_delivery"),
            "spend.identity": same_identity(me, decided_for),
            "spend.same_capabilities": carried == decided,
            "actor.identity": identity(me, registered, text(goal, "primary_agent")),
            "decision.standing": (text(decision, "standing") or "stale") if "decision" in document else "absent",
            "decision.permits": flag(decision, "spend_after_validation"),
            "delivery.kind": text(delivery, "kind") or "none",
            "delivery.product": text(delivery, "product") or "none",
            "delivery.validated": flag(delivery, "validated"),
            "delivery.written_back": flag(delivery, "written_back"),
            "delivery.frontier_changed": flag(delivery, "frontier_changed"),
        }
    )
    made.say(
        acting_agent=me or "nobody",
        decided_for=decided_for or "nobody",
        registered_agents=registered,
        decided_capabilities=sorted(decided) or "no --available-capability",
        decided_mode=text(decision, "mode"),
        turn_kind=text(delivery, "kind").replace("_", " "),
    )
    return made


def _capabilities(document: Document) -> frozenset[str]:
    return frozenset(name.strip().lower().replace("-", "_") for name in texts(document, "capabilities"))
