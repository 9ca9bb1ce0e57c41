"""What else lies in the runtime of a random goal: the rollout log and the task leases."""

from __future__ import annotations

from typing import Any

from tests.support.agent_todos import BARE, MERGED, UNMERGED
from tests.support.document import TodoPart
from tests.support.scene import GOAL, HOUR, OTHER_GOAL, Scene

Json = dict[str, Any]


def build_rollout(scene: Scene) -> list[Json]:
    """Events of the rollout log, oldest first; of these only merges answer a ``resume_when``."""
    choose = scene.choose
    if not choose.maybe(scene.lean.rollout):
        return []
    events = []
    for number in range(choose.integer(1, 4)):
        kind = choose.weighted(
            [("merged", 46), ("pr_merge", 12), ("bare", 12), ("opened", 12), ("deploy", 10), ("foreign", 8)]
        )
        repo, pull = MERGED
        details: Json = {"repo": repo, "number": pull}
        event_kind = "pr_merged"
        if kind == "pr_merge":
            event_kind, details = "pr_merge", {"repo": repo, "number": choose.choice((pull, 42))}
        elif kind == "bare":
            details = {"number": BARE}
        elif kind == "opened":
            event_kind, details = "pr_opened", {"repo": UNMERGED[0], "number": UNMERGED[1]}
        elif kind == "deploy":
            event_kind, details = "deploy", {"stage": "north", "title": scene.text()}
        events.append(
            {
                "schema_version": "rollout_event_v0",
                "event_id": f"evt_{number:03d}",
                "event_kind": event_kind,
                "goal_id": OTHER_GOAL if kind == "foreign" else GOAL,
                "recorded_at": scene.at(-HOUR * (5 - number)),
                "status": "completed",
                "summary": scene.text(),
                "details": details,
            }
        )
    return events


def build_leases(scene: Scene, todos: list[TodoPart]) -> list[Json]:
    """Leases over some of the agent todos, and now and then over one that is gone."""
    choose = scene.choose
    if not choose.maybe(scene.lean.leases):
        return []
    ids = [todo.todo_id for todo in todos if todo.todo_id]
    chosen = choose.some(ids, 3) if ids else []
    if choose.maybe(8):
        chosen.append("todo_gone")
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
    if choose.maybe(4):
        del lease["expires_at"]
    return lease
