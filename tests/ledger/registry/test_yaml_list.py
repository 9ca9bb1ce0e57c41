"""One more entry in a YAML list: the model gains it, and every line that was there stays."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.ledger.yaml_list import append_item

ITEM = {"material_id": "quay", "title": 'Quay: "new" #1', "freshness": "2026-11-30", "supersedes": "yes"}
SCALARS = st.one_of(
    st.integers(-9, 99),
    st.booleans(),
    st.none(),
    st.sampled_from(["a", "x: y", "# no", "-", "two\nlines", "caf\u00e9", ""]),
)
ENTRIES = st.dictionaries(
    st.sampled_from(["material_id", "title", "tags"]), SCALARS | st.lists(SCALARS, max_size=2), min_size=1
)
DOCUMENTS = st.dictionaries(
    st.sampled_from(["version", "materials", "owners", "zones"]),
    SCALARS | st.lists(ENTRIES, max_size=3) | ENTRIES,
    max_size=4,
)


def tried(text: str) -> str:
    """The text with the entry; empty where the layout takes none, which is an error that says what to write."""
    try:
        return append_item(text, "materials", ITEM, at="x.yaml")
    except StateError:
        return ""


@given(
    data=DOCUMENTS,
    indent=st.sampled_from([2, 4]),
    flow=st.sampled_from([False, None]),
    marker=st.booleans(),
    comment=st.sampled_from(["", "# the end\n", "\n\n# the end\n"]),
    crlf=st.booleans(),
)
def test_the_entry_comes_last_in_its_list_and_no_line_is_lost(
    data: Any, indent: int, flow: Any, marker: bool, comment: str, crlf: bool
) -> None:
    text = yaml.safe_dump(
        data, indent=indent, default_flow_style=flow, explicit_start=marker, allow_unicode=True, sort_keys=False
    )
    text = (text if data else "") + comment
    if crlf:
        text = text.replace("\n", "\r\n")
    before = yaml.safe_load(text) or {}
    there = before.get("materials")
    edited = tried(text)
    if not edited:
        assert isinstance(there, (dict, int, str)) or flow is None or yaml.safe_load(text) != data
        return
    assert yaml.safe_load(edited) == {**before, "materials": [*(there or []), ITEM]}
    left = edited.splitlines()
    for line in text.splitlines():
        if line.split(":")[0] != "materials":
            assert line in left


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", 'materials:\n  - material_id: "quay"\n'),
        ("a: 1", 'a: 1\nmaterials:\n  - material_id: "quay"'),
        ("materials: []  # none yet\na: 1\n", 'materials:\n  - material_id: "quay"  # none yet\na: 1\n'),
        ("materials:\na: 1\n", 'materials:\n  - material_id: "quay"\na: 1\n'),
        (
            "materials:\n- x: 1  # one\n\n# two\na: 1\n",
            'materials:\n- x: 1  # one\n- material_id: "quay"\n\n# two\na: 1\n',
        ),
        (
            "materials:\n  - |\n    long\n    text\na: 1\n",
            'materials:\n  - |\n    long\n    text\n  - material_id: "quay"\na: 1\n',
        ),
        ("a: 1\r\n", 'a: 1\r\nmaterials:\r\n  - material_id: "quay"\r\n'),
    ],
)
def test_where_the_entry_stands(text: str, wanted: str) -> None:
    assert append_item(text, "materials", {"material_id": "quay"}, at="x.yaml") == wanted


@pytest.mark.parametrize(
    "text", ["[1, 2]\n", "a: [\n", "materials: {x: 1}\n", "materials: 7\n", "{a: 1}\n", "a: 1\n---\nb: 1\n"]
)
def test_what_takes_no_entry_says_what_to_write(text: str) -> None:
    with pytest.raises(StateError, match="quay"):
        append_item(text, "materials", {"material_id": "quay"}, at="x.yaml")
