"""Policy lives in the rule files alone: without its file, a pattern's behaviour is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.catalog_cache import compile_sources
from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.lint import lint
from loopx_policy.fixtures import Fixture, Runner, load_folder
from loopx_policy.fixtures.answer import compare
from loopx_policy.records import replace

FOLDER = Path(__file__).parents[1] / "fixtures"
FIXTURES, _ = load_folder(str(FOLDER))
SOURCES = read_sources()
FILES = {Path(file.name).stem: file for file in SOURCES.rules}


def pattern_of(stem: str) -> str:
    """``IP-021`` of ``IP-021-per-todo-capability-gate``; ground states are named as their file is."""
    return stem[:6] if stem.startswith("IP-") else stem


PATTERNS = sorted(pattern_of(stem) for stem in FILES)


def test_the_29_patterns_are_there() -> None:
    assert {f"IP-{number:03d}" for number in range(1, 30)} <= set(PATTERNS)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_without_its_file_a_pattern_decides_nothing(pattern: str) -> None:
    own = [fixture for fixture in FIXTURES if fixture.patterns[1] == pattern]
    rest = tuple(file for stem, file in FILES.items() if pattern_of(stem) != pattern)
    runner = Runner(compile_sources(replace(SOURCES, rules=rest, digest="0" * 16)))
    assert any(behaves_otherwise(runner, fixture) for fixture in own), f"{len(own)} fixtures still see it"


def test_what_comes_after_a_removed_case_still_decides_and_lint_tells_of_it() -> None:
    """Order is all that ``after`` says, so a name that is gone is to be mended and breaks no catalog."""
    rest = tuple(file for stem, file in FILES.items() if pattern_of(stem) != "IP-002")
    sources = replace(SOURCES, rules=rest, digest="0" * 16)
    found = [finding for finding in lint(sources) if finding.rule == "after-nothing"]
    assert {finding.severity for finding in found} == {"error"}
    assert any("IP-002." in finding.message for finding in found)
    deliver = next(case for case in compile_sources(sources).cases["turn"] if case.key == "IP-001.deliver")
    assert [key for key in deliver.after if key.startswith("IP-002.")] != []


def behaves_otherwise(runner: Runner, fixture: Fixture) -> bool:
    """Whether some expected field but the lead's name is different now."""
    answer, _ = runner.answer(fixture, fixture.given)
    return any(item.field not in ("lead", "pattern", "case") for item in compare(fixture.expect, answer))
