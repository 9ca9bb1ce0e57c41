"""Every example file gives exactly the findings that are written beside it, at their line and column."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.catalog_files import Sources
from loopx_policy.catalog_source.findings import RULES
from loopx_policy.catalog_source.lint import lint

DATA = Path(__file__).parent / "data"
NEGATIVE = sorted(path.stem for path in (DATA / "negative").glob("*.yaml"))
POSITIVE = sorted(path.stem for path in (DATA / "positive").glob("*.yaml"))
ELSEWHERE = {"not-text", "too-large", "unknown-case", "unknown-invariant", "added-id", "added-grants", "fill-in"}
"""Kinds whose examples are bytes that no editor writes, files beside the catalog, or rules of a project: see
test_yaml_nodes, test_laws, cli/test_added_rules, workshop/test_new.
"""


def expected(kind: str, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DATA / kind / f"{name}.expected.json").read_text())
    return document


def test_the_small_catalog_itself_is_clean(tree: Path, read: Callable[[], Sources]) -> None:
    assert lint(read(), str(tree)) == []


@pytest.mark.parametrize("name", NEGATIVE)
def test_a_wrong_file_is_found_at_its_place_in_one_sentence(name: str, tree: Path, read: Callable[[], Sources]) -> None:
    wanted = expected("negative", name)
    shutil.copy(DATA / "negative" / f"{name}.yaml", tree / wanted["put"])
    findings = lint(read(), str(tree))
    here = [finding.to_dict() for finding in findings if finding.at.startswith(wanted["put"])]
    assert [{key: value for key, value in row.items() if key != "message"} for row in here] == wanted["findings"]
    for finding in findings:
        assert finding.message.endswith(".")
        assert "\n" not in finding.message
        assert len(finding.message) < 260


@pytest.mark.parametrize("name", POSITIVE)
def test_a_right_file_is_clean(name: str, tree: Path, read: Callable[[], Sources]) -> None:
    shutil.copy(DATA / "positive" / f"{name}.yaml", tree / expected("positive", name)["put"])
    assert lint(read(), str(tree)) == []


def test_every_kind_of_mistake_has_an_example() -> None:
    shown = {finding["rule"] for name in NEGATIVE for finding in expected("negative", name)["findings"]}
    assert shown | ELSEWHERE == set(RULES)


def test_every_example_has_its_expectation_and_the_other_way_round() -> None:
    for kind, names in (("negative", NEGATIVE), ("positive", POSITIVE)):
        beside = sorted(path.name.removesuffix(".expected.json") for path in (DATA / kind).glob("*.json"))
        assert beside == names
        assert names
