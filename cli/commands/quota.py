"""``loopx quota``: may I run, what is spent, and what comes next."""

from __future__ import annotations

from functools import partial

import typer

from .. import params
from ..request import Call, Globals, Request, ShouldRun


def register(app: typer.Typer) -> None:
    quota = params.group(app, "quota", "May an agent run now, what is spent, and what comes next.")
    params.command(quota, "should-run")(should_run)
    params.command(quota, "status")(status)
    params.command(quota, "plan")(plan)


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


def status(options: Globals, goal_id: params.OneGoal = None) -> Request:
    """What each goal may spend in its window, and what it has spent."""
    from ..answers import quota

    return Call(options, partial(quota.status, options, goal_id))


def plan(options: Globals, goal_id: params.OneGoal = None) -> Request:
    """Every goal and each of its agents: what the next automatic turn would be."""
    from ..answers import quota

    return Call(options, partial(quota.plan, options, goal_id))
