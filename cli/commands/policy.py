"""Commands that ask the policy: why a turn is as it is, and the other decision points."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from loopx_policy.decide_point import declared_points
from loopx_policy.errors import UsageError

from .. import params
from ..request import Call, Globals, Request, ShouldRun

WhyNot = Annotated[
    str | None,
    typer.Option("--why-not", metavar="MODE", help="The minimal sets of changes that would lead to this mode"),
]
Counterfactual = Annotated[
    bool, typer.Option("--counterfactual", help="The minimal sets of changes that would lead to any other mode")
]
Everything = Annotated[
    bool, typer.Option("--all", help="List the patterns that did not match too, each with the condition that failed")
]
PointName = Annotated[str, typer.Argument(metavar="POINT", help=f"One of {', '.join(declared_points())}")]
Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        metavar="FILE",
        help="The input document, YAML or JSON; - reads standard input; needed unless --schema",
    ),
]
Schema = Annotated[bool, typer.Option("--schema", help="Print what the input document may hold, and decide nothing")]


def register(app: typer.Typer) -> None:
    params.command(app, "explain")(explain)
    params.command(app, "decide")(decide)


def explain(
    options: Globals,
    goal_id: params.GoalId = None,
    agent_id: params.AgentId = None,
    available_capability: params.Capabilities = None,
    snapshot: params.SnapshotFile = None,
    why_not: WhyNot = None,
    counterfactual: Counterfactual = False,
    everything: Everything = False,
) -> Request:
    """Why this turn is as it is: conditions, the evidence behind them, and why no other pattern led."""
    from ..answers import explain

    asked = ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()), snapshot, True)
    return Call(options, partial(explain.explain, asked, why_not, counterfactual, everything))


def decide(options: Globals, point: PointName, input: Input = None, schema: Schema = False) -> Request:
    """Ask one of the other decision points; deny by default. Exit code 0 for a deny too."""
    from ..answers import point as points

    if schema:
        return Call(options, partial(points.schema, options, point))
    if input is None:
        raise UsageError("Missing option '--input'.", fix=f"Name the document, or see loopx decide {point} --schema.")
    return Call(options, partial(points.decide, options, point, input))
