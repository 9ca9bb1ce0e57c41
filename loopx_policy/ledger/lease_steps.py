"""Task leases: taken, renewed and given back, once ``lease_claim`` allows it (IP-016, ``task_lease_v0``)."""

from __future__ import annotations

import json
from typing import Any

from ..errors import UsageError
from ..model import Todo
from ..project.times import is_moment, iso
from .documents import find_todo
from .edits import Edit, Remove, Replace
from .files import content
from .goal_steps import check_glob
from .observed import Observer
from .places import Ground
from .todo_steps import known
from .write import Judge, Plan, allow

Json = dict[str, Any]
SCHEMA = "task_lease_v0"


def claim(
    here: Ground,
    judge: Judge,
    observer: Observer,
    todo_id: str,
    *,
    minutes: int = 0,
    scopes: tuple[str, ...] = (),
    read_only: bool = False,
    key: str = "",
) -> Plan:
    """Take a todo for a time. Without ``scopes`` those of the todo; without ``minutes`` the goal's own limit."""
    _check(here, minutes, scopes)
    todo = known(here, todo_id)
    request = _request(here, todo, minutes, () if read_only else scopes or todo.required_write_scopes, read_only, key)
    verdict = allow(judge, "lease_claim", _document(here, observer, "claim", request, todo))
    if verdict.facts["lease.own"] == "repeated":
        return Plan(
            f"Leave the lease on {todo.todo_id} as it is: this key took it", _result(_stored(here, todo.todo_id))
        )
    now = here.caller.now
    lease = {
        "schema_version": SCHEMA,
        "goal_id": here.goal.goal_id,
        "todo_id": todo.todo_id,
        "owner": request["owner"],
        "acquired_at": iso(now),
        "expires_at": iso(now + request["ttl_minutes"] * 60),
        "write_scopes": request["write_scopes"],
        "idempotency_key": key,
    }
    return _written(here, f"Lease {todo.todo_id} to {request['owner']}", lease)


def renew(
    here: Ground,
    judge: Judge,
    observer: Observer,
    todo_id: str,
    *,
    minutes: int = 0,
    scopes: tuple[str, ...] = (),
    read_only: bool = False,
) -> Plan:
    """Let a lease of the caller's last longer from now on; what its file holds beside that stays."""
    _check(here, minutes, scopes)
    todo = known(here, todo_id)
    held = next((one for one in here.snapshot.leases if one.todo_id == todo.todo_id), None)
    old = held.write_scopes if held and held.owner == here.caller.agent_id else todo.required_write_scopes
    wanted = () if read_only else scopes or old
    key = held.idempotency_key if held else ""
    request = _request(here, todo, minutes, wanted, read_only or (held is not None and not wanted), key)
    allow(judge, "lease_claim", _document(here, observer, "renew", request, todo))
    now = here.caller.now
    changes = {
        "expires_at": iso(now + request["ttl_minutes"] * 60),
        "write_scopes": request["write_scopes"],
        "renewed_at": iso(now),
    }
    return _written(
        here, f"Renew the lease of {request['owner']} on {todo.todo_id}", _stored(here, todo.todo_id) | changes
    )


def release(here: Ground, judge: Judge, observer: Observer, todo_id: str) -> Plan:
    """Give a lease back: its file goes."""
    todo = find_todo(here.snapshot, todo_id)
    request: Json = {"todo_id": todo_id, "owner": here.caller.agent_id or ""}
    allow(judge, "lease_claim", _document(here, observer, "release", request, todo))
    path = here.places.lease(todo_id)
    before = content(path)
    edits: list[Edit] = [] if before is None else [Remove(path, before)]
    return Plan(f"Release the lease of {request['owner']} on {todo_id}", {"todo_id": todo_id, **request}, edits)


def _check(here: Ground, minutes: int, scopes: tuple[str, ...]) -> None:
    """``UsageError`` for a scope that is no relative glob, and for an end that is no time."""
    for glob in scopes:
        check_glob(glob)
    if not is_moment(here.caller.now + minutes * 60):
        raise UsageError("--ttl-minutes is longer than any time.", fix="Give the minutes that the work takes.")


def _request(here: Ground, todo: Todo, minutes: int, scopes: tuple[str, ...], read_only: bool, key: str) -> Json:
    return {
        "todo_id": todo.todo_id,
        "owner": here.caller.agent_id or "",
        "ttl_minutes": minutes or here.goal.claim_ttl_minutes or 0,
        "write_scopes": list(scopes),
        "read_only": read_only,
        "idempotency_key": key,
    }


def _document(here: Ground, observer: Observer, operation: str, request: Json, todo: Todo | None) -> Json:
    document: Json = {
        "operation": operation,
        "now": here.caller.now,
        "goal": {
            "goal_id": here.goal.goal_id,
            "registered_agents": list(here.goal.agents),
            "write_scope": list(observer.look(here.snapshot).boundary),
            "claim_ttl_minutes": here.goal.claim_ttl_minutes or 0,
        },
        "request": request,
        "leases": _leases(here),
        "texts": {"write_scopes": request["write_scopes"]} if request.get("write_scopes") else {},
    }
    if todo is not None:
        document["todo"] = {"status": todo.status, "claimed_by": todo.claimed_by}
    return document


def _leases(here: Ground) -> list[Json]:
    state = here.snapshot.state
    status = {todo.todo_id: todo.status for todo in (*state.archived, *state.todos)}
    found = []
    for lease in here.snapshot.leases:
        entry: Json = {
            "todo_id": lease.todo_id,
            "owner": lease.owner,
            "write_scopes": list(lease.write_scopes),
            "idempotency_key": lease.idempotency_key,
            "todo_done": status.get(lease.todo_id) == "done",
        }
        if lease.expires_at is not None:
            entry["expires_at"] = lease.expires_at
        found.append(entry)
    return found


def _stored(here: Ground, todo_id: str) -> Json:
    """The lease as its file has it, with keys that nobody here knows."""
    held: Json = json.loads(content(here.places.lease(todo_id)) or b"{}")
    return held


def _written(here: Ground, summary: str, lease: Json) -> Plan:
    path = here.places.lease(lease["todo_id"])
    after = json.dumps(lease, ensure_ascii=False, indent=1).encode() + b"\n"
    return Plan(summary, _result(lease), [Replace(path, content(path), after)])


def _result(lease: Json) -> Json:
    return {name: lease.get(name, "") for name in ("todo_id", "owner", "expires_at", "write_scopes")}
