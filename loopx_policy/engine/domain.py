"""Every fact as a set of integers, and sets of integers as sorted runs.

A bool is 0 or 1, an enum the position of its value in the declaration, a count itself. What a
comparison allows of a fact is then a set of integers, written as runs: disjoint, sorted, not
touching, closed intervals. Complement, intersection and inclusion are exact, so a contradiction such
as ``n >= 2`` beside ``n <= 1`` is simply the empty set.
"""

from __future__ import annotations

from typing import TypeAlias

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Compare, Value
from loopx_policy.engine.record import PYTHON_TYPES
from loopx_policy.errors import CatalogError

Runs: TypeAlias = tuple[tuple[int, int], ...]

# The engine reads numbers with atol, which pins what does not fit to the largest long; stay far away from that.
COUNT_LOW, COUNT_HIGH = -(2**31), 2**31 - 1


def bounds(fact: Fact) -> tuple[int, int]:
    """The least and the greatest code of a fact, both included."""
    if fact.type == "count":
        return COUNT_LOW, COUNT_HIGH
    return 0, 1 if fact.type == "bool" else len(fact.values) - 1


def encode(fact: Fact, value: Value) -> int:
    """The code of a value; :class:`CatalogError` if it is of another type or outside the domain."""
    if type(value) is PYTHON_TYPES[fact.type]:
        if fact.type == "enum" and value in fact.values:
            return fact.values.index(str(value))
        if fact.type != "enum" and COUNT_LOW <= int(value) <= COUNT_HIGH:
            return int(value)
    raise CatalogError(f"{value!r} is no value of the fact {fact.name}, which is declared as {_describe(fact)}.")


def decode(fact: Fact, code: int) -> Value:
    """The value that a code stands for."""
    if fact.type == "count":
        return code
    return bool(code) if fact.type == "bool" else fact.values[code]


def allowed(leaf: Compare, fact: Fact) -> Runs:
    """The codes of a fact for which a comparison is true."""
    low, high = bounds(fact)
    op = leaf.op
    if op in ("in", "not_in"):
        if not isinstance(leaf.value, tuple):
            raise CatalogError(f"The operator {op} on the fact {leaf.fact} needs a list.")
        runs = join([encode(fact, value) for value in leaf.value])
        return runs if op == "in" else complement(runs, low, high)
    if isinstance(leaf.value, tuple):
        raise CatalogError(f"The operator {op} on the fact {leaf.fact} takes one value, not a list.")
    code = encode(fact, leaf.value)
    if op == "eq":
        return ((code, code),)
    if op == "ne":
        return complement(((code, code),), low, high)
    if fact.type != "count":
        raise CatalogError(f"The operator {op} needs a count, and the fact {leaf.fact} is declared as {fact.type}.")
    if op in ("gt", "gte"):
        low = code + (op == "gt")
    else:
        high = code - (op == "lt")
    return ((low, high),) if low <= high else ()


def join(codes: list[int]) -> Runs:
    """The runs of some codes."""
    runs: list[tuple[int, int]] = []
    for code in sorted(set(codes)):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return tuple(runs)


def complement(runs: Runs, low: int, high: int) -> Runs:
    """What of ``low..high`` is not in the runs."""
    gaps: list[tuple[int, int]] = []
    for start, end in runs:
        if low < start:
            gaps.append((low, start - 1))
        low = end + 1
    if low <= high:
        gaps.append((low, high))
    return tuple(gaps)


def intersect(left: Runs, right: Runs) -> Runs:
    """What is in both."""
    common = ((max(a, c), min(b, d)) for a, b in left for c, d in right)
    return tuple(sorted(run for run in common if run[0] <= run[1]))


def unite(left: Runs, right: Runs) -> Runs:
    """What is in either."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted(left + right):
        if runs and start <= runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], max(runs[-1][1], end))
        else:
            runs.append((start, end))
    return tuple(runs)


def includes(outer: Runs, inner: Runs) -> bool:
    """Whether every code of the inner runs is in the outer ones."""
    return all(any(a <= c and d <= b for a, b in outer) for c, d in inner)


def _describe(fact: Fact) -> str:
    return f"one of {', '.join(fact.values)}" if fact.type == "enum" else fact.type
