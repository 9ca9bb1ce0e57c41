"""Conditions and records mean in the solver what they mean in a rule file."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Compare, Condition
from loopx_policy.errors import CatalogError
from loopx_policy.prove.space import Bits, Space, top
from tests.engine.strategies import FACTS, conditions, records, truth


def fits(condition: Condition) -> bool:
    """Whether every figure lies in its domain, as lint demands of a rule file."""
    if not isinstance(condition, Compare):
        return all(fits(part) for part in condition.parts)
    fact = FACTS[condition.fact]
    wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return fact.type != "count" or all(0 <= int(value) <= top(fact) for value in wanted)


def clipped(record: dict[str, Any]) -> dict[str, Any]:
    return {
        name: min(max(0, value), top(FACTS[name])) if FACTS[name].type == "count" else value
        for name, value in record.items()
    }


@settings(max_examples=150, deadline=None)
@given(condition=conditions(depth=6).filter(fits), record=records())
def test_a_term_holds_over_a_record_exactly_where_its_condition_does(condition: Condition, record: Any) -> None:
    record = clipped(record)
    space = Space(FACTS)
    assert (Bits(space, {"it": space.term(condition)}).true_on(record) == {"it"}) is truth(condition, record)


@settings(max_examples=50, deadline=None)
@given(record=records())
def test_a_record_survives_the_way_through_the_solver(record: Any) -> None:
    record = clipped(record)
    space = Space(FACTS)
    check = space.z3.Solver()
    check.add(*space.bounds, *space.same(record))
    assert str(check.check()) == "sat"
    assert space.record(check.model()) == record


def test_no_model_leaves_a_domain() -> None:
    space = Space({"n": Fact("n", "count", maximum=99), "e": Fact("e", "enum", ("a", "b", "c"))})
    check = space.z3.Solver()
    check.add(*space.bounds)
    for beyond in (space.variables["n"] > 99, space.variables["n"] < 0, space.variables["e"] == 3):
        assert str(check.check(beyond)) == "unsat"


def test_a_figure_outside_its_domain_is_refused() -> None:
    space = Space({"n": Fact("n", "count", maximum=99)})
    for value in (100, -1, 2**40):
        with pytest.raises(CatalogError):
            space.term(Compare("n", "gte", value))


def test_a_condition_over_an_undeclared_fact_is_refused() -> None:
    with pytest.raises(CatalogError, match="not declared"):
        Space(FACTS).term(Compare("nobody", "eq", True))
