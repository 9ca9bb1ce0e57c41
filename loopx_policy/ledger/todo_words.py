"""What may be written about a todo: its wording, its metadata, and the id of a new one. Slips are usage errors.

Source: todo metadata of the active goal state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from ..digests import hex16
from ..errors import UsageError
from ..model import NO_PRIORITY
from ..project.metadata import PARSERS, is_key, read_token
from ..project.todo_text import priority_of
from .comments import encode_value
from .plain_text import trouble
from .state_lines import one_line

LONGEST: Final = 4000
"""Characters of the longest text that a todo takes: it is a list to work from, no place for documents."""
PRIORITIES: Final = ("P0", "P1", "P2", "P3", "P4")
STAMPS: Final = ("todo_id", "updated_at", "completed_at")
"""Keys that the program writes by itself."""


def wording(text: str, option: str = "--text") -> str:
    """The text of a todo on one line. ``UsageError`` where it cannot be one."""
    line = one_line(_plain(text, option))
    bare = line.partition("]")[2] if line.startswith("[P") else line
    if not bare.strip():
        raise UsageError(f"{option} says nothing.", fix="Say what is to be done.")
    if "loopx:todo" in line:
        raise UsageError(f"{option} would be read as metadata.", fix="Leave the word loopx:todo out of it.")
    return line


def prioritised(text: str, priority: str) -> str:
    """The text with a priority (``P0`` to ``P4``) before it, in the place of one that it has; as it is without one."""
    if not priority:
        return text
    if priority.upper() not in PRIORITIES:
        raise UsageError(f"{priority[:20]} is no priority.", fix=f"Use one of {', '.join(PRIORITIES)}.")
    rest = text.partition("]")[2].strip() if priority_of(text) != NO_PRIORITY else text
    return f"[{priority.upper()}] {rest}"


def marker(text: str) -> str:
    """The priority as it stands before a text, as ``[P1]``; empty where there is none."""
    return text[: text.index("]") + 1] if priority_of(text) != NO_PRIORITY else ""


def metadata(values: Mapping[str, str]) -> dict[str, str]:
    """Keys with their values, in the order of the grammar, unknown keys last. ``UsageError`` for a slip in one."""
    found: dict[str, str] = {}
    for name, value in values.items():
        key = name.replace("-", "_")
        option = "--" + key.replace("_", "-")
        if not is_key(key):
            raise UsageError(f"{name[:60]!r} is no metadata key.", fix="Write a-z or _ first, then a-z, 0-9, _ or -.")
        if key in STAMPS:
            raise UsageError(f"{key} is written by loopx itself.", fix="Leave it out.")
        text = _plain(value, option).strip()
        if not text:
            raise UsageError(f"{option} is empty.", fix=f"Give it a value, or take it out with --unset {key}.")
        token = read_token(f"{key}={encode_value(text)}")
        if token.trouble is not None:
            raise UsageError(f"{option}: {token.trouble}.", fix=token.fix or "Correct it.")
        found[key] = text
    return {key: found[key] for key in (*PARSERS, *found) if key in found}


def told(values: Mapping[str, str | None]) -> dict[str, str]:
    """What metadata would write, by its key. A key that the grammar does not know stands with its value, since a secret
    may be one by its name only.
    """
    return {key: value if key in PARSERS else f"{key}={value}" for key, value in values.items() if value}


def keys(names: Iterable[str]) -> list[str]:
    """Names of metadata keys in their one spelling."""
    out = []
    for name in names:
        key = name.replace("-", "_")
        if not is_key(key) or key in STAMPS:
            raise UsageError(f"{name[:60]!r} cannot be taken out.", fix="Name a metadata key such as note.")
        out.append(key)
    return out


def new_id(goal_id: str, now: int, text: str, taken: Collection[str]) -> str:
    """``todo_`` and 12 hex digits that no id in ``taken`` has. The caller holds the goal's lock."""
    number = 0
    while True:
        name = "todo_" + hex16(str(part).encode() for part in (goal_id, now, text, number))[:12]
        if name not in taken:
            return name
        number += 1


def _plain(text: str, option: str) -> str:
    if len(text) > LONGEST:
        raise UsageError(f"{option} is longer than {LONGEST} characters.", fix="Say it shorter, or link to a document.")
    wrong = trouble(text)
    if wrong:
        raise UsageError(f"{option} {wrong}.", fix="Write plain text.")
    return text
