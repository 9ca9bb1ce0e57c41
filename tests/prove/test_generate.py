"""What no fixture shows is made of a witness: a fixture that runs, with the expectation that the order declares."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Catalog
from loopx_policy.fixtures.cover import missing
from loopx_policy.fixtures.load import Fixture, load, load_folder
from loopx_policy.fixtures.run import Runner
from loopx_policy.prove.generate import generate, neighbours
from loopx_policy.prove.theories import Theories
from loopx_policy.workshop.bench import situations
from tests.prove.faults import swapped

FOLDER = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def shipped() -> list[Fixture]:
    fixtures, unread = load_folder(str(FOLDER))
    assert unread == []
    return fixtures


@pytest.fixture(scope="module")
def theories(catalog: Catalog, laws: Laws) -> Theories:
    return Theories(catalog, laws)


def test_the_shipped_fixtures_show_each_case_and_each_pair_of_neighbours(
    catalog: Catalog, theories: Theories, shipped: list[Fixture]
) -> None:
    result = generate(theories, situations(catalog, shipped), missing(catalog, shipped))
    assert (result.made, result.without) == ([], {})
    assert result.pairs == result.shown > 0


def test_neighbours_are_told_in_the_order_in_which_cases_lead(catalog: Catalog, theories: Theories) -> None:
    keys = [case.key for case in catalog.cases["turn"]]
    found = [(keys.index(first.key), keys.index(second.key)) for first, second in neighbours(theories)]
    assert all(first < second for first, second in found)
    assert all(before < after for (before, _), (after, _) in pairwise(found))


def test_a_pair_that_no_fixture_shows_becomes_one_that_passes(
    catalog: Catalog, theories: Theories, tmp_path: Path
) -> None:
    """With no fixture at all every pair is missing; most are made, and what is made runs as it expects."""
    result = generate(theories, [], [])
    assert result.shown == 0
    assert len(result.made) + len(result.without) == result.pairs
    assert len(result.made) > len(result.without)
    runner = Runner(catalog)
    for made in result.made:
        assert made.judged
        path = tmp_path / made.name
        path.parent.mkdir(exist_ok=True)
        path.write_text(made.yaml(), encoding="utf-8")
        outcomes = runner.run(load(str(path), made.name))
        assert [outcome.differences for outcome in outcomes if not outcome.passed] == []
        assert len(outcomes) == 2


def test_a_pair_notices_that_its_cases_were_swapped(theories: Theories, tmp_path: Path) -> None:
    """The expectation is the order's at the time of writing, so a later swap of the strata fails it."""
    made = next(made for made in generate(theories, [], []).made if "before_ip012_observe_handle" in made.name)
    path = tmp_path / "pair.yaml"
    path.write_text(made.yaml(), encoding="utf-8")
    positive, _ = Runner(swapped("quota", "evidence")).run(load(str(path), "GR-throttled/pair.yaml"))
    assert ("lead", "IP-012.observe_handle") in [(each.field, each.found) for each in positive.differences]


def test_what_a_person_has_to_judge_is_left_open(catalog: Catalog, theories: Theories, shipped: list[Fixture]) -> None:
    found = situations(catalog, shipped)
    result = generate(theories, found, ["turn:IP-005.prose_only", "obligation:IP-010.widen"])
    (made,) = result.made
    assert made.name == "IP-005/prose_only.yaml"
    assert not made.judged
    assert made.document["expect"] == {}
    assert "TODO" in made.document["seed"]
    assert list(result.without) == ["obligation:IP-010.widen"]
