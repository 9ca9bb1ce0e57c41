"""``loopx quota set | pause | resume | burst``: what a goal may spend, changed by its owner."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

Compute = Annotated[
    float | None,
    typer.Option("--compute", metavar="SHARE", help="The share of the window's slots, above 0 and up to 1"),
]
Window = Annotated[
    float | None,
    typer.Option("--window-hours", metavar="HOURS", help="How long the window is in which slots are counted"),
]
SlotMinutes = Annotated[
    float | None, typer.Option("--slot-minutes", metavar="MINUTES", help="How many minutes one slot stands for")
]
Slots = Annotated[
    int | None,
    typer.Option(
        "--allowed-slots", metavar="N", min=0, help="Slots of the window; without it, computed from the others"
    ),
]
NextEligible = Annotated[
    str | None,
    typer.Option("--next-eligible-at", metavar="TIME", help="Nothing runs before this time, as +2h or ISO 8601"),
]
Clear = Annotated[
    list[str] | None,
    typer.Option(
        "--clear", metavar="NAME", help="Take a setting out: allowed_slots, next_eligible_at, burst; repeatable"
    ),
]
BurstSlots = Annotated[
    int, typer.Option("--allowed-slots", metavar="N", min=0, help="Slots of the window while it lasts")
]
Until = Annotated[str, typer.Option("--until", metavar="TIME", help="When it ends, as +2h or 2026-12-01T18:00:00Z")]


def register(quota: typer.Typer) -> None:
    """Add these commands to the quota group."""
    params.command(quota, "set")(set_quota)
    params.command(quota, "pause")(pause)
    params.command(quota, "resume")(resume)
    params.command(quota, "burst")(burst)


def set_quota(
    options: Globals,
    compute: Compute = None,
    window_hours: Window = None,
    slot_minutes: SlotMinutes = None,
    allowed_slots: Slots = None,
    next_eligible_at: NextEligible = None,
    clear: Clear = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Change what a goal may spend. The owner's to do (--operator); a preview until --execute."""
    from ..answers import quota_set
    from ..answers.writing import Writer

    numbers = {
        "compute": compute,
        "window_hours": window_hours,
        "slot_minutes": slot_minutes,
        "allowed_slots": allowed_slots,
    }
    given = {name: value for name, value in numbers.items() if value is not None}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(quota_set.set_quota, writer, given, next_eligible_at, tuple(clear or ()), operator))


def pause(
    options: Globals,
    reason: params.Reason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Stop every lane of a goal: compute 0, with a record of what it was (--operator)."""
    from ..answers import quota_set
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(quota_set.pause, writer, reason or "", operator))


def resume(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Give a paused goal the compute back that it had (--operator)."""
    from ..answers import quota_set
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(quota_set.resume, writer, operator))


def burst(
    options: Globals,
    allowed_slots: BurstSlots,
    until: Until,
    reason: params.Reason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Allow more slots until a time; then the quota below holds again by itself (--operator)."""
    from ..answers import quota_set
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(quota_set.burst, writer, allowed_slots, until, reason or "", operator))
