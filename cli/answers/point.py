"""``loopx decide POINT``: the decision points beside a turn."""

from __future__ import annotations

from loopx_policy.decide_point import decide_point, read_schema, the_point

from ..request import Globals, Result
from .inputs import shown
from .policy import load


def decide(options: Globals, point: str, source: str) -> Result:
    """``{verdict, reason, pattern, requires}`` of the named point; a deny is an answer too."""
    from .documents import inside, read

    catalog = load(options)
    the_point(catalog, point)  # says which points there are, before anyone waits for standard input
    document = read(source, "input")
    with inside(shown(source), f"See the schema of the point {point}."):
        return Result(decide_point(catalog, point, document).to_dict(), "point")


def schema(options: Globals, point: str) -> Result:
    """The JSON Schema of the point's input document."""
    del options
    the_point(load(), point)
    return Result(read_schema(point), "document")
