"""The parsed condition of a rule: the one thing that both matchers share.

A condition compares facts with literals and combines comparisons; there is no arithmetic, no
comparison of one fact with another, no regular expression and no code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from loopx_policy.records import record

Value: TypeAlias = bool | int | str
Operator: TypeAlias = Literal["eq", "ne", "in", "not_in", "gt", "gte", "lt", "lte"]


@record(frozen=True)
class Compare:
    """``fact op value``; ``value`` is a tuple for ``in`` and ``not_in`` and a literal otherwise."""

    fact: str
    op: Operator
    value: Value | tuple[Value, ...]


@record(frozen=True)
class AllOf:
    """True where every part is; true where there are none."""

    parts: tuple[Condition, ...]


@record(frozen=True)
class AnyOf:
    """True where some part is; false where there are none."""

    parts: tuple[Condition, ...]


@record(frozen=True)
class NoneOf:
    """True where no part is."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = Compare | AllOf | AnyOf | NoneOf


def facts_read(condition: Condition) -> Iterator[str]:
    """The facts that a condition compares, in reading order."""
    if isinstance(condition, Compare):
        yield condition.fact
        return
    for part in condition.parts:
        yield from facts_read(part)
