"""Our own check of input documents says what jsonschema says, and says where."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import check, read_schema
from loopx_policy.errors import StateError
from loopx_policy.schema_check import misfits
from tests.points.documents import documents

POINTS = [name for name in load_catalog().points if name not in ("turn", "candidate")]
ODD: list[Any] = ["", "odd", 0, -1, 1.0, 1.5, True, None, [], ["odd"], [1], {}, {"odd": 1}, "x" * 500]


@pytest.mark.parametrize("point", POINTS)
def test_the_published_schema_is_a_schema_and_closed(point: str) -> None:
    schema = read_schema(point)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert all(part.get("description") for part in schema["properties"].values())


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here]
    if isinstance(value, dict):
        found += [path for key in value for path in paths(value[key], (*here, key))]
    elif isinstance(value, list):
        found += [path for number in range(len(value)) for path in paths(value[number], (*here, number))]
    return found


def bent(document: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    made = copy.deepcopy(document)
    place = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = odd
    return made


@pytest.mark.parametrize("point", POINTS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_it_agrees_with_jsonschema(point: str, data: st.DataObject) -> None:
    schema = read_schema(point)
    validator = Draft202012Validator(schema)
    document = data.draw(documents(schema))
    assert misfits(document, schema) == []
    assert validator.is_valid(document)
    place = data.draw(st.sampled_from(paths(document)))
    broken = bent(document, place, data.draw(st.sampled_from(ODD)))
    assert (misfits(broken, schema) == []) == validator.is_valid(broken)


def test_the_error_names_the_place_and_the_nearest_key() -> None:
    document = {"operation": "claim", "request": {"todo_id": "todo_a01", "ownr": "me"}, "leases": [{"owner": 7}]}
    said = [str(misfit) for misfit in misfits(document, read_schema("lease_claim"))]
    assert said == [
        "$.request.ownr is not known here; did you mean owner?",
        "$.leases[0].owner is not a text",
    ]


@pytest.mark.parametrize("document", [None, [], "claim", 1, {}, {"operation": "steal", "request": {}}])
def test_what_is_no_document_is_refused_with_its_place(document: Any) -> None:
    with pytest.raises(StateError) as caught:
        check("lease_claim", document)
    assert caught.value.at.startswith("$")
    assert "lease_claim.schema.json" in caught.value.fix
