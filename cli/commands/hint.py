"""``loopx hint``: what people said of earlier work, and how it orders what comes next."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

HintId = Annotated[str, typer.Option("--hint-id", metavar="ID", help="The hint, as loopx hint list names it")]
Everything = Annotated[bool, typer.Option("--all", help="Also those that rest, expired or were retired")]
Summary = Annotated[
    str | None, typer.Option("--summary", metavar="TEXT", help="What it says, in one short public-safe line")
]
Effect = Annotated[
    str | None, typer.Option("--effect", metavar="prefer|avoid", help="Before its equals, or after them")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--action-kind", metavar="KIND", help="Which todos it speaks of, by action_kind; repeatable"),
]
Strength = Annotated[
    str | None, typer.Option("--strength", metavar="weak|medium|strong", help="Which hint wins where two disagree")
]
Days = Annotated[
    int | None, typer.Option("--expires-after-days", metavar="DAYS", min=1, help="How long it lasts from now on")
]


def register(app: typer.Typer) -> None:
    hint = params.group(
        app,
        "hint",
        "What people said of earlier work puts equal todos in order, and can do nothing else. "
        "Retiring and rewriting are previews until --execute.",
    )
    params.command(hint, "list")(list_hints)
    params.command(hint, "preview")(preview)
    params.command(hint, "retire")(retire)
    params.command(hint, "rewrite")(rewrite)


def list_hints(
    options: Globals, goal_id: params.GoalId = None, agent_id: params.AgentId = None, everything: Everything = False
) -> Request:
    """The active hints: effect, sources, strength and end. At most three are active at one time."""
    from ..answers import hint

    return Call(options, partial(hint.list_hints, options, goal_id, agent_id, everything))


def preview(options: Globals, goal_id: params.GoalId = None, agent_id: params.AgentId = None) -> Request:
    """What feedback would make of the next turn: each agent's todos without hints and with them. Writes nothing."""
    from ..answers import hint

    return Call(options, partial(hint.preview, options, goal_id, agent_id))


def retire(
    options: Globals,
    hint_id: HintId,
    reason: params.Reason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """End a hint (--operator). Feedback that is given later speaks anew."""
    from ..answers import hint
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(hint.retire, writer, hint_id, reason or "", operator))


def rewrite(
    options: Globals,
    hint_id: HintId,
    summary: Summary = None,
    effect: Effect = None,
    action_kind: Kinds = None,
    strength: Strength = None,
    expires_after_days: Days = None,
    reason: params.Reason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Say a hint in your own words, with its effect and its end (--operator)."""
    from loopx_policy.ledger.hint_steps import Rewrite

    from ..answers import hint
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    wanted = Rewrite(summary or "", effect or "", tuple(action_kind or ()), strength or "", expires_after_days or 0)
    return Call(options, partial(hint.rewrite, writer, hint_id, wanted, reason or "", operator))
