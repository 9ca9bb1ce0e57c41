"""Commands that change what a goal is: ``loopx goal | agent | boundary | authority``."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from .. import params
from ..request import Call, Globals, Request


def option(flag: str, metavar: str, help: str) -> Any:
    return typer.Option(flag, metavar=metavar or None, help=help)


Agent = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id, as it will name itself with --agent-id")]
Objective = Annotated[str | None, option("--objective", "TEXT", "What the goal is for, in one line")]
NewId = Annotated[str | None, option("--goal-id", "ID", "The new goal (default: the name of the repository's folder)")]
StateFile = Annotated[
    str | None,
    option("--state-file", "FILE", "Its state, relative to the repository (default: STATE.md, adopted if there)"),
]
WriteScope = Annotated[list[str] | None, option("--write-scope", "GLOB", "What may be written, as src/**; repeatable")]
WholeScope = Annotated[
    list[str] | None, option("--write-scope", "GLOB", "What may be written, in place of the present list; repeatable")
]
AddScope = Annotated[
    list[str] | None, option("--add-write-scope", "GLOB", "Add this to what may be written; repeatable")
]
RemoveScope = Annotated[
    list[str] | None, option("--remove-write-scope", "GLOB", "Take this out of what may be written; repeatable")
]
NextAction = Annotated[
    list[str] | None, option("--next-action", "TEXT", "What comes next, in place of the present list; repeatable")
]
WaitingOn = Annotated[str | None, option("--waiting-on", "WORD", "Declare a wait, as focus_wait or external_evidence")]
Attention = Annotated[str | None, option("--attention-status", "WORD", "Declare what attention the goal has")]
Recommended = Annotated[str | None, option("--recommended-action", "TEXT", "What is recommended while it waits")]
Threshold = Annotated[
    int | None, typer.Option("--outcome-threshold", metavar="N", min=1, help="Thin rows in a row that cross the floor")
]
MustAdvance = Annotated[
    list[str] | None,
    option("--must-advance", "NAME", "What has to move on once the outcome floor is crossed; repeatable"),
]
Avoid = Annotated[list[str] | None, option("--avoid", "NAME", "What to leave alone then; repeatable")]
Markers = Annotated[list[str] | None, option("--outcome-marker", "NAME", "What shows an outcome; repeatable")]
Repair = Annotated[
    bool | None, typer.Option("--self-repair/--no-self-repair", help="Whether agents may repair the control plane")
]
HealthRepair = Annotated[
    bool | None,
    typer.Option("--health-repair/--no-health-repair", help="Whether that includes a broken contract of the state"),
]
WaitRepair = Annotated[
    bool | None,
    typer.Option("--waiting-repair/--no-waiting-repair", help="Whether that includes a wait without its user todo"),
]
Ttl = Annotated[
    int | None, typer.Option("--claim-ttl-minutes", metavar="N", min=1, help="The longest lease that a claim may get")
]
Clear = Annotated[
    list[str] | None,
    option(
        "--clear",
        "NAME",
        "Take a setting out: next_action, waiting_on, attention_status, recommended_action, outcome_floor, "
        "claim_ttl_minutes; repeatable",
    ),
]
Primary = Annotated[bool, option("--primary", "", "It leads the goal from now on")]
Handoff = Annotated[bool, option("--handoff", "", "Side agents hand their work over to it")]
Scope = Annotated[str | None, option("--scope", "TEXT", "What it is for, as its heartbeat prompt says")]
Approved = Annotated[list[str] | None, option("--write-scope", "GLOB", "What the decision is about; repeatable")]
Source = Annotated[str, option("--source", "WORD", "What decided")]
Provenance = Annotated[
    str | None, option("--provenance", "TEXT", "Where the decision can be looked up, in words that may be public")
]
Expires = Annotated[
    str | None, option("--expires-at", "TIME", "When it ends, as +7d or 2026-12-31T00:00:00Z (default: it does not)")
]
Title = Annotated[str | None, option("--title", "TEXT", "What the material is called")]
Kind = Annotated[str | None, option("--kind", "WORD", "What it is, as design_doc or research_memo")]
Topic = Annotated[str | None, option("--topic", "WORD", "The topic that it governs")]
Freshness = Annotated[str | None, option("--freshness", "TEXT", "How fresh it is")]
Review = Annotated[str | None, option("--owner-review", "TEXT", "Whether its owner has to review it")]
Access = Annotated[str | None, option("--read-access", "TEXT", "Whether read access is needed, or granted")]
Conflicts = Annotated[str | None, option("--conflict-rule", "TEXT", "What wins where sources disagree")]
MaterialId = Annotated[str | None, option("--material-id", "ID", "Its name in the registry (default: from the title)")]
Supersedes = Annotated[str | None, option("--supersedes", "ID", "The registered source that it replaces")]


def register(app: typer.Typer) -> None:
    goal = params.group(app, "goal", "Begin a goal, look at it, and change what its owner decides.")
    params.command(goal, "init")(init)
    params.command(goal, "list")(list_goals)
    params.command(goal, "show")(show)
    params.command(goal, "set")(set_goal)
    agent = params.group(app, "agent", "Who may work on a goal. Changes are previews until --execute.")
    params.command(agent, "register")(register_agent)
    params.command(agent, "unregister")(unregister_agent)
    params.command(agent, "list")(list_agents)
    boundary = params.group(app, "boundary", "Approvals that widen what may be written. Previews until --execute.")
    params.command(boundary, "approve")(approve)
    params.command(boundary, "revoke")(revoke)
    authority = params.group(app, "authority", "Sources that later agents will rely on. Previews until --execute.")
    params.command(authority, "register")(register_authority)


def init(
    options: Globals,
    goal_id: NewId = None,
    objective: Objective = None,
    state_file: StateFile = None,
    write_scope: WriteScope = None,
    operator: params.Operator = False,
    dry_run: params.DryRun = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Begin a goal in this repository: registry, state and runtime folder. Applies at once; --dry-run previews."""
    from ..answers import goal
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, None, (), not dry_run, idempotency_key or "")
    scopes = tuple(write_scope or ())
    return Call(options, partial(goal.init, writer, objective or "", state_file or "", scopes, operator))


def list_goals(options: Globals) -> Request:
    """The goals of the registry: what each is for, who works on it, and where its state lies."""
    from ..answers import goal_view

    return Call(options, partial(goal_view.goals, options))


def show(options: Globals, goal_id: params.GoalId = None) -> Request:
    """One goal as it is set: objective, next action, agents, boundary with its approvals, quota, waits."""
    from ..answers import goal_view

    return Call(options, partial(goal_view.show, options, goal_id))


def set_goal(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    objective: Objective = None,
    next_action: NextAction = None,
    write_scope: WholeScope = None,
    add_write_scope: AddScope = None,
    remove_write_scope: RemoveScope = None,
    waiting_on: WaitingOn = None,
    attention_status: Attention = None,
    recommended_action: Recommended = None,
    outcome_threshold: Threshold = None,
    must_advance: MustAdvance = None,
    avoid: Avoid = None,
    outcome_marker: Markers = None,
    self_repair: Repair = None,
    health_repair: HealthRepair = None,
    waiting_repair: WaitRepair = None,
    claim_ttl_minutes: Ttl = None,
    clear: Clear = None,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Change settings of a goal. Its owner's to do (--operator); the next action also its leading agent's."""
    from ..answers import goal
    from ..answers.writing import Writer

    wanted = {
        "objective": objective,
        "next_action": next_action,
        "write_scope": write_scope,
        "add_write_scope": add_write_scope,
        "remove_write_scope": remove_write_scope,
        "waiting_on": waiting_on,
        "attention_status": attention_status,
        "recommended_action": recommended_action,
        "surface_streak_threshold": outcome_threshold,
        "must_advance": must_advance,
        "avoid": avoid,
        "outcome_markers": outcome_marker,
        "self_repair": self_repair,
        "health_blocker_repair": health_repair,
        "waiting_projection_repair": waiting_repair,
        "claim_ttl_minutes": claim_ttl_minutes,
    }
    given = {name: value for name, value in wanted.items() if value not in (None, [])}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(goal.set_goal, writer, given, tuple(clear or ()), operator))


def register_agent(
    options: Globals,
    agent: Agent,
    primary: Primary = False,
    handoff: Handoff = False,
    scope: Scope = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Let an agent work on the goal, or change what a registered one is. The owner's to do (--operator)."""
    from ..answers import goal
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(goal.register_agent, writer, agent, primary, handoff, scope, operator))


def unregister_agent(
    options: Globals,
    agent: Agent,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Take an agent out of the goal, unless it holds work or others wait for it. The owner's to do (--operator)."""
    from ..answers import goal
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(goal.unregister_agent, writer, agent, operator))


def list_agents(options: Globals, goal_id: params.GoalId = None) -> Request:
    """The agents of a goal: what each is, what it is for, and the todos that it holds."""
    from ..answers import goal_view

    return Call(options, partial(goal_view.agents, options, goal_id))


def approve(
    options: Globals,
    write_scope: Approved = None,
    source: Source = "operator_decision",
    provenance: Provenance = None,
    expires_at: Expires = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Record the owner's approval to write somewhere, with its source and its end (--operator)."""
    from ..answers import goal
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    scopes = tuple(write_scope or ())
    return Call(options, partial(goal.approve, writer, scopes, source, provenance or "", expires_at, operator))


def revoke(
    options: Globals,
    write_scope: Approved = None,
    reason: params.Reason = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Take approvals back; they stay on record as revoked (--operator)."""
    from ..answers import goal
    from ..answers.writing import Writer

    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(goal.revoke, writer, tuple(write_scope or ()), reason or "", operator))


def register_authority(
    options: Globals,
    title: Title = None,
    kind: Kind = None,
    topic: Topic = None,
    freshness: Freshness = None,
    owner_review: Review = None,
    read_access: Access = None,
    conflict_rule: Conflicts = None,
    material_id: MaterialId = None,
    supersedes: Supersedes = None,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    operator: params.Operator = False,
    execute: params.Execute = False,
    idempotency_key: params.Key = None,
) -> Request:
    """Register a source by what it is, never by its text or its address, in the project that owns it (--goal-id)."""
    from ..answers import goal
    from ..answers.writing import Writer

    answers = {
        "title": title,
        "kind": kind,
        "topic": topic,
        "freshness": freshness,
        "owner_review": owner_review,
        "read_access": read_access,
        "conflict_rule": conflict_rule,
        "material_id": material_id,
        "supersedes": supersedes,
    }
    contract = {name: value for name, value in answers.items() if value is not None}
    writer = Writer(options, goal_id, agent_id, (), execute, idempotency_key or "")
    return Call(options, partial(goal.register_authority, writer, contract, operator))
