"""The published schema of a snapshot document says the same as the checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings

from loopx_policy.errors import StateError
from loopx_policy.project import from_document
from loopx_policy.project.snapshot_shape import schema, schema_text
from tests.project.documents import GOOD, spoilt

QUICK = settings(suppress_health_check=list(HealthCheck), deadline=None)
FILE = Path(__file__).parents[2] / "catalog" / "schemas" / "snapshot.schema.json"


def ecma_pattern(validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[jsonschema.ValidationError]:
    """``pattern`` as JSON Schema means it: ``$`` is the very end, not the last line end."""
    if isinstance(instance, str) and not re.search(re.sub(r"(?<!\\)\$", r"\\Z", pattern), instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


VALIDATOR = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": ecma_pattern})(schema())  # type: ignore[no-untyped-call]


def accepted(document: Any) -> bool:
    try:
        from_document(document)
    except StateError:
        return False
    return True


def objects(part: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(part, dict):
        if "properties" in part:
            yield path, part
        for key, inner in part.items():
            yield from objects(inner, f"{path}.{key}")
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from objects(inner, f"{path}[{number}]")


def test_the_published_file_is_the_table() -> None:
    fix = "python -c 'from loopx_policy.project.snapshot_shape import schema_text as s; print(s(), end=\"\")'"
    assert FILE.read_text() == schema_text(), f"Write the file anew: {fix} > {FILE.name}"


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_every_object_is_closed_and_every_key_described() -> None:
    found = list(objects(schema()))
    assert len(found) > 10
    for path, part in found:
        assert part["additionalProperties"] is False, path
        assert all(inner.get("description") for inner in part["properties"].values()), path


@QUICK
@given(GOOD)
def test_good_documents_are_accepted_by_both(document: Any) -> None:
    assert VALIDATOR.is_valid(document)
    assert accepted(document)


@settings(QUICK, max_examples=150)
@given(spoilt())
def test_the_schema_and_the_checks_agree_on_spoilt_documents(document: Any) -> None:
    assert VALIDATOR.is_valid(document) == accepted(document)


@pytest.mark.parametrize(
    "value", [None, True, 0, 1.0, 0.5, -1, 10**9, "", "x", [], {}, "2026-12-01", "-30m", "todo_a01"]
)
def test_they_agree_on_every_key_of_a_todo(value: Any) -> None:
    for key in schema()["properties"]["todos"]["items"]["properties"]:
        document = {"now": "2026-12-01", "goal": {"id": "g"}, "todos": [{key: value}]}
        assert VALIDATOR.is_valid(document) == accepted(document), key
