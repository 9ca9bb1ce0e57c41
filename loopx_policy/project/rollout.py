"""The rollout log: which pull requests have been merged.

Only read where a todo waits for one, and only for the numbers that are waited for. Source:
rollout-event-log.jsonl; of its events, ``pr_merge`` and ``pr_merged`` satisfy ``resume_when``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable
from typing import Final

from ..model import Merge, Todo
from . import grammar
from .files import open_regular
from .times import parse_time

LOG: Final = "rollout-event-log.jsonl"
LINE_LIMIT: Final = 1024 * 1024
_FAILED: Final = ("failed", "error", "rejected", "cancelled", "canceled", "aborted")


def awaited(todos: Iterable[Todo]) -> frozenset[int]:
    """The numbers of the pull requests that some todo that is not done waits for."""
    numbers = set()
    for todo in todos:
        if todo.resume_when[:10] == "pr_merged:" and todo.status != "done":
            merge = grammar.merge(todo.resume_when[10:])
            if merge:
                numbers.add(merge[1])
    return frozenset(numbers)


def read_merges(folder: str, *, goal_id: str, numbers: Collection[int], now: int) -> list[Merge]:
    """The merges of these pull requests in the goal's folder up to ``now``, each once, in the order of the log.

    A missing or unreadable log has none, nor has an event that lies in the future or whose time cannot be read: what
    waits for it goes on waiting.
    """
    if not numbers:
        return []
    merges: dict[Merge, None] = {}
    try:
        with open_regular(os.path.join(folder, LOG)) as stream:
            while line := stream.readline(LINE_LIMIT):
                if b"pr_merge" in line:
                    merge = _merge(line, goal_id, now)
                    if merge and merge.number in numbers:
                        merges[merge] = None
    except (OSError, ValueError):
        pass
    return list(merges)


def _merge(line: bytes, goal_id: str, now: int) -> Merge | None:
    try:
        event = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or event.get("event_kind") not in ("pr_merge", "pr_merged"):
        return None
    if event.get("goal_id", goal_id) != goal_id or str(event.get("status", "")).lower() in _FAILED:
        return None
    stamp = event.get("recorded_at")
    time = parse_time(stamp) if isinstance(stamp, str) else None
    if stamp is not None and (time is None or time[0] > now):
        return None
    details = event.get("details")
    for source in (details, event):
        if not isinstance(source, dict):
            continue
        number = _first(source, "number", "pr_number", "pr")
        repo = _first(source, "repo", "repository")
        if number is not None:
            text = str(number)
            found = grammar.merge(text if "#" in text else f"{repo or ''}#{text}")
            if found and not found[0] and repo:
                found = grammar.merge(f"{repo}{text}")
            return Merge(*found) if found else None
    return None


def _first(source: dict[str, object], *keys: str) -> object:
    return next((source[key] for key in keys if source.get(key) is not None and source[key] is not True), None)
