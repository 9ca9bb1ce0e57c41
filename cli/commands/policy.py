"""Commands that ask the policy: why a turn is as it is, and the other decision points."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Call, Globals, Request, ShouldRun

WhyNot = Annotated[
    str | None,
    typer.Option("--why-not", metavar="MODE", help="The minimal sets of changes that would lead to this mode"),
]
Counterfactual = Annotated[
    bool, typer.Option("--counterfactual", help="The minimal sets of changes that would lead to any other mode")
]
PointName = Annotated[str, typer.Argument(metavar="POINT", help="A decision point, as quota_spend or lease_claim")]
Input = Annotated[
    str, typer.Option("--input", metavar="FILE", help="The input document, YAML or JSON; - reads standard input")
]


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
) -> Request:
    """Why this turn is as it is: conditions, the evidence behind them, and why no other pattern led."""
    from ..answers import explain

    asked = ShouldRun(options, goal_id, agent_id, tuple(available_capability or ()), snapshot, True)
    return Call(options, partial(explain.explain, asked, why_not, counterfactual))


def decide(options: Globals, point: PointName, input: Input) -> Request:
    """Ask one of the other decision points; deny by default. Exit code 0 for a deny too."""
    from ..answers import point as points

    return Call(options, partial(points.decide, options, point, input))
