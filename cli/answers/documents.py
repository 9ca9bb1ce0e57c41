"""The one document in a file or on standard input, JSON or YAML, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from loopx_policy.errors import StateError
from loopx_policy.project.parse import parse_document

from .inputs import read_bytes, shown


def read(source: str, what: str) -> Any:
    """The one document in a file (``-``: standard input). :class:`StateError` at ``file:line`` where it is none."""
    return parse_document(read_bytes(source, what), shown(source))


@contextmanager
def inside(name: str, fix: str) -> Iterator[None]:
    """Names the file of a mistake that is told by its path in the document (``$.todos[2].status``)."""
    try:
        yield
    except StateError as error:
        if not error.at.startswith("$"):
            raise
        raise StateError(error.message, at=f"{name}: {error.at}", fix=error.fix or fix) from None
