"""A trace says what the interpreter says, and every comparison that it names is what it says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from loopx_policy.engine.interpret import holds
from loopx_policy.engine.record import RecordError
from loopx_policy.engine.trace import Leaf, trace
from tests.engine.strategies import all_leaves, chance_condition, chance_record, conditions, records, truth


def check(condition: Condition, record: dict[str, Any]) -> None:
    result = trace(condition, record)
    assert result.matched is holds(condition, record) is truth(condition, record)
    named = {(leaf.fact, leaf.value) for leaf in all_leaves(condition)}
    for leaf in result.held + result.failed:
        assert leaf.found == record[leaf.fact]
        assert (leaf.fact, leaf.wanted) in named
    assert all(truth(Compare(leaf.fact, leaf.op, leaf.wanted), record) for leaf in result.held)
    assert not any(truth(Compare(leaf.fact, leaf.op, leaf.wanted), record) for leaf in result.failed)
    if result.matched:
        assert result.failed == ()


@settings(max_examples=60, deadline=None)
@given(condition=conditions(depth=8), record=records())
def test_the_laws_of_a_trace(condition: Condition, record: dict[str, Any]) -> None:
    check(condition, record)


@settings(max_examples=500, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_laws_of_many_traces(seed: int) -> None:
    chance = Random(seed)
    condition = chance_condition(chance, depth=4)
    for _ in range(5):
        check(condition, chance_record(chance))


A, B, C = (Compare(name, "eq", True) for name in "abc")


@pytest.mark.parametrize(
    ("condition", "record", "held", "failed"),
    [
        (AllOf((A, B, C)), {"a": True, "b": False, "c": False}, ["a"], ["b eq True, found False"]),
        (AnyOf((AllOf((A, B)), C)), {"a": True, "b": False, "c": False}, ["a"],
         ["b eq True, found False", "c eq True, found False"]),
        (AnyOf((AllOf((A, B)), C)), {"a": True, "b": False, "c": True}, ["c"], []),
        (NoneOf((A, AllOf((B, C)))), {"a": False, "b": True, "c": True}, ["a"],
         ["b ne True, found True", "c ne True, found True"]),
        (NoneOf((A, B)), {"a": False, "b": False}, ["a", "b"], []),
        (AllOf((Compare("n", "gte", 2), A)), {"n": 1, "a": True}, ["a"], ["n gte 2, found 1"]),
        (NoneOf((Compare("n", "gte", 2),)), {"n": 5}, [], ["n lt 2, found 5"]),
        (NoneOf((Compare("n", "in", (2, 5)),)), {"n": 5}, [], ["n not_in (2, 5), found 5"]),
        (AnyOf(()), {}, [], []),
    ],
)  # fmt: skip
def test_the_first_failure_is_the_one_a_person_would_name(
    condition: Condition, record: dict[str, Any], held: list[str], failed: list[str]
) -> None:
    result = trace(condition, record)
    assert [leaf.fact for leaf in result.held] == held
    assert [f"{leaf.fact} {leaf.op} {leaf.wanted}, found {leaf.found}" for leaf in result.failed] == failed


def test_a_missing_fact_is_an_error() -> None:
    with pytest.raises(RecordError, match="lacks the fact a"):
        trace(A, {})


def test_a_trace_can_be_compared() -> None:
    assert trace(A, {"a": False}).failed == (Leaf("a", "eq", True, False),)
