"""docs/rule-files.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.conditions import Scope, read_condition
from loopx_policy.catalog_source.findings import RULES, Report
from loopx_policy.catalog_source.lint_files import KEY_ORDER
from loopx_policy.catalog_source.schema_files import read_schema
from loopx_policy.catalog_source.vocabulary import read_vocabulary
from loopx_policy.catalog_source.yaml_nodes import load

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rule-files.md").read_text(encoding="utf-8")


def test_every_finding_has_an_anchor_and_every_anchor_a_finding() -> None:
    anchors = re.findall(r'<a id="([a-z-]+)"></a>`([a-z-]+)`', PAGE)
    assert [name for name, shown in anchors if name != shown] == []
    assert sorted(name for name, _ in anchors) == sorted(RULES)


def test_the_whole_file_of_the_page_is_one_that_lint_accepts() -> None:
    shown = PAGE.split("```yaml\n", 1)[1].split("```", 1)[0]
    assert shown == (Path(__file__).parent / "data/good/rules/routing/IP-101-bounded-work.yaml").read_text()


def test_every_top_level_key_is_explained_in_order() -> None:
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \|", PAGE.split("## The keys", 1)[1].split("### ", 1)[0], re.MULTILINE)
    assert tuple(re.findall(r"[a-z_]+", " ".join(rows))) == KEY_ORDER
    assert set(KEY_ORDER) == set(read_schema("rule")["properties"])


def test_every_key_of_a_turn_case_is_explained() -> None:
    rows = PAGE.split("### A case of a turn", 1)[1].split("### ", 1)[0]
    keys = set(re.findall(r"^\| `([a-z_]+)` \|", rows, re.MULTILINE))
    assert keys == set(read_schema("rule")["$defs"]["turnCase"]["properties"])


def test_the_conditions_of_the_page_can_be_written_for_a_turn() -> None:
    report = Report()
    vocabulary = read_vocabulary(read_sources().vocabulary, report)
    facts = {name: doc.fact for name, doc in vocabulary.facts["turn"].items()}
    figures = {name: doc.value for name, doc in vocabulary.parameters.items()}
    rows = re.findall(r"^\| `(\{.*?\})` \|", PAGE.split("## Conditions", 1)[1].split("\n## ", 1)[0], re.MULTILINE)
    assert len(rows) > 8
    for row in rows:
        node = load(row.replace("[c, c]", "[{}, {}]").encode(), "page", report)
        assert node is not None
        read_condition(node, Scope("turn", facts, {}, figures, set(), set(), "IP-000"), report)
    assert report.findings == []
