"""``loopx catalog``: reading and checking the policy itself."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

Pattern = Annotated[str, typer.Argument(metavar="PATTERN", help="A pattern's id, as IP-021 or GR-paused")]
Fixtures = Annotated[str, typer.Option("--fixtures", metavar="DIR", help="The folder of given/expect files")]

Patterns = Annotated[
    list[str] | None,
    typer.Option("--pattern", metavar="PATTERN", help="Only fixtures of this pattern (repeatable)"),
]

Fix = Annotated[
    bool, typer.Option("--fix", help="Mend what is mechanical: the first line, the order of keys, the decides list")
]

AllowMissing = Annotated[bool, typer.Option("--allow-missing", help="Do not fail for what no fixture covers")]


def register(app: typer.Typer) -> None:
    from . import prove, workshop

    catalog = params.group(app, "catalog", "The policy: its patterns, their order, and checks of both.")
    params.command(catalog, "list")(list_patterns)
    params.command(catalog, "show")(show)
    params.command(catalog, "order")(order)
    params.command(catalog, "lint")(lint)
    params.command(catalog, "test")(run_fixtures)
    workshop.register(catalog)
    prove.register_below(catalog)


def list_patterns(options: Globals) -> Request:
    """Every pattern by family, with what it decides."""
    from ..answers import catalog

    return Call(options, partial(catalog.list_patterns, options))


def show(options: Globals, pattern: Pattern) -> Request:
    """One pattern as an operator reads it: what it is for, when it matches, what it then says."""
    from ..answers import catalog

    return Call(options, partial(catalog.show, options, pattern))


def order(options: Globals) -> Request:
    """The cases of a turn in the order in which they may lead, by stratum."""
    from ..answers import catalog

    return Call(options, partial(catalog.order, options))


def lint(options: Globals, fix: Fix = False) -> Request:
    """Check rule files and vocabulary. Exit code 1 if something is wrong."""
    from ..answers import catalog

    return Call(options, partial(catalog.lint, options, fix))


def run_fixtures(
    options: Globals, fixtures: Fixtures = "./fixtures", pattern: Patterns = None, allow_missing: AllowMissing = False
) -> Request:
    """Run the given/expect fixtures. Exit code 1 if one fails or something has none, 3 if one cannot be judged."""
    from ..answers import catalog

    return Call(options, partial(catalog.test, options, fixtures, tuple(pattern or ()), allow_missing))
