"""The decision points beside turn and candidate: each projects its input document to flat facts.

All relations are worked out here (what contains, covers, precedes, equals or looks private), and no fact says
what follows from them: that is in the rule files.
"""

from __future__ import annotations

from loopx_policy.facts.points import (
    assistance,
    connector_run,
    decision_write,
    evidence_count,
    lease_claim,
    material_intake,
    packet_field,
    plan_writeback,
    quota_spend,
    state_refresh,
    todo_transition,
)
from loopx_policy.facts.points.projection import Projection, Projector

PROJECTORS: dict[str, Projector] = {
    "decision_write": decision_write.project,
    "todo_transition": todo_transition.project,
    "state_refresh": state_refresh.project,
    "quota_spend": quota_spend.project,
    "lease_claim": lease_claim.project,
    "connector_run": connector_run.project,
    "evidence_count": evidence_count.project,
    "assistance": assistance.project,
    "material_intake": material_intake.project,
    "packet_field": packet_field.project,
    "plan_writeback": plan_writeback.project,
}

__all__ = ["PROJECTORS", "Projection", "Projector"]
