"""Where the values of a JSON text stand: to say where something is wrong, and to change it in place.

The text is one that ``json.loads`` reads. Used only where something is wrong with a file, or is to be written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^ \t\r\n{}\[\],:"]+')


class Member(NamedTuple):
    """A value of an object or a list. ``start`` is where its key begins, or the item; ``end`` is past the value."""

    key: str | int
    start: int
    value: int
    end: int


class Container(NamedTuple):
    """An object or a list: where its brackets stand, and what is in it, in the order of the text."""

    start: int
    members: list[Member]
    close: int

    def find(self, key: str | int) -> Member | None:
        """The member with this key; of equal keys the last, as ``json.loads`` reads them."""
        return next((member for member in reversed(self.members) if member.key == key), None)


def top(text: str) -> Member | None:
    """The value that the whole text is; ``None`` where there is none."""
    first = _TOKEN.search(text)
    return None if first is None else Member("", first.start(), first.start(), len(text.rstrip(" \t\r\n")))


def container(text: str, at: int) -> Container | None:
    """The object or the list that begins at ``at``; ``None`` where another value does."""
    if text[at] not in "{[":
        return None
    listed = text[at] == "["
    members: list[Member] = []
    depth = 0
    name: re.Match[str] | None = None
    first: re.Match[str] | None = None
    end = -1
    for token in _TOKEN.finditer(text, at):
        mark = text[token.start()]
        if mark in "}]":
            depth -= 1
        if (depth == 0 and mark in "}]") or (depth == 1 and mark == ","):
            if first is not None:
                start = first if name is None else name
                key = len(members) if name is None else _unquote(name[0])
                members.append(Member(key, start.start(), first.start(), end))
            name = first = None
            if depth == 0:
                return Container(at, members, token.start())
        elif depth == 1 and mark != ":":
            if not listed and name is None:
                name = token
            elif first is None:
                first = token
            end = token.end()
        if mark in "{[":
            depth += 1
    return None


def descend(text: str, path: Sequence[str | int]) -> list[Member]:
    """The whole text, and the values that lead to ``path``, as far as they exist."""
    whole = top(text)
    found = [] if whole is None else [whole]
    for key in path:
        inside = container(text, found[-1].value) if found else None
        member = None if inside is None else inside.find(key)
        if member is None:
            break
        found.append(member)
    return found


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The 1-based line of the value at ``path``, or of the deepest ancestor that exists; 0 where there is no value."""
    found = descend(text, path)
    return text.count("\n", 0, found[-1].value) + 1 if found else 0


def _unquote(word: str) -> str:
    import json

    try:
        return str(json.loads(word))
    except ValueError:
        return word[1:-1]
