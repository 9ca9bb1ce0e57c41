"""Drift between the canary data, the rule files and the tree is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace as replaced
from functools import lru_cache
from typing import Any

import pytest

from loopx_policy.canary.audit import audit
from loopx_policy.canary.expand import expand
from loopx_policy.canary.git import files_of
from loopx_policy.canary.shapes import Name, Rationale
from loopx_policy.canary.tree import Tree
from loopx_policy.canary.use import Use
from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.rules import RuleFile, read_rules
from loopx_policy.records import replace

from .conftest import ROOT

MANY = ("fixtures/", "tests/catalog_source/data/")
Found = list[tuple[str, str]]


@lru_cache(maxsize=1)
def rules() -> list[RuleFile]:
    return read_rules(read_sources().rules, Report())


@lru_cache(maxsize=1)
def files() -> list[str]:
    return files_of(str(ROOT))


def drift(
    tree: Tree, use: Use, changed: Sequence[RuleFile] | None = None, listed: Sequence[str] | None = None
) -> Found:
    """Kind and message of each error; of the many files that no path names one by one a few will do."""
    report = Report()
    some = [file for number, file in enumerate(files()) if not file.startswith(MANY) or number % 20 == 0]
    audit(tree, rules() if changed is None else changed, use, some if listed is None else listed, report)
    return [(found.rule, found.message) for found in report.findings if found.severity == "error"]


def test_this_repository_has_not_drifted(shipped: Tree, use: Use) -> None:
    assert drift(shipped, use, listed=files()) == []


def test_every_p0_and_p1_pattern_has_a_check_and_a_profile_or_a_reason(shipped: Tree, use: Use) -> None:
    audited = audit(shipped, rules(), use, files(), Report())
    assert {each["pattern"] for each in audited.patterns} == {rule.id for rule in rules() if rule.importance != "P2"}
    for each in audited.patterns:
        assert each["checks"], each
        assert each["profiles"] or each["rationale"], each


def test_a_new_pattern_that_no_row_lists_is_drift(shipped: Tree, use: Use) -> None:
    first = rules()[0]
    new = replaced(first, id="IP-777", importance="P1", family="work_routing")
    (found,) = drift(shipped, use, [*rules(), new])
    assert found[0] == "canary-family"
    assert "IP-777" in found[1]


def test_a_row_that_lists_what_has_no_rule_file_is_drift(shipped: Tree, use: Use) -> None:
    left = [rule for rule in rules() if rule.id != "IP-007"]
    assert [kind for kind, _ in drift(shipped, use, left)] == ["canary-family"]


@pytest.mark.parametrize("change", [{"family": "ground"}, {"importance": "P2"}])
def test_a_row_that_disagrees_with_the_rule_file_is_drift(shipped: Tree, use: Use, change: dict[str, Any]) -> None:
    moved = [replaced(rule, **change) if rule.id == "IP-007" else rule for rule in rules()]
    assert "canary-family" in [kind for kind, _ in drift(shipped, use, moved)]


def test_a_p2_pattern_in_a_profile_that_has_become_p1_is_drift(shipped: Tree, use: Use) -> None:
    moved = [replaced(rule, importance="P1") if rule.id == "IP-009" else rule for rule in rules()]
    assert "canary-special" in [kind for kind, _ in drift(shipped, use, moved)]


def without_ground(tree: Tree) -> None:
    for name, profile in tree.data.profiles.items():
        families = tuple(family for family in profile.families if family != "ground")
        tree.data.profiles[name] = replace(profile, families=families)


def reason(tree: Tree, pattern: str) -> None:
    tree.data.rationales[pattern] = Rationale(Name.placed(pattern, Mark("here")), "because")


def test_a_pattern_without_a_profile_needs_a_reason(shipped: Tree, use: Use) -> None:
    without_ground(shipped)
    ground = shipped.data.families["ground"].patterns
    assert [kind for kind, _ in drift(shipped, use)] == ["canary-profile"] * len(ground)
    for pattern in ground:
        reason(shipped, pattern)
    assert drift(shipped, use) == []


def test_a_reason_that_nothing_needs_is_drift(shipped: Tree, use: Use) -> None:
    reason(shipped, "IP-001")
    assert [kind for kind, _ in drift(shipped, use)] == ["canary-profile"]


def test_what_no_check_covers_is_drift(shipped: Tree, use: Use) -> None:
    del shipped.data.checks["matching_tests"]
    (found,) = drift(shipped, use)
    assert found[0] == "canary-cover"
    assert "matching" in found[1]


def test_a_deep_check_is_no_cover(shipped: Tree, use: Use) -> None:
    checks = shipped.data.checks
    deep = Name.placed("deep", Mark("here"))
    checks["matching_tests"] = replace(checks["matching_tests"], deep=True, tier=deep)
    assert [kind for kind, _ in drift(shipped, use)] == ["canary-cover"]


def test_a_path_that_matches_nothing_is_drift(shipped: Tree, use: Use) -> None:
    left = [file for file in files() if not file.startswith("bench/")]
    assert [kind for kind, _ in drift(shipped, use, listed=left)] == ["canary-glob"]


def test_a_test_that_is_gone_is_drift(shipped: Tree, use: Use) -> None:
    left = [file for file in files() if file != "tests/cli/test_start_up.py"]
    assert [kind for kind, _ in drift(shipped, use, listed=left)] == ["canary-test"]


def test_a_check_dearer_than_its_tier_is_drift(shipped: Tree, use: Use) -> None:
    checks = shipped.data.checks
    checks["lint"] = replace(checks["lint"], milliseconds=10**6)
    assert [kind for kind, _ in drift(shipped, use)] == ["canary-tier"]


def test_a_file_that_belongs_nowhere_is_told(shipped: Tree, use: Use) -> None:
    report = Report()
    audit(shipped, rules(), use, [*files(), "lighthouse/lamp.c"], report)
    assert "lighthouse/lamp.c:1:1" in [found.at for found in report.findings if found.rule == "canary-file"]


def test_a_check_for_each_pattern_is_one_for_each(shipped: Tree, use: Use, pattern_ids: Callable[[], set[str]]) -> None:
    ids = {item.id for item in expand(shipped.data, use)}
    assert {f"pattern_fixtures:{name}" for name in pattern_ids()} <= ids


@pytest.fixture
def pattern_ids() -> Callable[[], set[str]]:
    return lambda: {rule.id for rule in rules()}
