"""Our own reading of conditions: which hold over a record, and why or why not.

Independent of the ``durable_rules`` matcher; the two share the syntax tree and nothing else. What a
comparison means: values of different JSON types are never equal and never ordered (``True`` is not
``1``), and ``ne`` and ``not_in`` are the negations of ``eq`` and ``in``. A fact that the record lacks
is an error, not a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import TypeAlias, cast

from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Operator, Value
from loopx_policy.engine.record import Record, RecordError

Test: TypeAlias = Callable[[Record], bool]

_ORDER: dict[str, Callable[[int, int], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
_OPPOSITE: dict[Operator, Operator] = {
    "eq": "ne", "ne": "eq", "in": "not_in", "not_in": "in", "gt": "lte", "lte": "gt", "gte": "lt", "lt": "gte",
}  # fmt: skip


def compile_test(condition: Condition) -> Test:
    """The condition as a function of a record; it raises ``KeyError`` for a fact that it needs and the record lacks."""
    if isinstance(condition, Compare):
        return _leaf(condition)
    parts = tuple(compile_test(part) for part in condition.parts)
    if isinstance(condition, AllOf):
        return _every(parts)
    some = _some(parts)
    return some if isinstance(condition, AnyOf) else lambda record: not some(record)


def holds(condition: Condition, record: Record) -> bool:
    """Whether the condition is true of the record; :class:`RecordError` if the record lacks a fact that it needs."""
    try:
        return compile_test(condition)(record)
    except KeyError as missing:
        raise RecordError(f"The record lacks the fact {missing.args[0]}.") from None


class Interpreter:
    """A set of named conditions, compiled once."""

    __slots__ = ("_tests",)

    def __init__(self, items: Mapping[str, Condition]) -> None:
        self._tests = tuple((key, compile_test(condition)) for key, condition in items.items())

    def matched(self, record: Record) -> frozenset[str]:
        """The keys of the conditions that hold."""
        try:
            return frozenset([key for key, test in self._tests if test(record)])
        except KeyError as missing:
            raise RecordError(f"The record lacks the fact {missing.args[0]}.") from None


def _every(parts: tuple[Test, ...]) -> Test:
    if not parts:
        return lambda record: True
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda record: first(record) and second(record)

    def every(record: Record) -> bool:
        for part in parts:  # noqa: SIM110 (a generator costs twice as much, and this is the hot path)
            if not part(record):
                return False
        return True

    return every


def _some(parts: tuple[Test, ...]) -> Test:
    if len(parts) == 1:
        return parts[0]

    def some(record: Record) -> bool:
        for part in parts:  # noqa: SIM110
            if part(record):
                return True
        return False

    return some


def _leaf(leaf: Compare) -> Test:
    fact, op = leaf.fact, leaf.op
    if op in ("in", "not_in"):
        return _membership(fact, cast("tuple[Value, ...]", leaf.value), wanted=op == "in")
    value = cast("Value", leaf.value)
    kind = type(value)
    if op == "eq":
        if kind is bool:
            return lambda record: record[fact] is value
        if kind is str:
            return lambda record: record[fact] == value
        return lambda record: record[fact] == value and type(record[fact]) is int
    if op == "ne":
        if kind is bool:
            return lambda record: record[fact] is not value
        if kind is str:
            return lambda record: record[fact] != value
        return lambda record: record[fact] != value or type(record[fact]) is not int
    order, bound = _ORDER[op], cast("int", value)
    if kind is not int:
        return lambda record: False

    def ordered(record: Record) -> bool:
        found = record[fact]
        return type(found) is int and order(found, bound)

    return ordered


def _membership(fact: str, values: tuple[Value, ...], *, wanted: bool) -> Test:
    typed = frozenset((type(value), value) for value in values)
    if all(type(value) is str for value in values):
        names = frozenset(values)
        return lambda record: (record[fact] in names) is wanted
    return lambda record: ((type(record[fact]), record[fact]) in typed) is wanted


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
        op = _OPPOSITE[condition.op] if negated else condition.op
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
