"""The published schemas: valid, described throughout, current, and of one mind with lint about shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from loopx_policy.catalog_files import Sources
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.schema_files import read_schema
from loopx_policy.catalog_source.schemas import current_rule_schema, vocabulary_schema
from loopx_policy.catalog_source.vocabulary import read_vocabulary
from loopx_policy.catalog_source.yaml_nodes import load, plain

ROOT = Path(__file__).parents[2]
KINDS = ("canary", "facts", "families", "modes", "parameters", "points", "rule", "states", "strata")
HERE = Path(__file__).parent / "data"


def document(path: Path) -> Any:
    node = load(path.read_bytes(), path.name, Report())
    assert node is not None
    return plain(node)


def small_schema(sources: Sources) -> dict[str, Any]:
    return vocabulary_schema(read_schema("rule"), read_vocabulary(sources.vocabulary, Report()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_a_schema(kind: str) -> None:
    Draft202012Validator.check_schema(read_schema(kind))


def properties(schema: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            yield f"{path}.{name}", value
        for key, value in schema.items():
            if key not in ("if", "then", "else", "allOf", "not"):
                yield from properties(value, f"{path}.{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from properties(value, f"{path}[{number}]")


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_described_for_the_editor(kind: str) -> None:
    schema = read_schema(kind)
    found = list(properties(schema))
    operators = {"in", "not", "gt", "gte", "lt", "lte"}
    assert len(found) > 1 or kind == "states"
    assert [
        path for path, value in found if "description" not in value and path.rsplit(".", 1)[1] not in operators
    ] == []


def test_the_committed_rule_schema_knows_the_vocabulary() -> None:
    """Regenerate it with ``python -m loopx_policy.catalog_source.schemas``."""
    assert (ROOT / "catalog/schemas/rule.schema.json").read_text(encoding="utf-8") == current_rule_schema()


def test_putting_the_vocabulary_in_twice_changes_nothing(read: Callable[[], Sources]) -> None:
    vocabulary = read_vocabulary(read().vocabulary, Report())
    once = vocabulary_schema(read_schema("rule"), vocabulary)
    assert vocabulary_schema(once, vocabulary) == once


def test_an_editor_accepts_every_right_rule_file(read: Callable[[], Sources]) -> None:
    validator = Draft202012Validator(small_schema(read()))
    files = [*(HERE / "good" / "rules").rglob("*.yaml"), *(HERE / "positive").glob("*.yaml")]
    assert len(files) > 10
    for path in files:
        assert [error.message for error in validator.iter_errors(document(path))] == [], path.name


def test_an_editor_marks_what_lint_calls_unknown(read: Callable[[], Sources]) -> None:
    validator = Draft202012Validator(small_schema(read()))
    names = ("unknown-fact", "unknown-mode", "unknown-stratum", "unknown-state", "unknown-family", "unknown-verdict")
    others = ("unknown-block", "unknown-operator", "outside-domain-enum", "outside-domain-count-max", "missing-key")
    for name in (*names, *others):
        assert not validator.is_valid(document(HERE / "negative" / f"{name}.yaml")), name


def test_the_schema_of_the_real_rules_accepts_them() -> None:
    validator = Draft202012Validator(json.loads((ROOT / "catalog/schemas/rule.schema.json").read_text()))
    files = sorted((ROOT / "rules").rglob("*.yaml"))
    for path in files:
        assert [error.message for error in validator.iter_errors(document(path))] == [], path.name
