"""Random input documents of the decision points, drawn from the published schemas themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

WORDS = (
    "", "todo_a01", "todo_a02", "main-agent", "side-agent", "stranger", "src/**", "docs/a.md", "../x", "k1", "approve",
    "reject", "positive", "2026-12-01T12:00:00Z", "2026-12-01T13:00:00Z", "GET", "HEAD", "https://social.example/messages",
    "content_ops_connector_runtime_policy_v0", "public_metadata_only", "head_only_metadata_probe", "codex_cli", "text",
    "status", "todo_done:todo_a01", "a plain sentence", "two\nlines", "pass" + "word=hunter2x", "127.0.0.1", "x" * 300,
)  # fmt: skip
words = st.sampled_from(WORDS)
anything = st.one_of(words, st.booleans(), st.integers(0, 3), st.none(), st.lists(words, max_size=2))


def documents(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Documents that conform to ``schema``: each optional part is there or not."""
    return _value(schema, schema)


def _value(schema: Mapping[str, Any], root: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _value(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return st.one_of([_value({**schema, "type": kind}, root) for kind in kinds])
    if kinds == "string":
        return words.filter(lambda word: schema.get("minLength", 0) <= len(word) <= schema.get("maxLength", 999))
    if kinds == "boolean":
        return st.booleans()
    if kinds == "integer":
        return st.integers(0, 3)
    if kinds == "null":
        return st.none()
    if kinds == "array":
        return st.lists(_value(schema["items"], root), max_size=3)
    if kinds == "object" and "properties" in schema:
        required = schema.get("required", [])
        parts = {name: _value(part, root) for name, part in schema["properties"].items()}
        optional = {name: part for name, part in parts.items() if name not in required}
        return st.fixed_dictionaries({name: parts[name] for name in required}, optional=optional)
    if kinds == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return st.dictionaries(words, _value(schema["additionalProperties"], root), max_size=3)
    if kinds == "object":
        return st.dictionaries(st.sampled_from(["goal_id", "decision", "title", "url", "note"]), anything, max_size=3)
    return anything
