"""A snapshot document as a project on disk, to be looked at: registry, active state, run index, leases, checkouts.

Written for witnesses: what ``realise`` makes can be written, and is read back as it was. A note whose metadata breaks
the contract is written so that it does.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loopx_policy.ledger.comments import comments
from loopx_policy.ledger.state_text import HEADINGS, MARKS
from loopx_policy.model import Snapshot
from loopx_policy.project import read_project
from loopx_policy.project.document import from_document, to_document

Json = dict[str, Any]

STATE = "STATE.md"
PLAIN = ("todo_id", "role", "text", "section", "line", "last_line", "priority", "extra")
"""Parts of a todo that are no metadata."""


@dataclass(slots=True, frozen=True)
class Place:
    """A project on disk: its root, the folder to stand in, and who asks when."""

    root: str
    cwd: str
    registry: str
    agent: str
    now: str

    def command(self, words: str) -> str:
        """A command that asks about the project, as typed from its root."""
        inside = os.path.relpath(self.cwd, self.root)
        registry = os.path.relpath(self.registry, self.cwd)
        agent = f" --agent-id {shlex.quote(self.agent)}" if self.agent else ""
        return f"cd {shlex.quote(inside)} && loopx {words} --registry {shlex.quote(registry)}{agent} --now {self.now}"


def write(document: Json, root: str) -> Place:
    """Write the project into ``root``, which is made."""
    data = to_document(from_document(document))
    project = os.path.join(root, "project")
    os.makedirs(os.path.join(project, ".loopx"), exist_ok=True)
    registry = os.path.join(project, ".loopx", "registry.json")
    _save(registry, json.dumps(_registry(data), indent=2, ensure_ascii=False) + "\n")
    if data.get("state", {}).get("readable", True):
        _save(os.path.join(project, STATE), "\n".join(_state(data)) + "\n")
    _runtime(data, os.path.join(root, "runtime", "goals", data["goal"]["id"]))
    tree = data.get("workspace", {}).get("kind") == "worktree"
    _checkouts(root, tree)
    return Place(root, os.path.join(root, "tree") if tree else project, registry, data.get("agent") or "", data["now"])


def read(place: Place, now: int, neutral: tuple[str, ...]) -> Snapshot:
    """The snapshot of a written project, by the program's own reader."""
    return read_project(
        goal_id=None,
        registry=place.registry,
        runtime_root=None,
        cwd=place.cwd,
        env={},
        now=now,
        agent_id=place.agent or None,
        capabilities=(),
        neutral=neutral,
    )


def _save(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _registry(data: Json) -> Json:
    goal = data["goal"]
    coordination: Json = {
        "registered_agents": [*goal.get("agents", ()), *_more_problems(data)],
        **{key: goal[key] for key in ("primary_agent", "write_scope", "available_capabilities") if key in goal},
    }
    entry: Json = {"id": goal["id"], "status": "active", "repo": ".", "state_file": STATE}
    entry |= {key: goal[key] for key in ("quota", "waiting_on", "attention_status") if key in goal}
    entry["coordination"] = {key: value for key, value in coordination.items() if value}
    if "outcome_floor" in goal:
        entry["execution_profile"] = {"outcome_floor": goal["outcome_floor"]}
    if "self_repair" in goal:
        entry["control_plane"] = {"self_repair": goal["self_repair"]}
    if goal.get("side_agent_independent_worktree_required") is False:
        entry["workspace_guard_policy"] = {"side_agent_independent_worktree_required": False}
    return {"schema_version": "0.1", "common_runtime_root": "../runtime", "goals": [entry]}


def _more_problems(data: Json) -> list[int]:
    """Beside a state that is not there, each further problem is an agent that is no name."""
    state = data.get("state", {})
    return [] if state.get("readable", True) else list(range(1, len(state.get("problems", ()))))


def _state(data: Json) -> Iterator[str]:
    broken = {problem.get("todo_id") for problem in data.get("state", {}).get("problems", ())}
    yield from ("---", "status: active", f"objective: {data['goal']['id']}", "---", "", "# Active goal state")
    for role in ("user", "agent"):
        listed = [todo for todo in data.get("todos", ()) if todo.get("role", "agent") == role]
        if listed:
            yield from ("", f"## {HEADINGS[role]}", "")
        for todo in listed:
            status = todo.get("status", "open")
            words = {"todo_id": todo["todo_id"], "status": status}
            words |= {key: _word(value) for key, value in todo.items() if key not in PLAIN}
            if todo["todo_id"] in broken:
                words["cadence"] = "often"
            yield f"- [{MARKS[status]}] {todo['text']}"
            yield from comments(words)
    if data.get("next_action"):
        yield from ("", "## Next Action", "")
        yield from (f"- {bullet if isinstance(bullet, str) else bullet['text']}" for bullet in data["next_action"])


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _runtime(data: Json, home: str) -> None:
    rows = [{**row.get("raw", {}), **{k: v for k, v in row.items() if k != "raw"}} for row in data.get("runs", ())]
    if rows:
        lines = (json.dumps({"goal_id": data["goal"]["id"], **row}, ensure_ascii=False) + "\n" for row in rows)
        _save(os.path.join(home, "runs", "index.jsonl"), "".join(lines))
    for lease in data.get("leases", ()):
        text = json.dumps({"schema_version": "task_lease_v0", **lease}, indent=2)
        _save(os.path.join(home, "task-leases", f"{lease['todo_id']}.json"), text + "\n")


def _checkouts(root: str, tree: bool) -> None:
    """The folders of git that tell a primary checkout from a linked worktree; there is no commit in them."""
    common = os.path.join(root, "project", ".git")
    for inside in ("objects", os.path.join("refs", "heads")):
        os.makedirs(os.path.join(common, inside), exist_ok=True)
    _save(os.path.join(common, "HEAD"), "ref: refs/heads/main\n")
    _save(os.path.join(common, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    if tree:
        own = os.path.join(common, "worktrees", "tree")
        _save(os.path.join(own, "HEAD"), "ref: refs/heads/lane\n")
        _save(os.path.join(own, "commondir"), "../..\n")
        _save(os.path.join(own, "gitdir"), os.path.join(os.path.abspath(root), "tree", ".git") + "\n")
        _save(os.path.join(root, "tree", ".git"), f"gitdir: {os.path.abspath(own)}\n")
