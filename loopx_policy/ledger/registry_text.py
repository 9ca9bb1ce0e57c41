"""The registry under the knife: the entry of one goal is changed in place, and every other byte stays."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import StateError, UsageError
from ..model import Problem
from ..project.registry import Registry, registry_of
from ..project.times import iso
from . import json_text
from .edits import Edit, Replace
from .places import Ground

Key = str | int
BOM = "\ufeff"


def stamp(now: int, like: str) -> str:
    """``updated_at`` as the registry writes it: a date, or a time."""
    return iso(now)[:10] if len(like) == 10 else iso(now)


class RegistryText:
    """The text of a registry, and the entry of the goal that a command is about. Paths begin inside that entry."""

    def __init__(self, here: Ground) -> None:
        self._before = here.registry
        self._path = here.places.registry
        self._goal_id = here.goal.goal_id
        self._now = here.caller.now
        text = here.registry.decode("utf-8")
        self._mark, self._text = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
        self._number = registry_of(here.registry, self._path).ids.index(self._goal_id)

    def get(self, *path: Key) -> Any:
        """The value at a path of the entry; ``None`` where there is none."""
        found = json.loads(self._text)["goals"][self._number]
        for key in path:
            inside = isinstance(found, dict) if isinstance(key, str) else isinstance(found, list)
            if not inside or (isinstance(key, str) and key not in found):
                return None
            found = found[key]
        return found

    def put(self, *path: Key, value: Any) -> None:
        """Set a value; an equal one stays as it is written."""
        if self._same(path, value):
            return
        self._change(lambda: json_text.put(self._text, ("goals", self._number, *path), value), path)

    def append(self, *path: Key, value: Any) -> None:
        """Add an item to a list."""
        self._change(lambda: json_text.append(self._text, ("goals", self._number, *path), value), path)

    def remove(self, *path: Key) -> None:
        """Take a value out; objects that were made for it stay."""
        self._text = json_text.remove(self._text, ("goals", self._number, *path))

    def edits(self) -> list[Edit]:
        """The changed registry; nothing where nothing changed.

        ``UsageError`` in the words of the reader where the entry would have a mistake that it did not have.
        """
        data = (self._mark + self._text).encode("utf-8")
        if data == self._before:
            return []
        known = {problem.message for problem in self._problems(registry_of(self._before, self._path))}
        for problem in self._problems(registry_of(data, self._path)):
            if problem.message not in known:
                raise UsageError(problem.message, fix="Give another value.")
        written = json.loads(self._text).get("updated_at")
        if isinstance(written, str) and written:
            self._text = json_text.put(self._text, ("updated_at",), stamp(self._now, written))
            data = (self._mark + self._text).encode("utf-8")
        return [Replace(self._path, self._before, data)]

    def _same(self, path: tuple[Key, ...], value: Any) -> bool:
        found = self.get(*path)
        return found is not None and type(found) is type(value) and bool(found == value)

    def _problems(self, source: Registry) -> list[Problem]:
        return source.typed(self._number)[1]

    def _change(self, change: Any, path: tuple[Key, ...]) -> None:
        try:
            self._text = change()
        except LookupError as error:
            said = ".".join(map(str, path))
            raise StateError(
                f"{said} of goal {self._goal_id} cannot be set: {error}.",
                at=os.path.basename(self._path),
                fix="Correct the registry entry.",
            ) from None
