"""Why a condition holds over a record or does not, for explanations.

Apart from the interpreter, since an answer that nobody asks to explain need not pay for it; and written
anew, so that ``trace(...).matched == holds(...)`` is a law that can fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import ge, gt, le, lt

from loopx_policy.engine.conditions import AnyOf, Compare, Condition, NoneOf, Operator, Value
from loopx_policy.engine.record import Record, RecordError

_ORDER: dict[str, Callable[[int, int], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
OPPOSITE: dict[Operator, Operator] = {
    "eq": "ne", "ne": "eq", "in": "not_in", "not_in": "in", "gt": "lte", "lte": "gt", "gte": "lt", "lt": "gte",
}  # fmt: skip
"""The operator that holds exactly where another does not."""


@dataclass(slots=True, frozen=True)
class Leaf:
    """One comparison as it came out: ``fact op wanted``, and the value ``found``.

    Below a ``none`` the comparison is turned round (``eq`` becomes ``ne``), so that a leaf always says
    what was wanted.
    """

    fact: str
    op: Operator
    wanted: Value | tuple[Value, ...]
    found: Value


@dataclass(slots=True, frozen=True)
class Trace:
    """Why a condition matched or did not.

    ``held``: every comparison that speaks for it, in the order of the rule file; of a matched ``any`` only
    those of the alternatives that hold. ``failed``: empty if it matched; else the first comparison that
    failed, or, where an ``any`` failed, the first of each alternative. A part that failed under ``none``
    is every comparison of it, since undoing one is enough. Empty as well for a condition without a comparison.
    """

    matched: bool
    held: tuple[Leaf, ...] = ()
    failed: tuple[Leaf, ...] = ()


def trace(condition: Condition, record: Record) -> Trace:
    """The explanation of one condition over one record; ``trace(c, r).matched == holds(c, r)``."""
    try:
        return _trace(condition, record, negated=False)
    except KeyError as missing:
        raise RecordError(f"The record lacks the fact {missing.args[0]}.") from None


def _trace(condition: Condition, record: Record, *, negated: bool) -> Trace:
    if isinstance(condition, Compare):
        found = record[condition.fact]
        op = OPPOSITE[condition.op] if negated else condition.op
        leaf = Leaf(condition.fact, op, condition.value, found)
        if _compares(condition.op, condition.value, found) is not negated:
            return Trace(True, held=(leaf,))
        return Trace(False, failed=(leaf,))
    # De Morgan: "none of" is "all of the negations", and the negation of an "all of" is a "some of".
    inner = negated != isinstance(condition, NoneOf)
    every = negated if isinstance(condition, AnyOf) else not negated
    traces = [_trace(part, record, negated=inner) for part in condition.parts]
    return _trace_every(traces) if every else _trace_some(traces)


def _trace_every(traces: list[Trace]) -> Trace:
    held = tuple(leaf for part in traces for leaf in part.held)
    first = next((part for part in traces if not part.matched), None)
    return Trace(True, held=held) if first is None else Trace(False, held=held, failed=first.failed)


def _trace_some(traces: list[Trace]) -> Trace:
    matched = any(part.matched for part in traces)
    held = tuple(leaf for part in traces if part.matched or not matched for leaf in part.held)
    failed = () if matched else tuple(leaf for part in traces for leaf in part.failed)
    return Trace(matched, held=held, failed=failed)


def _compares(op: Operator, wanted: Value | tuple[Value, ...], found: Value) -> bool:
    if isinstance(wanted, tuple):
        return any(_same(value, found) for value in wanted) is (op == "in")
    if op in ("eq", "ne"):
        return _same(wanted, found) is (op == "eq")
    return type(wanted) is int and type(found) is int and _ORDER[op](found, wanted)


def _same(left: Value, right: Value) -> bool:
    return type(left) is type(right) and left == right
