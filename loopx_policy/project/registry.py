"""The registry: JSON to ``Registry``, and one entry of it to a typed ``Goal``.

Source: registry.json.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Final, NoReturn

from ..errors import StateError, UsageError
from ..model import Goal, Json, Problem
from . import grammar
from .files import open_regular, reason
from .goal import Path, typed_goal

REGISTRY_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of the largest registry that is read."""

Stamp = tuple[int, ...]
GONE: Final[Stamp] = ()


class Registry:
    """A registry as read. ``entries`` are the goals as written, each an object with a usable ``id``.

    ``common_runtime_root`` is as written (empty where not given); ``text`` is the whole file, kept to
    find lines; ``stamp`` tells whether the file is still the one that was read. Goals are typed on demand,
    since a turn needs one of perhaps hundreds.
    """

    __slots__ = ("common_runtime_root", "entries", "path", "schema_version", "stamp", "text", "updated_at")

    def __init__(self, path: str, *, common_runtime_root: str = "", text: str = "") -> None:
        self.path = path
        self.schema_version = ""
        self.updated_at = ""
        self.common_runtime_root = common_runtime_root
        self.entries: list[Json] = []
        self.text = text
        self.stamp = GONE

    @property
    def name(self) -> str:
        """The name shown to people: never an absolute path."""
        return os.path.basename(self.path)

    @property
    def base(self) -> str:
        """The folder that a relative ``repo`` is relative to: the project, or the registry's own folder."""
        folder = os.path.dirname(os.path.abspath(self.path))
        return os.path.dirname(folder) if os.path.basename(folder) == ".loopx" else folder

    @property
    def ids(self) -> list[str]:
        return [entry["id"] for entry in self.entries]

    @property
    def goals(self) -> list[Goal]:
        """Every goal, typed; mistakes in entries are reported by ``goal`` alone."""
        return [self.typed(number)[0] for number in range(len(self.entries))]

    def goal(self, goal_id: str) -> tuple[Goal, list[Problem]]:
        """The goal with this id and the problems of its entry.

        Raises ``UsageError`` where no goal has the id and ``StateError`` where two have.
        """
        numbers = [number for number, entry in enumerate(self.entries) if entry["id"] == goal_id]
        if not numbers:
            raise UsageError(f"No goal {goal_id!r} is registered.", at=self.name, fix=self._nearest(goal_id))
        if len(numbers) > 1:
            raise self.duplicate(numbers)
        return self.typed(numbers[0])

    def typed(self, number: int) -> tuple[Goal, list[Problem]]:
        """The goal of one entry, by its position, and the problems of that entry."""
        problems: list[Problem] = []

        def report(path: Path, message: str, breaks: bool) -> None:
            at = f"{self.name}:{self.line(('goals', number, *path))}"
            problems.append(Problem(message, at, "Correct the registry entry.", "", breaks))

        return typed_goal(self.entries[number], report), problems

    def duplicate(self, numbers: Sequence[int]) -> StateError:
        lines = [str(self.line(("goals", number))) for number in numbers]
        goal_id = self.entries[numbers[0]]["id"]
        said = f"{len(numbers)} goals have the id {goal_id!r} (lines {', '.join(lines)})."
        return StateError(said, at=f"{self.name}:{lines[1]}", fix="Give each goal an id of its own.")

    def line(self, path: Path) -> int:
        from .positions import line_of

        return line_of(self.text, path)

    def _nearest(self, goal_id: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(goal_id, self.ids, n=1)
        if near:
            return f"Did you mean {near[0]!r}?"
        shown = self.ids[:8]
        more = " ..." if len(self.ids) > len(shown) else ""
        return f"Registered: {', '.join(shown)}{more}." if shown else "The registry lists no goal."


def stamp_of(path: str) -> Stamp:
    """What changes whenever a file is replaced or written; ``GONE`` where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return GONE
    return status.st_ino, status.st_size, status.st_mtime_ns


def read_registry(path: str, staged: str = "") -> Registry:
    """The registry in a file. Raises ``StateError`` at file:line where it is none.

    ``staged`` is where its content lies while a write that became true is not yet finished.
    """
    name = os.path.basename(path)
    stamp = stamp_of(path)
    try:
        with open_regular(staged or path) as stream:
            data = stream.read(REGISTRY_LIMIT + 1)
    except (OSError, ValueError) as error:
        said = "is a folder" if isinstance(error, IsADirectoryError) else reason(error)
        fix = "Mend it, or name another registry file with --registry."
        raise StateError(f"The registry cannot be read ({said}).", at=name, fix=fix) from None
    if len(data) > REGISTRY_LIMIT:
        raise StateError(f"The registry has more than {REGISTRY_LIMIT} bytes.", at=name, fix="Remove old goals.")
    registry = registry_of(data, path)
    registry.stamp = stamp
    return registry


def registry_of(data: bytes, path: str) -> Registry:
    """The registry in the bytes of a file; ``path`` is where they come from."""
    name = os.path.basename(path)

    def fail(message: str, line: int, fix: str) -> NoReturn:
        raise StateError(message, at=f"{name}:{line}" if line else name, fix=fix) from None

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fail("The registry is not UTF-8.", data.count(b"\n", 0, error.start) + 1, "Save it as UTF-8.")
    try:
        top = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        fail(f"The registry is not JSON: {error.msg} at column {error.colno}.", error.lineno, "Correct the JSON.")
    except (ValueError, RecursionError) as error:
        fail(f"The registry is not JSON: {str(error)[:80]}.", 0, "Correct the JSON.")
    if not isinstance(top, dict):
        fail("The registry must be a JSON object.", 1, 'Write {"goals": [...]}.')
    registry = Registry(path, text=text)
    entries = top.get("goals")
    if not isinstance(entries, list):
        fail("The registry has no list named goals.", registry.line(("goals",)), 'Add "goals": [...].')
    for number, entry in enumerate(entries):
        goal_id = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(goal_id, str) or not grammar.is_goal_id(goal_id):
            line = registry.line(("goals", number, "id"))
            fail(
                f"Goal {number + 1} of the registry has no usable id.", line, "Give it an id that is one path segment."
            )
    for key in ("common_runtime_root", "updated_at"):
        if not isinstance(top.get(key) or "", str):
            fail(f"{key} of the registry must be a text.", registry.line((key,)), "Correct it.")
    registry.schema_version = str(top.get("schema_version", ""))
    registry.updated_at = top.get("updated_at") or ""
    registry.common_runtime_root = top.get("common_runtime_root") or ""
    registry.entries = entries
    return registry


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
