"""What the text of a todo says by itself: priority, default class, derived id, todo ids named in prose."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from ..model import NO_PRIORITY, Role
from .grammar import is_todo_id

RANKS: Final = {f"[P{rank}]": rank for rank in range(5)}


def default_class(role: Role, text: str) -> str:
    """The ``task_class`` of a todo that gives none, from its role and the marker before its text."""
    if role == "user":
        return ""
    monitor = text[3:12] == "-monitor]" and priority_of(text) != NO_PRIORITY
    return "continuous_monitor" if monitor else "advancement_task"


def derived_id(role: str, section: str, number: int, text: str) -> str:
    """The id of a todo that gives none; ``number`` counts from 1 within its section."""
    from hashlib import sha1

    source = f"{role}|{section}|{number}|{text}".encode("utf-8", "surrogatepass")
    return "todo_" + sha1(source, usedforsecurity=False).hexdigest()[:12]


def priority_of(text: str) -> int:
    """0 to 4 where the text begins ``[P0]`` to ``[P4]`` (or ``[P1-monitor]``), else ``NO_PRIORITY``."""
    return RANKS.get(text[:3] + "]" if text[3:12] == "-monitor]" else text[:4], NO_PRIORITY)


def ids_in(text: str, known: Collection[str]) -> tuple[str, ...]:
    """The todo ids named in a text, in order, each once. Markdown's ``_`` around an id is not part of it."""
    if "todo_" not in text:
        return ()
    found: dict[str, None] = {}
    for name in re.findall(r"(?<![a-z0-9])todo_[a-z0-9_-]{3,64}", text):
        bare = name.rstrip("_-")
        found[bare if name not in known and (bare in known or is_todo_id(bare)) else name] = None
    return tuple(found)
