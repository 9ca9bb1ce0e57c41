"""What else lies in the runtime of a random goal: the rollout log and the task leases."""

from __future__ import annotations

from typing import Any

from tests.support.document import TodoPart
from tests.support.scene import BARE, GOAL, GONE, HOUR, MERGED, OTHER_GOAL, UNMERGED, Scene

Json = dict[str, Any]


EVENTS = {"merged": 40, "pr_merge": 10, "bare": 16, "bare_in_repo": 8, "opened": 9, "deploy": 9, "foreign": 8}


def build_rollout(scene: Scene, todos: list[TodoPart]) -> list[Json]:
    """Events of the rollout log, oldest first; of these only merges answer a ``resume_when``.

    Where a todo waits for a bare ``#n``, the first event reports that number, with or without its repo.
    """
    choose = scene.choose
    awaited = [todo.meta["resume_when"] for todo in todos if "pr_merged" in todo.meta.get("resume_when", "")]
    if not choose.maybe(60 if awaited else scene.lean.rollout):
        return []
    kinds = [choose.weighted(list(EVENTS.items())) for _ in range(choose.integer(1, 4))]
    if awaited and awaited[0].startswith("pr_merged:#"):
        kinds[0] = choose.choice(("bare", "bare_in_repo"))
    return [_event(scene, number, kind) for number, kind in enumerate(kinds)]


def _event(scene: Scene, number: int, kind: str) -> Json:
    repo, pull = MERGED
    event_kind = "pr_merged"
    details: Json = {"repo": repo, "number": pull}
    match kind:
        case "pr_merge":
            event_kind, details = "pr_merge", {"repo": repo, "number": scene.choose.choice((pull, 42))}
        case "bare":
            details = {"number": BARE}
        case "bare_in_repo":
            details = {"repo": repo, "number": BARE}
        case "opened":
            event_kind, details = "pr_opened", {"repo": UNMERGED[0], "number": UNMERGED[1]}
        case "deploy":
            event_kind, details = "deploy", {"stage": "north", "title": scene.text()}
        case _:
            pass
    return {
        "schema_version": "rollout_event_v0",
        "event_id": f"evt_{number:03d}",
        "event_kind": event_kind,
        "goal_id": OTHER_GOAL if kind == "foreign" else GOAL,
        "recorded_at": scene.at(-HOUR * (5 - number)),
        "status": "completed",
        "summary": scene.text(),
        "details": details,
    }


def build_leases(scene: Scene, todos: list[TodoPart]) -> list[Json]:
    """Leases over some of the agent todos, and now and then over one that is gone."""
    choose = scene.choose
    if not choose.maybe(scene.lean.leases):
        return []
    ids = list(dict.fromkeys(todo.todo_id for todo in todos if todo.todo_id))
    chosen = choose.some(ids, 3) if ids else []
    if choose.maybe(14):
        chosen.append(GONE)
    return [_lease(scene, todo_id, todos) for todo_id in chosen]


def _lease(scene: Scene, todo_id: str, todos: list[TodoPart]) -> Json:
    choose = scene.choose
    owner = choose.weighted([("other", 62), ("me", 38)])
    holder = scene.me if owner == "me" and scene.me else choose.choice(scene.others)
    fresh = choose.maybe(68)
    required = next((t.meta.get("required_write_scopes", "") for t in todos if t.todo_id == todo_id), "")
    scopes = [scope for scope in required.replace(";", ",").replace("|", ",").split(",") if scope]
    if not scopes or choose.maybe(30):
        # Globs that overlap with other todos' scopes without being equal to them.
        scopes = choose.weighted([([], 40), (["docs/**"], 25), (["src/core/**"], 20), (["**"], 15)])
    lease: Json = {
        "schema_version": "task_lease_v0",
        "goal_id": GOAL,
        "todo_id": todo_id,
        "owner": holder,
        "acquired_at": scene.at(-2 * HOUR),
        "expires_at": scene.at(HOUR if fresh else -HOUR),
        "write_scopes": scopes,
        "idempotency_key": f"{holder}-{todo_id}",
    }
    if choose.maybe(9):
        del lease["expires_at"]
    return lease
