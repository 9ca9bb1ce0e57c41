"""From the option table to typer: annotated parameters, and the global options on every command and group."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from loopx_policy.errors import UsageError
from loopx_policy.records import replace

from .options import (
    AGENT_ID,
    ARTIFACT,
    BATCH_SCALE,
    CAPABILITY,
    CLAIMED_BY,
    CLASSIFICATION,
    DELTA_KIND,
    DETAIL,
    DRY_RUN,
    EVIDENCE,
    EXECUTE,
    FORMATS,
    GLOBAL,
    GOAL_ID,
    KEY,
    MATERIAL_CHANGE,
    NEXT_ACTION,
    NEXT_AGENT_TODO,
    NO_FOLLOW_UP,
    ONE_GOAL,
    OPERATOR,
    OUTCOME,
    PROGRESS_SCOPE,
    READ_ONLY,
    REASON,
    RECOMMENDED_ACTION,
    REPLAN_RECORDED,
    RESULT_HASH,
    RULES,
    RUN,
    SNAPSHOT,
    TODO_ID,
    TTL_MINUTES,
    WATCH_ID,
    WRITE_SCOPE,
    Option,
)
from .request import Globals

Function = TypeVar("Function", bound=Callable[..., Any])


def typer_option(option: Option, panel: str | None = None) -> Any:
    """The typer option of one row of the table."""
    return typer.Option(option.flag, metavar=option.metavar or None, help=option.help, rich_help_panel=panel)


OneGoal = Annotated[str | None, typer_option(ONE_GOAL)]
GoalId = Annotated[str | None, typer_option(GOAL_ID)]
AgentId = Annotated[str | None, typer_option(AGENT_ID)]
Capabilities = Annotated[list[str] | None, typer_option(CAPABILITY)]
SnapshotFile = Annotated[str | None, typer_option(SNAPSHOT)]
Detail = Annotated[bool, typer_option(DETAIL)]
TodoId = Annotated[str, typer_option(TODO_ID)]
ClaimedBy = Annotated[str | None, typer_option(CLAIMED_BY)]
Operator = Annotated[bool, typer_option(OPERATOR)]
DryRun = Annotated[bool, typer_option(DRY_RUN)]
Execute = Annotated[bool, typer_option(EXECUTE)]
Key = Annotated[str | None, typer_option(KEY)]
Run = Annotated[str | None, typer_option(RUN)]
Evidence = Annotated[str | None, typer_option(EVIDENCE)]
Artifact = Annotated[str | None, typer_option(ARTIFACT)]
Reason = Annotated[str | None, typer_option(REASON)]
Classification = Annotated[str | None, typer_option(CLASSIFICATION)]
BatchScale = Annotated[str | None, typer_option(BATCH_SCALE)]
Outcome = Annotated[str | None, typer_option(OUTCOME)]
RecommendedAction = Annotated[str | None, typer_option(RECOMMENDED_ACTION)]
NextActions = Annotated[list[str] | None, typer_option(NEXT_ACTION)]
ReplanRecorded = Annotated[bool, typer_option(REPLAN_RECORDED)]
DeltaKinds = Annotated[list[str] | None, typer_option(DELTA_KIND)]
ProgressScope = Annotated[str | None, typer_option(PROGRESS_SCOPE)]
WatchId = Annotated[str | None, typer_option(WATCH_ID)]
ResultHash = Annotated[str | None, typer_option(RESULT_HASH)]
MaterialChange = Annotated[bool, typer_option(MATERIAL_CHANGE)]
NextAgentTodo = Annotated[str | None, typer_option(NEXT_AGENT_TODO)]
NoFollowUp = Annotated[bool, typer_option(NO_FOLLOW_UP)]
TtlMinutes = Annotated[
    int | None, typer.Option(TTL_MINUTES.flag, metavar=TTL_MINUTES.metavar, min=1, help=TTL_MINUTES.help)
]
WriteScopes = Annotated[list[str] | None, typer_option(WRITE_SCOPE)]
ReadOnly = Annotated[bool, typer_option(READ_ONLY)]


def takes_globals(function: Function) -> Function:
    """Give ``function``, whose first parameter is ``options: Globals``, the global options.

    Those given after a command win over those before it.
    """
    hints = get_type_hints(function, include_extras=True)
    arguments = {name: found for name, hint in hints.items() if (found := argument_name(hint))}
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "options"]

    def wrapper(ctx: typer.Context, **values: Any) -> Any:
        given = {option.name: values.pop(option.name) for option in GLOBAL}
        reject_empty(given | values, arguments)
        outer = ctx.obj if isinstance(ctx.obj, Globals) else Globals()
        rules = (*outer.rules, *(given.pop(RULES.name) or ()))  # what withholds adds up
        ctx.obj = replace(outer, rules=rules, **{name: value for name, value in given.items() if value is not None})
        if ctx.obj.format and ctx.obj.format not in FORMATS:
            raise UsageError(f"--format {ctx.obj.format} is unknown.", fix=f"Use one of {', '.join(FORMATS)}.")
        return function(ctx.obj, **values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("ctx", keyword, annotation=typer.Context)]
    parameters += [p.replace(kind=keyword, annotation=hints[p.name]) for p in own]
    for option in GLOBAL:
        kind: Any = list[str] | None if option.repeat else str | None
        annotation = Annotated[kind, typer_option(option, "Global options")]
        parameters.append(inspect.Parameter(option.name, keyword, default=None, annotation=annotation))
    wrapper.__name__, wrapper.__doc__ = function.__name__, function.__doc__
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper  # type: ignore[return-value]


def argument_name(hint: Any) -> str:
    """What help calls an argument of this type; empty for an option."""
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, typer.models.ArgumentInfo):
            return str(note.metavar)
    return ""


def reject_empty(values: dict[str, Any], arguments: Mapping[str, str]) -> None:
    """An empty value is a forgotten one, often an unset shell variable: never a name."""
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str) or one.strip():
                continue
            if name in arguments:
                raise UsageError(f"{arguments[name]} is empty.", fix="Give it a value.")
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"{flag} is empty.", fix="Give it a value, or leave the option out.")


def first_sentence(text: str) -> str:
    """What a list of commands says of one of them; it is wrapped, never cut."""
    return re.split(r"(?<=[.?])\s", " ".join(text.split()), maxsplit=1)[0]


def command(app: typer.Typer, name: str) -> Callable[[Function], Function]:
    """Register a command that takes ``options: Globals`` first and returns a request."""

    def register(function: Function) -> Function:
        app.command(name, short_help=first_sentence(function.__doc__ or ""))(takes_globals(function))
        return function

    return register


def group(app: typer.Typer, name: str, help: str) -> typer.Typer:
    """A group of commands that takes the global options too."""
    sub = typer.Typer(no_args_is_help=True, rich_markup_mode=app.rich_markup_mode)

    def callback(options: Globals) -> None:
        del options

    callback.__doc__ = help
    sub.callback()(takes_globals(callback))
    app.add_typer(sub, name=name, help=help, short_help=first_sentence(help))
    return sub
