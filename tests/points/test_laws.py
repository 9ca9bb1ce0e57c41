"""What holds of every decision point, whatever the document: total, explained, repeatable, and deny by default."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point, projector, read_schema, standing
from loopx_policy.engine.evaluate import Matches
from loopx_policy.engine.record import check_record
from loopx_policy.errors import StateError
from loopx_policy.fixtures import Fixture, load_folder
from loopx_policy.fixtures.change import changed
from tests.points.documents import documents

ROOT = Path(__file__).parents[2]
CATALOG = load_catalog()
POINTS = [name for name in CATALOG.points if name not in ("turn", "candidate")]
ANSWER = Draft202012Validator(json.loads((ROOT / "catalog/schemas/point_decision.schema.json").read_text()))
FIXTURES = [fixture for fixture in load_folder(str(ROOT / "fixtures"))[0] if fixture.point in POINTS]


def permits(point: str, verdict: str) -> bool:
    """Whether the verdict lets something happen that the default does not."""
    declared = CATALOG.points[point].verdicts
    return declared.index(verdict) > 0 and verdict not in ("noop", "ask_owner", "closeout", "gate", "sidecar")


@pytest.mark.parametrize("point", POINTS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_every_document_gets_one_explained_answer(point: str, data: st.DataObject) -> None:
    document = data.draw(documents(read_schema(point)))
    before = json.dumps(document)
    decision = decide_point(CATALOG, point, document)
    answer = decision.to_dict()
    ANSWER.validate(answer)
    assert json.dumps(document) == before
    assert decision.verdict in CATALOG.points[point].verdicts
    assert decision.engine != "engine_disagreement"
    assert not any(mark in text for text in (decision.reason, *decision.requires) for mark in "{}")
    assert (decision.pattern == "") == (decision.matched == ())
    assert json.dumps(answer) == json.dumps(decide_point(CATALOG, point, json.loads(before)).to_dict())


@pytest.mark.parametrize("point", POINTS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_the_projection_makes_exactly_the_declared_facts(point: str, data: st.DataObject) -> None:
    facts = CATALOG.points[point].facts
    made = projector(point)(data.draw(documents(read_schema(point))), CATALOG.parameters)
    assert set(made.values) == set(facts)
    check_record(made.values, facts)


def least(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The documents that say only what the schema insists on, one for each combination of its words."""
    found: list[dict[str, Any]] = [{}]
    for name in schema["required"]:
        part = schema["properties"][name]
        values = part.get("enum") or ([[]] if part["type"] == "array" else list(least({"required": [], **part})))
        found = [{**document, name: value} for document in found for value in values]
    yield from found


SAYS_ENOUGH = {
    ("state_refresh", "IP-013.progress"): "a row of progress claims nothing and closes nothing",
    ("plan_writeback", "IP-018.nothing_promised"): "an answer without items promises nothing",
}
"""Documents that permit something although they say only the least, and why that is right."""


@pytest.mark.parametrize("point", POINTS)
def test_who_says_only_the_least_is_permitted_nothing(point: str) -> None:
    permitted = []
    for document in least(read_schema(point)):
        if "name" in read_schema(point)["properties"].get("field", {}).get("required", ()):
            document = {**document, "field": {"name": "state"}}
        if "kind" in read_schema(point)["properties"].get("request", {}).get("required", ()):
            document = {**document, "request": {"kind": "metadata_probe"}}
        if "actor" in document:
            document = {**document, "actor": {"kind": "agent"}}
        decision = decide_point(CATALOG, point, document)
        if permits(point, decision.verdict) and (point, decision.case) not in SAYS_ENOUGH:
            permitted.append((document, decision.case))
    assert permitted == []


@pytest.mark.parametrize("point", POINTS)
def test_a_document_that_is_none_is_no_answer_at_all(point: str) -> None:
    documents: tuple[Any, ...] = ({}, [], None, "allow", {"verdict": "allow"})
    for document in documents:
        with pytest.raises(StateError):
            decide_point(CATALOG, point, document)


@cache
def faults() -> dict[str, dict[str, list[tuple[str, Any]]]]:
    """Of each point: permitted documents (as JSON), and the single changes that fixtures know to spoil each."""
    found: dict[str, dict[str, list[tuple[str, Any]]]] = {}
    for fixture in FIXTURES:
        for sound, path, value in _spoilt(fixture):
            found.setdefault(fixture.point, {}).setdefault(sound, []).append((path, value))
    return {point: {sound: all_ for sound, all_ in known.items() if len(all_) > 1} for point, known in found.items()}


def _spoilt(fixture: Fixture) -> Iterator[tuple[str, str, Any]]:
    """(permitted document, dotted path, value that spoils it) of a denied positive and its permitted near miss."""
    if permits(fixture.point, decide_point(CATALOG, fixture.point, fixture.given).verdict):
        return
    for miss in fixture.near_misses:
        if len(miss.changes) == 1:
            [(path, value)] = miss.changes.items()
            sound = changed(fixture.given, path, value)
            if permits(fixture.point, decide_point(CATALOG, fixture.point, sound).verdict):
                yield json.dumps(sound, sort_keys=True), path, _at(fixture.given, path)


def _at(document: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(document, list):
            document = (
                document[int(step)] if step.isdigit() else next(each for each in document if each["todo_id"] == step)
            )
        elif step in document:
            document = document[step]
        else:
            return None
    return document


ALTERNATIVES = (
    {"todo.blocks_agent", "todo.global_gate"},
    {"completion.successors", "completion.no_follow_up"},
)
"""Parts of which a document needs exactly one, so that taking one out and putting the other in is no second fault."""


def _touch(one: str, other: str) -> bool:
    """Whether one path lies at or below the other, so that one change would undo the other."""
    if {one, other} in ALTERNATIVES:
        return True
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def test_each_point_has_a_document_with_several_known_faults() -> None:
    assert len([known for known in faults().values() if known]) == len(POINTS)


@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_second_fault_never_mends_the_first(data: st.DataObject) -> None:
    point = data.draw(st.sampled_from(sorted(point for point, known in faults().items() if known)))
    sound = data.draw(st.sampled_from(sorted(faults()[point])))
    spoils = data.draw(st.lists(st.sampled_from(faults()[point][sound]), min_size=2, max_size=3))
    document = json.loads(sound)
    for number, (path, value) in enumerate(spoils):
        if not any(_touch(path, earlier) for earlier, _ in spoils[:number]):
            document = changed(document, path, value)
    decision = decide_point(CATALOG, point, document)
    assert not permits(point, decision.verdict), (spoils, decision.case)


@pytest.mark.parametrize(
    ("by_engine", "by_interpreter", "case"),
    [
        (("case:IP-001.spent",), (), ""),
        ((), ("case:IP-001.spent",), ""),
        (("case:IP-001.spent",), ("case:IP-001.not_validated", "case:IP-001.spent"), "IP-001.not_validated"),
    ],
)
def test_where_the_matchers_differ_the_stricter_stands(
    by_engine: tuple[str, ...], by_interpreter: tuple[str, ...], case: str
) -> None:
    both = tuple(dict.fromkeys(by_engine + by_interpreter))
    matches = Matches(both, "durable_rules", True, by_engine, by_interpreter)
    held = standing(CATALOG, CATALOG.points["quota_spend"], matches)
    assert [each.key for each in held][:1] == ([case] if case else [])
