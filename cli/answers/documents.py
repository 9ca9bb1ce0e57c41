"""The one document in a file or on standard input, JSON or YAML, as plain data."""

from __future__ import annotations

from typing import Any

from loopx_policy.project.parse import parse_document

from .inputs import read_bytes, shown


def read(source: str, what: str) -> Any:
    """The one document in a file (``-``: standard input). :class:`StateError` at ``file:line`` where it is none."""
    return parse_document(read_bytes(source, what), shown(source))
