"""Conditions as a rule file writes them."""

from __future__ import annotations

from typing import Any

from loopx_policy.engine.conditions import Compare, Value


def literal(value: Value) -> str:
    """``true``, ``3``, ``mine``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def comparison(leaf: Compare) -> str:
    """``frontier.open: {gte: 1}``."""
    return f"{leaf.fact}: {right(leaf)}"


def right(leaf: Compare) -> str:
    """The right side of a comparison."""
    if isinstance(leaf.value, tuple):
        listed = f"{{in: [{', '.join(map(literal, leaf.value))}]}}"
        return listed if leaf.op == "in" else f"{{not: {listed}}}"
    if leaf.op == "eq":
        return literal(leaf.value)
    if leaf.op == "ne":
        return f"{{not: {literal(leaf.value)}}}"
    return f"{{{leaf.op}: {literal(leaf.value)}}}"


def plain(value: Any) -> Any:
    """Tuples as lists, for JSON and YAML."""
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return {key: plain(entry) for key, entry in value.items()} if isinstance(value, dict) else value
