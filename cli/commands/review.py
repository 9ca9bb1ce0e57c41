"""Commands that look back and look over: history, diagnose, review-packet."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request, ShouldRun

Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Only this: run, reward, gate, lesson, plan, dreaming, quota, poll, write or event; repeatable",
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many entries to show; it decides nothing")]

GateId = Annotated[
    str | None, typer.Option("--gate-id", metavar="ID", help="Only this open gate or action (default: all)")
]


def register(app: typer.Typer) -> None:
    params.command(app, "history")(history)
    params.command(app, "diagnose")(diagnose)
    params.command(app, "review-packet")(review_packet)


def history(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    kind: Kinds = None,
    limit: Limit = 20,
) -> Request:
    """What happened to a goal, newest first: runs, rewards, gates, and every other write. With an agent: its lane."""
    from ..answers import history

    return Call(options, partial(history.history, options, goal_id, agent_id, tuple(kind or ()), limit))


def diagnose(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    snapshot: params.SnapshotFile = None,
) -> Request:
    """The evidence for now: the decision, what is wrong or stale, and what blocks each todo, with its command."""
    from ..answers import diagnose

    asked = ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()), snapshot, True)
    return Call(options, partial(diagnose.diagnose, asked))


def review_packet(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    gate_id: GateId = None,
    available_capability: params.Capabilities = None,
    snapshot: params.SnapshotFile = None,
) -> Request:
    """The page to read before deciding: the question, facts, recent runs, risk, and the command of each answer."""
    from ..answers import review_packet

    asked = ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()), snapshot, True)
    return Call(options, partial(review_packet.review_packet, asked, gate_id))
