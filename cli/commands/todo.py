"""``loopx todo``: the steps in the life of a todo."""

from __future__ import annotations

from functools import partial

import typer

from .. import params
from ..request import Call, Globals, Request


def register(app: typer.Typer) -> None:
    todo = params.group(
        app, "todo", "Add, claim, complete and otherwise move todos. Applies at once; --dry-run previews."
    )
    params.command(todo, "claim")(claim)


def claim(
    options: Globals,
    todo_id: params.TodoId,
    claimed_by: params.ClaimedBy = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Take a todo, so that other agents see who works on it. A claim is ownership, not permission."""
    from ..answers import todo
    from ..answers.writing import Writer

    holder = claimed_by or agent_id or ""
    writer = Writer(options, goal_id, agent_id or claimed_by, (), not dry_run, idempotency_key or "")
    return Call(options, partial(todo.claim, writer, todo_id, holder, operator))
