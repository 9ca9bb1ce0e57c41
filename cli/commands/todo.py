"""``loopx todo``: the steps in the life of a todo, and what stands on the lists."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from .. import params
from ..options import CLAIMED_BY, Option
from ..request import Call, Claim, Globals, Request
from ..todo_options import CHANGED, FOLLOWING, NEW, WRITING

if TYPE_CHECKING:
    from ..answers.writing import Writer

Values = dict[str, Any]


def _option(flag: str, metavar: str, help: str) -> Any:
    return params.typer_option(Option(flag, metavar, help))


Role = Annotated[str | None, _option("--role", "agent|user", "Whose todos they are")]
NewRole = Annotated[str, _option("--role", "agent|user", "Whose todo it is")]
Text = Annotated[str, _option("--text", "TEXT", "What is to be done, in one public-safe line")]
NewText = Annotated[str | None, _option("--text", "TEXT", "Another wording; an agent says --same-route, or supersedes")]
SameRoute = Annotated[bool, _option("--same-route", "", "The wording only becomes more complete; the work stays")]
Priority = Annotated[str | None, _option("--priority", "P0..P4", "Its priority, which stands before its text")]
Section = Annotated[str | None, _option("--section", "HEADING", "The heading of the list (default: the first)")]
ClaimedBy = Annotated[str | None, params.typer_option(CLAIMED_BY)]
NewHolder = Annotated[str, _option("--claimed-by", "ID", "The agent that shall hold it")]
Holder = Annotated[str | None, _option("--claimed-by", "ID", "Only what this agent holds")]
Completer = Annotated[str | None, _option("--claimed-by", "ID", "The agent that completes it, as --agent-id")]
Evidence = Annotated[str | None, _option("--evidence", "TEXT", "Commit, validation or artifact, public-safe")]
Reason = Annotated[str | None, _option("--reason", "TEXT", "Why, in one public-safe sentence")]
Why = Annotated[str, _option("--reason", "TEXT", "Why, in one public-safe sentence")]
NoFollowUp = Annotated[bool, _option("--no-follow-up", "", "Nothing follows; --reason says why")]
Trivial = Annotated[bool, _option("--trivial", "", "The slice is too small for the question what follows")]
SelfMerged = Annotated[bool, _option("--side-agent-self-merged", "", "The side agent merged its own small change")]
Scale = Annotated[str | None, _option("--scale", "small|broad|risky|unclear", "How far the self-merged change reaches")]
Validation = Annotated[str | None, _option("--validation", "passed|failed", "How the check of the change ended")]
MergePolicy = Annotated[
    str | None, _option("--self-merge-policy", "allows|forbids", "What the repository's rules say to the self-merge")
]
Existing = Annotated[
    list[str] | None,
    params.typer_option(Option("--successor-todo-id", "ID", "A todo that is there already and follows; repeatable")),
]
Replacement = Annotated[str | None, _option("--replacement-todo-id", "ID", "The open todo that replaces it")]
ResumeWhen = Annotated[
    str | None, _option("--resume-when", "CONDITION", "What brings it back: todo_done:<todo_id> or pr_merged:#n")
]
Several = Annotated[list[str] | None, params.typer_option(Option("--todo-id", "ID", "A done todo; repeatable"))]
AllDone = Annotated[bool, _option("--all-done", "", "Every done todo that may go")]
OlderThan = Annotated[str | None, _option("--older-than", "TIME", "With --all-done: ended longer ago, as 14d or 12h")]
Statuses = Annotated[
    list[str] | None, _option("--status", "open|blocked|deferred|done", "Only in this status; repeatable")
]
Classes = Annotated[list[str] | None, _option("--task-class", "CLASS", "Only of this class; repeatable")]
Unclaimed = Annotated[bool, _option("--unclaimed", "", "Only what nobody holds")]
Archived = Annotated[bool, _option("--archived", "", "What stands in the archives instead")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=0, help="How many to show at most; 0 for all of them")]


def register(app: typer.Typer) -> None:
    todo = params.group(
        app, "todo", "Add, claim, complete and otherwise move todos. Applies at once; --dry-run previews."
    )
    writing: dict[str, tuple[Callable[..., Request], Sequence[Option]]] = {
        "add": (add, NEW),
        "claim": (claim, ()),
        "reassign": (reassign, ()),
        "update": (update, CHANGED),
        "complete": (complete, FOLLOWING),
        "supersede": (supersede, FOLLOWING),
        "defer": (defer, ()),
        "reopen": (reopen, ()),
        "no-followup": (no_followup, ()),
        "archive": (archive, ()),
    }
    params.command(todo, "list")(list_todos)
    params.command(todo, "show")(show)
    for name, (function, options) in writing.items():
        params.command(todo, name)(_writes(function, options))


def _writes(function: Callable[..., Request], options: Sequence[Option]) -> Callable[..., Request]:
    """A command that gets a writer, whether a person acts, and the values of ``options``, all from its options."""
    hints = get_type_hints(function, include_extras=True, localns={"Writer": Any})
    own = [p for p in inspect.signature(function).parameters.values() if p.name not in ("writer", "operator", "values")]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [p.replace(kind=keyword, annotation=hints[p.name]) for p in own if p.name != "options"]
    taken = {p.name for p in parameters}
    for option in (*options, *WRITING):
        if option.name not in taken:
            kind: Any = list[str] | None if option.repeat else str | None if option.metavar else bool
            default = None if option.metavar else False
            annotation = Annotated[kind, params.typer_option(option)]
            parameters.append(inspect.Parameter(option.name, keyword, default=default, annotation=annotation))

    def wrapper(options_: Globals, **values: Any) -> Request:
        from ..answers.writing import Writer

        shared = {option.name: values.pop(option.name) for option in WRITING}
        writer = Writer(
            options_,
            shared["goal_id"],
            shared["agent_id"],
            tuple(shared["available_capability"] or ()),
            not shared["dry_run"],
            shared["idempotency_key"] or "",
        )
        mine = {name: values.pop(name) for name in taken}
        more = {"values": values} if options else {}
        return function(writer, shared["operator"], **mine, **more)

    first = inspect.Parameter("options", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Globals)
    wrapper.__name__, wrapper.__doc__ = function.__name__, function.__doc__
    wrapper.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in (first, *parameters)}
    return wrapper


def add(
    writer: Writer,
    operator: bool,
    text: Text,
    values: Values,
    role: NewRole = "agent",
    priority: Priority = None,
    section: Section = None,
) -> Request:
    """Add a todo at the end of a list: work for an agent, or a gate or an action for a person."""
    from ..answers import todo

    return Call(writer.options, partial(todo.add, writer, operator, role, text, priority, section, values))


def claim(writer: Writer, operator: bool, todo_id: params.TodoId, claimed_by: ClaimedBy = None) -> Request:
    """Take a todo, so that other agents see who works on it. A claim is ownership, not permission."""
    return Claim(
        writer.options,
        todo_id,
        claimed_by,
        writer.goal_id,
        writer.agent_id,
        writer.available_capability,
        operator,
        not writer.execute,
        writer.key,
    )


def reassign(writer: Writer, operator: bool, todo_id: params.TodoId, claimed_by: NewHolder) -> Request:
    """Pass a todo on to another agent. Its holder, the primary agent or a person does that."""
    from ..answers import todo

    return Call(writer.options, partial(todo.reassign, writer, operator, todo_id, claimed_by))


def update(
    writer: Writer,
    operator: bool,
    todo_id: params.TodoId,
    values: Values,
    text: NewText = None,
    same_route: SameRoute = False,
    priority: Priority = None,
) -> Request:
    """Complete the details of a todo. Its work does not change by it, nor its place in its life."""
    from ..answers import todo

    return Call(writer.options, partial(todo.update, writer, operator, todo_id, text, same_route, priority, values))


def complete(
    writer: Writer,
    operator: bool,
    todo_id: params.TodoId,
    values: Values,
    claimed_by: Completer = None,
    evidence: Evidence = None,
    successor_todo_id: Existing = None,
    no_follow_up: NoFollowUp = False,
    reason: Reason = None,
    trivial: Trivial = False,
    side_agent_self_merged: SelfMerged = False,
    scale: Scale = None,
    validation: Validation = None,
    self_merge_policy: MergePolicy = None,
) -> Request:
    """Finish a slice with its evidence and what follows. A side agent merged by itself, or hands over."""
    from ..answers import todo

    said = {
        "evidence": evidence or "",
        "existing": tuple(successor_todo_id or ()),
        "no_follow_up": no_follow_up,
        "reason": reason or "",
        "trivial": trivial,
        "self_merged": side_agent_self_merged,
        "scale": scale or "",
        "validation": validation or "",
        "self_merge_policy": self_merge_policy or "",
    }
    return Call(writer.options, partial(todo.complete, writer, operator, todo_id, claimed_by, said, values))


def supersede(
    writer: Writer,
    operator: bool,
    todo_id: params.TodoId,
    values: Values,
    reason: Reason = None,
    replacement_todo_id: Replacement = None,
) -> Request:
    """Replace a todo that is wrong. The old one stays as history and names what replaced it."""
    from ..answers import todo

    arguments = (writer, operator, todo_id, reason or "", replacement_todo_id or "", values)
    return Call(writer.options, partial(todo.supersede, *arguments))


def defer(
    writer: Writer, operator: bool, todo_id: params.TodoId, resume_when: ResumeWhen = None, reason: Reason = None
) -> Request:
    """Park a todo until its condition is met."""
    from ..answers import todo

    return Call(writer.options, partial(todo.defer, writer, operator, todo_id, resume_when or "", reason or ""))


def reopen(writer: Writer, operator: bool, todo_id: params.TodoId, reason: Reason = None) -> Request:
    """Open a deferred or done todo again, or a handoff whose route was stale."""
    from ..answers import todo

    return Call(writer.options, partial(todo.reopen, writer, operator, todo_id, reason or ""))


def no_followup(writer: Writer, operator: bool, todo_id: params.TodoId, reason: Why) -> Request:
    """Record that nothing follows a done, parked or stale todo, and why."""
    from ..answers import todo

    return Call(writer.options, partial(todo.no_followup, writer, operator, todo_id, reason))


def archive(
    writer: Writer, operator: bool, todo_id: Several = None, all_done: AllDone = False, older_than: OlderThan = None
) -> Request:
    """Move done todos to the archive, which is history. No id changes by it."""
    from ..answers import todo

    return Call(writer.options, partial(todo.archive, writer, operator, tuple(todo_id or ()), all_done, older_than))


def list_todos(
    options: Globals,
    goal_id: params.GoalId = None,
    role: Role = None,
    status: Statuses = None,
    task_class: Classes = None,
    claimed_by: Holder = None,
    unclaimed: Unclaimed = False,
    section: Section = None,
    archived: Archived = False,
    limit: Limit = 100,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
) -> Request:
    """The todos of a goal in the order of its state file, with who holds them and where they stand."""
    from ..answers import todo_list

    del agent_id, available_capability  # taken so that the options of any other todo command fit here too
    wanted = {
        "role": role,
        "status": tuple(status or ()),
        "task_class": tuple(task_class or ()),
        "claimed_by": claimed_by,
        "unclaimed": unclaimed,
        "section": section,
        "archived": archived,
    }
    return Call(options, partial(todo_list.todo_list, options, goal_id, wanted, limit))


def show(
    options: Globals,
    todo_id: params.TodoId,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
) -> Request:
    """One todo: all that its metadata says, what blocks it right now, and what it is linked to in both directions."""
    from ..answers import todo_show

    capabilities = tuple(available_capability or ())
    return Call(options, partial(todo_show.show, options, goal_id, agent_id, capabilities, todo_id))
