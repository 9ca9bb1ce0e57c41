"""What holds, and how far a near miss is from it: laws over the records of shipped fixtures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Value
from loopx_policy.fixtures import Fixture, Runner, load_folder
from loopx_policy.fixtures.cover import point_of, resolve
from loopx_policy.fixtures.reach import Reach, Record, changed_facts, records

FIXTURES, _ = load_folder(str(Path(__file__).parents[2] / "fixtures"))
RUNNER = Runner(load_catalog())


def reach_of(fixture: Fixture) -> tuple[Reach, str]:
    key = resolve(RUNNER.catalog, fixture)
    return RUNNER.reach(fixture, key), key


def test_a_record_alone_says_what_the_whole_answer_says() -> None:
    differ = []
    for fixture in FIXTURES:
        reach, key = reach_of(fixture)
        _, behind = RUNNER.answer(fixture, fixture.given)
        alone = any(reach.over(record) for record in records(behind, key).values())
        if not (alone and reach.answered(behind)):
            differ.append(fixture.file)
    assert differ == []


@dataclass(slots=True)
class Held:
    """Something covered, a record over which it holds, and each single change of a fact that undoes it."""

    reach: Reach
    record: Record
    values: dict[str, tuple[Value, ...]]
    undoing: list[tuple[str, Value]]


def domain(fact: Fact) -> tuple[Value, ...]:
    """The values that a fact can have; small counts only."""
    if fact.type == "bool":
        return (False, True)
    return fact.values if fact.type == "enum" else tuple(range(min(fact.maximum, 4) + 1))


@cache
def held(number: int) -> Held:
    fixture = FIXTURES[number]
    reach, key = reach_of(fixture)
    _, behind = RUNNER.answer(fixture, fixture.given)
    record = next(record for record in records(behind, key).values() if reach.over(record))
    values = {name: domain(fact) for name, fact in RUNNER.catalog.points[point_of(key)].facts.items()}
    changes = [(name, value) for name in values for value in values[name] if value != record[name]]
    return Held(
        reach, record, values, [change for change in changes if not reach.over(dict([*record.items(), change]))]
    )


HELD = st.integers(0, len(FIXTURES) - 1).map(held).filter(lambda found: bool(found.undoing))


@settings(deadline=None)
@given(HELD, st.data())
def test_one_changed_fact_that_undoes_it_is_one_fact_away(found: Held, data: st.DataObject) -> None:
    name, value = data.draw(st.sampled_from(found.undoing))
    miss = {**found.record, name: value}
    assert found.reach.one_fact_away({"": found.record}, {"": miss}) is True
    assert changed_facts({"": found.record}, {"": miss}) == [name]


@settings(deadline=None)
@given(HELD)
def test_a_record_that_does_not_differ_is_not_one_fact_away(found: Held) -> None:
    same = {"": dict(found.record)}
    assert found.reach.one_fact_away({"": found.record}, same) is False
    assert changed_facts({"": found.record}, same) == []


@settings(deadline=None)
@given(HELD, st.data())
def test_whatever_else_changed_one_fact_that_brings_it_back_is_enough(found: Held, data: st.DataObject) -> None:
    name, value = data.draw(st.sampled_from(found.undoing))
    others = data.draw(st.lists(st.sampled_from(sorted(found.values)), max_size=4, unique=True))
    more = {other: data.draw(st.sampled_from(found.values[other])) for other in others}
    miss = {**found.record, **more, name: value}
    back = any(found.reach.over({**miss, other: found.record[other]}) for other in (name, *others))
    if back and not found.reach.over(miss):
        assert found.reach.one_fact_away({"": found.record}, {"": miss}) is True


def test_what_has_no_record_in_the_near_miss_has_no_distance() -> None:
    fixture = next(fixture for fixture in FIXTURES if fixture.covers == "IP-021.lacks_bridge")
    reach, key = reach_of(fixture)
    _, behind = RUNNER.answer(fixture, fixture.given)
    before = records(behind, key)
    assert reach.one_fact_away(before, {}) is None
    assert reach.one_fact_away(before, {"todo_elsewhere": next(iter(before.values()))}) is None
