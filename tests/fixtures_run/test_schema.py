"""The published schema and the loader are of one mind, so that an editor shows what a run would refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from loopx_policy.fixtures import Runner
from loopx_policy.fixtures.load import load
from loopx_policy.fixtures.schema import schema_text
from loopx_policy.project.parse import parse_document

from .samples import BLOCKED, GOOD, POINT, run, swap, unread

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "catalog" / "schemas"
FIXTURES = sorted((ROOT / "fixtures").glob("*/*.yaml"))


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    """As an editor reads it: the files that it names lie beside it."""
    files = [SCHEMAS / "snapshot.schema.json", *(SCHEMAS / "points").glob("*.json")]
    resources = [
        (str(file.relative_to(SCHEMAS)), Resource.from_contents(json.loads(file.read_text()))) for file in files
    ]
    schema = json.loads((SCHEMAS / "fixture.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=Registry().with_resources(resources))


def misfits(validator: Draft202012Validator, text: str) -> list[str]:
    return [error.json_path for error in validator.iter_errors(parse_document(text.encode(), "one.yaml"))]


def test_the_published_schema_is_current(runner: Runner) -> None:
    current = schema_text(runner.catalog.points)
    assert (SCHEMAS / "fixture.schema.json").read_text() == current, "python -m loopx_policy.fixtures.schema"


def test_an_editor_accepts_every_shipped_fixture(validator: Draft202012Validator) -> None:
    wrong = {path.name: misfits(validator, path.read_text()) for path in FIXTURES}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_every_shipped_fixture_names_the_schema_in_its_first_line() -> None:
    modeline = "# yaml-language-server: $schema=../../catalog/schemas/fixture.schema.json\n"
    assert [path.name for path in FIXTURES if not path.read_text().startswith(modeline)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mode: skip", "mdoe: skip"),
        ("seed: A goal", "sede: A goal"),
        ("near_misses:", "near_mises:"),
        ("- name: half", "- nmae: half"),
        ("selected: todo_a01", "selected: [todo_a01]"),
        ("notify: DONT_NOTIFY", "notify: MAYBE"),
        ("{goal.quota.compute: 0.5}", "{}"),
        ("covers: GR-paused.paused", "covers: ''"),
        ("state: paused", "should_run: 0"),
        ("state: paused", "counts: {runnable: many}"),
    ],
)
def test_what_the_loader_refuses_an_editor_refuses(
    validator: Draft202012Validator, tmp_path: Path, old: str, new: str
) -> None:
    text = swap(old, new)
    assert misfits(validator, text) != []
    assert unread(tmp_path, text).at.startswith("GR-paused/one.yaml:")


@pytest.mark.parametrize(
    ("text", "old", "new", "path"),
    [
        (GOOD, "quota: {compute", "qouta: {compute", "$.given.goal"),
        (f"point: candidate\n{BLOCKED}", "text: Chart", "txet: Chart", "$.given.todos[0]"),
        (POINT, "connected: true", "connected: maybe", "$.given.connected"),
        (POINT, "point: plan_writeback\n", "point: plan_writback\n", "$.point"),
    ],
)
def test_what_is_given_is_checked_against_the_schema_of_its_point(
    validator: Draft202012Validator, runner: Runner, tmp_path: Path, text: str, old: str, new: str, path: str
) -> None:
    assert misfits(validator, text) == []
    wrong = swap(old, new, text)
    assert any(found.startswith(path) for found in misfits(validator, wrong))
    assert run(runner, tmp_path, wrong)[0].error is not None


def described(part: Any, path: str = "$") -> list[str]:
    """The keys of a schema that do not say what they mean."""
    if isinstance(part, list):
        return [name for number, value in enumerate(part) for name in described(value, f"{path}[{number}]")]
    if not isinstance(part, dict):
        return []
    properties = part.get("properties", {})
    own = [f"{path}.{name}" for name, value in properties.items() if "description" not in value]
    inner = [name for key, value in part.items() if key != "allOf" for name in described(value, f"{path}.{key}")]
    return own + inner


def test_every_key_is_described_for_the_editor(validator: Draft202012Validator) -> None:
    assert described(validator.schema) == []


def test_the_loader_reads_every_shipped_fixture() -> None:
    assert len(FIXTURES) > 100
    for path in FIXTURES:
        assert load(str(path), path.name).near_misses != []
