"""``loopx prove`` and ``loopx catalog diff``: what the policy guarantees in every state, and what a change changes."""

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


Old = Annotated[str, typer.Argument(metavar="[OLD]", help="A folder, a git revision, or 'approved'")]
New = Annotated[str, typer.Argument(metavar="[NEW]", help="The same; '.' is the program's own policy")]
Semantic = Annotated[
    bool,
    typer.Option("--semantic", help="Show which states are decided otherwise; exit code 1 for a P0 or an invariant"),
]
Examples = Annotated[
    str | None, typer.Option("--witnesses", metavar="DIR", help="Write the example projects there (default: temporary)")
]


def register(app: typer.Typer) -> None:
    params.command(app, "prove")(prove)


def register_below(catalog: typer.Typer) -> None:
    params.command(catalog, "diff")(diff)


def prove(
    options: Globals, add_rules: AddRules = None, records: Records = 2000, witnesses: Witnesses = None
) -> Request:
    """Prove the policy for every state: one lead, no dead case, every invariant. Exit code 1 if something fails."""
    from ..answers import prove

    return Call(options, partial(prove.prove, tuple(add_rules or ()), records, witnesses))


def diff(
    options: Globals, old: Old = "approved", new: New = ".", semantic: Semantic = False, witnesses: Examples = None
) -> Request:
    """What differs between two versions of the policy; with --semantic, which states are decided otherwise."""
    from ..answers import catalog_diff

    return Call(options, partial(catalog_diff.diff, old, new, semantic, witnesses))
