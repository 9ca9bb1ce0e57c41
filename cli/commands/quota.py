"""``loopx quota``: may I run, what is spent, and what comes next."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from loopx_policy.errors import UsageError

from .. import params
from ..request import Call, Globals, Request, ShouldRun, Stream
from . import quota_set

Interval = Annotated[float, typer.Option("--interval", metavar="SECONDS", min=0.05, help="How often to look")]
Answers = Annotated[int, typer.Option("--answers", metavar="N", min=0, help="End after so many; 0 never ends")]


def register(app: typer.Typer) -> None:
    params.command(app, "watch")(watch)
    quota = params.group(app, "quota", "May an agent run now, what is spent, and what comes next.")
    params.command(quota, "should-run")(should_run)
    params.command(quota, "status")(status)
    params.command(quota, "plan")(plan)
    params.command(quota, "spend-slot")(spend_slot)
    params.command(quota, "void-slot")(void_slot)
    params.command(quota, "monitor-poll")(monitor_poll)
    quota_set.register(quota)


def should_run(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    snapshot: params.SnapshotFile = None,
    detail: params.Detail = False,
) -> Request:
    """May this agent work now, on what, whom does it tell, and may it spend? Writes nothing."""
    return ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()), snapshot, detail)


def watch(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    interval: Interval = 2.0,
    answers: Answers = 0,
) -> Stream:
    """The decision of quota should-run, printed now and whenever it changes, until interrupted. Writes nothing."""
    if options.now:
        raise UsageError("loopx watch goes by the clock.", fix="Leave --now out, or ask quota should-run.")
    from ..answers.watch import watch as follow

    asked = ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()))
    return Stream(options, partial(follow, asked, interval, answers))


def status(options: Globals, goal_id: params.OneGoal = None) -> Request:
    """What each goal may spend in its window, and what it has spent."""
    from ..answers import quota

    return Call(options, partial(quota.status, options, goal_id))


def plan(options: Globals, goal_id: params.OneGoal = None) -> Request:
    """Every goal and each of its agents: what the next automatic turn would be."""
    from ..answers import quota

    return Call(options, partial(quota.plan, options, goal_id))


def spend_slot(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    run: params.Run = None,
    evidence: params.Evidence = None,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Pay one slot for a validated delivery, once, under the decision that permitted it. A preview until --execute."""
    from ..answers import accounting
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), execute, idempotency_key or "")
    return Call(options, partial(accounting.spend, writer, run or "", evidence or ""))


def void_slot(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    run: params.Run = None,
    reason: params.Reason = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Take back one slot that was spent: that of the run, or your newest. A preview until --execute."""
    from ..answers import accounting
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(accounting.void, writer, run or "", reason or "", operator))


def monitor_poll(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    todo_id: params.WatchId = None,
    result_hash: params.ResultHash = None,
    material_change: params.MaterialChange = False,
    next_agent_todo: params.NextAgentTodo = None,
    no_follow_up: params.NoFollowUp = False,
    reason: params.Reason = None,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Record one look at a watch. It costs no slot; one is enough while nothing changes and the watch is not due."""
    from ..answers import accounting
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, tuple(available_capability or ()), not dry_run, idempotency_key or "")
    look = {
        "todo_id": todo_id or "",
        "result_hash": result_hash or "",
        "material_change": material_change,
        "next_agent_todo": next_agent_todo or "",
        "no_follow_up": no_follow_up,
        "reason": reason or "",
    }
    return Call(options, partial(accounting.poll, writer, look))
