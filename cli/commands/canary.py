"""``loopx canary``: the checks that a change needs."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

Tree = Annotated[
    str | None,
    typer.Option("--tree", metavar="DIR", help="The tree (default: the git work tree around the working folder)"),
]


def register(app: typer.Typer) -> None:
    canary = params.group(app, "canary", "Which checks a change needs, and what their failure would mean.")
    params.command(canary, "audit")(audit)


def audit(options: Globals, tree: Tree = None) -> Request:
    """Is every pattern covered, and does the canary data still fit rules, tests and files? Exit code 1 if not."""
    from ..answers import canary

    return Call(options, partial(canary.check, options, tree))
