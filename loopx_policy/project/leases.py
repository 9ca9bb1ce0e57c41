"""Task leases: one JSON file a todo. Source: task-leases, ``task_lease_v0`` (IP-016)."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from ..model import Lease, Problem
from . import grammar
from .files import list_folder, open_regular, reason
from .pending import NOTHING, Pending
from .times import parse_time

FOLDER: Final = "task-leases"
EVERYTHING: Final = "**"
"""The write scope of a lease that does not say clearly what it writes."""

_LIMIT: Final = 256 * 1024
_RELEASED: Final = ("released", "expired", "cancelled", "canceled")
_FIX: Final = "Correct it, or remove it to free the todo."


def read_leases(folder: str, pending: Pending = NOTHING) -> tuple[list[Lease], list[Problem]]:
    """The leases in the goal's folder by file name, and what is wrong with them.

    A file that cannot be understood breaks the contract, and whatever todos it may be about are held by nobody
    (so it is nobody's own) without end. A file whose name and content differ may be about either todo. Released
    leases are left out; hidden files are the writers' own.
    """
    leases: list[Lease] = []
    problems: list[Problem] = []
    place = os.path.join(folder, FOLDER)
    try:
        names = set(list_folder(place))
    except FileNotFoundError:
        names = set()
    except (OSError, ValueError) as error:
        said = f"The folder of task leases cannot be read ({reason(error)})."
        return leases, [Problem(said, FOLDER, "Correct it or its permissions; without leases it may be missing.")]
    for name in sorted(names.union(pending.inside(place))):
        if name[0] == ".":
            continue
        if not name.lower().endswith(".json"):
            said = "A file among the leases is not named <todo_id>.json and is not read."
            problems.append(Problem(said, f"{FOLDER}/{name}", "Rename or remove it.", "", False))
            continue
        found, trouble, breaks = _read(pending.path(os.path.join(place, name)), name[:-5])
        leases += found
        if trouble:
            todo_id = found[0].todo_id if found else ""
            problems.append(Problem(f"The lease file {trouble}.", f"{FOLDER}/{name}", _FIX, todo_id, breaks))
    return leases, problems


def _read(path: str, stem: str) -> tuple[list[Lease], str, bool]:
    """The leases of one file, what is wrong with it, and whether that breaks the contract."""
    held = [Lease(stem, "")] if grammar.is_todo_id(stem) else []
    try:
        with open_regular(path) as stream:
            data = json.loads(stream.read(_LIMIT).decode("utf-8"))
    except FileNotFoundError:
        return [], "", False  # Released between the listing and the reading.
    except OSError as error:
        return held, f"cannot be read ({reason(error)})", True
    except (ValueError, RecursionError):
        return held, "is not JSON", True
    if not isinstance(data, dict):
        return held, "is not an object", True
    if str(data.get("status", "")).lower() in _RELEASED or data.get("released_at"):
        return [], "", False
    named = _text(data, "todo_id", "todo") or stem
    if named != stem and grammar.is_todo_id(named):
        held.append(Lease(named, ""))
    if not held or named != stem:
        return held, f"is named after {stem[:69]} and is about {named[:69]}", True
    owner = _text(data, "owner", "owner_agent", "claimed_by")
    if not owner:
        return held, "names no owner", True
    times = [_time(data, "acquired_at"), _time(data, "expires_at")]
    if None in times:
        return [Lease(stem, owner)], "has a time that is no ISO 8601 time, so it does not end", True
    acquired, expires = (time if time != _ABSENT else None for time in times)
    globs, clear = _scopes(data.get("write_scopes", data.get("write_scope")))
    lease = Lease(stem, owner, acquired, expires, globs, _text(data, "idempotency_key"))
    if not clear:
        return [lease], "has a write scope that is no relative glob, so it covers every file", False
    if expires is None:
        return [lease], "has no expires_at, so it does not end", False
    return [lease], "", False


def _scopes(value: object) -> tuple[tuple[str, ...], bool]:
    """The globs that a lease writes, and whether all that it says could be read."""
    listed = [] if value is None else value if isinstance(value, list) else [value]
    globs = tuple(item for item in listed if isinstance(item, str) and grammar.is_glob(item))
    return (globs, True) if len(globs) == len(listed) else ((*globs, EVERYTHING), False)


_ABSENT: Final = -(10**12)


def _time(data: dict[str, Any], key: str) -> int | None:
    value = data.get(key)
    if value is None:
        return _ABSENT
    time = parse_time(value) if isinstance(value, str) else None
    return time[0] if time else None


def _text(data: dict[str, Any], *keys: str) -> str:
    return next((data[key] for key in keys if isinstance(data.get(key), str) and data[key]), "")
