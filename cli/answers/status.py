"""``loopx status``: the latest meaningful run of a goal, its todos, and the rows before it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from loopx_policy.detail import diagnostics
from loopx_policy.engine.catalog import Catalog
from loopx_policy.facts.history import is_mine
from loopx_policy.facts.view import look
from loopx_policy.hints.derive import derive
from loopx_policy.hints.surface import shown
from loopx_policy.model import Run, Snapshot
from loopx_policy.project.times import iso

from ..request import Globals, Result
from .goals import BROKEN, is_broken, neutral, snapshot_of
from .policy import load
from .writing import onlooker

Data = dict[str, Any]
REWARD = ("reward", "decision", "reason_summary", "follow_up", "recorded_at")


def status(options: Globals, goal_id: str | None, agent_id: str | None, limit: int) -> Result:
    """``{ok, goal_id, as_of, state_file, todos, problems, latest, hints, rows, hidden}``; exit code 3 where not ``ok``.

    ``limit`` cuts ``rows`` and nothing else. ``latest`` is the newest row that is not status-neutral, of all rows that
    were read, or none. With an agent, rows of other lanes are left out.
    """
    catalog = load(options)
    data = of(snapshot_of(options, catalog, goal_id, agent_id), catalog, agent_id, limit)
    return Result(data, "status", 0 if data["ok"] else BROKEN)


def of(snapshot: Snapshot, catalog: Catalog, agent_id: str | None, limit: int) -> Data:
    """What ``status`` shows of a snapshot."""
    quiet = neutral(catalog)
    rows = [row for row in snapshot.runs.rows if agent_id is None or is_mine(row, agent_id)]
    broken = is_broken(snapshot)
    latest = next((row for row in rows if row.classification not in quiet), None)
    return {
        "schema_version": "loopx_status_v0",
        "ok": not broken,
        "goal_id": snapshot.goal.goal_id,
        "agent_id": agent_id,
        "as_of": iso(snapshot.now),
        "state_file": snapshot.state.file,
        "objective": snapshot.state.front.get("objective", "").strip('"'),
        "todos": todos(snapshot),
        "problems": diagnostics(snapshot),
        "latest": row_data(latest, quiet) if latest is not None else None,
        "hints": [shown(hint) for hint in derive(look(onlooker(snapshot), catalog.parameters)).active],
        "rows": [row_data(row, quiet) for row in rows[:limit]],
        "hidden": max(0, len(rows) - limit),
        "torn": snapshot.runs.torn,
    }


def todos(snapshot: Snapshot) -> Data:
    """How many todos of each role stand in each status."""
    counted: dict[str, Counter[str]] = {"user": Counter(), "agent": Counter()}
    for todo in snapshot.state.todos:
        counted[todo.role][todo.status] += 1
    return {role: dict(sorted(counter.items())) for role, counter in counted.items()}


def row_data(row: Run, quiet: frozenset[str]) -> Data:
    """What is shown of a row of the run index."""
    return {
        "generated_at": row.generated_at_text,
        "classification": row.classification,
        "neutral": row.classification in quiet,
        "agent_id": row.agent_id or None,
        "delivery_outcome": row.delivery_outcome,
        "recommended_action": row.recommended_action,
        "human_reward": reward_of(row),
    }


def reward_of(row: Run) -> Data | None:
    """What a person said of a run, compactly, as the newest overlay over it has it."""
    given = row.raw.get("human_reward")
    if not isinstance(given, dict):
        return None
    return {name: str(given[name]) for name in REWARD if given.get(name)}
