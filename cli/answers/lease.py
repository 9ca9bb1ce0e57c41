"""``loopx lease``: requests to steps of the ledger, and the leases as they stand."""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.leases import in_force
from loopx_policy.ledger import lease_steps
from loopx_policy.model import Lease, Snapshot
from loopx_policy.project.times import iso

from ..request import Globals, Result
from .goals import snapshot_of
from .policy import load
from .writing import Writer, observed

Data = dict[str, Any]


def claim(writer: Writer, todo_id: str, minutes: int, scopes: tuple[str, ...], read_only: bool) -> Result:
    """A lease for a time."""
    request = {"todo_id": todo_id, "ttl_minutes": minutes, "write_scopes": list(scopes), "read_only": read_only}
    return observed(
        writer,
        "lease claim",
        request,
        lambda here, judge, observer: lease_steps.claim(
            here, judge, observer, todo_id, minutes=minutes, scopes=scopes, read_only=read_only, key=writer.key
        ),
        remembered=False,
    )


def renew(writer: Writer, todo_id: str, minutes: int, scopes: tuple[str, ...], read_only: bool) -> Result:
    """The same lease for longer."""
    request = {"todo_id": todo_id, "ttl_minutes": minutes, "write_scopes": list(scopes), "read_only": read_only}
    return observed(
        writer,
        "lease renew",
        request,
        lambda here, judge, observer: lease_steps.renew(
            here, judge, observer, todo_id, minutes=minutes, scopes=scopes, read_only=read_only
        ),
        remembered=False,
    )


def release(writer: Writer, todo_id: str) -> Result:
    """The lease given back."""
    return observed(
        writer,
        "lease release",
        {"todo_id": todo_id},
        lambda here, judge, observer: lease_steps.release(here, judge, observer, todo_id),
        remembered=False,
    )


def leases(options: Globals, goal_id: str | None) -> Result:
    """``{leases: [{todo_id, owner, standing, expires_at, minutes_left, write_scopes, text}]}``, by todo."""
    snapshot = snapshot_of(options, load(options), goal_id)
    data = {
        "schema_version": "loopx_leases_v0",
        "goal_id": snapshot.goal.goal_id,
        "as_of": iso(snapshot.now),
        "leases": [_lease(lease, snapshot) for lease in snapshot.leases],
        "problems": [
            {"at": problem.at, "message": problem.message, "fix": problem.fix}
            for problem in snapshot.problems
            if problem.at.startswith("task-leases")
        ],
    }
    return Result(data, "leases")


def _lease(lease: Lease, snapshot: Snapshot) -> Data:
    state = snapshot.state
    todo = next((one for one in (*state.todos, *state.archived) if one.todo_id == lease.todo_id), None)
    left = None if lease.expires_at is None else lease.expires_at - snapshot.now
    done = todo is not None and todo.status == "done"
    held = in_force(lease.expires_at, snapshot.now, done=done)
    standing = "in force" if held else "finished todo" if done else "expired"
    return {
        "todo_id": lease.todo_id,
        "owner": lease.owner,
        "standing": standing,
        "acquired_at": iso(lease.acquired_at) if lease.acquired_at is not None else None,
        "expires_at": iso(lease.expires_at) if lease.expires_at is not None else None,
        "minutes_left": None if left is None else max(0, left // 60),
        "write_scopes": list(lease.write_scopes),
        "text": todo.text if todo else "",
    }
