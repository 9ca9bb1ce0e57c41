"""Task leases: one JSON file a todo. Source: task-leases, ``task_lease_v0`` (IP-016)."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from ..model import Lease, Problem
from . import grammar
from .files import open_regular
from .pending import NOTHING, Pending
from .times import parse_time

FOLDER: Final = "task-leases"
_LIMIT: Final = 256 * 1024
_RELEASED: Final = ("released", "expired", "cancelled", "canceled")


def read_leases(folder: str, pending: Pending = NOTHING) -> tuple[list[Lease], list[Problem]]:
    """The leases in the goal's folder by file name, and what is wrong with them.

    A file that cannot be understood still holds its todo: its lease has no owner (so it is nobody's own)
    and no end, until somebody mends or removes the file. Released leases are left out.
    """
    leases: list[Lease] = []
    problems: list[Problem] = []
    place = os.path.join(folder, FOLDER)
    try:
        listed = [*pending.inside(place), *os.listdir(place)]
        names = sorted({name for name in listed if name.endswith(".json")})
    except (FileNotFoundError, NotADirectoryError):
        return leases, problems
    except (OSError, ValueError) as error:
        said = (getattr(error, "strerror", None) or "bad name").lower()
        fix = "Correct its permissions."
        return leases, [Problem(f"The folder of task leases cannot be read ({said}).", FOLDER, fix)]
    for name in names:
        todo_id = name[:-5]
        if not grammar.is_todo_id(todo_id):
            problems.append(_problem(name, "is not named after a todo", "", "Remove it."))
            continue
        lease, trouble = _read(pending.path(os.path.join(place, name)), todo_id)
        if lease:
            leases.append(lease)
        if trouble:
            problems.append(_problem(name, trouble, todo_id, "Correct it, or remove it to free the todo."))
    return leases, problems


def _read(path: str, todo_id: str) -> tuple[Lease | None, str]:
    held = Lease(todo_id, "")
    try:
        with open_regular(path) as stream:
            data = json.loads(stream.read(_LIMIT).decode("utf-8"))
    except FileNotFoundError:
        return None, ""  # Released between the listing and the reading.
    except OSError as error:
        return held, f"cannot be read ({(error.strerror or 'unknown').lower()})"
    except (ValueError, RecursionError):
        return held, "is not JSON"
    if not isinstance(data, dict):
        return held, "is not an object"
    named = _text(data, "todo_id", "todo") or todo_id
    owner = _text(data, "owner", "owner_agent", "claimed_by")
    if named != todo_id:
        return held, f"is about {named[:69]}, not about the todo in its name"
    if str(data.get("status", "")).lower() in _RELEASED or data.get("released_at"):
        return None, ""
    if not owner:
        return held, "names no owner"
    times = [_time(data, "acquired_at"), _time(data, "expires_at")]
    if None in times:
        return Lease(todo_id, owner), "has a time that is no ISO 8601 time, so it does not end"
    acquired, expires = (time if time != _ABSENT else None for time in times)
    scopes = data.get("write_scopes", data.get("write_scope"))
    listed = [scopes] if isinstance(scopes, str) else scopes if isinstance(scopes, list) else []
    globs = tuple(item for item in listed if isinstance(item, str) and grammar.is_glob(item))
    lease = Lease(todo_id, owner, acquired, expires, globs, _text(data, "idempotency_key"))
    if expires is None:
        return lease, "has no expires_at, so it does not end"
    if scopes is not None and (not isinstance(scopes, (str, list)) or len(globs) != len(listed)):
        return lease, "has a write scope that is no relative glob"
    return lease, ""


_ABSENT: Final = -(10**12)


def _time(data: dict[str, Any], key: str) -> int | None:
    value = data.get(key)
    if value is None:
        return _ABSENT
    time = parse_time(value) if isinstance(value, str) else None
    return time[0] if time else None


def _text(data: dict[str, Any], *keys: str) -> str:
    return next((data[key] for key in keys if isinstance(data.get(key), str) and data[key]), "")


def _problem(name: str, said: str, todo_id: str, fix: str) -> Problem:
    return Problem(f"The lease file {said}.", f"{FOLDER}/{name}", fix, todo_id, False)
