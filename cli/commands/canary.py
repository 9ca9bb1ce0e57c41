"""``loopx canary``: the checks that a change needs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

if TYPE_CHECKING:
    from ..answers.canary import Selection

Tree = Annotated[
    str | None,
    typer.Option("--tree", metavar="DIR", help="The tree (default: the git work tree around the working folder)"),
]
Changed = Annotated[
    list[str] | None, typer.Option("--changed-file", metavar="PATH", help="A file that changed (repeatable)")
]
Git = Annotated[
    bool,
    typer.Option(
        "--from-git-diff",
        help="The files that git finds changed: since BASE was left, staged, unstaged and untracked"
        " (default where nothing else is said)",
    ),
]
Base = Annotated[
    str | None,
    typer.Argument(metavar="[BASE]", help="With --from-git-diff: a branch, tag or commit (default: the latest commit)"),
]
Surfaces = Annotated[list[str] | None, typer.Option("--surface", metavar="NAME", help="A surface (repeatable)")]
Families = Annotated[list[str] | None, typer.Option("--family", metavar="NAME", help="A family (repeatable)")]
Profiles = Annotated[
    list[str] | None,
    typer.Option("--profile", metavar="NAME", help="A domain profile; only so P2 patterns come in (repeatable)"),
]
Patterns = Annotated[list[str] | None, typer.Option("--pattern", metavar="PATTERN", help="A pattern (repeatable)")]
Deep = Annotated[bool, typer.Option("--include-deep", help="Take in the deep checks too")]


Budget = Annotated[
    float | None,
    typer.Option("--budget", metavar="SECONDS", help="Stop after so many seconds; what was not run fails", min=0.001),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Processes beside each other (default: up to 4)", min=1)
]
Reports = Annotated[
    list[str] | None,
    typer.Option("--report", metavar="FORMAT:FILE", help="Write json, junit, sarif or text to a file (repeatable)"),
]
FailOnGap = Annotated[bool, typer.Option("--fail-on-gap", help="Fail where nothing covers some of the change")]


def register(app: typer.Typer) -> None:
    canary = params.group(app, "canary", "Which checks a change needs, and what their failure would mean.")
    params.command(canary, "plan")(plan)
    params.command(canary, "run")(run)
    params.command(canary, "audit")(audit)


def _selection(
    tree: str | None,
    changed: list[str] | None,
    git: bool,
    base: str | None,
    surfaces: list[str] | None,
    families: list[str] | None,
    profiles: list[str] | None,
    patterns: list[str] | None,
    deep: bool,
) -> Selection:
    from loopx_policy.canary.needs import Asked

    from ..answers.canary import Selection

    asked = Asked(tuple(surfaces or ()), tuple(families or ()), tuple(patterns or ()), tuple(profiles or ()))
    return Selection(tree, tuple(changed or ()), git, base, asked, deep)


def plan(
    options: Globals,
    base: Base = None,
    changed_file: Changed = None,
    from_git_diff: Git = False,
    surface: Surfaces = None,
    family: Families = None,
    profile: Profiles = None,
    pattern: Patterns = None,
    include_deep: Deep = False,
    tree: Tree = None,
) -> Request:
    """The smallest set of checks for a change, cheapest first, each with its reason; runs nothing."""
    from ..answers import canary

    selection = _selection(tree, changed_file, from_git_diff, base, surface, family, profile, pattern, include_deep)
    return Call(options, partial(canary.plan, options, selection))


def run(
    options: Globals,
    base: Base = None,
    changed_file: Changed = None,
    from_git_diff: Git = False,
    surface: Surfaces = None,
    family: Families = None,
    profile: Profiles = None,
    pattern: Patterns = None,
    include_deep: Deep = False,
    budget: Budget = None,
    jobs: Jobs = None,
    report: Reports = None,
    fail_on_gap: FailOnGap = False,
    tree: Tree = None,
) -> Request:
    """Run the plan of a change; writes nothing but reports. Exit code 1 if a check fails or something was written."""
    from ..answers import canary_run

    selection = _selection(tree, changed_file, from_git_diff, base, surface, family, profile, pattern, include_deep)
    how = canary_run.How(budget or 0.0, jobs, tuple(report or ()), fail_on_gap)
    return Call(options, partial(canary_run.run, options, selection, how))


def audit(options: Globals, tree: Tree = None) -> Request:
    """Is every pattern covered, and does the canary data still fit rules, tests and files? Exit code 1 if not."""
    from ..answers import canary_audit

    return Call(options, partial(canary_audit.check, options, tree))
