"""Our own reading of conditions: which hold over a record. Why they do is in ``engine.trace``.

Independent of the ``durable_rules`` matcher; the two share the syntax tree and nothing else. What a
comparison means: values of different JSON types are never equal and never ordered (``True`` is not
``1``), and ``ne`` and ``not_in`` are the negations of ``eq`` and ``in``. A fact that the record lacks
is an error, not a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import TypeAlias, cast

from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, Value
from loopx_policy.engine.record import Record, RecordError

Test: TypeAlias = Callable[[Record], bool]

_ORDER: dict[str, Callable[[int, int], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}


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
