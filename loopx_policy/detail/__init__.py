"""The long answer: everything behind a decision under the names that status and dashboards know.

Seed: IP-003, IP-006, IP-019, IP-021, IP-022, IP-026, IP-027, IP-029. These sections describe; none of them decides.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.decision import Decision
from loopx_policy.detail.gates import blocked_priority, capability_gate, goal_boundary, scoped_fallback
from loopx_policy.detail.lanes import (
    agent_summary,
    deferred_lanes,
    handoff_gates,
    lane_next_action,
    user_summary,
)
from loopx_policy.model import Snapshot
from loopx_policy.records import as_dict
from loopx_policy.text import public


def detailed(decision: Decision, evaluation: Evaluation) -> dict[str, Any]:
    """The published shape with the sections of ``--detail`` added."""
    mode, combined = decision.mode, evaluation.combined
    workspace = evaluation.snapshot.workspace
    values = evaluation.turn.record.values
    lead = combined.lead
    return decision.to_dict() | {
        "facts": dict(values),
        "trace": {
            "lead": lead.key if lead else None,
            "matched": [case.key for case in combined.matched],
            "obliged": [item.key for item in combined.obligations],
            "withheld": [f"{item.key}: {item.what}" for item in combined.withheld],
        },
        "waiting_on": mode.waiting_on,
        "severity": mode.severity,
        "normal_delivery_allowed": mode.lists_candidates and mode.delivery_allowed,
        "execution_obligation": {
            "contract": decision.contract,
            "must_attempt": mode.must_attempt,
            "effective_action": decision.effective_action,
            "action": decision.primary_action,
        },
        "workspace_guard": {
            "required": bool(values["workspace.guarded"]) and values["agent.identity"] == "side",
            "workspace": workspace.kind,
            "branch": workspace.branch,
            "independent_worktree": bool(values["workspace.independent"]),
        },
        "capability_gate": capability_gate(evaluation),
        "scoped_user_gate_fallback": scoped_fallback(decision, evaluation),
        "blocked_priority_fallback": blocked_priority(decision, evaluation),
        "agent_lane_next_action": lane_next_action(evaluation),
        "handoff_gates": handoff_gates(evaluation),
        **deferred_lanes(evaluation),
        "user_todo_summary": user_summary(evaluation),
        "agent_todo_summary": agent_summary(evaluation),
        "goal_boundary": goal_boundary(evaluation),
        "diagnostics": diagnostics(evaluation.snapshot),
    }


def diagnostics(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Everything that is wrong in the project, with its place: what breaks the contract and what does not."""
    problems = [*snapshot.problems, *snapshot.state.problems]
    return [as_dict(problem) | {"message": public(problem.message)} for problem in problems]
