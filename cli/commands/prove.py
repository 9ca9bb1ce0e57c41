"""``loopx prove``: what the policy guarantees in every state."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request

AddRules = Annotated[
    list[str] | None,
    typer.Option("--add-rules", metavar="DIR", help="A directory of rules beside the program's own (repeatable)"),
]
Records = Annotated[
    int, typer.Option("--records", metavar="N", min=1, help="Random records over which the three readings are compared")
]
Witnesses = Annotated[
    str | None,
    typer.Option("--witnesses", metavar="DIR", help="Write every witness as a project there (default: failures only)"),
]


def register(app: typer.Typer) -> None:
    params.command(app, "prove")(prove)


def prove(
    options: Globals, add_rules: AddRules = None, records: Records = 2000, witnesses: Witnesses = None
) -> Request:
    """Prove the policy for every state: one lead, no dead case, every invariant. Exit code 1 if something fails."""
    from ..answers import prove

    return Call(options, partial(prove.prove, tuple(add_rules or ()), records, witnesses))
