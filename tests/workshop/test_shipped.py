"""The shipped fixtures show each comparison deciding alone and notice each changed rule, but for the excused."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.fixtures import load_folder
from loopx_policy.workshop.bench import Situation, situations
from loopx_policy.workshop.coverage import cover
from loopx_policy.workshop.excuses import read_excuses
from loopx_policy.workshop.mutate import survey

FIXTURES = str(Path(__file__).parent.parent.parent / "fixtures")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> list[Situation]:
    fixtures, errors = load_folder(FIXTURES)
    assert errors == []
    return situations(load_catalog(), fixtures)


def test_every_comparison_is_shown_or_excused_and_no_excuse_is_idle(found: list[Situation]) -> None:
    result = cover(load_catalog(), found, read_excuses(FIXTURES, "coverage"))
    assert [leaf.id for leaf in result.missing] == []
    assert result.unused == []


def test_every_mutant_is_noticed_or_excused_and_no_excuse_is_idle(found: list[Situation]) -> None:
    result = survey(load_catalog(), found, read_excuses(FIXTURES, "mutants"))
    assert result.alive == []
    assert result.unused == []
    assert result.made > 5_000
