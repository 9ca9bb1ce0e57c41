"""A fixture that tests nothing is an error, and a wrong one fails with the field that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.errors import StateError, UsageError
from loopx_policy.fixtures import Outcome, Runner, load_folder
from loopx_policy.fixtures.change import changed
from loopx_policy.fixtures.run import items, missing
from loopx_policy.fixtures.shape import schema_text

ROOT = Path(__file__).parents[2]
GOOD = """\
covers: GR-paused.paused
seed: A goal with a compute share of zero is paused.
given:
  now: 2026-12-01T12:00:00Z
  goal: {id: harbor, write_scope: ["**"], quota: {compute: 0}}
  todos: [{todo_id: todo_a01, text: Chart the basin}]
expect: {mode: skip, state: paused, notify: DONT_NOTIFY}
near_misses:
  - name: half a share is left
    change: {goal.quota.compute: 0.5}
    expect: {mode: bounded_delivery, selected: todo_a01, candidates: [todo_a01]}
"""


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner(load_catalog())


def outcomes(runner: Runner, folder: Path, text: str) -> list[Outcome]:
    """The outcomes of one file."""
    (folder / "GR-paused").mkdir(exist_ok=True)
    (folder / "GR-paused" / "one.yaml").write_text(text)
    fixtures, errors = load_folder(str(folder))
    assert not errors, [str(error) for error in errors]
    return runner.run(fixtures[0])


def error_of(folder: Path, text: str) -> str:
    """What is said of a file that cannot be read."""
    (folder / "GR-paused").mkdir(exist_ok=True)
    (folder / "GR-paused" / "one.yaml").write_text(text)
    fixtures, errors = load_folder(str(folder))
    assert fixtures == []
    return str(errors[0])


def test_a_right_fixture_passes_in_every_part(runner: Runner, tmp_path: Path) -> None:
    found = outcomes(runner, tmp_path, GOOD)
    assert [(outcome.name, outcome.passed) for outcome in found] == [("positive", True), ("half a share is left", True)]


def test_a_wrong_expectation_fails_with_the_field_and_both_values(runner: Runner, tmp_path: Path) -> None:
    (positive, _) = outcomes(runner, tmp_path, GOOD.replace("mode: skip", "mode: user_gate"))
    (difference,) = positive.differences
    assert (difference.field, difference.wanted, difference.found) == ("mode", "user_gate", "skip")
    assert positive.to_dict()["passed"] is False


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("mode: skip", "mdoe: skip", "mdoe"),
        ("seed: A goal", "sede: A goal", "sede"),
        ("near_misses:", "near_mises:", "near_mises"),
        ("notify: DONT_NOTIFY", "notify: MAYBE", "NOTIFY"),
        ("    change: {goal.quota.compute: 0.5}\n", "", "change"),
        ("{goal.quota.compute: 0.5}", "{}", "changes something"),
        ("{goal.quota.compute: 0.5}", "{goal.quota.compute: 0.5, capabilities: [network]}", "exactly one thing"),
    ],
)
def test_a_misspelt_or_missing_key_is_an_error_that_names_the_file(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert old in GOOD
    said = error_of(tmp_path, GOOD.replace(old, new))
    assert told in said
    assert said.startswith("GR-paused/one.yaml")


def test_a_misspelt_field_of_the_given_state_is_an_error(runner: Runner, tmp_path: Path) -> None:
    (positive, _) = outcomes(runner, tmp_path, GOOD.replace("quota: {compute", "qouta: {compute"))
    assert "qouta" in positive.error


def test_a_fixture_that_covers_nothing_is_an_error_with_the_nearest_name(runner: Runner, tmp_path: Path) -> None:
    (only,) = outcomes(runner, tmp_path, GOOD.replace("GR-paused.paused", "GR-paused.pausd"))
    assert "GR-paused.paused" in only.error


def test_a_name_that_several_things_have_asks_which(runner: Runner, tmp_path: Path) -> None:
    (only,) = outcomes(runner, tmp_path, GOOD.replace("GR-paused.paused", "IP-004.blanket"))
    assert "turn:IP-004.blanket" in only.error
    assert "candidate:IP-004.blanket" in only.error


def test_a_positive_that_does_not_reach_what_it_covers_fails(runner: Runner, tmp_path: Path) -> None:
    (positive, _) = outcomes(runner, tmp_path, GOOD.replace("compute: 0}", "compute: 1}"))
    assert ("turn:GR-paused.paused holds", True, False) in [
        (item.field, item.wanted, item.found) for item in positive.differences
    ]


def test_a_near_miss_that_still_reaches_it_fails(runner: Runner, tmp_path: Path) -> None:
    text = GOOD.replace("{goal.quota.compute: 0.5}", "{capabilities: [network]}")
    (_, miss) = outcomes(runner, tmp_path, text)
    assert ("turn:GR-paused.paused holds", False, True) in [
        (item.field, item.wanted, item.found) for item in miss.differences
    ]


def test_a_change_that_leads_nowhere_is_an_error(runner: Runner, tmp_path: Path) -> None:
    (_, miss) = outcomes(runner, tmp_path, GOOD.replace("goal.quota.compute: 0.5", "todos.todo_a09.status: done"))
    assert "todo_a09" in miss.error


def test_an_empty_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no fixture"):
        load_folder(str(tmp_path))
    with pytest.raises(UsageError, match="no folder"):
        load_folder(str(tmp_path / "nowhere"))


def test_what_no_fixture_covers_is_named(runner: Runner, tmp_path: Path) -> None:
    outcomes(runner, tmp_path, GOOD)
    fixtures, _ = load_folder(str(tmp_path))
    uncovered = missing(runner.catalog, fixtures)
    assert "turn:GR-paused.paused" not in uncovered
    assert set(uncovered) == set(items(runner.catalog)) - {"turn:GR-paused.paused"}


TODO = {"todo_id": "todo_a01", "status": "open"}
NEW = {"todo_id": "todo_a02", "text": "x"}
DOCUMENT = {"a": {"b": 1}, "todos": [TODO]}


@pytest.mark.parametrize(
    ("path", "value", "wanted"),
    [
        ("a.b", 2, {**DOCUMENT, "a": {"b": 2}}),
        ("a.b", None, {**DOCUMENT, "a": {}}),
        ("a.c.d", 3, {**DOCUMENT, "a": {"b": 1, "c": {"d": 3}}}),
        ("todos.todo_a01.status", "done", {**DOCUMENT, "todos": [{"todo_id": "todo_a01", "status": "done"}]}),
        ("todos.0.status", "done", {**DOCUMENT, "todos": [{"todo_id": "todo_a01", "status": "done"}]}),
        ("todos.todo_a01", None, {**DOCUMENT, "todos": []}),
        (
            "todos.todo_a02",
            {"text": "x"},
            {**DOCUMENT, "todos": [TODO, NEW]},
        ),
    ],
)
def test_a_change_touches_only_what_its_path_names(path: str, value: object, wanted: object) -> None:
    before = repr(DOCUMENT)
    assert changed(DOCUMENT, path, value) == wanted
    assert repr(DOCUMENT) == before


@pytest.mark.parametrize(
    ("path", "value"), [("a.b.c", 1), ("todos.todo_a09.status", 1), ("a.x", None), ("todos.9", None), ("a..b", 1)]
)
def test_a_path_that_leads_nowhere_is_refused(path: str, value: object) -> None:
    with pytest.raises(StateError):
        changed(DOCUMENT, path, value)


def test_the_published_schema_is_current() -> None:
    assert (ROOT / "catalog/schemas/fixture.schema.json").read_text() == schema_text()
