"""``loopx refresh-state``: what a turn did, as a row of the run index."""

from __future__ import annotations

from functools import partial

import typer

from .. import params
from ..request import Call, Globals, Request


def register(app: typer.Typer) -> None:
    params.command(app, "refresh-state")(refresh_state)


def refresh_state(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    classification: params.Classification = None,
    delivery_batch_scale: params.BatchScale = None,
    delivery_outcome: params.Outcome = None,
    artifact: params.Artifact = None,
    evidence: params.Evidence = None,
    recommended_action: params.RecommendedAction = None,
    next_action: params.NextActions = None,
    autonomous_replan_recorded: params.ReplanRecorded = False,
    repair_delta_kind: params.DeltaKinds = None,
    progress_scope: params.ProgressScope = None,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Write back what a turn did. Before and after are compared here; a replan closes only by a difference."""
    from ..answers import refresh
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), not dry_run, idempotency_key or "")
    said = {
        "classification": classification or "",
        "scale": delivery_batch_scale or "",
        "outcome": delivery_outcome or "",
        "artifact": artifact or "",
        "evidence": evidence or "",
        "recommended_action": recommended_action or "",
        "next_actions": None if next_action is None else tuple(next_action),
        "acknowledges": autonomous_replan_recorded,
        "delta_kinds": tuple(repair_delta_kind or ()),
        "progress_scope": progress_scope or "",
    }
    return Call(options, partial(refresh.refresh, writer, said))
