"""What a command wants to change: whole files, or one line at the end of a file."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CONTEXT = 2
"""Unchanged lines around each change of a diff."""


@dataclass(slots=True, frozen=True)
class Replace:
    """The content of a file. ``before`` is what was read (``None``: the file must not exist yet)."""

    path: str
    before: bytes | None
    after: bytes


@dataclass(slots=True, frozen=True)
class Append:
    """One line, without its end, to be added to a file of lines."""

    path: str
    line: bytes


@dataclass(slots=True, frozen=True)
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
    old, new = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
    origin = "/dev/null" if edit.before is None else name
    target = "/dev/null" if isinstance(edit, Remove) else name
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    # Only the part that differs is compared: a large file differs in a few lines.
    first, last = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    lines = difflib.unified_diff(
        old[first : len(old) - last], new[first : len(new) - last], origin, target, n=CONTEXT, lineterm="\n"
    )
    return "".join(_placed(line, first) if line.startswith("@@") else _ended(line) for line in lines)


def _same(old: list[str], new: list[str]) -> int:
    """How many lines at the beginning agree."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


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
