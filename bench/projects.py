"""Projects of any size on disk, written straight in the formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from loopx_policy.project.times import iso

NOW = 1_796_115_600
NOW_TEXT = iso(NOW)
HOUR = 3600


def todo_lines(count: int) -> Iterator[str]:
    """An agent list of ``count`` todos, mostly alike, as lists are."""
    yield from ("# Harbour", "", "## Agent Todo", "")
    for number in range(count):
        holder = "main" if number % 3 else "side"
        yield f"- [ ] [P{number % 5}] Chart basin {number}"
        yield (
            f"  <!-- loopx:todo todo_id=todo_a{number:06d} status=open task_class=advancement_task claimed_by={holder}"
            " required_write_scopes=docs/** required_capabilities=shell -->"
        )


def state_text(count: int) -> bytes:
    return ("\n".join(todo_lines(count)) + "\n").encode()


def goal(number: int, state: str) -> dict[str, object]:
    return {
        "id": f"goal-{number}",
        "repo": ".",
        "state_file": state,
        "coordination": {"registered_agents": ["main"], "primary_agent": "main", "write_scope": ["docs/**"]},
    }


def lay(root: Path, *, goals: int = 1, todos: int = 10, rows: int = 20) -> Path:
    """A project with ``goals`` goals of ``todos`` todos; the first has ``rows`` rows of history."""
    (root / ".loopx").mkdir(parents=True)
    names = [f"states/{number:05d}.md" for number in range(goals)]
    (root / "states").mkdir()
    text = state_text(todos)
    for name in names:
        (root / name).write_bytes(text)
    registry = {
        "schema_version": "0.1",
        "common_runtime_root": "runtime",
        "goals": [goal(number, name) for number, name in enumerate(names)],
    }
    (root / ".loopx" / "registry.json").write_text(json.dumps(registry))
    runs = root / "runtime" / "goals" / "goal-0" / "runs"
    runs.mkdir(parents=True)
    with (runs / "index.jsonl").open("w") as index:
        index.writelines(row(number, rows) for number in range(rows))
    return root


def row(number: int, rows: int) -> str:
    """One row a quarter of an hour: a third are spendings."""
    time = iso(NOW - (rows - number) * HOUR // 4)
    kind = "quota_slot_spent" if number % 3 == 2 else "progress"
    entry: dict[str, object] = {
        "generated_at": time,
        "goal_id": "goal-0",
        "classification": kind,
        "agent_id": "main",
        "recommended_action": f"Chart basin {number % 50}",
        "health_check": "ok",
        "json_path": f"runs/{number}.json",
        "markdown_path": f"runs/{number}.md",
        "delivery_outcome": "outcome_progress",
    }
    if kind == "quota_slot_spent":
        entry["quota_event"] = {"slots": 1}
    return json.dumps(entry) + "\n"
