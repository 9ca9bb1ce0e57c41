"""What modules import, remembered by the digest of their text: to parse them costs more than all else in a plan.

A file in the cache folder, put in place as a whole. One that is torn or of another form is made anew, and one that
cannot be written costs only time.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from loopx_policy.digests import hex16

_NAME = "imports-1.json"
_MOST = 4000
"""Entries beyond which only those of the present tree are kept."""


class ImportCache:
    """``folder`` is None where nothing is remembered."""

    __slots__ = ("_folder", "_known", "_used")

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._known = _read(folder) if folder else {}
        self._used: dict[str, list[str]] = {}

    def get(self, source: bytes, package: str) -> frozenset[str] | None:
        """What a module of that text in that package imports, where it is known."""
        key = _key(source, package)
        found = self._known.get(key)
        if found is None:
            return None
        self._used[key] = found
        return frozenset(found)

    def put(self, source: bytes, package: str, imports: frozenset[str]) -> None:
        """Remember it."""
        self._used[_key(source, package)] = sorted(imports)

    def save(self) -> None:
        """Write what is new, if anything is."""
        if self._folder is None or self._used.keys() <= self._known.keys():
            return
        every = self._known | self._used
        kept = every if len(every) <= _MOST else self._used
        temporary = os.path.join(self._folder, f".{_NAME}.{os.getpid()}.tmp")
        with suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            with open(temporary, "w", encoding="utf-8") as file:
                json.dump(kept, file, separators=(",", ":"))
            os.replace(temporary, os.path.join(self._folder, _NAME))


def _key(source: bytes, package: str) -> str:
    return hex16([package.encode(), source])


def _read(folder: str) -> dict[str, list[str]]:
    try:
        with open(os.path.join(folder, _NAME), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        key: names
        for key, names in found.items()
        if isinstance(names, list) and all(isinstance(name, str) for name in names)
    }
