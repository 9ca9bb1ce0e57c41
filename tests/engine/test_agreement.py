"""Both matchers mean what a condition means."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Value
from loopx_policy.engine.dnf import dnf
from loopx_policy.engine.interpret import Interpreter, holds
from loopx_policy.engine.match import Matcher
from loopx_policy.engine.record import RecordError
from loopx_policy.errors import CatalogError
from tests.engine.strategies import FACTS, chance_condition, chance_record, conditions, records, truth


@settings(max_examples=60, deadline=None)
@given(items=st.lists(conditions(depth=6), min_size=1, max_size=3), record=records())
def test_the_matcher_the_interpreter_and_the_definition_agree(items: list[Condition], record: dict[str, Any]) -> None:
    assert_agreement({f"k{number}": condition for number, condition in enumerate(items)}, [record])


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_they_agree_on_thousands_of_larger_ones(seed: int) -> None:
    chance = Random(seed)
    items = {f"k{number}": chance_condition(chance) for number in range(8)}
    assert_agreement(items, [chance_record(chance) for _ in range(10)])


def assert_agreement(items: dict[str, Condition], cases: list[dict[str, Any]]) -> None:
    items = {key: condition for key, condition in items.items() if is_small(condition)}
    matcher, interpreter = Matcher("turn", items, FACTS), Interpreter(items)
    for record in cases:
        expected = {key for key, condition in items.items() if truth(condition, record)}
        assert matcher.matched(record) == expected
        assert interpreter.matched(record) == expected


def is_small(condition: Condition) -> bool:
    try:
        dnf(condition, FACTS)
    except CatalogError:
        return False
    return True


def test_nothing_is_matched_where_there_is_nothing_to_match() -> None:
    record = dict.fromkeys(FACTS, False)
    assert Matcher("turn", {}, FACTS).matched(record) == frozenset()
    assert Interpreter({}).matched(record) == frozenset()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (AllOf(()), True),
        (AnyOf(()), False),
        (NoneOf(()), True),
        (NoneOf((AllOf(()),)), False),
        (AllOf((Compare("polls.unchanged", "gte", 2), Compare("polls.unchanged", "lt", 2))), False),
        (AnyOf((Compare("polls.unchanged", "gte", 2), Compare("polls.unchanged", "lt", 2))), True),
    ],
)
def test_conditions_that_do_not_depend_on_the_record(condition: Condition, expected: bool) -> None:
    record: dict[str, Any] = {"polls.unchanged": 3}
    facts = {"polls.unchanged": FACTS["polls.unchanged"]}
    assert holds(condition, record) is expected
    assert Matcher("turn", {"k": condition}, facts).matched(record) == ({"k"} if expected else set())


@pytest.mark.parametrize("value", [True, 1, "1", "true", 1.0, None])
@pytest.mark.parametrize("wanted", [True, 1, "1", "true"])
def test_values_of_different_types_are_never_equal(wanted: Any, value: Any) -> None:
    same = type(wanted) is type(value) and wanted == value
    record = {"f": value}
    assert holds(Compare("f", "eq", wanted), record) is same
    assert holds(Compare("f", "ne", wanted), record) is not same
    assert holds(Compare("f", "in", (wanted, "other")), record) is same
    assert holds(Compare("f", "not_in", (wanted, 7)), record) is not same


@pytest.mark.parametrize("found", [True, "5", None])
@pytest.mark.parametrize("op", ["gt", "gte", "lt", "lte"])
def test_only_integers_are_ordered(op: Any, found: Any) -> None:
    assert holds(Compare("f", op, 0), {"f": found}) is False
    assert holds(Compare("f", op, "5"), {"f": found}) is False


@pytest.mark.parametrize(
    ("fact", "value"),
    [("gate.open", 1), ("gate.open", "true"), ("polls.unchanged", True), ("polls.unchanged", 2**31),
     ("polls.unchanged", 1.0), ("frontier.first", "unheard_of"), ("frontier.first", None)],
)  # fmt: skip
def test_the_matcher_refuses_a_value_that_the_fact_does_not_declare(fact: str, value: Any) -> None:
    wanted: Value = {"bool": True, "count": 1, "enum": "gated"}[FACTS[fact].type]  # type: ignore[assignment]
    matcher = Matcher("turn", {"k": Compare(fact, "ne", wanted)}, FACTS)
    with pytest.raises(RecordError, match=fact):
        matcher.matched({fact: value})


def test_a_missing_fact_is_an_error_in_both_matchers() -> None:
    items = {"k": Compare("gate.open", "eq", True)}
    for matcher in (Matcher("turn", items, FACTS), Interpreter(items)):
        with pytest.raises(RecordError, match=r"gate\.open"):
            matcher.matched({})
    with pytest.raises(RecordError, match=r"gate\.open"):
        holds(items["k"], {})
