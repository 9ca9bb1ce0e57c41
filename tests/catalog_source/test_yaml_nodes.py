"""YAML is read strictly, with places, into JSON types only."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_files import MAX_FILE
from loopx_policy.catalog_source import yaml_nodes
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.yaml_nodes import ListNode, MapNode, ScalarNode, load, plain

GOOD = Path(__file__).parent / "data" / "good"


def findings(data: bytes) -> list[tuple[str, str]]:
    report = Report()
    load(data, "f.yaml", report)
    return [(finding.at, finding.rule) for finding in report.sorted()]


def test_every_node_knows_its_place() -> None:
    report = Report()
    root = load("a: 1\nb:\n  - x\n  - {c: ü, d: true}\n".encode(), "f.yaml", report)
    assert isinstance(root, MapNode)
    items = root.entries["b"]
    assert isinstance(items, ListNode)
    inner = items.items[1]
    assert isinstance(inner, MapNode)
    assert root.keys == {"a": Mark("f.yaml", 1, 1), "b": Mark("f.yaml", 2, 1)}
    assert inner.mark == Mark("f.yaml", 4, 5)
    assert inner.keys["d"] == Mark("f.yaml", 4, 12)
    assert inner.entries["d"] == ScalarNode(Mark("f.yaml", 4, 15), True)
    assert report.findings == []


@pytest.mark.parametrize("text, value", [("1", 1), ("-3", -3), ("0", 0), ("true", True), ("null", None), ("", None)])
def test_a_plain_scalar_of_json_keeps_its_type(text: str, value: object) -> None:
    assert yaml_nodes.resolve(text) == (value, "")


@pytest.mark.parametrize("text", ["1.2.3", "none", "IP-001", "v1.0", "12:30 o'clock", "nothing", "e1", "."])
def test_what_merely_resembles_a_surprise_is_text(text: str) -> None:
    assert yaml_nodes.resolve(text) == (text, "")


@pytest.mark.parametrize(
    "text, written",
    [
        ("no", 'false, or "no"'),
        ("Yes", 'true, or "Yes"'),
        ("OFF", 'false, or "OFF"'),
        ("True", 'true, or "True"'),
        ("~", 'null, or "~"'),
        ("1.10", '"1.10"'),
        ("0o17", '"0o17"'),
        ("1_000", '"1_000"'),
        ("12:30", '"12:30"'),
        ("2026-12-01", '"2026-12-01"'),
    ],
)
def test_a_surprise_says_what_to_write(text: str, written: str) -> None:
    value, advice = yaml_nodes.resolve(text)
    assert value == text
    assert f"write {written}" in advice or f", or {written}" in advice


@settings(max_examples=300, deadline=None)
@given(text=st.text(alphabet="0123456789.:-+_eEoxTZnyftrualsNYOF~ ", min_size=1, max_size=8).map(str.strip))
def test_no_plain_scalar_comes_out_as_something_else_than_yaml_1_1_says_without_a_finding(text: str) -> None:
    """Where other readers of YAML disagree with us about a scalar, we have said so."""
    if text.startswith(("---", "...")):
        return  # the mark of a document, no scalar
    value, advice = yaml_nodes.resolve(text)
    try:
        other = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return
    if isinstance(other, str) and other != text:
        return  # not a plain scalar that stands for itself
    if not isinstance(other, (dict, list)) and not advice:
        assert (type(value), value) == (type(other), other)


printable = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**12), 10**12), printable),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.from_regex(r"k[a-z]{0,6}", fullmatch=True), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(value=json_values)
def test_json_is_read_as_json(value: object) -> None:
    report = Report()
    node = load(json.dumps(value, ensure_ascii=False).encode(), "f.json", report)
    assert node is not None
    assert plain(node) == value
    assert report.findings == []


@settings(max_examples=200, deadline=None)
@given(
    data=st.one_of(st.binary(max_size=60), st.text(alphabet="{}[]:,-&*!|>'\"#?@%ab \n\t", max_size=60).map(str.encode))
)
def test_no_bytes_raise(data: bytes) -> None:
    report = Report()
    node = load(data, "f.yaml", report)
    assert node is not None or report.findings


def test_a_file_beyond_the_limit_is_not_parsed() -> None:
    assert findings(b"a" * (MAX_FILE + 1)) == [("f.yaml:1:1", "too-large")]


def test_bytes_that_are_no_text_are_placed() -> None:
    assert findings(b"a: b\nc: \xff\n") == [("f.yaml:2:4", "not-text")]


def test_a_control_character_is_no_text() -> None:
    assert findings(b"a: b\x00\n") == [("f.yaml:1:1", "not-text")]


def test_a_byte_order_mark_is_let_pass() -> None:
    report = Report()
    node = load(b"\xef\xbb\xbfa: b\n", "f.yaml", report)
    assert node is not None
    assert (plain(node), report.findings) == ({"a": "b"}, [])


def test_deep_nesting_is_refused_before_it_costs_anything() -> None:
    limit = sys.getrecursionlimit()
    assert findings(b"[" * (limit * 4))[0][1] == "too-deep"


def test_both_parsers_give_the_same_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    files = sorted(GOOD.rglob("*.yaml"))
    quick = [load(path.read_bytes(), path.name, Report()) for path in files]
    monkeypatch.setattr(yaml_nodes, "_QUICK", yaml.SafeLoader)
    assert [load(path.read_bytes(), path.name, Report()) for path in files] == quick
    assert len(files) > 5
