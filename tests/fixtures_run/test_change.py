"""A change touches what its path names and nothing else, or is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.fixtures.change import changed

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
        ("todos.todo_a02", {"text": "x"}, {**DOCUMENT, "todos": [TODO, NEW]}),
        ("todos.1", NEW, {**DOCUMENT, "todos": [TODO, NEW]}),
    ],
)
def test_a_change_touches_only_what_its_path_names(path: str, value: object, wanted: object) -> None:
    assert changed(DOCUMENT, path, value) == wanted


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b.c", 1),
        ("a.b.c.d", 1),
        ("todos.todo_a09.status", 1),
        ("todos.todo_a09", "done"),
        ("todos.9", NEW),
        ("todos.-1", NEW["text"]),
        ("a.x", None),
        ("todos.9", None),
        ("todos.todo_a09", None),
        ("a..b", 1),
        ("", 1),
    ],
)
def test_a_path_that_leads_nowhere_is_refused(path: str, value: object) -> None:
    with pytest.raises(StateError) as caught:
        changed(DOCUMENT, path, value)
    assert repr(path) in str(caught.value)


KEYS = st.text("abcxyz_", min_size=1, max_size=3)
LEAVES = st.booleans() | st.integers(0, 9) | st.text("xyz ", max_size=3)
DOCUMENTS = st.dictionaries(
    KEYS,
    st.recursive(LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=3)),
    min_size=1,
    max_size=4,
)


def paths(document: Any, start: str = "") -> list[str]:
    """Every path of a document."""
    if isinstance(document, dict):
        entries = [(str(key), value) for key, value in document.items()]
    elif isinstance(document, list):
        entries = [(str(number), value) for number, value in enumerate(document)]
    else:
        return []
    found = []
    for step, value in entries:
        found += [start + step, *paths(value, f"{start}{step}.")]
    return found


def at(document: Any, path: str) -> Any:
    """The value at a path."""
    for step in path.split("."):
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


@settings(deadline=None)
@given(DOCUMENTS, st.data())
def test_setting_sets_the_value_and_leaves_everything_outside_the_path(document: dict[str, Any], data: Any) -> None:
    before = copy.deepcopy(document)
    path = data.draw(st.sampled_from(paths(document)))
    value = data.draw(DOCUMENTS | LEAVES)
    result = changed(document, path, value)
    assert document == before
    assert at(result, path) == value
    assert changed(result, path, at(before, path)) == before


@settings(deadline=None)
@given(DOCUMENTS, st.data())
def test_an_entry_that_is_added_and_removed_leaves_no_trace(document: dict[str, Any], data: Any) -> None:
    places = ["", *(f"{path}." for path in paths(document) if isinstance(at(document, path), dict))]
    path = data.draw(st.sampled_from(places)) + "new"
    assert changed(changed(document, path, data.draw(LEAVES)), path, None) == document


@settings(deadline=None)
@given(DOCUMENTS, st.data())
def test_changes_of_different_places_may_come_in_any_order(document: dict[str, Any], data: Any) -> None:
    known = paths(document)
    one, other = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
    apart = not f"{one}.".startswith(f"{other}.") and not f"{other}.".startswith(f"{one}.")
    first, second = data.draw(LEAVES), data.draw(LEAVES)
    there = changed(changed(document, one, first), other, second) if apart else None
    back = changed(changed(document, other, second), one, first) if apart else None
    assert there == back


@settings(deadline=None)
@given(st.text("ab.01_", max_size=8), DOCUMENTS)
def test_any_path_changes_a_document_or_is_refused(path: str, document: dict[str, Any]) -> None:
    try:
        result = changed(document, path, "new")
    except StateError:
        return
    assert at(result, path) == "new"
