"""``loopx catalog coverage | mutate | docs | new | watch``: the maintainer's tools."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request, Stream
from .catalog import Fixtures, Patterns

Missing = Annotated[bool, typer.Option("--missing", help="Print the near misses that are missing, ready to be judged")]

Generate = Annotated[
    str | None,
    typer.Option("--generate", metavar="DIR", help="Write fixtures for what none shows into a folder (extra: prove)"),
]


Out = Annotated[str, typer.Option("--out", metavar="DIR", help="Where the pages go")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a page is not current")]


NewId = Annotated[str, typer.Argument(metavar="ID", help="IP-030 for a pattern, ACME-001 for a rule of a project")]
Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Its short name for people")]
Family = Annotated[
    str | None, typer.Option("--family", metavar="NAME", help="The family of a pattern, as work_routing")
]


def register(catalog: typer.Typer) -> None:
    params.command(catalog, "coverage")(coverage)
    params.command(catalog, "mutate")(mutate)
    params.command(catalog, "docs")(docs)
    params.command(catalog, "new")(new)
    params.command(catalog, "watch")(watch)


def coverage(
    options: Globals,
    fixtures: Fixtures = "./fixtures",
    pattern: Patterns = None,
    missing: Missing = False,
    generate: Generate = None,
) -> Request:
    """Does some fixture show each comparison of each condition deciding alone? Exit code 1 if one is not shown."""
    from ..answers import workshop

    return Call(options, partial(workshop.coverage, options, fixtures, tuple(pattern or ()), missing, generate or ""))


def mutate(options: Globals, fixtures: Fixtures = "./fixtures", pattern: Patterns = None) -> Request:
    """Change the rules in one place at a time; does a fixture notice? Exit code 1 if a mutant lives."""
    from ..answers import workshop

    return Call(options, partial(workshop.mutate, options, fixtures, tuple(pattern or ())))


def docs(options: Globals, out: Out = "./docs/catalog", check: Check = False) -> Request:
    """Write the catalog as pages for people: patterns, families, order, states, facts and modes.

    Their links are checked; exit code 1 where one leads nowhere.
    """
    from ..answers import catalog_docs

    return Call(options, partial(catalog_docs.docs, options, out, check))


def new(options: Globals, pattern: NewId, title: Title, family: Family = None) -> Request:
    """Write the files of a new pattern: rule, fixture and page. Lint then says line by line what is to be filled in."""
    from ..answers import catalog_new

    return Call(options, partial(catalog_new.new, options, pattern, title, family or ""))


def watch(options: Globals, fixtures: Fixtures = "./fixtures", pattern: Patterns = None) -> Stream:
    """Check and test again after each save, until it is interrupted (extra: watch)."""
    from ..answers import catalog_watch

    return Stream(options, partial(catalog_watch.watch, options, fixtures, tuple(pattern or ())))
