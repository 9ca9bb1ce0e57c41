"""Facts of ``quota_spend``: a slot about to be booked or taken back.

Seed: IP-001 (once, after validated delivery), IP-019 (identity envelope), IP-021 (the same capabilities).
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    flag,
    identity,
    number,
    part,
    text,
    texts,
)  # fmt: skip
from loopx_policy.facts.points.state_refresh import envelope


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``spend.*``, ``actor.*``, ``capabilities.*``, ``decision.*`` and ``delivery.*``."""
    del parameters
    made = Projection()
    goal, decision, delivery = part(document, "goal"), part(document, "decision"), part(document, "delivery")
    agent, decided_for = text(document, "agent_id"), text(decision, "agent_id")
    registered = texts(goal, "registered_agents")
    here, there = _capabilities(document), _capabilities(decision)
    made.values.update(
        {
            "spend.operation": document["operation"],
            "spend.identity": envelope(agent, decided_for) if decision else ("same" if agent else "none"),
            "actor.identity": identity(agent, registered, text(goal, "primary_agent")),
            "spend.slots": max(0, number(document, "slots")),
            "spend.booked": max(0, number(document, "spends_for_delivery")),
            "capabilities.carried": not decision or here == there,
            "decision.standing": (text(decision, "standing") or "stale") if decision else "none",
            "decision.permits": flag(decision, "spend_after_validation"),
            "delivery.kind": (text(delivery, "kind") or "none") if delivery else "none",
            "delivery.product": text(delivery, "product") or "none",
            "delivery.validated": flag(delivery, "validated"),
            "delivery.written_back": flag(delivery, "written_back"),
            "delivery.frontier_changed": flag(delivery, "frontier_changed"),
        }
    )
    made.say(
        acting_agent=agent or "nobody",
        decided_for=decided_for or "nobody",
        registered_agents=registered,
        mode=text(decision, "mode"),
        other_capabilities=sorted(here ^ there),
    )
    return made


def _capabilities(document: Document) -> set[str]:
    """Capability names as the todo metadata reads them: a hyphen is an underscore."""
    return {name.strip().replace("-", "_") for name in texts(document, "capabilities")}
