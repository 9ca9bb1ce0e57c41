"""Commands about one goal: its status, the prompt for a host, the snapshot document, and the health of it all."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many rows to show; it decides nothing")]
Scope = Annotated[
    str | None,
    typer.Option("--scope", metavar="TEXT", help="What this agent is for (default: its profile in the registry)"),
]
Output = Annotated[
    str | None, typer.Option("--output", metavar="FILE", help="Write there instead of to standard output")
]


def register(app: typer.Typer) -> None:
    params.command(app, "status")(status)
    params.command(app, "heartbeat-prompt")(heartbeat_prompt)
    params.command(app, "doctor")(doctor)
    snapshot = params.group(app, "snapshot", "The document that holds all that a decision depends on.")
    params.command(snapshot, "export")(export)


def status(
    options: Globals, goal_id: params.GoalId = None, agent_id: params.AgentId = None, limit: Limit = 5
) -> Request:
    """The latest meaningful run of a goal, its todos, and the rows before it."""
    from ..answers import status

    return Call(options, partial(status.status, options, goal_id, agent_id, limit))


def heartbeat_prompt(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    scope: Scope = None,
) -> Request:
    """The thin prompt for a host's automation. Without --agent-id: one for each agent that the goal registers."""
    from ..answers import prompt

    capabilities = tuple(available_capability or ())
    return Call(options, partial(prompt.heartbeat_prompt, options, goal_id, agent_id, capabilities, scope))


def doctor(options: Globals) -> Request:
    """What is installed, found and readable, each with its fix. Exit code 1 if something must be mended."""
    from ..answers import doctor

    return Call(options, partial(doctor.doctor, options))


def export(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    output: Output = None,
) -> Request:
    """Write the snapshot of a goal as one JSON document: --snapshot with it gives the same decision, byte for byte."""
    from ..answers import snapshot

    capabilities = tuple(available_capability or ())
    return Call(options, partial(snapshot.export, options, goal_id, agent_id, capabilities, output))
