"""``loopx reward`` and ``loopx operator-gate``: what a person decides becomes one appended record."""

from __future__ import annotations

from functools import partial

import typer

from .. import params
from ..request import Call, Globals, Request


def register(app: typer.Typer) -> None:
    params.command(app, "reward")(reward)
    params.command(app, "operator-gate")(operator_gate)


def reward(
    options: Globals,
    run_generated_at: params.RunTime,
    decision: params.Decided,
    reward: params.RewardValue,
    reason_summary: params.ReasonSummary,
    follow_up: params.FollowUp = None,
    preview_id: params.PreviewId = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Judge one exact run: one human_reward row is laid over it. A preview until --execute."""
    from ..answers import decisions
    from ..answers.writing import Writer

    texts = {"decision": decision, "reward": reward, "reason_summary": reason_summary}
    texts |= {"run_generated_at": run_generated_at, "follow_up": follow_up or "", "preview_id": preview_id or ""}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(decisions.reward, writer, texts, operator))


def operator_gate(
    options: Globals,
    gate_id: params.GateId,
    decision: params.Answered,
    reason_summary: params.ReasonSummary,
    follow_up: params.FollowUp = None,
    settles: params.Settles = False,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Answer one gate: an approval closes it with a resume contract, a refusal keeps it. A preview until --execute."""
    from ..answers import decisions
    from ..answers.writing import Writer

    texts = {"gate_id": gate_id, "decision": decision, "reason_summary": reason_summary, "follow_up": follow_up or ""}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(decisions.operator_gate, writer, texts, settles, operator))
