"""``loopx decide POINT``: the decision points beside a turn."""

from __future__ import annotations

from loopx_policy.decide_point import decide_point

from ..request import Globals, Result
from .policy import load


def decide(options: Globals, point: str, source: str) -> Result:
    """``{verdict, reason, pattern, requires}`` of the named point; a deny is an answer too."""
    del options
    from .documents import read

    return Result(decide_point(load(), point, read(source, "input")).to_dict(), "point")
