"""Every shipped fixture holds, and everything that the catalog can say has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.fixtures import Fixture, Runner, load_folder
from loopx_policy.fixtures.cover import missing

FOLDER = Path(__file__).parents[1] / "fixtures"
FIXTURES, ERRORS = load_folder(str(FOLDER))


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner(load_catalog())


def test_every_file_can_be_read() -> None:
    assert [str(error) for error in ERRORS] == []


def test_everything_in_the_catalog_has_a_fixture(runner: Runner) -> None:
    assert missing(runner.catalog, FIXTURES) == []


def test_whom_each_obligation_is_owed_to_and_what_is_withheld_is_stated_by_a_fixture(runner: Runner) -> None:
    for field, entries in (
        ("obligation_kinds", runner.catalog.obligations),
        ("withheld_kinds", runner.catalog.withholdings),
    ):
        stated = {key for fixture in FIXTURES for key in fixture.expect.get(field, ())}
        assert {item.key for item in entries} - stated == set()


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.file)
def test_it_decides_as_its_passage_demands(runner: Runner, fixture: Fixture) -> None:
    failed = [outcome.to_dict() for outcome in runner.run(fixture) if not outcome.passed]
    assert failed == []
