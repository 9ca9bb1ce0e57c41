"""The text of a document: JSON or YAML, and nothing that YAML can do besides."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.project import from_document, parse_document

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=4), PLAIN, min_size=1, max_size=4))
def test_yaml_and_json_of_the_same_data_read_the_same(data: Any) -> None:
    import json

    assert parse_document(json.dumps(data).encode(), "s") == data
    assert parse_document(yaml.safe_dump(data, allow_unicode=True, default_flow_style=False).encode(), "s") == data


def test_a_fixture_needs_few_quotes() -> None:
    text = """\
# A goal with one todo.
now: 2026-12-01T00:00:00Z
goal: {id: g, quota: {compute: 0.5}}
agent: ~
todos:
  - {todo_id: todo_a01, text: "[P0] Go", next_due_at: -30m, cadence: 1d, note: no}
merges: ["#12"]
"""
    snapshot = from_document(parse_document(text.encode(), "s.yaml"), "s.yaml")
    assert snapshot.state.todos[0].note == "no"
    assert snapshot.goal.quota.allowed_slots == 720


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


@pytest.mark.parametrize(
    "text, at, said",
    [
        ("", "s", "empty"),
        ("# only a remark\n", "s", "empty"),
        ('{"a": 1,\n "a": 2}', "s", "'a' stands twice"),
        ('{"a": 1,\n b}', "s:2", "not JSON"),
        ('{"a": NaN}', "s", "NaN"),
        ("[" * 100_000, "s", "nested too deeply"),
        ("a: 1\na: 2\n", "s:2", "'a' stands twice"),
        (BOMB, "s:1", "Anchors and aliases"),
        ("a: !!python/object:x {}\n", "s:1", "tag"),
        ("a: 1\n---\nb: 2\n", "s:2", "second document"),
        ("a: [1,\nb: }\n", "s:2", "not YAML"),
        ("? [a]\n: b\n", "s:1", "key must be a plain text"),
        ("\n".join(" " * n + "a:" for n in range(150)), "s:102", "nesting is deeper"),
        ("a: \x07\n", "s", "not YAML"),
    ],
)
def test_what_is_refused(text: str, at: str, said: str) -> None:
    with pytest.raises(StateError) as caught:
        parse_document(text.encode(), "s")
    assert said in caught.value.message
    assert caught.value.at == at
    assert caught.value.fix


def test_bytes_that_are_no_text_are_refused_at_their_line() -> None:
    with pytest.raises(StateError) as caught:
        parse_document(b"a: 1\n\xff", "s")
    assert caught.value.at == "s:2"


@pytest.mark.parametrize("text", ["0E0", "12e5", "1.5e3", "7e-2"])
def test_the_beginning_of_a_digest_is_no_number(text: str) -> None:
    assert parse_document(f"a: {text}".encode(), "s") == {"a": text}
    assert parse_document(b"a: 1.5e+3", "s") == {"a": 1500.0}
