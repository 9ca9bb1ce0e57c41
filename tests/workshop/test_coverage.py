"""Coverage is masking MC/DC: a comparison is covered by two records in which it alone turns the condition round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.decide_point import PointDecision
from loopx_policy.engine.catalog import Case, Catalog, Point
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.fixtures import Fixture
from loopx_policy.fixtures.reach import Reach
from loopx_policy.workshop.bench import Situation
from loopx_policy.workshop.coverage import Path as Place
from loopx_policy.workshop.coverage import cover
from tests.engine.strategies import FACTS, conditions, records, truth

from .samples import ALSO, ELSEWHERE, PLAN, REMARK, RULES, answered, invented

YES, NO = AllOf(()), AnyOf(())


def one_rule(condition: Condition) -> Catalog:
    case = Case("IP-101", "only", "p", condition, verdict="deny")
    return Catalog("", {"p": Point("p", FACTS, ("deny", "allow"), "allow")}, {"p": (case,)}, (), (), {}, ())


def seen(catalog: Catalog, found: list[dict[str, Any]]) -> list[Situation]:
    """A situation for each record, named after its number."""
    reach = Reach(catalog, "p:IP-101.only", Interpreter({}))
    made = []
    for number, record in enumerate(found):
        fixture = Fixture(f"IP-101/{number}.yaml", "p", "IP-101.only", "", {}, {})
        made.append(Situation(fixture, "", {}, {}, True, reach, PointDecision("p", "", ""), {"p": [record]}))
    return made


def places(condition: Condition, at: Place = ()) -> list[Place]:
    if isinstance(condition, Compare):
        return [at]
    return [place for number, part in enumerate(condition.parts) for place in places(part, (*at, number))]


def at(condition: Condition, place: Place) -> Condition:
    for number in place:
        assert not isinstance(condition, Compare)
        condition = condition.parts[number]
    return condition


def with_part(condition: Condition, place: Place, part: Condition) -> Condition:
    if not place:
        return part
    assert isinstance(condition, (AllOf, AnyOf, NoneOf))
    parts = [
        with_part(each, place[1:], part) if number == place[0] else each for number, each in enumerate(condition.parts)
    ]
    return type(condition)(tuple(parts))


def turns_it_round(condition: Condition, place: Place, record: dict[str, Any]) -> bool:
    """Whether the comparison at a place alone decides: with another outcome of it the condition has another."""
    return truth(with_part(condition, place, YES), record) is not truth(with_part(condition, place, NO), record)


@given(conditions(), st.lists(records(), max_size=8))
def test_a_comparison_is_covered_by_two_records_that_turn_the_outcome_round_by_it_alone(
    condition: Condition, found: list[dict[str, Any]]
) -> None:
    catalog = one_rule(condition)
    result = cover(catalog, seen(catalog, found), {})
    assert [leaf.path for leaf in result.leaves] == places(condition)
    for leaf in result.leaves:
        deciding = {
            truth(at(condition, leaf.path), record) for record in found if turns_it_round(condition, leaf.path, record)
        }
        assert set(leaf.shown) == deciding
        assert leaf.covered is (deciding == {True, False})
        assert set(leaf.lacks) == {True, False} - deciding


@given(conditions(), st.lists(records(), max_size=8))
def test_the_situation_that_is_named_shows_it(condition: Condition, found: list[dict[str, Any]]) -> None:
    catalog = one_rule(condition)
    for leaf in cover(catalog, seen(catalog, found), {}).leaves:
        for value, label in leaf.shown.items():
            record = found[int(label.removeprefix("IP-101/").removesuffix(".yaml"))]
            assert truth(leaf.compare, record) is value
            assert turns_it_round(condition, leaf.path, record)


CONNECTED = "plan_writeback case:IP-101.loose plan.connected: true"
UNWRITTEN = "plan_writeback case:IP-101.loose plan.unwritten: {gte: 1}"


def test_what_no_fixture_shows_is_named_with_the_value_that_is_missing(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    result = cover(catalog, answered(catalog, tmp_path, PLAN), {})
    assert [(leaf.id, leaf.lacks) for leaf in result.missing] == [(CONNECTED, [False])]
    assert result.by_pattern() == {"IP-101": {"all": 2, "covered": 1}}


def test_a_near_miss_that_shows_it_closes_the_gap(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    result = cover(catalog, answered(catalog, tmp_path, PLAN + ELSEWHERE), {})
    assert result.missing == []
    (leaf,) = [leaf for leaf in result.leaves if leaf.id == CONNECTED]
    assert leaf.shown == {
        True: "IP-101/f0.yaml", False: "IP-101/f0.yaml: the goal is not connected",
    }  # fmt: skip


def test_the_fixtures_of_another_rule_show_it_too(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    assert cover(catalog, answered(catalog, tmp_path, PLAN, REMARK + ALSO), {}).missing == []


def test_an_excuse_closes_a_gap_and_one_without_need_is_reported(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    found = answered(catalog, tmp_path, PLAN)
    excuses = {CONNECTED: "it is", UNWRITTEN: "it is shown, in truth", "plan_writeback case:IP-101.gone x: 1": "?"}
    result = cover(catalog, found, excuses)
    assert result.missing == []
    assert result.unused == [UNWRITTEN, "plan_writeback case:IP-101.gone x: 1"]
    assert result.to_dict()["excused"] == 1
    assert cover(catalog, found, excuses, ("IP-999",)).unused == []


def test_a_part_of_the_catalog_can_be_asked_for(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    found = answered(catalog, tmp_path, PLAN)
    assert cover(catalog, found, {}, ("IP-999",)).leaves == []
    assert len(cover(catalog, found, {}, ("IP-101",)).leaves) == 2
