"""A condition as a disjunction of conjuncts, which is the only shape that the rule engine is trusted with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Value
from loopx_policy.engine.domain import (
    Runs,
    allowed,
    bounds,
    complement,
    decode,
    includes,
    intersect,
    unite,
)
from loopx_policy.errors import CatalogError

Conjunct: TypeAlias = tuple[tuple[str, Runs], ...]
"""What each fact must be, by fact name in alphabetical order; ``()`` is always true."""

MAX_CONJUNCTS = 256
_WORK = 8  # how many times the limit a product may be before it is simplified

_Part: TypeAlias = dict[str, Runs]


def dnf(condition: Condition, facts: Mapping[str, Fact], *, limit: int = MAX_CONJUNCTS) -> tuple[Conjunct, ...]:
    """The conjuncts of which at least one is true exactly where the condition is; none if it never is.

    Negations are pushed to the leaves, contradictory conjuncts dropped, conjuncts that another one covers
    removed, and conjuncts that differ in one fact only merged. A comparison that the declared domain makes
    always true disappears. :class:`CatalogError` for an unknown fact, a value outside its domain, or more
    than ``limit`` conjuncts.
    """
    parts = _Normaliser(facts, limit).parts(condition, negated=False)
    return tuple(sorted(tuple(sorted(part.items())) for part in parts))


def condition_of(conjuncts: Iterable[Conjunct], facts: Mapping[str, Fact]) -> Condition:
    """The conjuncts as a condition again."""
    return AnyOf(tuple(AllOf(tuple(_fact_is(facts[name], runs) for name, runs in part)) for part in conjuncts))


def _fact_is(fact: Fact, runs: Runs) -> Condition:
    low, high = bounds(fact)
    if fact.type == "count":
        spans: list[Condition] = []
        for start, end in runs:
            span: list[Condition] = []
            if start > low:
                span.append(Compare(fact.name, "gte", start))
            if end < high:
                span.append(Compare(fact.name, "lte", end))
            spans.append(AllOf(tuple(span)))
        return spans[0] if len(spans) == 1 else AnyOf(tuple(spans))
    values: tuple[Value, ...] = tuple(decode(fact, code) for start, end in runs for code in range(start, end + 1))
    return Compare(fact.name, "eq", values[0]) if len(values) == 1 else Compare(fact.name, "in", values)


class _Normaliser:
    """One run over one condition: the vocabulary and the limit."""

    __slots__ = ("_facts", "_limit")

    def __init__(self, facts: Mapping[str, Fact], limit: int) -> None:
        self._facts = facts
        self._limit = limit

    def parts(self, condition: Condition, *, negated: bool) -> list[_Part]:
        if isinstance(condition, Compare):
            return self._leaf(condition, negated=negated)
        inner = negated != isinstance(condition, NoneOf)
        every = negated if isinstance(condition, AnyOf) else not negated
        if not every:
            found = [part for child in condition.parts for part in self.parts(child, negated=inner)]
            return self._simplify(found)
        product: list[_Part] = [{}]
        for child in condition.parts:
            product = self._multiply(product, self.parts(child, negated=inner))
        return product

    def _leaf(self, leaf: Compare, *, negated: bool) -> list[_Part]:
        fact = self._facts.get(leaf.fact)
        if fact is None:
            raise CatalogError(f"The condition reads the fact {leaf.fact}, which this decision point does not declare.")
        runs = allowed(leaf, fact)
        whole = (bounds(fact),)
        if negated:
            runs = complement(runs, *whole[0])
        if not runs:
            return []
        return [{}] if runs == whole else [{leaf.fact: runs}]

    def _multiply(self, left: list[_Part], right: list[_Part]) -> list[_Part]:
        if len(left) * len(right) > _WORK * self._limit:
            raise _too_large(self._limit)
        product: list[_Part] = []
        for a in left:
            for b in right:
                both = dict(a)
                for name, runs in b.items():
                    both[name] = intersect(both[name], runs) if name in both else runs
                    if not both[name]:
                        break
                else:
                    product.append(both)
        return product if len(product) < 2 else self._simplify(product)

    def _simplify(self, parts: list[_Part]) -> list[_Part]:
        if len(parts) > _WORK * self._limit:
            raise _too_large(self._limit)
        kept: list[_Part] = []
        pending = parts[::-1]
        while pending:
            part = pending.pop()
            if any(_covers(other, part) for other in kept):
                continue
            kept = [other for other in kept if not _covers(part, other)]
            for position, other in enumerate(kept):
                merged = self._merge(other, part)
                if merged is not None:
                    del kept[position]
                    pending.append(merged)
                    break
            else:
                kept.append(part)
        if len(kept) > self._limit:
            raise _too_large(self._limit)
        return kept

    def _merge(self, left: _Part, right: _Part) -> _Part | None:
        """One part for two that demand the same of every fact but one."""
        if left.keys() != right.keys():
            return None
        differing = [name for name in left if left[name] != right[name]]
        if len(differing) != 1:
            return None
        name = differing[0]
        merged = {**left, name: unite(left[name], right[name])}
        if merged[name] == (bounds(self._facts[name]),):
            del merged[name]
        return merged


def _covers(outer: _Part, inner: _Part) -> bool:
    return all(name in inner and includes(runs, inner[name]) for name, runs in outer.items())


def _too_large(limit: int) -> CatalogError:
    return CatalogError(
        f"The condition has more than {limit} alternatives when it is multiplied out.",
        fix="Split the case, or project a fact that says what the alternatives have in common.",
    )
