"""``loopx check``: what is wrong, with file and line, for people, programs and code hosts."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH]...", help="Files and folders whose texts shall be public-safe", show_default=False),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="GLOB", help="Leave out paths, or parts of paths, that match; repeatable"),
]
Fix = Annotated[bool, typer.Option("--fix", help="Mend what needs nobody's judgement; --dry-run shows it first")]
Sarif = Annotated[bool, typer.Option("--sarif", help="Print the findings as SARIF 2.1.0")]


def register(app: typer.Typer) -> None:
    params.command(app, "check")(check)


def check(
    options: Globals,
    paths: Paths = None,
    goal_id: params.OneGoal = None,
    exclude: Exclude = None,
    fix: Fix = False,
    dry_run: params.DryRun = False,
    sarif: Sarif = False,
) -> Request:
    """Check a project, and whether given texts are public-safe. Exit code 1 if something is found."""
    from ..answers import check

    work = partial(check.check, options, goal_id, tuple(paths or ()), tuple(exclude or ()), fix, dry_run, sarif)
    return Call(options, work)
