"""Multiplying a condition out changes its shape and not its meaning."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from loopx_policy.engine.dnf import condition_of, dnf
from loopx_policy.engine.domain import includes
from loopx_policy.errors import CatalogError
from tests.engine.strategies import FACTS, chance_condition, chance_record, conditions, records, truth

OPEN = Compare("gate.open", "eq", True)
CLEAR = Compare("gate.clear", "eq", True)
YES, NO = ((1, 1),), ((0, 0),)


@settings(max_examples=150, deadline=None)
@given(condition=conditions(depth=8), record=records())
def test_the_meaning_stays(condition: Condition, record: dict[str, Any]) -> None:
    assert truth(condition_of(dnf(condition, FACTS), FACTS), record) is truth(condition, record)


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_meaning_stays_and_no_conjunct_is_idle(seed: int) -> None:
    chance = Random(seed)
    condition = chance_condition(chance)
    conjuncts = dnf(condition, FACTS, limit=2000)
    back = condition_of(conjuncts, FACTS)
    for _ in range(5):
        record = chance_record(chance)
        assert truth(back, record) is truth(condition, record)
    for conjunct in conjuncts:
        assert all(runs for _, runs in conjunct), "a contradiction"
        for other in conjuncts:
            outer, inner = dict(other), dict(conjunct)
            covers = all(name in inner and includes(runs, inner[name]) for name, runs in outer.items())
            assert other is conjunct or not covers


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (AllOf(()), ((),)),
        (AnyOf(()), ()),
        (NoneOf((OPEN,)), ((("gate.open", NO),),)),
        (NoneOf((AllOf((OPEN, CLEAR)),)), ((("gate.clear", NO),), (("gate.open", NO),))),
        (NoneOf((NoneOf((OPEN,)),)), ((("gate.open", YES),),)),
        (AllOf((OPEN, NoneOf((OPEN,)))), ()),
        (AnyOf((OPEN, NoneOf((OPEN,)))), ((),)),
        (AnyOf((OPEN, AllOf((OPEN, CLEAR)))), ((("gate.open", YES),),)),
        (AnyOf((AllOf((OPEN, CLEAR)), AllOf((CLEAR, OPEN)))), ((("gate.clear", YES), ("gate.open", YES)),)),
        (AllOf((OPEN, Compare("sole", "eq", "only"))), ((("gate.open", YES),),)),
        (AllOf((Compare("frontier.open", "gte", 2), Compare("frontier.open", "lte", 1))), ()),
        (AllOf((Compare("frontier.open", "gt", 2), NoneOf((Compare("frontier.open", "gte", 4),)))),
         ((("frontier.open", ((3, 3),)),),)),
        (
            AnyOf(tuple(Compare("frontier.first", "eq", value) for value in ("none", "gated", "runnable"))),
            ((("frontier.first", ((0, 2),)),),),
        ),
    ],
)  # fmt: skip
def test_shapes(condition: Condition, expected: object) -> None:
    assert dnf(condition, FACTS) == expected


def test_too_many_alternatives_are_refused_before_they_are_made() -> None:
    facts = {f"{side}{n}": Fact(f"{side}{n}", "bool") for n in range(40) for side in "ab"}
    either = [AnyOf((Compare(f"a{n}", "eq", True), Compare(f"b{n}", "eq", True))) for n in range(40)]
    assert len(dnf(AllOf(tuple(either[:5])), facts, limit=32)) == 32
    with pytest.raises(CatalogError, match="more than 32 alternatives"):
        dnf(AllOf(tuple(either)), facts, limit=32)


@pytest.mark.parametrize(
    ("leaf", "named"),
    [
        (Compare("gate.opne", "eq", True), "gate.opne"),
        (Compare("gate.open", "eq", 1), "gate.open"),
        (Compare("frontier.open", "eq", True), "frontier.open"),
        (Compare("frontier.open", "gte", 2**31), "frontier.open"),
        (Compare("frontier.first", "eq", "runable"), "none, runnable, gated"),
        (Compare("frontier.first", "in", ("none", "runable")), "runable"),
        (Compare("frontier.first", "in", "none"), "frontier.first"),
        (Compare("frontier.first", "eq", ("none",)), "frontier.first"),
        (Compare("frontier.first", "gt", "none"), "needs a count"),
        (Compare("gate.open", "lte", True), "needs a count"),
    ],
)
def test_what_the_vocabulary_does_not_allow_is_an_error(leaf: Compare, named: str) -> None:
    with pytest.raises(CatalogError, match=named):
        dnf(AllOf((leaf,)), FACTS)
