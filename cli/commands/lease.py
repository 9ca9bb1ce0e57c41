"""``loopx lease``: who works on which todo, until when, and what that work writes."""

from __future__ import annotations

from functools import partial

import typer

from .. import params
from ..request import Call, Globals, Request


def register(app: typer.Typer) -> None:
    lease = params.group(
        app,
        "lease",
        "Take a todo for a bounded time, so that nobody writes over you. Applies at once; --dry-run previews.",
    )
    params.command(lease, "claim")(claim)
    params.command(lease, "renew")(renew)
    params.command(lease, "release")(release)
    params.command(lease, "list")(list_leases)


def claim(
    options: Globals,
    todo_id: params.TodoId,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    ttl_minutes: params.TtlMinutes = None,
    write_scope: params.WriteScopes = None,
    read_only: params.ReadOnly = False,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Take a lease on a todo; refused against another's lease on it, or on any of the same files."""
    from ..answers import lease
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), not dry_run, idempotency_key or "")
    return Call(options, partial(lease.claim, writer, todo_id, ttl_minutes or 0, tuple(write_scope or ()), read_only))


def renew(
    options: Globals,
    todo_id: params.TodoId,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    ttl_minutes: params.TtlMinutes = None,
    write_scope: params.WriteScopes = None,
    read_only: params.ReadOnly = False,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Let your lease last longer, counted from now."""
    from ..answers import lease
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), not dry_run, idempotency_key or "")
    return Call(options, partial(lease.renew, writer, todo_id, ttl_minutes or 0, tuple(write_scope or ()), read_only))


def release(
    options: Globals,
    todo_id: params.TodoId,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Give your lease back once the work is recorded."""
    from ..answers import lease
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), not dry_run, idempotency_key or "")
    return Call(options, partial(lease.release, writer, todo_id))


def list_leases(options: Globals, goal_id: params.GoalId = None) -> Request:
    """Every lease of the goal: its owner, its end, what it covers, and whether it still holds."""
    from ..answers import lease

    return Call(options, partial(lease.leases, options, goal_id))
