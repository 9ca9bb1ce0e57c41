"""A mutant lives exactly where no fixture's expectation notices it, as answering everything anew would tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Compare, Condition
from loopx_policy.errors import LoopxError
from loopx_policy.fixtures import load_folder
from loopx_policy.fixtures.answer import compare
from loopx_policy.fixtures.run import Runner
from loopx_policy.workshop.bench import Situation, situations
from loopx_policy.workshop.mutants import Mutant, mutants
from loopx_policy.workshop.mutate import Bench, changed_catalog, survey
from tests.engine.strategies import conditions, records, truth

from .samples import CANDIDATE, CLAIM, ELSEWHERE, NETWORK, PLAN, REMARK, REST, RULES, TURN, answered, invented
from .test_coverage import one_rule

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
CONNECTED = "plan_writeback case:IP-101.loose plan.connected: true -> true"


def everything() -> Catalog:
    return invented(*RULES, *TURN, *CANDIDATE, obligations=(CLAIM,))


def noticed(mutant: Mutant, catalog: Catalog, found: Sequence[Situation]) -> bool:
    """Whether some fixture fails when each is judged from its document on by the changed catalog."""
    runner = Runner(changed_catalog(catalog, mutant))
    for situation in found:
        try:
            answer, behind = runner.answer(situation.fixture, situation.given)
        except LoopxError:
            return True
        if compare(situation.expect, answer) or situation.reach.answered(behind) != situation.positive:
            return True
    return False


@pytest.mark.parametrize(
    "texts",
    [(PLAN,), (PLAN + ELSEWHERE, REMARK), (REST,), (NETWORK,), (PLAN, REMARK, REST, NETWORK)],
    ids=["a point", "two of a point", "a turn", "a candidate", "all"],
)
def test_a_mutant_lives_exactly_where_no_fixture_fails_when_all_are_judged_anew(
    tmp_path: Path, texts: tuple[str, ...]
) -> None:
    catalog = everything()
    found = answered(catalog, tmp_path, *texts)
    made = list(mutants(catalog))
    alive = [mutant.id for mutant in made if not noticed(mutant, catalog, found)]
    result = survey(catalog, found, {})
    assert result.alive == alive
    assert result.made == len(made)
    assert 0 < len(alive) < len(made)


def test_without_a_fixture_every_mutant_lives() -> None:
    catalog = everything()
    assert survey(catalog, [], {}).alive == [mutant.id for mutant in mutants(catalog)]


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["IP-008", "IP-020", "IP-021"])
def test_the_shortcuts_agree_with_judging_shipped_fixtures_anew(pattern: str) -> None:
    catalog = load_catalog()
    fixtures, _ = load_folder(str(FIXTURES), (pattern,))
    found = situations(catalog, fixtures)
    bench = Bench(catalog, found)
    mine = [mutant for mutant in mutants(catalog) if mutant.key.startswith(f"{pattern}.")][::7]
    assert len(mine) > 3
    for mutant in mine:
        assert bench.notices(mutant) is noticed(mutant, catalog, found), mutant.id


def test_a_comparison_that_no_fixture_shows_leaves_a_mutant_alive_and_a_near_miss_kills_it(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    (tmp_path / "poor").mkdir()
    (tmp_path / "rich").mkdir()
    assert CONNECTED in survey(catalog, answered(catalog, tmp_path / "poor", PLAN), {}).alive
    assert CONNECTED not in survey(catalog, answered(catalog, tmp_path / "rich", PLAN + ELSEWHERE), {}).alive


def test_an_excuse_closes_a_mutant_and_one_without_need_is_reported(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    found = answered(catalog, tmp_path, PLAN)
    plain = survey(catalog, found, {})
    dead = next(mutant.id for mutant in mutants(catalog) if mutant.id not in plain.alive)
    excuses = {CONNECTED: "why not", dead: "it was alive once", "turn case:IP-101.gone x": "?"}
    result = survey(catalog, found, excuses)
    assert result.alive == [name for name in plain.alive if name != CONNECTED]
    assert result.excused == {CONNECTED: "why not"}
    assert result.unused == [dead, "turn case:IP-101.gone x"]
    assert survey(catalog, found, excuses, ("IP-101",)).unused == []


def test_a_part_of_the_catalog_can_be_asked_for(tmp_path: Path) -> None:
    catalog = everything()
    found = answered(catalog, tmp_path, PLAN, REST)
    one, all_ = survey(catalog, found, {}, ("IP-102",)), survey(catalog, found, {})
    assert one.made == sum(mutant.key.startswith("IP-102.") for mutant in mutants(catalog)) < all_.made
    assert one.alive == [name for name in all_.alive if ":IP-102." in name]


def test_every_word_of_a_rule_is_tried() -> None:
    """Operator, threshold, mode, stratum, verdict and obligation (issue: what mutation flips)."""
    ids = {mutant.id for mutant in mutants(everything())}
    assert {
        "plan_writeback case:IP-101.loose plan.unwritten: {gte: 1} negated",
        "plan_writeback case:IP-101.loose plan.unwritten: {gte: 1} -> {gt: 1}",
        "plan_writeback case:IP-101.loose plan.unwritten: {gte: 1} -> {gte: 2}",
        "plan_writeback case:IP-101.loose all -> any at the top",
        "plan_writeback case:IP-101.loose verdict allow",
        "turn case:IP-102.paused mode health_blocked",
        "turn obligation:IP-102.claim kind user",
        "turn obligation:IP-102.claim taken out",
        "candidate case:IP-103.networked verdict runnable",
    } <= ids
    assert "turn case:IP-102.paused effective_action skip" not in ids, "that is what the rule says"
    assert any(name.startswith("turn case:IP-102.deliver stratum ") for name in ids)


@given(conditions())
def test_a_changed_condition_is_never_the_one_that_was(condition: Condition) -> None:
    for mutant in mutants(one_rule(condition)):
        if mutant.entry is not None and mutant.condition:
            assert mutant.entry.when != condition


@given(conditions(), records())
def test_a_negated_comparison_says_the_opposite_in_every_record(condition: Condition, record: dict[str, Any]) -> None:
    if isinstance(condition, Compare):
        (made,) = [mutant for mutant in mutants(one_rule(condition)) if mutant.id.endswith(" negated")]
        assert truth(made.entry.when, record) is not truth(condition, record)


@given(st.data())
def test_ids_are_distinct(data: st.DataObject) -> None:
    made = [mutant.id for mutant in mutants(one_rule(data.draw(conditions())))]
    assert len(made) == len(set(made))
