"""``loopx catalog coverage | mutate | docs``: what the fixtures show of the rules, and what they would not notice."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request
from .catalog import Fixtures, Patterns

Missing = Annotated[bool, typer.Option("--missing", help="Print the near misses that are missing, ready to be judged")]

Generate = Annotated[
    str,
    typer.Option("--generate", metavar="DIR", help="Write fixtures for what none shows into a folder (extra: prove)"),
]


Out = Annotated[str, typer.Option("--out", metavar="DIR", help="Where the pages go")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a page is not current")]


def register(catalog: typer.Typer) -> None:
    params.command(catalog, "coverage")(coverage)
    params.command(catalog, "mutate")(mutate)
    params.command(catalog, "docs")(docs)


def coverage(
    options: Globals,
    fixtures: Fixtures = "./fixtures",
    pattern: Patterns = None,
    missing: Missing = False,
    generate: Generate = "",
) -> Request:
    """Does some fixture show each comparison of each condition deciding alone? Exit code 1 if one is not shown."""
    from ..answers import workshop

    return Call(options, partial(workshop.coverage, options, fixtures, tuple(pattern or ()), missing, generate))


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
