"""Deny by default, deny-overrides, and an input that is checked before it is judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point, read_schema
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import CatalogError, StateError, UsageError
from loopx_policy.fixtures import Fixture, load_folder
from loopx_policy.schema_check import misfits

ROOT = Path(__file__).parents[2]
FIXTURES = [each for each in load_folder(str(ROOT / "fixtures"))[0] if each.point not in ("turn", "candidate")]
POINTS = [
    "todo_transition", "state_refresh", "quota_spend", "lease_claim", "decision_write", "goal_change",
    "connector_run", "evidence_count", "assistance", "material_intake", "packet_field", "plan_writeback",
]  # fmt: skip
PERMITS = {
    "evidence_count": {"countable"}, "material_intake": {"register_tracked", "register_local"},
    "packet_field": {"sidecar", "stable"}, "state_refresh": {"recorded"},
}  # fmt: skip
ANSWER = json.loads((ROOT / "catalog/schemas/point_decision.schema.json").read_text())


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def least(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The smallest document that a schema allows: only what is required, and of each the first choice."""
    if "$ref" in schema:
        found: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema["type"][0] if isinstance(schema.get("type"), list) else schema.get("type")
    if kind == "object":
        return {name: least(schema["properties"][name], root) for name in schema.get("required", ())}
    return {"array": [], "string": "x", "integer": 0, "boolean": False}.get(str(kind))


def test_there_are_twelve_points_beside_turn_and_candidate(catalog: Catalog) -> None:
    assert [name for name in catalog.points if name not in ("turn", "candidate")] == POINTS


@pytest.mark.parametrize("point", POINTS)
def test_a_document_that_says_next_to_nothing_is_never_permitted(catalog: Catalog, point: str) -> None:
    schema = read_schema(point)
    base = least(schema, schema)
    name = next((key for key in ("operation", "question", "step", "placement") if key in schema["properties"]), "")
    choices = schema["properties"][name]["enum"] if name else [None]
    harmless = {("state_refresh", "progress"), ("state_refresh", "dreaming_propose"), ("todo_transition", "add")}
    for choice in choices:
        if point in ("plan_writeback",) or (point, choice) in harmless:
            continue
        document = base | ({name: choice} if name else {})
        answer = decide_point(catalog, point, document)
        assert answer.verdict not in PERMITS.get(point, {"allow"}), (choice, answer)


@pytest.mark.parametrize("point", POINTS)
def test_an_unknown_key_is_refused_at_its_path_with_the_nearest_name(catalog: Catalog, point: str) -> None:
    schema = read_schema(point)
    known = next(iter(schema["properties"]))
    with pytest.raises(StateError, match=r"is not known here") as caught:
        decide_point(catalog, point, least(schema, schema) | {f"{known}s": 1})
    assert caught.value.at == f"$.{known}s"
    assert known in str(caught.value)


def test_an_unknown_point_is_a_slip_with_the_nearest_name(catalog: Catalog) -> None:
    with pytest.raises(UsageError, match="lease_claim"):
        decide_point(catalog, "lease_clam", {})
    with pytest.raises(UsageError, match="Points:"):
        decide_point(catalog, "zzz", {})
    with pytest.raises(UsageError, match="quota should-run"):
        decide_point(catalog, "turn", {})


@pytest.mark.parametrize("fixture", FIXTURES[::7], ids=lambda fixture: fixture.file)
def test_the_answer_has_its_published_shape(catalog: Catalog, fixture: Fixture) -> None:
    answer = decide_point(catalog, fixture.point, fixture.given).to_dict()
    assert list(Draft202012Validator(ANSWER).iter_errors(json.loads(json.dumps(answer)))) == []


def test_of_several_denials_the_first_in_order_speaks_and_all_say_what_they_require(catalog: Catalog) -> None:
    document = {
        "operation": "spend",
        "slots": 2,
        "decision": {"standing": "stale", "spend_after_validation": False},
        "delivery": {"kind": "poll"},
    }
    answer = decide_point(catalog, "quota_spend", document)
    assert answer.case == "IP-001.stale_decision"
    assert "book one slot" in answer.requires
    assert len(answer.requires) == len(set(answer.requires)) >= 4


LIES = st.sampled_from(FIXTURES)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(good=LIES, bad=LIES)
def test_a_failed_precondition_never_turns_a_denial_into_a_permit(
    catalog: Catalog, good: Fixture, bad: Fixture
) -> None:
    """Laying a denied document over a permitted one, key by key, never permits what some key denies by itself."""
    if good.point != bad.point:
        return
    permits = PERMITS.get(good.point, {"allow"})
    first = decide_point(catalog, good.point, good.given)
    if first.verdict not in permits:
        return
    for key, value in bad.given.items():
        if misfits(good.given | {key: value}, read_schema(good.point)):
            continue
        both = decide_point(catalog, good.point, good.given | {key: value})
        order = catalog.points[good.point].verdicts
        matched = {case.verdict for case in catalog.cases[good.point] if case.key in both.matched}
        strictest = min(matched, key=order.index) if matched else catalog.points[good.point].default
        assert both.verdict == strictest


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(fixture=LIES, key=st.text(max_size=6), value=JSON, data=st.data())
def test_our_schema_check_agrees_with_jsonschema(fixture: Fixture, key: str, value: Any, data: st.DataObject) -> None:
    schema = read_schema(fixture.point)
    document = json.loads(json.dumps(fixture.given))
    keys = [*document, key]
    document[data.draw(st.sampled_from(keys))] = value
    theirs = not list(Draft202012Validator(schema).iter_errors(document))
    assert (not misfits(document, schema)) == theirs


@pytest.mark.parametrize(
    ("schema", "document", "told"),
    [
        ({"type": "string", "minLength": 2}, "a", "shorter than 2"),
        ({"type": "string", "minLength": 1}, "", "is empty"),
        ({"type": "string", "maxLength": 2}, "abc", "longer than 2"),
        ({"type": "string", "pattern": "^a"}, "b", "not of the form"),
        ({"type": "integer", "minimum": 1}, 0, "less than 1"),
        ({"type": "integer", "maximum": 1}, 2, "more than 1"),
        ({"type": "array", "minItems": 1}, [], "fewer than 1"),
        ({"type": "array", "maxItems": 1}, [1, 2], "more than 1"),
        ({"const": 1}, True, "not 1"),
        ({"type": ["string", "null"]}, 5, "a text or empty"),
        ({"type": "number"}, "x", "a number"),
        ({"additionalProperties": {"type": "string"}}, {"a": 1}, "$.a is not a text"),
        ({"required": ["a"]}, {}, "$.a is missing"),
    ],
)
def test_a_misfit_is_told_in_one_sentence(schema: dict[str, Any], document: Any, told: str) -> None:
    (found,) = misfits(document, schema)
    assert told in str(found)
    assert list(Draft202012Validator(schema).iter_errors(document))


def test_a_schema_that_says_more_than_we_understand_is_an_error() -> None:
    with pytest.raises(CatalogError, match="uniqueItems"):
        misfits([], {"uniqueItems": True})
