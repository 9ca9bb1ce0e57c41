"""Conditions that a rule file can hold, over a small set of facts."""

from __future__ import annotations

from hypothesis import strategies as st

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Operator

FACTS = {
    "goal.paused": Fact("goal.paused", "bool"),
    "gates.open": Fact("gates.open", "count", maximum=9),
    "todos.ready": Fact("todos.ready", "count", maximum=9),
    "agent.role": Fact("agent.role", "enum", ("alone", "primary", "side")),
}


def _compares(fact: Fact) -> st.SearchStrategy[Compare]:
    if fact.type == "bool":
        return st.builds(Compare, st.just(fact.name), st.just("eq"), st.booleans())
    value: st.SearchStrategy[int | str]
    value = st.sampled_from(fact.values) if fact.type == "enum" else st.integers(0, fact.maximum)
    single: tuple[Operator, ...] = ("eq", "ne", "gt", "gte", "lt", "lte") if fact.type == "count" else ("eq", "ne")
    several: tuple[Operator, ...] = ("in", "not_in")
    members = st.lists(value, min_size=1, max_size=3, unique=True).map(tuple)
    return st.one_of(
        st.builds(Compare, st.just(fact.name), st.sampled_from(single), value).filter(_possible),
        st.builds(Compare, st.just(fact.name), st.sampled_from(several), members),
    )


def _possible(compare: Compare) -> bool:
    """Comparisons that no value meets are findings, so a catalog has none."""
    return (compare.op, compare.value) not in {("gt", 9), ("lt", 0)}


def conditions() -> st.SearchStrategy[Condition]:
    leaves: st.SearchStrategy[Condition] = st.one_of(
        st.one_of([_compares(fact) for fact in FACTS.values()]), st.just(AllOf(()))
    )

    def grow(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        parts = st.lists(inner, min_size=1, max_size=4).map(tuple)
        return st.one_of(st.builds(AllOf, parts), st.builds(AnyOf, parts), st.builds(NoneOf, parts))

    return st.recursive(leaves, grow, max_leaves=12)
