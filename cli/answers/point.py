"""``loopx decide POINT``: the decision points beside a turn."""

from __future__ import annotations

from loopx_policy.decide_point import decide_point
from loopx_policy.errors import UsageError

from ..request import Globals, Result
from .policy import load

OWN_COMMAND = ("turn", "candidate")


def decide(options: Globals, point: str, source: str) -> Result:
    """``{verdict, reason, pattern, requires}`` of the named point; a deny is an answer too."""
    del options
    catalog = load()
    known = [name for name in catalog.points if name not in OWN_COMMAND]
    if point in OWN_COMMAND:
        raise UsageError(f"The point {point} is decided by loopx quota should-run.", fix="Ask that command.")
    if point not in known:
        from loopx_policy.catalog_source.findings import nearest

        near = nearest(point, known)
        fix = f"Did you mean {near}?" if near else f"Points: {', '.join(known)}."
        raise UsageError(f"There is no decision point {point}.", fix=fix)
    from .documents import read

    return Result(dict(decide_point(catalog, point, read(source, "input"))), "point")
