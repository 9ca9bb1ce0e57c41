"""Changing a JSON text in place: the model changes as asked, and every byte that was not named stays."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loopx_policy.ledger.json_text import append, put, remove
from loopx_policy.project.positions import descend

BLANKS = st.sampled_from(["", "", "", " ", "  ", "\n", "\n  ", "\r\n", "\r\n\t", "\t", "\n\n    "])
NUMBERS = st.sampled_from(
    ["0", "-0", "1.0", "1.00", "1e0", "1E+2", "-12", "3.14159265358979323846", "12345678901234567890"]
)
WORDS = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\{}[],:\u00e9\u20ac'), max_size=6)
KEYS = st.sampled_from(["a", "b", "goals", "id", "", "k\u00e9y", 'q"uote', "a,b", "{", "\ud800"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


def quoted(word: str, ascii_only: bool) -> str:
    plain = ascii_only or any("\ud800" <= mark <= "\udfff" for mark in word)
    return json.dumps(word, ensure_ascii=plain)


@st.composite
def wild(draw: st.DrawFn, depth: int = 3) -> str:
    """A text that no program wrote: any blanks anywhere, numbers and letters in any spelling, a key twice."""
    kind = draw(st.sampled_from(["number", "word", "constant", *["list", "object"] * (2 if depth else 0)]))
    if kind == "number":
        return draw(NUMBERS)
    if kind == "constant":
        return draw(st.sampled_from(["true", "false", "null"]))
    if kind == "word":
        return quoted(draw(WORDS), draw(st.booleans()))
    open_, close = "[]" if kind == "list" else "{}"
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        key = ""
        if kind == "object":
            key = f"{quoted(draw(KEYS), draw(st.booleans()))}{draw(BLANKS)}:{draw(BLANKS)}"
        parts.append(f"{draw(BLANKS)}{key}{draw(wild(depth - 1))}{draw(BLANKS)}")
    return open_ + (",".join(parts) or draw(BLANKS)) + close


@st.composite
def whole(draw: st.DrawFn) -> str:
    """A wild text that is an object, with blanks around it."""
    first = f"{draw(BLANKS)}{quoted(draw(KEYS), True)}{draw(BLANKS)}:{draw(BLANKS)}{draw(wild())}{draw(BLANKS)}"
    second = f",{draw(BLANKS)}{quoted(draw(KEYS), False)}{draw(BLANKS)}:{draw(BLANKS)}{draw(wild())}{draw(BLANKS)}"
    return f"{draw(BLANKS)}{{{first}{second}}}{draw(BLANKS)}"


def paths(value: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The way to every value inside, and to itself."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(each for key, item in inner for each in paths(item, (*way, key)))]


def at(value: Any, way: tuple[str | int, ...]) -> Any:
    for key in way:
        value = value[key]
    return value


def objects(value: Any) -> list[tuple[str | int, ...]]:
    return [way for way in paths(value) if isinstance(at(value, way), dict)]


def lists(value: Any) -> list[tuple[str | int, ...]]:
    return [way for way in paths(value) if isinstance(at(value, way), list)]


@given(whole(), VALUES, st.data())
def test_a_value_is_set_and_nothing_around_it_moves(text: str, value: Any, data: st.DataObject) -> None:
    model = json.loads(text)
    way = data.draw(st.sampled_from(paths(model)[1:]))
    here = descend(text, way)[-1]
    edited = put(text, way, value)
    at(model, way[:-1])[way[-1]] = value
    assert json.loads(edited) == model
    assert edited.startswith(text[: here.value])
    assert edited.endswith(text[here.end :])


@given(whole(), VALUES, st.data())
def test_a_new_key_is_one_insertion_and_taking_it_out_gives_the_old_bytes(
    text: str, value: Any, data: st.DataObject
) -> None:
    model = json.loads(text)
    way = data.draw(st.sampled_from(objects(model)))
    key = data.draw(KEYS)
    there = at(model, way)
    assume(key not in there)
    inside = text[descend(text, way)[-1].value : descend(text, way)[-1].end]
    edited = put(text, (*way, key), value)
    there[key] = value
    assert json.loads(edited) == model
    assert list(at(json.loads(edited), way)) == list(there), "a new key comes last"
    if len(there) > 1:
        assert is_insertion(text, edited)
    if len(there) > 1 or inside == "{}":
        assert remove(edited, (*way, key)) == text


@given(whole(), VALUES, st.data())
def test_a_new_item_is_one_insertion_and_taking_it_out_gives_the_old_bytes(
    text: str, value: Any, data: st.DataObject
) -> None:
    model = json.loads(text)
    assume(lists(model))
    way = data.draw(st.sampled_from(lists(model)))
    inside = text[descend(text, way)[-1].value : descend(text, way)[-1].end]
    edited = append(text, way, value)
    at(model, way).append(value)
    assert json.loads(edited) == model
    if len(at(model, way)) > 1:
        assert is_insertion(text, edited)
    if len(at(model, way)) > 1 or inside == "[]":
        assert remove(edited, (*way, len(at(model, way)) - 1)) == text


@given(whole(), st.data())
def test_a_removed_value_is_gone_and_nothing_else_is(text: str, data: st.DataObject) -> None:
    model = json.loads(text)
    way = data.draw(st.sampled_from(paths(model)[1:]))
    edited = remove(text, way)
    before = copy.deepcopy(model)
    del at(model, way[:-1])[way[-1]]
    assert json.loads(edited) == model
    assert way not in paths(json.loads(edited)) or isinstance(way[-1], int)
    assert before != model
    assert len(edited) < len(text)


@given(whole(), VALUES, st.lists(KEYS.filter(bool), min_size=1, max_size=3))
def test_objects_on_the_way_are_made(text: str, value: Any, keys: list[str]) -> None:
    model = json.loads(text)
    there = model
    for key in keys[:-1]:
        assume(isinstance(there, dict))
        if there.get(key) is None:
            there[key] = {}
        there = there[key]
    assume(isinstance(there, dict))
    there[keys[-1]] = value
    assert json.loads(put(text, keys, value)) == model


LAYOUTS: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": 2, "ensure_ascii": False},
    {},
    {"separators": (",", ":")},
]
PLAIN = st.dictionaries(
    st.sampled_from("abcde"),
    st.recursive(
        st.integers() | st.sampled_from(["x", "caf\u00e9", ""]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
        max_leaves=6,
    ),
    min_size=1,
    max_size=4,
)


@given(
    layout=st.sampled_from(LAYOUTS),
    end=st.sampled_from(["\n", "\r\n"]),
    model=PLAIN,
    value=PLAIN | st.lists(PLAIN, max_size=2) | st.integers(),
    data=st.data(),
)
@settings(max_examples=200, deadline=None)
def test_what_a_program_laid_out_keeps_its_layout(
    layout: dict[str, Any], end: str, model: Any, value: Any, data: st.DataObject
) -> None:
    """Setting, adding and removing give what the same program would have written for the changed value."""

    def laid(what: Any) -> str:
        return json.dumps(what, **layout).replace("\n", end)

    text = laid(model)
    assume(layout.get("ensure_ascii") is False or "\\u" in text or "\\u" not in laid(value))
    way = data.draw(st.sampled_from(paths(model)[1:]))
    assert json.loads(put(text, way, value)) == set_in(model, way, value)
    if not isinstance(at(model, way), (list, dict)) or at(model, way):
        assert put(text, way, value) == laid(set_in(model, way, value))
    if isinstance(at(model, way), dict):
        assert put(text, (*way, "new"), value) == laid(set_in(model, (*way, "new"), value))
    if isinstance(at(model, way), list):
        longer = [*at(model, way), value]
        assert append(text, way, value) == laid(set_in(model, way, longer))


def set_in(model: Any, way: tuple[str | int, ...], value: Any) -> Any:
    model = copy.deepcopy(model)
    at(model, way[:-1])[way[-1]] = value
    return model


def is_insertion(old: str, new: str) -> bool:
    """Whether ``new`` is ``old`` with one piece put in."""
    head = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    return any(new.endswith(old[cut:]) for cut in range(head, -1, -1) if new.startswith(old[:cut]))


SHORT_LISTS = """\
{
  "schema_version": "0.1",
  "goals": [
    {
      "id": "harbor",
      "coordination": {
        "registered_agents": ["builder", "writer"],
        "write_scope": []
      },
      "quota": {"compute": 1.0, "window_hours": 24}
    }
  ]
}
"""


def test_a_list_is_written_as_the_lists_beside_it() -> None:
    edited = append(SHORT_LISTS, ("goals", 0, "coordination", "write_scope"), "docs/**")
    assert edited == SHORT_LISTS.replace('"write_scope": []', '"write_scope": ["docs/**"]')


def test_a_new_object_in_a_laid_out_text_is_laid_out() -> None:
    edited = put(SHORT_LISTS, ("goals", 0, "control_plane", "self_repair", "enabled"), True)
    assert '"window_hours": 24},\n      "control_plane": {"self_repair": {"enabled": true}}\n' in edited


def test_a_number_keeps_its_spelling_when_its_neighbour_changes() -> None:
    edited = put(SHORT_LISTS, ("goals", 0, "quota", "window_hours"), 12)
    assert edited == SHORT_LISTS.replace('"window_hours": 24', '"window_hours": 12')


@pytest.mark.parametrize(
    "path, value",
    [(("schema_version", "x"), 1), (("goals", 1, "id"), "x"), (("goals", "id"), "x"), (("goals", 0, "id", "x"), 1)],
)
def test_a_way_through_what_is_no_object_is_refused(path: tuple[str | int, ...], value: Any) -> None:
    with pytest.raises(LookupError):
        put(SHORT_LISTS, path, value)


def test_an_item_of_what_is_no_list_is_refused() -> None:
    with pytest.raises(LookupError):
        append(SHORT_LISTS, ("schema_version",), 1)
    with pytest.raises(LookupError):
        remove(SHORT_LISTS, ())
