"""What a command wants to change: whole files, or one line at the end of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..records import record

CONTEXT = 2
"""Unchanged lines around each change of a diff."""


@record(frozen=True)
class Replace:
    """The content of a file. ``before`` is what was read (``None``: the file must not exist yet)."""

    path: str
    before: bytes | None
    after: bytes


@record(frozen=True)
class Append:
    """One line, without its end, to be added to a file of lines."""

    path: str
    line: bytes


@record(frozen=True)
class Remove:
    """A file that shall be gone."""

    path: str
    before: bytes


Edit = Replace | Append | Remove


def diff(edits: Sequence[Edit], shown: Callable[[str], str] = os.path.basename) -> str:
    """The edits as a unified diff; ``shown`` gives the name of a path for people."""
    return "".join(_diff(edit, shown(edit.path)) for edit in edits)


def _diff(edit: Edit, name: str) -> str:
    if isinstance(edit, Append):
        return f"--- {name}\n+++ {name}\n@@ at the end @@\n+{edit.line.decode('utf-8', 'replace')}\n"
    before = edit.before or b""
    after = edit.after if isinstance(edit, Replace) else b""
    if before == after:
        return ""
    origin = "/dev/null" if edit.before is None else name
    target = "/dev/null" if isinstance(edit, Remove) else name
    start, rest = _window(before, after)
    old, new = (_lines(data[start : len(data) - rest]) for data in (before, after))
    import difflib  # most commands that fail never get here

    lines = difflib.unified_diff(old, new, origin, target, n=CONTEXT, lineterm="\n")
    shift = before.count(b"\n", 0, start)
    return "".join(_placed(line, shift) if line.startswith("@@") else _ended(line) for line in lines)


def _window(before: bytes, after: bytes) -> tuple[int, int]:
    """How many bytes at the beginning and at the end need no look: whole lines that agree, ``CONTEXT`` of them left.

    A large file differs in a few lines, and is compared as bytes first.
    """
    head = _most(lambda size: before[:size] == after[:size], min(len(before), len(after)))
    start = head
    for _ in range(CONTEXT + 1):
        start = before.rfind(b"\n", 0, max(0, start - 1)) + 1 if start else 0
    limit = min(len(before), len(after)) - start
    tail = _most(lambda size: before[len(before) - size :] == after[len(after) - size :], limit)
    end = len(before) - tail
    for _ in range(CONTEXT + 1):
        end = before.find(b"\n", end) + 1 or len(before)
    return start, len(before) - end


def _most(agrees: Callable[[int], bool], limit: int) -> int:
    """The largest number up to ``limit`` for which ``agrees`` holds, where it holds for every smaller one too."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if agrees(middle) else (low, middle - 1)
    return low


def _lines(data: bytes) -> list[str]:
    parts = data.decode("utf-8", "replace").split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _placed(head: str, shift: int) -> str:
    """The head of a hunk, its line numbers moved to where the compared part lies in the file."""
    parts = head.split()
    moved = []
    for part in parts[1:3]:
        line, comma, length = part[1:].partition(",")
        moved.append(f"{part[0]}{int(line) + shift}{comma}{length}")
    return f"@@ {moved[0]} {moved[1]} @@\n"


def _ended(line: str) -> str:
    if line.endswith("\r\n"):
        return line[:-2] + "\n"
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
