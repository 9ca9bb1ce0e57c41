"""``loopx decide POINT``: the decision points beside a turn."""

from __future__ import annotations

from loopx_policy.decide_point import TURNS, decide_point

from ..request import Globals, Result
from .inputs import shown
from .policy import load


def decide(options: Globals, point: str, source: str) -> Result:
    """``{verdict, reason, pattern, requires}`` of the named point; a deny is an answer too."""
    del options
    from .documents import inside, read

    catalog = load()
    if point not in catalog.points or point in TURNS:
        decide_point(catalog, point, None)  # says which points there are, before anyone waits for standard input
    document = read(source, "input")
    with inside(shown(source), f"See the schema of the point {point}."):
        return Result(decide_point(catalog, point, document).to_dict(), "point")
