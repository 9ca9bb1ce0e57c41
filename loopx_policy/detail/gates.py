"""Sections about what may run: capability gate, fallbacks, boundary."""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.decision import Decision
from loopx_policy.facts.boundary import rejection
from loopx_policy.facts.frontier import Candidate
from loopx_policy.messages import candidate_why, source_at
from loopx_policy.model import Authority, Todo
from loopx_policy.project.times import iso

CAPABILITY_GATE = "IP-021"
SCOPED_GATE = "IP-003"
BLOCKED_PRIORITY = "IP-002"


def _todo(todo: Todo, file: str) -> dict[str, Any]:
    return {
        "todo_id": todo.todo_id,
        "priority": todo.priority,
        "claimed_by": todo.claimed_by,
        "at": source_at(todo, file),
    }


def capability_gate(evaluation: Evaluation) -> dict[str, Any]:
    """``capability_gate``: the runnable set that the agent chooses from, and what is blocked and why.

    ``action`` is ``run`` where something is runnable, else the id of the capability case that matched.
    """
    frontier, file = evaluation.turn.frontier, evaluation.snapshot.state.file
    matched = [case.id for case in evaluation.combined.matched if case.pattern == CAPABILITY_GATE]
    return {
        "action": "run" if frontier.runnable else (matched[0] if matched else "none"),
        "decision_owner": "agent",
        "selection_policy": "agent_steering_audit_over_runnable_candidates",
        "runnable_candidates": [_runnable(candidate, file) for candidate in frontier.runnable],
        "blocked_candidates": [
            _blocked(candidate, evaluation) for candidate in frontier.candidates if not candidate.verdict.runnable
        ],
    }


def _runnable(candidate: Candidate, file: str) -> dict[str, Any]:
    todo = candidate.todo
    entry = _todo(todo, file) | {"required_capabilities": list(todo.required_capabilities)}
    if candidate.repairs:
        entry |= {
            "target_capabilities": list(todo.target_capabilities),
            "capability_repair_mode": True,
            "capability_action": "repair_bridge",
        }
    return entry


def _blocked(candidate: Candidate, evaluation: Evaluation) -> dict[str, Any]:
    return _todo(candidate.todo, evaluation.snapshot.state.file) | {
        "blocked_by": list(candidate.verdict.cases),
        "missing_capabilities": [name for names in candidate.missing.values() for name in names],
        "why": candidate_why(candidate, evaluation.turn, evaluation.catalog),
    }


def scoped_fallback(decision: Decision, evaluation: Evaluation) -> dict[str, Any] | None:
    """``scoped_user_gate_fallback``, where the scoped-gate pattern matched."""
    if not any(case.pattern == SCOPED_GATE for case in evaluation.combined.matched):
        return None
    turn, file = evaluation.turn, evaluation.snapshot.state.file
    return {
        "gates": [_todo(gate, file) for gate in turn.gates.mine],
        "gated_items": [_todo(candidate.todo, file) for candidate in turn.frontier.blocked_as("gated")],
        "selected_fallback": decision.selected,
        "spend_policy": decision.mode.spend_policy,
    }


def blocked_priority(decision: Decision, evaluation: Evaluation) -> dict[str, Any] | None:
    """``blocked_priority_fallback``, where the blocked-priority pattern obliges; without a fallback it selects none."""
    if not any(item.pattern == BLOCKED_PRIORITY for item in evaluation.combined.obligations):
        return None
    evidence = evaluation.turn.record.evidence["frontier.outranked" if decision.selected else "todos.blocked"]
    file = evaluation.snapshot.state.file
    return {
        "notify_user": True,
        "blocked": [_todo(source, file) for source in evidence.sources if isinstance(source, Todo)],
        "selected_fallback": decision.selected,
    }


def _authority(entry: Authority) -> dict[str, Any]:
    return {
        "write_scope": list(entry.write_scope),
        "source": entry.source,
        "decision": entry.decision,
        "recorded_at": iso(entry.recorded_at) if entry.recorded_at is not None else None,
        "expires_at": iso(entry.expires_at) if entry.expires_at is not None else None,
    }


def goal_boundary(evaluation: Evaluation) -> dict[str, Any]:
    """``goal_boundary``: what may be written, the authority behind it, and authority that grants nothing."""
    goal, now = evaluation.snapshot.goal, evaluation.snapshot.now
    fresh = [entry for entry in goal.authority if not rejection(entry, now)]
    refused = [entry for entry in goal.authority if rejection(entry, now)]
    return {
        "write_scope": list(evaluation.turn.frontier.boundary.allowed),
        "checkpointed_boundary_authority": [_authority(entry) for entry in fresh],
        "rejected_authority": [_authority(entry) | {"why": rejection(entry, now)} for entry in refused],
    }
