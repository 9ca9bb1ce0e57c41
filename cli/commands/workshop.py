"""``loopx catalog coverage | mutate``: what the fixtures show of the rules, and what they would not notice."""

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


def register(catalog: typer.Typer) -> None:
    params.command(catalog, "coverage")(coverage)
    params.command(catalog, "mutate")(mutate)


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
