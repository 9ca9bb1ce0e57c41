"""What holds, and how far a near miss is from it: laws over the records of shipped fixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Fact
from loopx_policy.fixtures import Fixture, Runner, load_folder
from loopx_policy.fixtures.cover import point_of, resolve
from loopx_policy.fixtures.reach import Reach, Record, changed_facts, records

FIXTURES, _ = load_folder(str(Path(__file__).parents[2] / "fixtures"))
RUNNER = Runner(load_catalog())


def reach_of(fixture: Fixture) -> tuple[Reach, str]:
    key = resolve(RUNNER.catalog, fixture)
    return RUNNER.reach(fixture, key), key


def sample(*points: str) -> list[Fixture]:
    """A few fixtures of some decision points."""
    found = [fixture for fixture in FIXTURES if point_of(resolve(RUNNER.catalog, fixture)) in points]
    return found[:: max(1, len(found) // 25)]


def another(fact: Fact, value: object) -> st.SearchStrategy[Any]:
    """Another value that a fact can have."""
    if fact.type == "bool":
        return st.just(not value)
    domain: st.SearchStrategy[Any] = (
        st.sampled_from(fact.values) if fact.type == "enum" else st.integers(0, min(fact.maximum, 9))
    )
    return domain.filter(lambda found: found != value)


@pytest.mark.parametrize("fixture", sample("turn", "candidate", "quota_spend"), ids=lambda fixture: fixture.file)
def test_a_record_alone_says_what_the_whole_answer_says(fixture: Fixture) -> None:
    reach, key = reach_of(fixture)
    _, behind = RUNNER.answer(fixture, fixture.given)
    assert reach.answered(behind) is any(reach.over(record) for record in records(behind, key).values())
    assert reach.answered(behind) is True


SAMPLES = [fixture for fixture in sample("turn", "candidate", "quota_spend") if "lead" not in fixture.expect]


@st.composite
def positives(draw: st.DrawFn) -> tuple[Reach, dict[str, Fact], Record]:
    """Something covered, the facts of its point, and a record over which it holds."""
    fixture = draw(st.sampled_from(FIXTURES))
    reach, key = reach_of(fixture)
    _, behind = RUNNER.answer(fixture, fixture.given)
    record = next(record for record in records(behind, key).values() if reach.over(record))
    facts = RUNNER.catalog.points[point_of(key)].facts
    return reach, {name: fact for name, fact in facts.items() if fact.type != "enum" or len(fact.values) > 1}, record


@given(positives(), st.data())
def test_one_changed_fact_that_undoes_it_is_one_fact_away(found: Any, data: Any) -> None:
    reach, facts, record = found
    name = data.draw(st.sampled_from(sorted(facts)))
    miss = {**record, name: data.draw(another(facts[name], record[name]))}
    assume(not reach.over(miss))
    assert reach.one_fact_away({"": record}, {"": miss}) is True
    assert changed_facts({"": record}, {"": miss}) == [name]


@given(positives())
def test_a_record_that_does_not_differ_is_not_one_fact_away(found: Any) -> None:
    reach, _, record = found
    assert reach.one_fact_away({"": record}, {"": dict(record)}) is False
    assert changed_facts({"": record}, {"": dict(record)}) == []


@given(positives(), st.data())
def test_one_fact_away_is_only_what_one_fact_brings_back(found: Any, data: Any) -> None:
    """Whatever changed: if no single fact restores the match, no single fact is said to."""
    reach, facts, record = found
    names = data.draw(st.lists(st.sampled_from(sorted(facts)), min_size=2, max_size=4, unique=True))
    miss = {**record, **{name: data.draw(another(facts[name], record[name])) for name in names}}
    assume(not reach.over(miss))
    back = [{**miss, name: record[name]} for name in names]
    if any(reach.over(restored) for restored in back):
        assert reach.one_fact_away({"": record}, {"": miss}) is True


def test_what_has_no_record_in_the_near_miss_has_no_distance() -> None:
    fixture = next(fixture for fixture in FIXTURES if fixture.covers == "IP-021.lacks_bridge")
    reach, key = reach_of(fixture)
    _, behind = RUNNER.answer(fixture, fixture.given)
    before = records(behind, key)
    assert reach.one_fact_away(before, {}) is None
    assert reach.one_fact_away(before, {"todo_elsewhere": next(iter(before.values()))}) is None
