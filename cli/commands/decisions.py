"""``loopx reward`` and ``loopx operator-gate``: what a person decides becomes one appended record."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..options import Option
from ..params import typer_option
from ..request import Call, Globals, Request

RunTime = Annotated[
    str, typer_option(Option("--run-generated-at", "TIME", "The run, by its time exactly as loopx history shows it"))
]
Decided = Annotated[str, typer_option(Option("--decision", "WORD", "The decision in one word, as continue_route"))]
RewardValue = Annotated[str, typer_option(Option("--reward", "positive|neutral|negative", "What the run was worth"))]
ReasonSummary = Annotated[str, typer_option(Option("--reason-summary", "TEXT", "Why, in one short public-safe line"))]
FollowUp = Annotated[
    str | None, typer_option(Option("--follow-up", "TEXT", "What shall happen next, in one short public-safe line"))
]
PreviewId = Annotated[
    str | None,
    typer_option(
        Option("--preview-id", "ID", "Carry out only what this preview showed; anything changed since is refused")
    ),
]
GateId = Annotated[
    str, typer_option(Option("--gate-id", "ID", "The gate: the id of its todo, or of the row that asks"))
]
Answered = Annotated[
    str, typer_option(Option("--decision", "WORD", "The answer in one word: approve, reject, defer, or another"))
]
Settles = Annotated[
    bool,
    typer_option(Option("--settles", "", "This word answers the gate for good, though it is no approval; close it")),
]


def register(app: typer.Typer) -> None:
    params.command(app, "reward")(reward)
    params.command(app, "operator-gate")(operator_gate)


def reward(
    options: Globals,
    run_generated_at: RunTime,
    decision: Decided,
    reward: RewardValue,
    reason_summary: ReasonSummary,
    follow_up: FollowUp = None,
    preview_id: PreviewId = None,
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
    gate_id: GateId,
    decision: Answered,
    reason_summary: ReasonSummary,
    follow_up: FollowUp = None,
    settles: Settles = False,
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
