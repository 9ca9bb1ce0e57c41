"""The overlay schemas say what the seed says: its fields, its enums, and nothing beside them.

Seed: Optional OM/HITL Overlay Schemas; Decision Scope Model.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parent.parent / "catalog" / "schemas" / "overlays"

PAGE = Path(__file__).parent.parent / "docs" / "overlays.md"

ROLE: dict[str, Any] = {
    "applies_to": "review_packet",
    "human_role": "owner",
    "ai_role": "drafter",
    "decision_owner": "human",
    "validation_owner": "tool",
}
METRIC: dict[str, Any] = {
    "operator_interruptions": 2,
    "concrete_user_todo_count": 1,
    "agent_delivery_attempts": 4,
    "quiet_noop_count": 0,
    "repair_delta_count": 1,
}
SCOPE: dict[str, Any] = {"kind": "write_scope", "granularity": "lane", "scope_key": "docs"}

SMALLEST = {"human_ai_role_contract_v0": ROLE, "ops_metric_overlay_v0": METRIC, "decision_scope_v0": SCOPE}
OPTIONAL: dict[str, dict[str, Any]] = {
    "human_ai_role_contract_v0": {
        "handoff_contract": "the draft names its sources",
        "forbidden_substitution": ["approve the release"],
    },
    "ops_metric_overlay_v0": {"blocked_minutes": 12.5, "evidence_quality": "compact", "notes": "one slow gate"},
    "decision_scope_v0": {"expires_at": "2026-12-24T12:00:00+00:00"},
}
ENUMS = {
    ("human_ai_role_contract_v0", "applies_to"): "quota_payload status_card review_packet catalog_pattern run",
    ("human_ai_role_contract_v0", "human_role"): "owner reviewer operator evaluator none",
    ("human_ai_role_contract_v0", "ai_role"): "executor observer drafter verifier router",
    ("human_ai_role_contract_v0", "decision_owner"): "human ai shared external",
    ("human_ai_role_contract_v0", "validation_owner"): "human ai tool external",
    ("ops_metric_overlay_v0", "evidence_quality"): "missing surface compact verifier_backed",
    ("decision_scope_v0", "kind"): "private_read write_scope resource production public_claim direction",
    ("decision_scope_v0", "granularity"): "action lane goal project global",
}
FAILURES = [
    "missing_concrete_user_todo",
    "wrong_agent_blocked",
    "stale_next_action",
    "hidden_blocked_priority",
    "no_repair_delta",
    "scope_projection_gap",
    "capability_bridge_missing",
    "private_boundary_ambiguous",
    "external_evidence_missing",
]


@cache
def load(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema


def accepts(name: str, document: object) -> bool:
    return not list(Draft202012Validator(load(name)).iter_errors(document))


def descriptions_missing(schema: dict[str, Any]) -> list[str]:
    parts = {"": schema, **schema.get("properties", {}), **{c["const"]: c for c in schema.get("oneOf", ())}}
    return [name for name, part in parts.items() if not part.get("description")]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_each_schema_is_valid_titled_by_its_file_and_described_throughout(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert path.name == f"{schema['title']}.schema.json"
    assert descriptions_missing(schema) == []


def test_the_folder_holds_these_four_schemas() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {
        f"{name}.schema.json" for name in [*SMALLEST, "escalation_failure_type_v0"]
    }


@pytest.mark.parametrize("name", SMALLEST)
def test_required_fields_alone_are_enough_and_every_optional_one_may_be_added(name: str) -> None:
    assert accepts(name, SMALLEST[name])
    assert accepts(name, SMALLEST[name] | OPTIONAL[name])


@pytest.mark.parametrize("name", SMALLEST)
def test_the_fields_are_those_of_the_seed(name: str) -> None:
    assert set(load(name)["properties"]) == set(SMALLEST[name]) | set(OPTIONAL[name])


@pytest.mark.parametrize(("name", "field"), [(name, field) for name in SMALLEST for field in SMALLEST[name]])
def test_no_required_field_may_be_left_out(name: str, field: str) -> None:
    assert not accepts(name, {key: value for key, value in SMALLEST[name].items() if key != field})


@pytest.mark.parametrize(("name", "field"), ENUMS)
def test_an_enum_holds_the_values_of_the_seed_in_its_order_and_no_other(name: str, field: str) -> None:
    values = ENUMS[name, field].split()
    assert load(name)["properties"][field]["enum"] == values
    assert all(accepts(name, SMALLEST[name] | {field: value}) for value in values)
    assert not accepts(name, SMALLEST[name] | {field: "somebody"})


@pytest.mark.parametrize("name", SMALLEST)
@given(field=st.text(min_size=1))
def test_a_field_that_the_seed_does_not_name_is_refused(name: str, field: str) -> None:
    assume(field not in load(name)["properties"])
    assert not accepts(name, SMALLEST[name] | {field: "x"})


@pytest.mark.parametrize("field", METRIC)
@given(value=st.one_of(st.integers(max_value=-1), st.floats(allow_nan=False).filter(lambda x: x % 1 != 0), st.text()))
def test_a_count_is_a_whole_number_from_zero(field: str, value: object) -> None:
    assert not accepts("ops_metric_overlay_v0", METRIC | {field: value})


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("human_ai_role_contract_v0", {"forbidden_substitution": "approve the release"}),
        ("human_ai_role_contract_v0", {"forbidden_substitution": [1]}),
        ("human_ai_role_contract_v0", {"handoff_contract": True}),
        ("ops_metric_overlay_v0", {"blocked_minutes": -1}),
        ("ops_metric_overlay_v0", {"notes": ["a"]}),
        ("decision_scope_v0", {"scope_key": ""}),
        ("decision_scope_v0", {"expires_at": 1}),
    ],
)
def test_a_field_of_the_wrong_shape_is_refused(name: str, part: dict[str, Any]) -> None:
    assert not accepts(name, SMALLEST[name] | part)


def test_an_escalation_failure_is_exactly_one_of_the_nine_labels() -> None:
    assert [choice["const"] for choice in load("escalation_failure_type_v0")["oneOf"]] == FAILURES
    assert all(accepts("escalation_failure_type_v0", label) for label in FAILURES)
    assert not any(accepts("escalation_failure_type_v0", other) for other in ("gate_missing", "", None, FAILURES))


def test_each_example_of_the_documentation_conforms_and_each_schema_has_one() -> None:
    found = re.findall(r"^## (\w+)$.*?```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.S | re.M)
    examples = {name: json.loads(text) for name, text in found}
    assert set(examples) == set(SMALLEST) | {"escalation_failure_type_v0"}
    assert [name for name, example in examples.items() if not accepts(name, example)] == []
