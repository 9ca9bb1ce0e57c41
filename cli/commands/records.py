"""``loopx lesson``, ``plan`` and ``dreaming``: what was corrected, planned or proposed goes on record."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..options import Option
from ..params import typer_option
from ..request import Call, Globals, Request

Rule = Annotated[str, typer_option(Option("--rule", "TEXT", "The corrected rule, in one line"))]
LessonScope = Annotated[
    str,
    typer_option(Option("--scope", "TEXT", "What the correction holds for: a goal, a project, a route, an adapter")),
]
Superseded = Annotated[str, typer_option(Option("--superseded", "TEXT", "The assumption that it replaces"))]
Owner = Annotated[str, typer_option(Option("--owner", "WHO", "Who does the next step"))]
Validation = Annotated[str, typer_option(Option("--validation", "TEXT", "How one will see the correction in force"))]
CarrierTodo = Annotated[
    str | None, typer_option(Option("--todo-id", "ID", "The open todo that carries the correction"))
]
LessonRef = Annotated[str, typer_option(Option("--lesson", "ID", "The correction, by its id or the time of its row"))]
RecordedIn = Annotated[
    str | None,
    typer_option(Option("--recorded-in", "TEXT", "The document or catalog entry that carries it, where no todo does")),
]
PlanItems = Annotated[
    list[str] | None,
    typer_option(
        Option(
            "--item", "WHERE: TEXT", "Work of an agent; WHERE is a todo id, next_action, recommended_action, doc", True
        )
    ),
]
UserItems = Annotated[
    list[str] | None,
    typer_option(
        Option("--user-item", "WHERE: TEXT", "Something that a person does; WHERE is the id of a user todo", True)
    ),
]
RecommendedAction = Annotated[
    str | None, typer_option(Option("--recommended-action", "TEXT", "The next action that the row recommends"))
]
Speculative = Annotated[
    bool, typer_option(Option("--speculative", "", "The plan is told as speculation, and nothing is written back"))
]
Title = Annotated[str, typer_option(Option("--title", "TEXT", "The proposal, in one line"))]
Summary = Annotated[str, typer_option(Option("--summary", "TEXT", "What it would bring, in one line"))]
WantedScopes = Annotated[
    list[str] | None,
    typer_option(Option("--wants-write-scope", "GLOB", "Where its work would write; repeatable", True)),
]
WantedCapabilities = Annotated[
    list[str] | None, typer_option(Option("--wants-capability", "NAME", "What its work would need; repeatable", True))
]
ProposalRef = Annotated[str, typer_option(Option("--proposal", "TIME", "The proposal, by the time of its row"))]
DecisionReason = Annotated[str | None, typer_option(Option("--reason", "TEXT", "Why it is decided so, in one line"))]


def register(app: typer.Typer) -> None:
    lesson = params.group(app, "lesson", "Corrections that a person gave. Previews until --execute.")
    params.command(lesson, "record")(record_lesson)
    params.command(lesson, "promote")(promote_lesson)
    plan = params.group(app, "plan", "Plans that are told to a person. Previews until --execute.")
    params.command(plan, "record")(record_plan)
    dreaming = params.group(app, "dreaming", "Proposals of a planning lane: advice only. Previews until --execute.")
    params.command(dreaming, "propose")(propose)
    params.command(dreaming, "promote")(promote_proposal)
    params.command(dreaming, "reject")(reject_proposal)


def record_lesson(
    options: Globals,
    rule: Rule,
    scope: LessonScope,
    superseded: Superseded,
    owner: Owner,
    validation: Validation,
    todo_id: CarrierTodo = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Put a correction on record; until it is promoted, no turn delivers. With --todo-id it is promoted at once."""
    from ..answers import records
    from ..answers.writing import Writer

    lesson = {"rule": rule, "scope": scope, "superseded": superseded, "owner": owner, "validation": validation}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(records.record_lesson, writer, lesson, todo_id or "", operator))


def promote_lesson(
    options: Globals,
    lesson: LessonRef,
    todo_id: CarrierTodo = None,
    recorded_in: RecordedIn = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Let an open todo, or a document or catalog entry, carry a correction, so that delivery goes on."""
    from ..answers import records
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(records.promote_lesson, writer, lesson, todo_id or "", recorded_in or "", operator))


def record_plan(
    options: Globals,
    item: PlanItems = None,
    user_item: UserItems = None,
    recommended_action: RecommendedAction = None,
    speculative: Speculative = False,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Record a plan before it is told: each item names where it stands, as --item 'todo_x01: clean the branches'."""
    from ..answers import records
    from ..answers.writing import Writer

    items = {"agent_work": tuple(item or ()), "user_action": tuple(user_item or ())}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    work = partial(records.record_plan, writer, items, recommended_action or "", speculative, operator)
    return Call(options, work)


def propose(
    options: Globals,
    title: Title,
    summary: Summary,
    wants_write_scope: WantedScopes = None,
    wants_capability: WantedCapabilities = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Record a proposal as advice: it runs nothing and spends nothing until an operator promotes it."""
    from ..answers import records
    from ..answers.writing import Writer

    wanted = (tuple(wants_write_scope or ()), tuple(wants_capability or ()))
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(records.propose, writer, {"title": title, "summary": summary}, *wanted, operator))


def promote_proposal(
    options: Globals,
    proposal: ProposalRef,
    reason: DecisionReason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Promote a proposal, so that it may become todos: an operator's step, after the quota and boundary check."""
    from ..answers import records
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(records.decide, writer, "promote", proposal, reason or "", operator))


def reject_proposal(
    options: Globals,
    proposal: ProposalRef,
    reason: DecisionReason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Reject a proposal: an operator's step."""
    from ..answers import records
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(records.decide, writer, "reject", proposal, reason or "", operator))
