"""Hypothesis strategies of snapshot documents, drawn from the table of shapes itself."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from loopx_policy.project import shapes
from loopx_policy.project.snapshot_shape import SNAPSHOT
from loopx_policy.project.times import RELATIVE, TIME, iso

NAMES = ["todo_a01", "todo_a02", "todo_u01", "main", "side", "src/**", "acme/tool#12", "#7", "todo_done:todo_a01"]
WORDS = st.sampled_from(
    [*NAMES, "", "[P0] Go", "[P1-monitor] Watch todo_a01", "resource:lane:gpu", "cli-bridge", "30m"]
)
TEXTS = WORDS | st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-2, 10) | st.sampled_from([0.5, 1.0, 2.5, 1e9]) | WORDS
ANYTHING = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(WORDS, SCALARS, max_size=2)


def times(absolute: bool) -> st.SearchStrategy[str]:
    plain = st.integers(0, 3_000_000_000).map(iso) | st.sampled_from(["2026-12-01", "2026-12-01 08:30+08:00"])
    return plain if absolute else plain | st.sampled_from(["-30m", "+2h", "-1d"])


def values(shape: Any) -> st.SearchStrategy[Any]:
    """Good values of a shape."""
    match shape:
        case shapes.Text():
            return (
                st.from_regex(shape.pattern, alphabet=st.characters(max_codepoint=126))
                .map(lambda t: t.rstrip("\n"))
                .filter(lambda text: not shape.test or bool(shape.test(text)))
                if shape.pattern
                else TEXTS.filter(lambda text: len(text) >= shape.least)
            )
        case shapes.Enum():
            return st.sampled_from(shape.values)
        case shapes.Flag():
            return st.booleans()
        case shapes.Number():
            low = shape.least if shape.least is not None else shape.above if shape.above is not None else -5
            high = min(shape.most, low + 50) if shape.most is not None else low + 50
            whole = st.integers(int(low) + (shape.above is not None), int(high))
            fraction = st.floats(low, high, exclude_min=shape.above is not None)
            return (whole | whole.map(float) if shape.whole else whole | fraction).filter(lambda number: number >= low)
        case shapes.Time():
            return times(shape.absolute)
        case shapes.ListOf():
            return st.lists(values(shape.item), max_size=3)
        case shapes.MapOf():
            return st.dictionaries(WORDS, values(shape.item), max_size=2)
        case shapes.Raw():
            return st.dictionaries(
                st.sampled_from(["classification", "lesson", "quota_event", "generated_at", "x"]), ANYTHING, max_size=3
            )
        case shapes.Nullable():
            return st.none() | values(shape.item)
        case shapes.TextOr():
            return TEXTS | values(shape.item)
        case shapes.Object():
            required = {key: values(field.shape) for key, field in shape.fields.items() if field.required}
            optional = {key: values(field.shape) for key, field in shape.fields.items() if not field.required}
            return st.fixed_dictionaries(required, optional=optional)
    raise AssertionError(shape)


GOOD = st.deferred(lambda: values(SNAPSHOT))


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A good document with one thing in it replaced, added or taken away; now and then still a good one."""
    document = copy.deepcopy(draw(GOOD))
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            places.append((value, key))
            walk(inner)

    walk(document)
    holder, key = draw(st.sampled_from(places))
    kind = draw(st.sampled_from(["replace", "remove", "add"]))
    if kind == "replace":
        holder[key] = draw(ANYTHING)
    elif kind == "remove":
        del holder[key]
    elif isinstance(holder, dict):
        holder[draw(st.sampled_from(["statu", "todo_id", "raw", "line"]))] = draw(ANYTHING)
    else:
        holder.append(draw(ANYTHING))
    return document


__all__ = ["ANYTHING", "GOOD", "RELATIVE", "TIME", "spoilt"]
